/** What an operator must look at, worst first, each with the list of what it is about. Pure. */
import type { DoctorFinding } from '../../../../src/protocol/explain/doctor.ts';
import { spanText } from '../../../../src/protocol/explain/span.ts';
import { countText } from '../../parts/format.ts';

export interface AttentionRow {
  readonly key: string;
  readonly severity: 'critical' | 'warning';
  readonly text: string;
  /** RFC 3339; absent where nothing tells it. */
  readonly since?: string;
  readonly link: AttentionLink;
}

type JobSearch = Readonly<Partial<Record<'phase' | 'status' | 'sort', string>>>;

export type AttentionLink =
  | { readonly to: '/jobs'; readonly search: JobSearch }
  | { readonly to: '/job'; readonly search: { readonly id: string } }
  | { readonly to: '/nodes'; readonly search: { readonly state: string; readonly sort?: string } }
  | { readonly to: '/settings'; readonly search: { readonly tab: 'webhooks' } }
  | { readonly to: '/health'; readonly search: Record<never, never> };

export interface Circumstances {
  /** Reasons of `/readyz`. */
  readonly reasons: readonly string[];
  readonly stranded: number;
  readonly late: number;
  /** Nodes that run, those that are late included. */
  readonly running: number;
  /** Nodes that fell silent within the last hour. */
  readonly lost: number;
  readonly failed: FailedJobs;
  /** Jobs at work by their last event. */
  readonly statuses: Readonly<Record<string, number>>;
  /** Of a status that a single job has: that job. */
  readonly singles: Readonly<Record<string, SingleJob>>;
  /** The one that began first at the beginning. */
  readonly checkpointing: readonly { readonly id: string; readonly updatedAt: string }[];
  readonly findings: readonly DoctorFinding[];
  /** Webhooks whose latest delivery failed. */
  readonly webhooks: readonly FailingWebhook[];
  readonly nowMs: number;
}

export interface FailingWebhook {
  readonly id: string;
  /** Events that are not delivered yet. */
  readonly waiting: number;
}

/** Jobs that failed within the last hour. */
export interface FailedJobs {
  readonly jobs: readonly { readonly id: string; readonly queueName: string; readonly updatedAt: string }[];
  /** Whether there are more than these. */
  readonly hasMore: boolean;
  /** Failed jobs of whatever time, which the list of them holds; absent while it is not known. */
  readonly total?: number | undefined;
}

/** A job that is alone in its trouble. */
export interface SingleJob {
  readonly id: string;
  /** What its last event says; empty where it says nothing. */
  readonly reason: string;
  /** When its last event was. */
  readonly since: string;
}

/** A checkpoint of a large job takes minutes. */
const LONG_CHECKPOINT_MS = 15 * 60_000;

export function attentionRows(circumstances: Circumstances): AttentionRow[] {
  const { reasons, stranded, findings } = circumstances;
  const rows: AttentionRow[] = reasons.map((reason) => ({
    key: reason.replace(/\d+/g, ''),
    severity: 'critical',
    text: `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`,
    link: /nodes/.test(reason) ? { to: '/nodes', search: { state: 'late' } } : { to: '/health', search: {} },
  }));
  if (stranded > 0)
    rows.push({
      key: 'stranded',
      severity: 'critical',
      text: `${jobsText(stranded)} stranded: ${stranded === 1 ? 'its node is' : 'their nodes are'} gone.`,
      link: { to: '/jobs', search: { phase: 'stranded' } },
    });
  rows.push(...failureRows(circumstances), ...failedJobs(circumstances), ...longCheckpoints(circumstances));
  rows.push(...silentNodes(circumstances), ...failingWebhooks(circumstances));
  rows.push(
    ...findings.map(
      ({ id, severity, what }): AttentionRow => ({
        key: id,
        severity,
        text: what,
        link: { to: '/health', search: {} },
      }),
    ),
  );
  return rows.sort((a, b) => (a.severity === b.severity ? 0 : a.severity === 'critical' ? -1 : 1));
}

/** Statuses in which a job makes no progress, or none that would survive its node. */
export const FAILURES = [
  { status: 'RestoreFailed', phase: 'restoring', severity: 'critical', what: 'could not be restored' },
  {
    status: 'RestoreVolumeUnready',
    phase: 'restoring',
    severity: 'critical',
    what: 'cannot be restored: the volume is not ready',
  },
  { status: 'VolumeUnready', phase: 'starting', severity: 'critical', what: 'cannot start: the volume is not ready' },
  { status: 'CheckpointFailed', phase: 'running', severity: 'warning', what: 'could not be saved at the last attempt' },
] as const;

