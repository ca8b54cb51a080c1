/** The rows of the table of queues: what is in each now, and what it did in the range. Pure. */
import { PHASES } from '../../../../src/protocol/phase.ts';
import type { Queue } from '../../../../src/protocol/queue.ts';
import { countedLate, type LateCounts, NONE_LATE, type RunningJob } from '../../lists/risk-tone.ts';
import type { QueueTotals } from './totals.ts';

export interface QueueRow extends LateCounts {
  readonly name: string;
  /** Undefined where the queue has no job any more. */
  readonly phases: Queue['phases'] | undefined;
  /** Jobs whose restore failed; nothing restores them. */
  readonly unrestored: number;
  /** Jobs that are not restored because their volume is not ready. */
  readonly unready: number;
  /** Jobs that do not start for the same reason. */
  readonly unstarted: number;
  /** The running or stranded job that would lose most. */
  readonly atRisk: RunningJob | undefined;
  readonly values: QueueTotals['values'];
  /** Jobs that failed in the range, and those that ended in it, however they did. */
  readonly failed: number;
  readonly ended: number;
}

interface Answers {
  readonly queues: readonly Queue[];
  readonly totals: readonly QueueTotals[];
  /** By queue. */
  readonly failed: Readonly<Record<string, number>>;
  readonly ended: Readonly<Record<string, number>>;
  readonly unrestored: Readonly<Record<string, number>>;
  readonly unready: Readonly<Record<string, number>>;
  readonly unstarted: Readonly<Record<string, number>>;
  readonly running: readonly RunningJob[];
  readonly stranded: readonly RunningJob[];
  /** Between two checkpoints of a job, by which unsaved work is much. */
  readonly intervalSeconds: number | undefined;
}

/** Queues that have jobs, and those that had some in the range: first those in trouble, then by name. */
export function queueRows(answers: Answers): QueueRow[] {
  const { queues, totals, failed, ended, unrestored, unready, unstarted, running, stranded, intervalSeconds } = answers;
  const phases = new Map(queues.map((queue) => [queue.name, queue.phases]));
  const values = new Map(totals.map((total) => [total.queue, total.values]));
  const most = [...running, ...stranded].toSorted((a, b) => a.unsavedSeconds - b.unsavedSeconds);
  const atRisk = new Map(most.map((job) => [job.queueName, job]));
  const late = lateOf(running, intervalSeconds);
  const names = [...new Set([...phases.keys(), ...values.keys(), ...Object.keys(failed)])].sort();
  return names
    .map((name) => ({
      name,
      phases: phases.get(name),
      unrestored: unrestored[name] ?? 0,
      unready: unready[name] ?? 0,
      unstarted: unstarted[name] ?? 0,
      atRisk: atRisk.get(name),
      ...(late.get(name) ?? NONE_LATE),
      values: values.get(name) ?? new Map(),
      failed: failed[name] ?? 0,
      ended: ended[name] ?? 0,
    }))
    .toSorted(byTrouble);
}

/** By what the overview shows of it: what is stuck or stranded, then the most unsaved work. */
export function byShown(a: QueueRow, b: QueueRow): number {
  return (
    stuckOf(b) - stuckOf(a) || (b.atRisk?.unsavedSeconds ?? 0) - (a.atRisk?.unsavedSeconds ?? 0) || b.failed - a.failed
  );
}

/** How bad it is: what can still be saved comes before what is over. Equals stay by name. */
function byTrouble(a: QueueRow, b: QueueRow): number {
  return (
    stuckOf(b) - stuckOf(a) ||
    b.neverSavedLate - a.neverSavedLate ||
    b.overdue - a.overdue ||
    b.failed - a.failed ||
    (b.atRisk?.unsavedSeconds ?? 0) - (a.atRisk?.unsavedSeconds ?? 0)
  );
}

/** By queue. */
function lateOf(running: readonly RunningJob[], intervalSeconds: number | undefined): ReadonlyMap<string, LateCounts> {
  const late = new Map<string, LateCounts>();
  for (const job of running)
    late.set(job.queueName, countedLate(late.get(job.queueName) ?? NONE_LATE, job, intervalSeconds));
  return late;
}

/** Jobs that do not go on by themselves. */
function stuckOf({ phases, unrestored, unready, unstarted }: QueueRow): number {
  return (phases?.stranded ?? 0) + unrestored + unready + unstarted;
}

/** All of them as one row. */
export function sumOfRows(rows: readonly QueueRow[]): QueueRow {
  const values = new Map<string, number>();
  for (const row of rows) for (const [name, value] of row.values) values.set(name, (values.get(name) ?? 0) + value);
  const phases = PHASES.map((phase) => [phase, sumOf(rows, (row) => row.phases?.[phase] ?? 0)]);
  const [atRisk] = rows.flatMap((row) => row.atRisk ?? []).toSorted((a, b) => b.unsavedSeconds - a.unsavedSeconds);
  return {
    name: '',
    phases: Object.fromEntries(phases) as Queue['phases'],
    unrestored: sumOf(rows, ({ unrestored }) => unrestored),
    unready: sumOf(rows, ({ unready }) => unready),
    unstarted: sumOf(rows, ({ unstarted }) => unstarted),
    atRisk,
    overdue: sumOf(rows, ({ overdue }) => overdue),
    neverSaved: sumOf(rows, ({ neverSaved }) => neverSaved),
    neverSavedLate: sumOf(rows, ({ neverSavedLate }) => neverSavedLate),
    values,
    failed: sumOf(rows, ({ failed }) => failed),
    ended: sumOf(rows, ({ ended }) => ended),
  };
}

function sumOf(rows: readonly QueueRow[], figureOf: (row: QueueRow) => number): number {
  return rows.reduce((sum, row) => sum + figureOf(row), 0);
}
