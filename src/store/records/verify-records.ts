/** Every record of a database, read as its readers do: for `cairn verify`. */
import { CodedError } from '../../base/errors.ts';
import { isDamaged } from '../kv/checksum.ts';
import { keyText } from '../kv/damage.ts';
import { afterKey } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';
import { TABLES, type Table } from '../kv/tables.ts';
import { readableBodiesOf } from '../series/series-segment.ts';
import { EventRow } from './job-event-row.ts';
import { decodeJobRecord } from './job-record.ts';
import { decodeNodePrice, decodeNodeRecord } from './node-record.ts';

export interface DamagedFinding {
  readonly table: Table;
  /** The key as text. */
  readonly key: string;
  readonly reason: string;
}

/** Rows between two looks at the newest state: a server may write meanwhile, and a long look would keep its old pages. */
const SLICE = 1_000;

/** What finds damage that was written before there were checksums, or lies in tables that have their own. Throws where it does. */
const DECODERS: Partial<Record<Table, (value: Uint8Array) => void>> = {
  job: decodeJobRecord,
  node: decodeNodeRecord,
  nodeByOid: decodeNodePrice,
  jobEvent: (value) => void new EventRow(0, value).events,
  chunk: checkSegment,
  block: checkSegment,
};

/** The damaged records, in the order of tables and keys. `onRead` is told of records as they are read. */
export function* damagedRecords(reader: Reader, onRead: (records: number) => void): Generator<DamagedFinding> {
  for (const table of TABLES) {
    let start: Uint8Array | undefined;
    for (;;) {
      reader.refresh();
      let count = 0;
      const found: DamagedFinding[] = [];
      for (const { key, value } of reader.range(table, { ...(start ? { start } : {}), limit: SLICE })) {
        count++;
        start = afterKey(key);
        const reason = faultOf(table, value);
        if (reason !== undefined) found.push({ table, key: keyText(key), reason });
      }
      onRead(count);
      yield* found;
      if (count < SLICE) break;
    }
  }
}

function faultOf(table: Table, value: Uint8Array): string | undefined {
  if (isDamaged(value)) return 'its checksum does not fit';
  try {
    DECODERS[table]?.(value);
    return undefined;
  } catch (error) {
    return error instanceof CodedError ? (error.detail ?? error.message) : 'it cannot be read';
  }
}

function checkSegment(segment: Uint8Array): void {
  let isWhole = true;
  const bodies = readableBodiesOf(segment, () => {
    isWhole = false;
  });
  for (const _ of bodies);
  if (!isWhole) throw new CodedError('internal', 'a checksum in it does not fit');
}