function failureRows({ statuses, singles }: Circumstances): AttentionRow[] {
  return FAILURES.flatMap(({ status, phase, severity, what }): AttentionRow[] => {
    const count = statuses[status] ?? 0;
    if (count === 0) return [];
    const single = count === 1 ? singles[status] : undefined;
    if (single !== undefined) {
      const text = `${single.id} ${what}${single.reason === '' ? '.' : `: ${single.reason}`}`;
      return [{ key: status, severity, text, since: single.since, link: { to: '/job', search: { id: single.id } } }];
    }
    const text = `${countText(count)} ${count === 1 ? 'job' : 'jobs'} ${what}.`;
    return [{ key: status, severity, text, link: { to: '/jobs', search: { phase, status } } }];
  });
}

/** So large a part of the nodes is no accident of one of them. */
const MANY_LATE = 0.1;

function silentNodes({ lost, late, running, stranded }: Circumstances): AttentionRow[] {
  const rows: AttentionRow[] = [];
  if (lost > 0)
    rows.push({
      key: 'lost',
      severity: stranded > 0 ? 'critical' : 'warning',
      text: `${countText(lost)} ${lost === 1 ? 'node was' : 'nodes were'} lost in the last hour.`,
      link: { to: '/nodes', search: { state: 'lost', sort: '-lastHeartbeat' } },
    });
  if (late > 0)
    rows.push({
      key: 'late',
      severity: late > 1 && late > MANY_LATE * running ? 'critical' : 'warning',
      text:
        late === 1
          ? '1 node is late with heartbeats.'
          : `${countText(late)} of ${countText(Math.max(late, running))} nodes are late with heartbeats.`,
      link: { to: '/nodes', search: { state: 'late' } },
    });
  return rows;
}

/** Who relies on a webhook hears nothing of all else in the list. */
function failingWebhooks({ webhooks }: Circumstances): AttentionRow[] {
  const [first] = webhooks;
  if (first === undefined) return [];
  const waiting = webhooks.reduce((sum, one) => sum + one.waiting, 0);
  const who = webhooks.length === 1 ? `The webhook ${first.id} fails` : `${countText(webhooks.length)} webhooks fail`;
  const what = waiting === 0 ? '' : `: ${countText(waiting)} ${waiting === 1 ? 'event waits' : 'events wait'}`;
  const link = { to: '/settings', search: { tab: 'webhooks' } } as const;
  return [{ key: 'webhooks', severity: 'warning', text: `${who}${what}.`, link }];
}

function failedJobs({ failed: { jobs, hasMore, total = 0 } }: Circumstances): AttentionRow[] {
  const [first] = jobs;
  if (first === undefined) return [];
  // The newest come first.
  const common = { key: 'failed', severity: 'warning', ...sinceOf(jobs.at(-1)?.updatedAt) } as const;
  if (jobs.length === 1 && !hasMore) {
    const text = `${first.id} failed in the last hour, in ${first.queueName}.`;
    return [{ ...common, text, link: { to: '/job', search: { id: first.id } } }];
  }
  const byQueue = new Map<string, number>();
  for (const { queueName } of jobs) byQueue.set(queueName, (byQueue.get(queueName) ?? 0) + 1);
  const [most = ['', 0]] = [...byQueue].toSorted((a, b) => b[1] - a[1]);
  // Of those that were not read nothing is known.
  const where = hasMore ? '' : byQueue.size === 1 ? `, in ${most[0]}` : `, ${countText(most[1])} of ${most[0]}`;
  // The list begins with these, and goes on.
  const all = total > jobs.length ? `; ${countText(total)} in all` : '';
  return [
    {
      ...common,
      text: `${hasMore ? 'More than ' : ''}${countText(jobs.length)} jobs failed in the last hour${where}${all}.`,
      link: { to: '/jobs', search: { phase: 'failed', sort: '-updatedAt' } },
    },
  ];
}

function longCheckpoints({ checkpointing, nowMs }: Circumstances): AttentionRow[] {
  const ageMs = (job: { readonly updatedAt: string }): number => nowMs - Date.parse(job.updatedAt);
  const long = checkpointing.filter((job) => ageMs(job) > LONG_CHECKPOINT_MS);
  const [oldest] = long;
  if (!oldest) return [];
  const span = spanText(Math.floor(ageMs(oldest) / 60_000) * 60);
  const common = { key: 'long-checkpoints', severity: 'warning', since: oldest.updatedAt } as const;
  if (long.length === 1)
    return [
      {
        ...common,
        text: `A checkpoint of ${oldest.id} has taken ${span} so far.`,
        link: { to: '/job', search: { id: oldest.id } },
      },
    ];
  const many = countText(long.length);
  const which = long.length === checkpointing.length ? `All ${many}` : `${many} of ${countText(checkpointing.length)}`;
  return [
    {
      ...common,
      text: `${which} checkpoints in progress have taken more than 15 m, the longest ${span}.`,
      link: { to: '/jobs', search: { phase: 'running', status: 'Checkpointing', sort: 'updatedAt' } },
    },
  ];
}

function sinceOf(since: string | undefined): { since?: string } {
  return since === undefined ? {} : { since };
}

function jobsText(count: number): string {
  return `${countText(count)} ${count === 1 ? 'job is' : 'jobs are'}`;
}
