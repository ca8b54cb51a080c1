/** What `cairn doctor` finds in the server, each finding with what to do. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { DoctorFinding } from '../../../../src/protocol/explain/doctor.ts';
import { doctorQuery } from '../../api/queries.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Answered, Empty } from '../../parts/states.tsx';

const TONES: Readonly<Record<DoctorFinding['severity'], string>> = { warning: 'warn', critical: 'bad' };

export function HealthPage(): ReactNode {
  const query = useQuery(doctorQuery);
  return (
    <>
      <PageHead title="Health" />
      <Answered query={query} what="the findings">
        {({ findings }) =>
          findings.length === 0 ? (
            <Empty title="Nothing is wrong with the server">
              Disk, clock, certificate, backup and more are checked.
            </Empty>
          ) : (
            <ul className="findings" aria-label="Findings">
              {findings.map(({ id, severity, what, remedy }) => (
                <li key={id} className={`finding finding-${TONES[severity]}`}>
                  <strong>{id}</strong> {what}
                  <span className="finding-remedy">{remedy}</span>
                </li>
              ))}
            </ul>
          )
        }
      </Answered>
    </>
  );
}
