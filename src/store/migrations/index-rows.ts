/** Rows in which jobs are listed, of orders and filters that a later schema brought. */
import { mustParseTimestamp } from '../../protocol/timestamp.ts';
import { afterPrefix } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';
import type { Table } from '../kv/tables.ts';
import { WriteBatch } from '../kv/write-batch.ts';
import { type JobIndexKind, jobIndexPrefix, jobIndexRows } from '../records/job-index.ts';
import { jobHeadOf, jobJsonOf } from '../records/job-record.ts';
import { batchesOfJobs, JOBS_AT_ONCE } from './job-walk.ts';

type RowKind = Exclude<JobIndexKind, 'updated'>;
export const QUEUE_AND_STATUS: readonly RowKind[] = ['queueStatus', 'queueStatusUpdated'];
export const IN_EVERY_ORDER: readonly RowKind[] = [
  'queueByName',
  'outcomeByName',
  'queueByNode',
  'outcomeByNode',
  'queueById',
  'outcomeById',
];

/** Rows of all jobs. A server of before may have changed jobs since an attempt that was cut short: its rows go first. */
export function* indexRows(reader: Reader, kinds: readonly RowKind[], atOnce = JOBS_AT_ONCE): Generator<WriteBatch> {
  for (const kind of kinds) yield* removeAll(reader, 'jobIndex', jobIndexPrefix(kind), atOnce);
  yield* batchesOfJobs(reader, atOnce, (batch, record) => addRows(batch, record, kinds));
}

function addRows(batch: WriteBatch, record: Uint8Array, kinds: readonly RowKind[]): void {
  const { name = '', createdAt, updatedAt, ...head } = jobHeadOf(jobJsonOf(record));
  const [created, updated] = [mustParseTimestamp(createdAt), mustParseTimestamp(updatedAt)];
  for (const key of jobIndexRows({ ...head, name, created, updated }, kinds)) batch.put('jobIndex', key, NOTHING);
}

const NOTHING = new Uint8Array(0);

/** Removes what begins with the prefix; without one, all that the table holds. */
export function* removeAll(
  reader: Reader,
  table: Table,
  prefix: Uint8Array | null,
  atOnce: number,
): Generator<WriteBatch> {
  const end = prefix ? afterPrefix(prefix) : undefined;
  const bounds = { ...(prefix ? { start: prefix } : {}), ...(end ? { end } : {}) };
  for (;;) {
    const batch = new WriteBatch();
    for (const { key } of reader.range(table, { ...bounds, limit: atOnce })) batch.remove(table, key);
    if (batch.count === 0) return;
    yield batch;
  }
}
