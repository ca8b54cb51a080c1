/**
 * Jobs counted by queue and status from their rows in the indexes, without decoding these. Records are read of those jobs alone
 * that go on while their node is gone, which no index knows.
 */
import type { JobFilter } from '../../protocol/lists/job-query.ts';
import { isDamaged } from '../../store/kv/checksum.ts';
import { afterKey, afterPrefix, compareKeys, KeyReader, textKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { idAtEnd, jobIndexPrefix } from '../../store/records/job-index.ts';
import { type JobHead, jobHeadOf, jobJsonOf } from '../../store/records/job-record.ts';
import { GoneNodes } from './gone-nodes.ts';
import { type Bounds, boundsBetween, hasUpdates } from './match.ts';
import { joined } from './source.ts';

/** Of jobs that are told apart by queue, by status, or by both; what is not told apart is empty. */
export interface JobGroup {
  readonly queue: string;
  readonly status: string;
  readonly count: number;
  /** How many of them go on while their node is gone; 0 where that was not asked for. */
  readonly stranded: number;
}

export interface GroupQuestion {
  /** With times of one order at most. */
  readonly filter: Pick<JobFilter, 'queues' | 'statuses'> & Times;
  readonly byQueue: boolean;
  readonly byStatus: boolean;
  /** Whether to tell those of a node that is gone, which looks at all times. */
  readonly withStranded: boolean;
}

type Times = Pick<JobFilter, 'createdAfter' | 'createdBefore' | 'updatedAfter' | 'updatedBefore'>;

/** Rows counted before the thread may do something else: some 5 ms. */
export const TURN_ROWS = 150_000;
const KINDS = {
  created: { both: 'queueStatus', queue: 'queue', status: 'status' },
  updated: { both: 'queueStatusUpdated', queue: 'queueUpdated', status: 'statusUpdated' },
} as const;
/** What else costs, in rows that are counted, some 30 ns each. */
const COST = { group: 400, node: 400, record: 250 } as const;

export async function jobGroups(reader: Reader, question: GroupQuestion, turnRows = TURN_ROWS): Promise<JobGroup[]> {
  const turns = new Turns(reader, turnRows);
  // First, so that what is counted is of one moment as far as it is of one turn.
  const stranded = question.withStranded ? await strandedBy(reader, question, turns) : new Map<string, number>();
  const { filter, byQueue, byStatus } = question;
  const isUpdated = hasUpdates(filter);
  const bounds = isUpdated
    ? boundsBetween(filter.updatedAfter, filter.updatedBefore)
    : boundsBetween(filter.createdAfter, filter.createdBefore);
  const kinds = KINDS[isUpdated ? 'updated' : 'created'];
  const prefixes =
    filter.queues === undefined
      ? [jobIndexPrefix(byQueue ? (byStatus ? kinds.both : kinds.queue) : kinds.status)]
      : [...new Set(filter.queues)].map((queue) => jobIndexPrefix(byStatus ? kinds.both : kinds.queue, queue));
  const hasQueue = byQueue || filter.queues !== undefined;
  const found: JobGroup[] = [];
  for (const prefix of prefixes) {
    for (const group of groupsBelow(reader, prefix, hasQueue && byStatus ? 2 : 1)) {
      const values = new KeyReader(group);
      values.byte();
      const queue = hasQueue ? values.text() : '';
      const status = byStatus ? values.text() : '';
      if (filter.statuses && !filter.statuses.includes(status)) continue;
      const count = await rowsOf(reader, group, bounds, turns);
      // It may have changed between two turns.
      found.push({ queue, status, count, stranded: Math.min(count, stranded.get(nameOf(queue, status)) ?? 0) });
      if (turns.spend(COST.group)) await turns.next();
    }
  }
  return found;
}

/** The record of a job without its events; undefined where there is none that can be read. */
export function jobHeadBy(reader: Reader, id: string): JobHead | undefined {
  const record = reader.view('job', textKey(id));
  return record && !isDamaged(record) ? jobHeadOf(jobJsonOf(record)) : undefined;
}

/** Hands the thread to others when it has done enough, and reads on from what is committed by then. */
export class Turns {
  readonly #reader: Reader;
  readonly #max: number;
  #spent = 0;

  constructor(reader: Reader, max: number) {
    this.#reader = reader;
    this.#max = max;
    reader.refresh();
  }

  /** Whether it is enough. */
  spend(rows: number): boolean {
    this.#spent += rows;
    return this.#spent >= this.#max;
  }

  async next(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#spent = 0;
    this.#reader.refresh();
  }

  /** Rows that are left of this turn; at least one, so that all comes to its end. */
  get left(): number {
    return Math.max(1, this.#max - this.#spent);
  }
}

/** Jobs that go on while their node is gone, by the name of their group. Looks at each node of a job that goes on. */
async function strandedBy(reader: Reader, question: GroupQuestion, turns: Turns): Promise<Map<string, number>> {
  const { queues, statuses } = question.filter;
  const nodes = new GoneNodes(reader);
  const counts = new Map<string, number>();
  for (const group of groupsBelow(reader, jobIndexPrefix('outcomeByNode', ''), 2)) {
    if (turns.spend(COST.node)) await turns.next();
    if (!mayBeGone(group, nodes)) continue;
    for await (const id of idsOf(reader, group, turns)) {
      const head = jobHeadBy(reader, id);
      if (!head || nodes.phaseOf(head) !== 'stranded') continue;
      if ((queues && !queues.includes(head.queueName)) || (statuses && !statuses.includes(head.status))) continue;
      const hasQueue = question.byQueue || queues !== undefined;
      const name = nameOf(hasQueue ? head.queueName : '', question.byStatus ? head.status : '');
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return counts;
}

function nameOf(queue: string, status: string): string {
  return `${queue}\0${status}`;
}

function mayBeGone(group: Uint8Array, nodes: GoneNodes): boolean {
  const values = new KeyReader(group);
  values.byte();
  values.text();
  const node = values.text();
  // In a key it may stand for a zero (`keyText`): then each job's record tells.
  return node.includes('\u0001') || nodes.isGone(node);
}

/** Keys read at once. */
const KEYS = 128;

async function* idsOf(reader: Reader, group: Uint8Array, turns: Turns): AsyncGenerator<string> {
  const end = afterPrefix(group);
  let start = group;
  for (;;) {
    const keys = [...reader.range('jobIndex', { start, ...(end ? { end } : {}), limit: KEYS, keysOnly: true })];
    for (const { key } of keys) {
      const id = idAtEnd(key.subarray(group.length));
      if (id === undefined) continue;
      if (turns.spend(COST.record)) await turns.next();
      yield id;
    }
    const last = keys.at(-1);
    // Only forwards, though a damaged key may be out of order.
    if (!last || keys.length < KEYS || compareKeys(last.key, start) < 0) return;
    start = afterKey(last.key);
  }
}

/** What the rows below a prefix begin with, up to the end of the last of so many texts: each once. Holds no iterator. */
function* groupsBelow(reader: Reader, prefix: Uint8Array, texts: number): Generator<Uint8Array> {
  const end = afterPrefix(prefix);
  for (let start: Uint8Array | undefined = prefix; start; ) {
    const [first] = reader.range('jobIndex', { start, ...(end ? { end } : {}), limit: 1, keysOnly: true });
    if (!first) return;
    const group = groupOf(first.key, texts);
    yield group;
    const next = afterPrefix(group);
    start = next && compareKeys(next, start) > 0 ? next : undefined;
  }
}

function groupOf(key: Uint8Array, texts: number): Uint8Array {
  let end = 1;
  for (let i = 0; i < texts; i++) {
    const zero = key.indexOf(0, end);
    // The zero may be what is damaged; the row is then a group of its own.
    if (zero < 0) return key;
    end = zero + 1;
  }
  return key.subarray(0, end);
}

/** Rows that are asked for first: the store looks as far as it is asked, also behind the end of a small group. */
const FIRST_STEP = 64;

async function rowsOf(reader: Reader, group: Uint8Array, { from, to }: Bounds, turns: Turns): Promise<number> {
  const end = to ? joined(group, to) : afterPrefix(group);
  let rows = 0;
  for (let start: Uint8Array | null = from ? joined(group, from) : group; start; ) {
    const max = Math.min(turns.left, Math.max(FIRST_STEP, rows));
    const { count, next } = reader.countBetween('jobIndex', { start, ...(end ? { end } : {}) }, max);
    rows += count;
    if (turns.spend(count)) await turns.next();
    start = next && compareKeys(next, start) > 0 ? next : null;
  }
  return rows;
}
