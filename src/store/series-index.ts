/**
 * Which series exist: one row each. A row is written in the transaction of the series' first sample, by whoever makes
 * that sample, so that a series is known as soon as its sample is acknowledged.
 */
import { JOB_DEFINITIONS, shortNameOf } from '../protocol/metric.ts';
import { keyOf } from './keys.ts';
import type { Reader } from './store.ts';

export interface SeriesRow {
  readonly table: 'series';
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** A queue is listed with every job metric, so that a known one may be empty. */
export const QUEUE_METRICS: readonly string[] = JOB_DEFINITIONS.map(({ id }) => shortNameOf(id));

const EXISTS = Uint8Array.of(1);

export function seriesKey(objectId: string, metric: string): Uint8Array {
  return keyOf({ text: objectId }, { text: metric });
}

export function hasSeries(reader: Reader, objectId: string, metric: string): boolean {
  return reader.get('series', seriesKey(objectId, metric)) !== undefined;
}

export function seriesRows(objectId: string, metrics: Iterable<string>): SeriesRow[] {
  return [...metrics].map((metric) => ({ table: 'series', key: seriesKey(objectId, metric), value: EXISTS }));
}

/** Called for each series that is new, for the bound on their number. */
export interface SeriesEnv {
  readonly seriesAdded: (count: number) => void;
}
