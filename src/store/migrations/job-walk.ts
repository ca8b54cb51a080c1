/** All jobs of a folder, a bounded number of them a transaction, for migrations that make rows of them. */
import { CodedError } from '../../base/errors.ts';
import { afterKey } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';
import { WriteBatch } from '../kv/write-batch.ts';

/** Jobs of one transaction: some milliseconds, and less than a MiB. */
export const JOBS_AT_ONCE = 2_000;

/** A job that cannot be read gets no rows; it must not keep the others out of theirs. */
export function* batchesOfJobs(
  reader: Reader,
  atOnce: number,
  addRows: (batch: WriteBatch, record: Uint8Array) => void,
): Generator<WriteBatch> {
  for (let start: Uint8Array | undefined; ; ) {
    const batch = new WriteBatch();
    let count = 0;
    let last: Uint8Array | undefined;
    for (const { key, value } of reader.range('job', { ...(start ? { start } : {}), limit: atOnce })) {
      readably(() => addRows(batch, value));
      last = key;
      count++;
    }
    if (batch.count > 0) yield batch;
    if (!last || count < atOnce) return;
    start = afterKey(last);
  }
}

/** Runs it, unless what it reads is damaged. */
export function readably(run: () => void): void {
  try {
    run();
  } catch (error) {
    if (!(error instanceof CodedError) && !(error instanceof SyntaxError)) throw error;
  }
}
