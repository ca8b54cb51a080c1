/** The migrations that there are. Each release's folder is taken over by the next one as it stands. */
import { CodedError } from '../../base/errors.ts';
import { mustParseTimestamp } from '../../protocol/timestamp.ts';
import { afterKey, afterPrefix } from '../kv/keys.ts';
import type { Migration } from '../kv/schema.ts';
import type { Reader } from '../kv/store.ts';
import { WriteBatch } from '../kv/write-batch.ts';
import { type JobIndexKind, jobIndexPrefix, jobIndexRows } from './job-index.ts';
import { jobHeadOf, jobJsonOf } from './job-record.ts';

/** Jobs of one transaction: some milliseconds, and less than a MiB. */
const JOBS_AT_ONCE = 2_000;

export const MIGRATIONS: readonly Migration[] = [
  // Records of long jobs are read in either form, and take the new one with their next update. The number keeps servers away
  // that know the old form only.
  { from: 2, migrate: () => {} },
  { from: 3, before: (reader) => indexRows(reader, QUEUE_AND_STATUS), migrate: () => {} },
  // Records without a checksum are read as ever, and get one when they are written again.
  { from: 4, migrate: () => {} },
  { from: 5, before: (reader) => indexRows(reader, IN_EVERY_ORDER), migrate: () => {} },
];

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
  for (const kind of kinds) yield* removeAll(reader, jobIndexPrefix(kind), atOnce);
  for (let start: Uint8Array | undefined; ; ) {
    const batch = new WriteBatch();
    let count = 0;
    let last: Uint8Array | undefined;
    for (const { key, value } of reader.range('job', { ...(start ? { start } : {}), limit: atOnce })) {
      addRows(batch, value, kinds);
      last = key;
      count++;
    }
    if (batch.count > 0) yield batch;
    if (!last || count < atOnce) return;
    start = afterKey(last);
  }
}

/** A job that cannot be read is in no list; it must not keep the others out of theirs. */
function addRows(batch: WriteBatch, record: Uint8Array, kinds: readonly RowKind[]): void {
  try {
    const { name = '', createdAt, updatedAt, ...head } = jobHeadOf(jobJsonOf(record));
    const [created, updated] = [mustParseTimestamp(createdAt), mustParseTimestamp(updatedAt)];
    for (const key of jobIndexRows({ ...head, name, created, updated }, kinds)) batch.put('jobIndex', key, NOTHING);
  } catch (error) {
    if (!(error instanceof CodedError) && !(error instanceof SyntaxError)) throw error;
  }
}

const NOTHING = new Uint8Array(0);

function* removeAll(reader: Reader, prefix: Uint8Array, atOnce: number): Generator<WriteBatch> {
  const end = afterPrefix(prefix);
  for (;;) {
    const batch = new WriteBatch();
    for (const { key } of reader.range('jobIndex', { start: prefix, ...(end ? { end } : {}), limit: atOnce }))
      batch.remove('jobIndex', key);
    if (batch.count === 0) return;
    yield batch;
  }
}
