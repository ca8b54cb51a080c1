/** What an operator must look at, worst first, each with the list of what it is about. Pure. */
import { spanText } from '../../../../../src/protocol/explain/span.ts';
import { failedListOf, lostListOf } from '../../../lists/list-links.ts';
import { sumOfUnsaved } from '../../../lists/risk-tone.ts';
import { countText } from '../../../parts/format.ts';
import type { AttentionRow, Circumstances } from './attention-row.ts';
import { slowSteps } from './slow-steps.ts';

export function attentionRows(circumstances: Circumstances): AttentionRow[] {
  const { reasons, findings, late } = circumstances;
  const doubts = reasons.map(
    (reason): AttentionRow => ({
      key: reason.replace(/\d+/g, ''),
      severity: 'critical',
      text: reasonText(reason),
      ...(isOfNodes(reason)
        ? {
            // They are among the late ones, which have no row of their own beside this one.
            ...(late.length > 0 ? { stake: `${countText(late.length)} late` } : {}),
            link: { to: '/nodes', search: { state: 'late' } } as const,
          }
        : { link: { to: '/health', search: {} } as const }),
    }),
  );
  // That most nodes are silent may be the cause of all else; that a few are is one trouble among others.
  const rows = doubts.filter((_, i) => !isFew(reasons[i] ?? ''));
  rows.push(...reclaimingNodes(circumstances));
  rows.push(...strandedJobs(circumstances));
  rows.push(...failureRows(circumstances), ...failedJobs(circumstances), ...slowSteps(circumstances));
  rows.push(...unsavedJobs(circumstances));
  rows.push(...silentNodes(circumstances));
  rows.push(...doubts.filter((row) => !rows.includes(row)), ...failingWebhooks(circumstances));
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
  return rows.sort(bySeverity);
}

function strandedJobs({ stranded, strandedSeconds, strandedSince, strandedHeard }: Circumstances): AttentionRow[] {
  if (stranded === 0) return [];
  return [
    {
      key: 'stranded',
      severity: 'critical',
      text: `${jobsText(stranded)} stranded: ${stranded === 1 ? 'its node is' : 'their nodes are'} gone.`,
      ...(strandedSeconds === undefined ? {} : { stake: `${spanText(strandedSeconds)} unsaved` }),
      ...(strandedSince !== undefined
        ? { since: strandedSince }
        : strandedHeard === undefined
          ? {}
          : { heard: strandedHeard }),
      link: { to: '/jobs', search: { phase: 'stranded' } },
    },
  ];
}

/** Whether it is less than half of the nodes that the server doubts itself for: `7 of 192 nodes fell silent at once`. */
function isFew(reason: string): boolean {
  const [, silent, running] = /^(\d+) of (\d+) nodes/.exec(reason) ?? [];
  return 2 * Number(silent) < Number(running);
}

/** Why the server doubts itself: so many are silent. */
export function isOfNodes(reason: string): boolean {
  return /nodes/.test(reason);
}

function bySeverity(a: AttentionRow, b: AttentionRow): number {
  return Number(b.severity === 'critical') - Number(a.severity === 'critical');
}

/** The one thing here that happens at a known time, and soon. */
function reclaimingNodes({ reclaiming, nowMs }: Circumstances): AttentionRow[] {
  const [first] = reclaiming;
  if (first === undefined) return [];
  const count = reclaiming.length;
  const which = count === 1 ? '1 node is being reclaimed' : `${countText(count)} nodes are being reclaimed`;
  const isDue = Date.parse(first.time) <= nowMs;
  const text = isDue
    ? `${which}: ${count === 1 ? 'it' : 'the first'} was announced for ${first.time}, and is still there.`
    : `${which}${count === 1 ? '' : ', the first'} at ${first.time}.`;
  const loads = reclaiming.flatMap(({ load }) => load ?? []);
  const jobs = loads.reduce((sum, load) => sum + load.jobs, 0);
  const unsaved = spanText(sumOfUnsaved(loads));
  const stake = jobs === 0 ? 'no job' : `${countText(jobs)} ${jobs === 1 ? 'job' : 'jobs'}, ${unsaved} unsaved`;
  return [
    {
      key: 'reclaiming',
      severity: 'critical',
      text,
      ...(loads.length < count ? {} : { stake }),
      link: count === 1 ? { to: '/node', search: { id: first.id } } : { to: '/nodes', search: { mark: 'reclaiming' } },
    },
  ];
}

