/** The list of queues with their jobs by phase, as one JSON text; from the indexes, in turns with what else the thread does. */
import type { Queues } from '../../protocol/identity/role.ts';
import { PHASES, type Phase, phaseOf } from '../../protocol/phase.ts';
import type { Queue } from '../../protocol/queue.ts';
import { afterPrefix } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { idAtEnd, jobIndexPrefix, TIME_SIZE } from '../../store/records/job-index.ts';
import { jobGroups, jobHeadBy, TURN_ROWS, Turns } from './job-groups.ts';

export async function* queueList(
  reader: Reader,
  seen: Queues = null,
  turnRows = TURN_ROWS,
): AsyncGenerator<Uint8Array> {
  const filter = seen ? { queues: seen } : {};
  const groups = await jobGroups(reader, { filter, byQueue: true, byStatus: true, withStranded: true }, turnRows);
  const counted = new Map<string, { total: number; phases: Record<Phase, number> }>();
  for (const { queue, status, count, stranded } of groups) {
    const tally = counted.get(queue) ?? { total: 0, phases: noJobs() };
    counted.set(queue, tally);
    tally.total += count;
    tally.phases.stranded += stranded;
    tally.phases[phaseOf(status, () => false)] += count - stranded;
  }
  const turns = new Turns(reader, turnRows);
  const queues: Queue[] = [];
  for (const [name, { total, phases }] of [...counted].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const updatedAt = updatedAtOf(reader, name);
    if (updatedAt !== undefined) queues.push({ name, total, phases, updatedAt });
    if (turns.spend(NEWEST_COST)) await turns.next();
  }
  yield Uint8Array.from(Buffer.from(JSON.stringify(queues)));
}

/** In rows that are counted. */
const NEWEST_COST = 1_000;
/** Jobs that are looked at for one whose record is whole. */
const RECORDS_MAX = 100;

/** When a job of the queue was last updated, as its record has it; undefined where no record says that it is of this queue. */
function updatedAtOf(reader: Reader, queue: string): string | undefined {
  const all = jobIndexPrefix('queueUpdated', queue);
  const newest = firstOf(reader, queue, all, all.length, true);
  if (!newest) return undefined;
  // Of jobs updated in the same nanosecond, one may have written it otherwise: that with the lowest id tells.
  const sameTime = newest.key.subarray(0, all.length + TIME_SIZE);
  return (firstOf(reader, queue, sameTime, all.length, false) ?? newest).updatedAt;
}

function firstOf(
  reader: Reader,
  queue: string,
  start: Uint8Array,
  endingAt: number,
  reverse: boolean,
): { readonly key: Uint8Array; readonly updatedAt: string } | undefined {
  const end = afterPrefix(start);
  const range = { start, ...(end ? { end } : {}), reverse, limit: RECORDS_MAX, keysOnly: true };
  for (const { key } of reader.range('jobIndex', range)) {
    const id = idAtEnd(key.subarray(endingAt));
    const head = id === undefined ? undefined : jobHeadBy(reader, id);
    if (head?.queueName === queue) return { key, updatedAt: head.updatedAt };
  }
  return undefined;
}

function noJobs(): Record<Phase, number> {
  return Object.fromEntries(PHASES.map((phase) => [phase, 0])) as Record<Phase, number>;
}
