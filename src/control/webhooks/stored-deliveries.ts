/** Every delivery that is stored, a slice at a time: what is on disk is bounded, but takes seconds to read. */
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Reader } from '../../store/kv/store.ts';
import { type DeliveryRow, readDeliveries } from '../../store/records/webhook-record.ts';

/** Some milliseconds of work. */
export const ROWS_PER_SLICE = 1_000;

/** Others have their turn between slices. What is written meanwhile behind the place that was read is read too. */
export async function* storedDeliveries(reader: Reader): AsyncGenerator<readonly DeliveryRow[]> {
  for (let after: Uint8Array | null = null; ; ) {
    reader.refresh();
    const rows = readDeliveries(reader, after, ROWS_PER_SLICE);
    yield rows;
    if (rows.length < ROWS_PER_SLICE) return;
    after = rows.at(-1)?.key ?? null;
    await nextTurn();
  }
}
