/** What `cairn doctor` finds in the server, each finding with what to do. */
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { DoctorFinding } from '../../../../src/protocol/explain/doctor.ts';
import { doctorQuery } from '../../api/queries.ts';
import { countText } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Answered } from '../../parts/states.tsx';
import { Age } from '../../parts/time.tsx';

/** What each check is about. */
const CHECKS: Readonly<Record<DoctorFinding['id'], string>> = {
  disk: 'Disk space',
  map: 'Memory map',
  'free-pages': 'Free pages of the database',
  readers: 'Readers of the database',
  flush: 'Flush time',
  'loop-lag': 'Thread delay',
  clock: 'Clock',
  descriptors: 'File descriptors',
  'certificate-expiry': 'Certificate expiry',
  'certificate-name': 'Certificate names',
  permissions: 'File permissions',
  journal: 'Metrics journal',
  'replica-lag': 'Replicas',
  'backup-age': 'Backup age',
  'agent-version': 'Agent versions',
  'token-key': 'Token key',
  records: 'Stored records',
};

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
            <p className="finding finding-good">The server is healthy.</p>
          ) : (
            <>
              <p>
                {countText(findings.length)} {findings.length === 1 ? 'thing needs' : 'things need'} attention.
              </p>
              <ul className="findings" aria-label="Findings">
                {findings.map(({ id, severity, what, remedy }) => (
                  <li key={id} className={`finding finding-${TONES[severity]}`}>
                    <Icon name="failed" />
                    <span className="finding-about">{CHECKS[id]}</span> {what}
                    <span className="finding-remedy">{remedy}</span>
                  </li>
                ))}
              </ul>
            </>
          )
        }
      </Answered>
      {query.data ? <Checks findings={query.data.findings} /> : null}
    </>
  );
}

function Checks({ findings }: { findings: readonly DoctorFinding[] }): ReactNode {
  const found = new Set(findings.map(({ id }) => id));
  const names = Object.keys(CHECKS) as DoctorFinding['id'][];
  const inOrder = names.filter((id) => !found.has(id));
  return (
    <section className="panel" aria-labelledby="checks">
      <h2 id="checks">
        In order <span className="muted">{`${countText(inOrder.length)} of ${countText(names.length)} checks`}</span>
      </h2>
      <ul className="checks">
        {inOrder.map((id) => (
          <li key={id}>
            <Icon name="done" /> {CHECKS[id]}
          </li>
        ))}
      </ul>
    </section>
  );
}
