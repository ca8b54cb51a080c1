/** How far the rollups are: one record, written by main only, read by aggregators and by questions. */
import { textKey } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';

export interface RollupState {
  /** What is written of buckets before this time is marked as stale. A day is closed before it is rolled. */
  readonly closedBeforeMs: number;
  /** Every day before this time is in the 30m and 24h levels, but for what is marked as stale. Starts a day. */
  readonly rolledBeforeMs: number;
  /** Of the day at `rolledBeforeMs`: slices below this one are rolled. */
  readonly nextSlice: number;
  /** Rises whenever a coarse level changes: what was read under another number may be out of date. */
  readonly generation: number;
}

const KEY = textKey('rollup');
const NOTHING_ROLLED: RollupState = { closedBeforeMs: 0, rolledBeforeMs: 0, nextSlice: 0, generation: 0 };

export function readRollupState(reader: Reader): RollupState {
  const stored = reader.get('meta', KEY);
  return stored ? (JSON.parse(Buffer.from(stored).toString()) as RollupState) : NOTHING_ROLLED;
}

export interface RollupStateWrite {
  readonly table: 'meta';
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

export function rollupStateWrite(state: RollupState): RollupStateWrite {
  return { table: 'meta', key: KEY, value: textKey(JSON.stringify(state)) };
}
