/** What `cairn doctor` finds in the server, each finding with what to do. */
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import type { DoctorCheck, DoctorFinding } from '../../../../src/protocol/explain/doctor.ts';
import { NO_BACKUP } from '../../../../src/protocol/names/doctor-values.ts';
import { useIsAway } from '../../api/reachability.ts';
import { Remedy } from '../../parts/findings.tsx';
import { countText, withUnbrokenSpans } from '../../parts/format.ts';
import { Icon } from '../../parts/icon.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Answered, isDenied, OnlyFor } from '../../parts/states.tsx';
import { Age, LocalTime, withMoments } from '../../parts/time.tsx';
import { useUnread } from '../../queries/is-loaded.ts';
import { doctorQuery, readinessQuery } from '../../queries/server.ts';
import { isOfNodes, reasonText } from '../overview/attention/attention.ts';
import { useAttention } from '../overview/attention/use-attention.ts';
import { SupportBundle } from './bundle-section.tsx';

interface Check {
  readonly name: string;
  /** Bounds as in docs/guide/operate.md. */
  readonly warnsIf: string;
}

const CHECKS: Readonly<Record<DoctorFinding['id'], Check>> = {
  disk: { name: 'Disk space', warnsIf: 'less than 10 % and less than 20 GiB of a disk are free' },
  map: { name: 'Memory map', warnsIf: 'the database nears the limit of its process' },
  'free-pages': { name: 'Free pages', warnsIf: 'more than half of the database file, and 256 MiB, are free pages' },
  readers: { name: 'Readers of the database', warnsIf: 'one holds back space that could be used again' },
  flush: { name: 'Flush time', warnsIf: 'changes take more than 0.2 s to reach the disk' },
  'loop-lag': { name: 'Thread delay', warnsIf: 'the server stood still for 4 s of 5 minutes' },
  clock: { name: 'Clock', warnsIf: 'it jumped, or most nodes disagree with it' },
  descriptors: { name: 'File descriptors', warnsIf: 'the server may open fewer than 4,096 files' },
  'certificate-expiry': { name: 'Certificate expiry', warnsIf: 'the certificate expires within 30 days' },
  'certificate-name': { name: 'Certificate names', warnsIf: 'the certificate does not name the server’s address' },
  permissions: { name: 'File permissions', warnsIf: 'other users can read data, keys or logs' },
  journal: { name: 'Metrics journal', warnsIf: 'an entry has waited for 32 minutes' },
  'replica-lag': { name: 'Replicas', warnsIf: 'this server is a minute behind the leader' },
  'backup-age': { name: 'Backup age', warnsIf: 'none was made for 7 days' },
  'agent-version': { name: 'Agent versions', warnsIf: 'an agent is older than the server' },
  'token-key': { name: 'Token key', warnsIf: 'the key that signs node tokens cannot be read' },
  records: { name: 'Stored records', warnsIf: 'a record does not fit its checksum' },
};

const TONES: Readonly<Record<DoctorFinding['severity'], string>> = { warning: 'warn', critical: 'bad' };

export function HealthPage(): ReactNode {
  const query = useQuery(doctorQuery);
  const { data: readiness } = useQuery(readinessQuery);
  const reasons = readiness?.reasons ?? [];
  // What the server said last is no news of how it is now.
  const isAway = useIsAway();
  // Opened while it is away, the page has checks of before the server was heard last: the bar must not give them its time.
  const [isOfBefore] = useState(isAway);
  useUnread(isOfBefore);
  const checkedAt = query.dataUpdatedAt === 0 ? undefined : new Date(query.dataUpdatedAt).toISOString();
  return (
    <div className="health">
      <PageHead title="Health">
        {/* While the server is away the time stands below. */}
        {checkedAt === undefined || isAway ? null : (
          <span className="muted">
            Checked <Age of={checkedAt} />
          </span>
        )}
      </PageHead>
      <div className={isAway ? 'health-stale' : undefined}>
        {reasons.length === 0 ? null : (
          <ul className="findings" aria-label="What the server doubts">
            {reasons.map((reason) => (
              <li key={reason} className="finding finding-bad">
                <Icon name="critical" /> {withMoments(reasonText(reason))}
                {isOfNodes(reason) ? (
                  <>
                    {' '}
                    <Link to="/nodes" search={{ state: 'late' }}>
                      See the late nodes
                    </Link>
                    .
                  </>
                ) : null}
              </li>
            ))}
          </ul>
        )}
        {isDenied(query.error) ? (
          <OnlyFor what="the checks" />
        ) : (
          <Answered query={query} what="the checks">
            {({ findings, checks }) => (
              <>
                {isAway && checkedAt !== undefined ? (
                  <p className="muted">
                    Last checked at <LocalTime at={checkedAt} />:
                  </p>
                ) : null}
                <Findings findings={findings} isDoubtful={reasons.length > 0} isPast={isAway} />
                <Checks findings={findings} checks={checks} isDoubtful={reasons.length > 0} />
                <SupportBundle />
              </>
            )}
          </Answered>
        )}
      </div>
    </div>
  );
}

