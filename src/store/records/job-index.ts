/**
 * The orders in which jobs are listed, kept by the transaction that writes the job. All rows of one family end in the
 * same bytes (a time, then the id), so that two filters are two ranges in the same order and a list of both is a merge.
 *
 *   jobByCreated   createdAt · id                      → the text that a free-text search looks at
 *   jobIndex       kind · [value ·] time · id          → nothing; for the kind `updated` createdAt and that text
 *                  kind · value · id                   → nothing; in the order of ids
 *
 * Why these and no others: docs/decisions/0030-list-indexes.md, 0109-filters-in-every-order.md.
 */
import { isTerminal } from '../../protocol/job.ts';
import type { EpochNs } from '../../protocol/timestamp.ts';
import { keyEndingIn, keyOf } from '../kv/keys.ts';

/** What the indexes know of a job. */
export interface IndexedJob {
  readonly id: string;
  readonly queueName: string;
  readonly name: string;
  readonly status: string;
  readonly nodeOid: string;
  readonly created: EpochNs;
  readonly updated: EpochNs;
  /** Lower case; see `searchTextOf`. */
  readonly text: string;
}

/**
 * The number is the key's first byte. Kinds with `Updated` in their name are in the order of updatedAt, those with `By` in that of
 * what follows it, then of createdAt, the others in the order of createdAt.
 */
export const JOB_INDEX_KINDS = {
  updated: 1,
  queue: 2,
  queueUpdated: 3,
  status: 4,
  statusUpdated: 5,
  node: 6,
  nodeUpdated: 7,
  name: 8,
  queueStatus: 9,
  queueStatusUpdated: 10,
  queueByName: 11,
  outcomeByName: 12,
  queueByNode: 13,
  outcomeByNode: 14,
  queueById: 15,
  outcomeById: 16,
} as const;
export type JobIndexKind = keyof typeof JOB_INDEX_KINDS;

export interface JobIndexWrite {
  readonly table: 'jobByCreated' | 'jobIndex';
  readonly key: Uint8Array;
  readonly value: Uint8Array | null;
}

/** Characters of a value that stand in a key; the record distinguishes longer ones that begin alike. */
const VALUE_LENGTH_MAX = 256;
/** Characters that a search looks at. A job that was restored a hundred times has more batch jobs than anybody looks for. */
const TEXT_LENGTH_MAX = 2_000;
const NOTHING = new Uint8Array(0);

/** Writes that lead from the rows of `before` to those of `after`; null where there is no such job. */
export function jobIndexWrites(before: IndexedJob | null, after: IndexedJob | null): JobIndexWrite[] {
  const writes: JobIndexWrite[] = [];
  const moved = before?.created !== after?.created;
  if (before && (moved || !after))
    writes.push({ table: 'jobByCreated', key: timeKey(before.created, before.id), value: null });
  if (after && (moved || before?.text !== after.text))
    writes.push({ table: 'jobByCreated', key: timeKey(after.created, after.id), value: Buffer.from(after.text) });
  const old = before && rowsOf(before);
  const fresh = after && rowsOf(after);
  const [oldEnds, freshEnds] = [before && new RowEnds(before), after && new RowEnds(after)];
  for (let i = 0; i < KINDS.length; i++) {
    const kind = KINDS[i] as JobIndexKind;
    const [from, to] = [old?.[i], fresh?.[i]];
    const stays = from !== undefined && from.value === to?.value && from.at === to.at;
    if (oldEnds && from && !stays) writes.push({ table: 'jobIndex', key: rowKey(kind, from, oldEnds), value: null });
    const holdsMore = kind === 'updated' && (moved || before?.text !== after?.text);
    if (after && freshEnds && to && (!stays || holdsMore))
      writes.push({ table: 'jobIndex', key: rowKey(kind, to, freshEnds), value: besideOf(kind, after) });
  }
  return writes;
}

/** What stands beside a row of the kind `updated`: createdAt as it stands in keys, and the text that a search looks at. */
export function createdAndText(value: Uint8Array): { readonly created: Uint8Array; readonly text: Uint8Array } {
  return { created: value.subarray(0, TIME_SIZE), text: value.subarray(TIME_SIZE) };
}

/** Bytes of a time in a key. */
export const TIME_SIZE = 9;

function besideOf(kind: JobIndexKind, { created, text }: IndexedJob): Uint8Array {
  return kind === 'updated' ? Buffer.concat([keyOf({ ns: created }), Buffer.from(text)]) : NOTHING;
}

/** The bytes that all rows of a kind and its values begin with; without values, all rows of the kind. */
export function jobIndexPrefix(kind: JobIndexKind, ...values: readonly string[]): Uint8Array {
  return keyOf({ byte: JOB_INDEX_KINDS[kind] }, ...values.map((value) => ({ text: keyText(value) })));
}

/** The value of the kinds that have two: the first ends in a zero, as every part of a key does. */
function both(first: string, second: string): string {
  return `${first}\0${second}`;
}

/**
 * What a job has come to: its last status, or nothing while it goes on. Rows of it move once in a job's life, where those of a status
 * would with each event.
 */
export function outcomeOf(status: string): string {
  return isTerminal(status) ? status : '';
}