/** A reason of the server as a sentence. */
export function reasonText(reason: string): string {
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}.`;
}

/** Statuses in which a job makes no progress, or none that would survive its node. */
export const FAILURES = [
  { status: 'RestoreFailed', phase: 'restoring', severity: 'critical', what: 'could not be restored', why: '' },
  {
    status: 'RestoreVolumeUnready',
    phase: 'restoring',
    severity: 'critical',
    what: 'cannot be restored',
    why: 'the volume is not ready',
  },
  {
    status: 'VolumeUnready',
    phase: 'starting',
    severity: 'critical',
    what: 'cannot start',
    why: 'the volume is not ready',
  },
  {
    status: 'CheckpointFailed',
    phase: 'running',
    severity: 'warning',
    what: 'could not be saved at the last attempt',
    why: '',
  },
] as const;

function failureRows({ statuses, oldest }: Circumstances): AttentionRow[] {
  return FAILURES.flatMap(({ status, phase, severity, what, why }): AttentionRow[] => {
    const count = statuses[status] ?? 0;
    if (count === 0) return [];
    const first = oldest[status];
    const whole = why === '' ? `${what}.` : `${what}: ${why}.`;
    const common = { key: status, severity, ...(first === undefined ? {} : { since: first.since }) };
    if (count === 1 && first !== undefined) {
      const text = first.reason === '' ? `${first.id} ${whole}` : `${first.id} ${what}: ${first.reason}`;
      return [{ ...common, text, link: { to: '/job', search: { id: first.id } } }];
    }
    const text = `${countText(count)} ${count === 1 ? 'job' : 'jobs'} ${whole}`;
    return [{ ...common, text, link: { to: '/jobs', search: { phase, status } } }];
  });
}

/** A job that runs for less may still be saved by another engine. */
const UNSAVED_SECONDS = 15 * 60;

/** So large a part of the nodes is no accident of one of them. */
const MANY_LATE = 0.1;

export function lateSeverity(late: number, running: number): 'critical' | 'warning' {
  return late > 1 && late > MANY_LATE * running ? 'critical' : 'warning';
}

/** What a node that is lost has left behind is a row of its own. */
function silentNodes({ reasons, lost, late, running }: Circumstances): AttentionRow[] {
  const rows: AttentionRow[] = [];
  const gone = lost?.nodes.length ?? 0;
  const [latest] = lost?.nodes ?? [];
  if (lost !== undefined && gone > 0)
    rows.push({
      key: 'lost',
      severity: 'warning',
      text: `${countText(gone)} ${gone === 1 ? 'node was' : 'nodes were'} lost in the last hour and ${gone === 1 ? 'has' : 'have'} not come back.`,
      ...(latest === undefined ? {} : { latest: latest.endedAt }),
      link: { to: '/nodes', search: lostListOf(lost) },
    });
  const [first] = late;
  const many = late.length;
  if (first !== undefined && !reasons.some(isOfNodes))
    rows.push({
      key: 'late',
      severity: lateSeverity(many, running),
      text:
        many === 1
          ? '1 node is late with heartbeats.'
          : `${countText(many)} of ${countText(Math.max(many, running))} nodes are late with heartbeats.`,
      since: first.lastHeartbeat,
      link: { to: '/nodes', search: { state: 'late' } },
    });
  return rows;
}

/** Who relies on a webhook hears nothing of all else in the list. */
function failingWebhooks({ webhooks }: Circumstances): AttentionRow[] {
  const [first] = webhooks;
  if (first === undefined) return [];
  const waiting = webhooks.reduce((sum, one) => sum + one.waiting, 0);
  const who = webhooks.length === 1 ? `Webhook ${first.id} is` : `${countText(webhooks.length)} webhooks are`;
  const what = waiting === 0 ? '' : `: ${countText(waiting)} ${waiting === 1 ? 'event waits' : 'events wait'}`;
  const link = { to: '/settings', search: { tab: 'webhooks' } } as const;
  const [latest] = webhooks.flatMap(({ lastDelivery }) => lastDelivery?.time ?? []).sort((a, b) => (a < b ? 1 : -1));
  const when = latest === undefined ? {} : { latest };
  return [{ key: 'webhooks', severity: 'warning', text: `${who} failing${what}.`, ...when, link }];
}

function failedJobs({ failed }: Circumstances): AttentionRow[] {
  const [latest] = failed?.newest ?? [];
  if (failed === undefined || latest === undefined) return [];
  const { total, byQueue, since } = failed;
  const common = { key: 'failed', severity: 'warning' } as const;
  if (total === 1) {
    const text = `${latest.id} failed in the last hour, in ${latest.queueName}.`;
    return [{ ...common, text, latest: latest.failedAt, link: { to: '/job', search: { id: latest.id } } }];
  }
  const [most = ['', 0], second = ['', 0], ...others] = Object.entries(byQueue).toSorted((a, b) => b[1] - a[1]);
  const isAlone = second[1] === 0;
  const elsewhere = others.length === 0 ? second[0] : `${countText(others.length + 1)} other queues`;
  const where = isAlone
    ? `, all in ${most[0]}`
    : `: ${countText(most[1])} in ${most[0]}, ${countText(total - most[1])} in ${elsewhere}`;
  return [
    {
      ...common,
      text: `${countText(total)} jobs failed in the last hour${where}.`,
      latest: latest.failedAt,
      link: { to: '/jobs', search: failedListOf({ updatedAfter: since }) },
    },
  ];
}

/** Work that nobody saves. Where another engine saves jobs while the server's checkpoints are off, the reader may put it away. */
function unsavedJobs({ isSaving, isUnsavingKnown, unsaved, isUnsavedPart }: Circumstances): AttentionRow[] {
  const [most] = unsaved;
  if (isSaving !== false || most === undefined || most.unsavedSeconds < UNSAVED_SECONDS) return [];
  const isAnySaved = unsaved.some(({ isNeverSaved }) => !isNeverSaved);
  if (isAnySaved && isUnsavingKnown) return [];
  const count = unsaved.length;
  const jobs = isUnsavedPart
    ? `the ${countText(count)} running jobs that were created first`
    : `${countText(count)} running jobs`;
  const never = count === 1 ? 'the running job was never saved' : `none of ${jobs} was ever saved`;
  return [
    {
      key: 'checkpoints-off',
      severity: 'warning',
      text: `Checkpoints are not switched on: ${isAnySaved ? 'agents save no job by themselves' : never}.`,
      ...(isUnsavedPart ? {} : { stake: `${spanText(sumOfUnsaved(unsaved))} unsaved` }),
      ...(isAnySaved ? { isHideable: true } : {}),
      link: { to: '/settings', search: { tab: 'ckpt' } },
    },
  ];
}

function jobsText(count: number): string {
  return `${countText(count)} ${count === 1 ? 'job is' : 'jobs are'}`;
}