/** A healthy server may have a fleet in trouble. */
function OfFleet(): ReactNode {
  const { rows } = useAttention();
  // What the server itself says stands on this page.
  const count = rows.filter(({ link }) => link.to !== '/health').length;
  return count === 0 ? null : (
    <p className="health-fleet">
      In the fleet{' '}
      <Link to="/">
        {countText(count)} {count === 1 ? 'thing needs' : 'things need'} attention
      </Link>
      .
    </p>
  );
}

interface FindingsProps {
  readonly findings: readonly DoctorFinding[];
  readonly isDoubtful: boolean;
  /** The server is away. */
  readonly isPast: boolean;
}

function Findings({ findings, isDoubtful, isPast }: FindingsProps): ReactNode {
  if (findings.length === 0) {
    if (isDoubtful) return null;
    return (
      <>
        {isPast ? (
          <p className="muted">The server was healthy.</p>
        ) : (
          <p className="finding finding-good">
            <Icon name="done" /> The server is healthy.
          </p>
        )}
        <OfFleet />
      </>
    );
  }
  return (
    <>
      <p className="health-sum">
        {countText(findings.length)} {findings.length === 1 ? 'thing needs' : 'things need'} attention.
      </p>
      <ul className="findings" aria-label="Findings">
        {findings.map(({ id, severity, what, remedy }) => (
          <li key={id} className={`finding finding-${TONES[severity]}`}>
            <Icon name="failed" />
            <span className="finding-about">{CHECKS[id].name}</span> {what}
            <Remedy text={remedy} />
          </li>
        ))}
      </ul>
    </>
  );
}

const BACKUP_GUIDE = '/docs/guide/operate.html#backup-restore-upgrade';

interface ChecksProps {
  readonly findings: readonly DoctorFinding[];
  readonly checks: readonly DoctorCheck[];
  readonly isDoubtful: boolean;
}

/** Where nothing was measured, as of the certificate of a server without one, nothing is in order; nor is a backup that was not made yet. */
function Checks({ findings, checks, isDoubtful }: ChecksProps): ReactNode {
  const found = new Set(findings.map(({ id }) => id));
  const values = new Map(checks.map(({ id, value }) => [id, value]));
  const names = Object.keys(CHECKS) as DoctorFinding['id'][];
  const other = names.filter((id) => !found.has(id));
  const isOpen = (id: DoctorFinding['id']): boolean => values.get(id) === NO_BACKUP;
  const inOrder = other.filter((id) => values.has(id) && !isOpen(id));
  const open = other.filter(isOpen);
  const unknown = other.filter((id) => !values.has(id));
  return (
    <section aria-labelledby="checks">
      <h2 id="checks">
        {countText(inOrder.length)} {found.size > 0 || isDoubtful ? 'other ' : ''}
        {inOrder.length === 1 ? 'check passes' : 'checks pass'}{' '}
        <span className="muted">{open.map((id) => `· ${values.get(id)}`).join(' ')}</span>
      </h2>
      <ul className="panel checks">
        {[...open, ...inOrder].map((id) => (
          <li key={id}>
            {isOpen(id) ? <span className="muted">–</span> : <Icon name="done" />}
            <span className="check-name">{CHECKS[id].name}</span>
            <span className="check-value number">{withUnbrokenSpans(values.get(id) ?? '')}</span>
            <span className="muted small">
              Warns if {withUnbrokenSpans(CHECKS[id].warnsIf)}
              {isOpen(id) ? (
                <>
                  . To make one: <code>sudo cairn backup --to FILE</code> (<a href={BACKUP_GUIDE}>guide</a>)
                </>
              ) : null}
            </span>
          </li>
        ))}
        {unknown.length === 0 ? null : (
          <li className="checks-rest muted small">
            Not measured on this server: {unknown.map((id) => CHECKS[id].name).join(', ')}
          </li>
        )}
      </ul>
    </section>
  );
}
