/** What `cairn doctor` finds in the server, each finding with what to do. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { DoctorFinding } from '../../../../src/protocol/explain/doctor.ts';
import { doctorQuery } from '../../api/queries.ts';
import { countText } from '../../parts/format.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Answered } from '../../parts/states.tsx';
import { Age } from '../../parts/time.tsx';

const TONES: Readonly<Record<DoctorFinding['severity'], string>> = { warning: 'warn', critical: 'bad' };

export function HealthPage(): ReactNode {
  const query = useQuery(doctorQuery);
  return (
    <>
      <PageHead title="Health">
        {query.dataUpdatedAt === 0 ? null : (
          <span className="muted">
            Checked <Age of={new Date(query.dataUpdatedAt).toISOString()} />
          </span>
        )}
      </PageHead>
      <Answered query={query} what="the findings">
        {({ findings }) =>
          findings.length === 0 ? (
            <div className="findings">
              <p className="finding finding-good">
                The server is healthy.
                <span className="finding-remedy">
                  Disk, memory map, clock, certificate, permissions, backups, agents and more are in order.
                </span>
              </p>
            </div>
          ) : (
            <>
              <p>
                {countText(findings.length)} {findings.length === 1 ? 'thing needs' : 'things need'} attention.
              </p>
              <ul className="findings" aria-label="Findings">
                {findings.map(({ id, severity, what, remedy }) => (
                  <li key={id} className={`finding finding-${TONES[severity]}`}>
                    {what} <code className="finding-id">{id}</code>
                    <span className="finding-remedy">{remedy}</span>
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Answered>
    </>
  );
}
