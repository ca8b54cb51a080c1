/**
 * Jobs that a reclaim may have interrupted: those that still name a taken node, by the index of nodes, and those that were put on
 * another one since, among the jobs that were updated since. These are told by their events, so as few records as possible are
 * decoded: all others cost a look at their bytes.
 */
import type { Queues } from '../../protocol/identity/role.ts';
import { TERMINAL_STATUSES } from '../../protocol/job.ts';
import type { EpochNs } from '../../protocol/timestamp.ts';
import { isDamaged } from '../../store/kv/checksum.ts';
import { afterPrefix, asBuffer, keyOf, textKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { idAtEnd, jobIndexPrefix, keyText } from '../../store/records/job-index.ts';
import { hasEventRows } from '../../store/records/job-record.ts';
import type { Turns } from '../jobs/job-groups.ts';
import { joined } from '../jobs/source.ts';
import { keysBackwards } from './backwards.ts';
import type { TakenNode } from './taken-nodes.ts';

export interface Limits {
  /** Jobs updated since that are looked at. */
  readonly updated: number;
  /** Jobs of one node and outcome. */
  readonly ofNode: number;
  /** Jobs that are read whole. */
  readonly read: number;
}

export const LIMITS: Limits = { updated: 100_000, ofNode: 1_000, read: 20_000 };

/** What a look at a record and a range cost, in rows that are counted. */
const COST = { look: 80, range: 150 } as const;
/** Outcomes of jobs by the index: those that go on, and those that ended there otherwise than well. */
const OUTCOMES: readonly string[] = ['', ...TERMINAL_STATUSES.filter((status) => status !== 'Succeeded')];

export interface HitJobs {
  readonly ids: ReadonlySet<string>;
  readonly isCut: boolean;
}

/** `queues`: of their jobs alone, so that others' do not count against the limit; null: all. */
export async function hitJobs(
  reader: Reader,
  nodes: readonly TakenNode[],
  queues: Queues,
  turns: Turns,
  limits: Limits = LIMITS,
): Promise<HitJobs> {
  const ids = new Set<string>();
  let isCut = false;
  for (const oid of nodes.flatMap(({ oids }) => oids)) {
    for (const outcome of OUTCOMES) {
      const found = idsBelow(reader, jobIndexPrefix('outcomeByNode', outcome, keyText(oid)), limits.ofNode);
      isCut ||= found.length >= limits.ofNode;
      for (const id of found) ids.add(id);
      if (turns.spend(COST.range + found.length)) await turns.next();
    }
  }
  const since = nodes.reduce<EpochNs | null>(
    (first, { from }) => (first === null || from < first ? from : first),
    null,
  );
  if (since === null) return { ids, isCut };
  const orders = queues
    ? [...new Set(queues)].map((queue) => jobIndexPrefix('queueUpdated', queue))
    : [jobIndexPrefix('updated')];
  let looked = 0;
  for (const prefix of orders) {
    for await (const id of updatedSince(reader, prefix, since, turns)) {
      if (looked >= limits.updated) return { ids, isCut: true };
      looked++;
      if (!ids.has(id) && wasMoved(reader, id)) ids.add(id);
    }
  }
  return { ids, isCut };
}

/** The newest of them. */
function idsBelow(reader: Reader, prefix: Uint8Array, limit: number): string[] {
  const end = afterPrefix(prefix);
  const range = { start: prefix, ...(end ? { end } : {}), reverse: true, limit, keysOnly: true };
  return [...reader.range('jobIndex', range)].flatMap(({ key }) => idAtEnd(key.subarray(prefix.length)) ?? []);
}

/** The last that were updated come first. */
async function* updatedSince(reader: Reader, prefix: Uint8Array, since: EpochNs, turns: Turns): AsyncGenerator<string> {
  const end = afterPrefix(prefix);
  const range = { start: joined(prefix, keyOf({ ns: since })), ...(end ? { end } : {}) };
  for (const key of keysBackwards(reader, 'jobIndex', range)) {
    const id = idAtEnd(key.subarray(prefix.length));
    if (id === undefined) continue;
    yield id;
    if (turns.spend(COST.look)) await turns.next();
  }
}

const RESTORING = Buffer.from('"Job-Restoring"');
const CREATING = Buffer.from('"Job-Creating"');

/** Whether the job was put on a node more than once, by the text of its record. In a text of its own the quotation marks are escaped. */
function wasMoved(reader: Reader, id: string): boolean {
  const bytes = reader.view('job', textKey(id));
  if (!bytes || isDamaged(bytes)) return false;
  if (hasEventRows(bytes)) return true;
  const record = asBuffer(bytes);
  if (record.includes(RESTORING)) return true;
  const first = record.indexOf(CREATING);
  return first >= 0 && record.indexOf(CREATING, first + CREATING.length) >= 0;
}