/** Rows of some kinds of a job, for the migration that makes them. None of them holds a value. */
export function* jobIndexRows(
  job: Omit<IndexedJob, 'text'>,
  kinds: readonly Exclude<JobIndexKind, 'updated'>[],
): Generator<Uint8Array> {
  const rows = rowsOf(job);
  const ends = new RowEnds(job);
  for (const kind of kinds) yield rowKey(kind, rows[KINDS.indexOf(kind)] as Row, ends);
}

/** How every row ends that is in the order of a time. */
export function timeKey(at: EpochNs, id: string): Uint8Array {
  return keyOf({ ns: at }, { text: id });
}

/** The id of a job, of how a row ends that is in the order of a time. Ids are ASCII. Undefined where a damaged row has none. */
export function idAtEnd(ending: Uint8Array): string | undefined {
  const end = ending.byteLength - 1;
  if (end <= TIME_SIZE) return undefined;
  const bytes = ending instanceof Buffer ? ending : Buffer.from(ending.buffer, ending.byteOffset, ending.byteLength);
  return bytes.toString('latin1', TIME_SIZE, end);
}

/** A text as it stands in a key: bounded, and without the zero that ends a part. */
export function keyText(value: string): string {
  return value.slice(0, VALUE_LENGTH_MAX).replaceAll('\0', '\u0001');
}

/** What `q` searches, a field a line, in lower case. */
export function searchTextOf(job: {
  readonly id: string;
  readonly queueName: string;
  readonly name?: string | undefined;
  readonly nodeOid: string;
  readonly containerId: string;
  readonly batchJobIds: readonly string[];
  readonly volumeIds: readonly string[];
}): string {
  const { id, name = '', queueName, nodeOid, containerId, batchJobIds, volumeIds } = job;
  const fields = [id, name, queueName, nodeOid, containerId, ...batchJobIds, ...volumeIds];
  return fields.join('\n').slice(0, TEXT_LENGTH_MAX).toLowerCase();
}

const NODE_FIELD = 3;
const LINE_END = 10;

/** The instance or node id in the bytes of such a text, in lower case; empty where the text is cut before it. */
export function nodeInText(text: Buffer): string {
  let start = 0;
  for (let field = 0; field < NODE_FIELD; field++) {
    const end = text.indexOf(LINE_END, start);
    if (end < 0) return '';
    start = end + 1;
  }
  const end = text.indexOf(LINE_END, start);
  return text.toString('utf8', start, end < 0 ? text.length : end);
}

const KINDS = Object.keys(JOB_INDEX_KINDS) as JobIndexKind[];

interface Row {
  /** Null for the kind that has none. */
  readonly value: string | null;
  /** Null where the row ends in the id alone. */
  readonly at: EpochNs | null;
}

/** In the order of KINDS. */
function rowsOf({
  queueName,
  name,
  status,
  nodeOid,
  created,
  updated,
}: Omit<IndexedJob, 'id' | 'text'>): readonly Row[] {
  const [nameText, nodeText, outcome] = [keyText(name), keyText(nodeOid), outcomeOf(status)];
  const rows: Readonly<Record<JobIndexKind, Row>> = {
    updated: { value: null, at: updated },
    queue: { value: queueName, at: created },
    queueUpdated: { value: queueName, at: updated },
    status: { value: status, at: created },
    statusUpdated: { value: status, at: updated },
    node: { value: nodeText, at: created },
    nodeUpdated: { value: nodeText, at: updated },
    name: { value: nameText, at: created },
    queueStatus: { value: both(queueName, status), at: created },
    queueStatusUpdated: { value: both(queueName, status), at: updated },
    queueByName: { value: both(queueName, nameText), at: created },
    outcomeByName: { value: both(outcome, nameText), at: created },
    queueByNode: { value: both(queueName, nodeText), at: created },
    outcomeByNode: { value: both(outcome, nodeText), at: created },
    queueById: { value: queueName, at: null },
    outcomeById: { value: outcome, at: null },
  };
  return KINDS.map((kind) => rows[kind]);
}

/** Time and id, or the id alone, in which the rows of a job end: each is encoded once. */
class RowEnds {
  readonly #job: Pick<IndexedJob, 'id' | 'created' | 'updated'>;
  #created: Uint8Array | undefined;
  #updated: Uint8Array | undefined;
  #id: Uint8Array | undefined;

  constructor(job: Pick<IndexedJob, 'id' | 'created' | 'updated'>) {
    this.#job = job;
  }

  of(at: EpochNs | null): Uint8Array {
    const { id, created } = this.#job;
    if (at === null) {
      this.#id ??= keyOf({ text: id });
      return this.#id;
    }
    if (at === created) {
      this.#created ??= timeKey(at, id);
      return this.#created;
    }
    this.#updated ??= timeKey(at, id);
    return this.#updated;
  }
}

function rowKey(kind: JobIndexKind, { value, at }: Row, ends: RowEnds): Uint8Array {
  const byte = JOB_INDEX_KINDS[kind];
  return value === null ? keyEndingIn(ends.of(at), { byte }) : keyEndingIn(ends.of(at), { byte }, { text: value });
}
