/**
 * Which series exist: one row each. A row is written in the transaction of the series' first sample, by the actor that makes
 * that sample, so that a series is known as soon as its sample is acknowledged.
 *
 * A series whose last bucket has outlived the coarsest level leaves (`workers/series/series-expiry.ts`): its row moves to the table
 * `leaving`, where questions still find it, and is removed when nothing can refer to it any more. Makers of samples look at
 * `series` only, so that they write a row of their own; those that still remember one are found out by their buckets.
 *
 *   series ──last bucket goes──► leaving ──two leases──► gone
 *      ▲                            │
 *      └───── sample comes ─────────┘
 */
import { CodedError } from '../../base/errors.ts';
import { JOB_DEFINITIONS, shortNameOf } from '../../protocol/metric.ts';
import { KeyReader, keyOf } from '../kv/keys.ts';
import type { Reader } from '../kv/store.ts';
import { isQueueObject, readSlice, sliceOf, sliceParts } from './series-layout.ts';

export interface SeriesRow {
  readonly table: 'series';
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** A queue is listed with every job metric, so that a known one may be empty. */
export const QUEUE_METRICS: readonly string[] = JOB_DEFINITIONS.map(({ id }) => shortNameOf(id));

/**
 * Who remembers that a series exists looks at the store again after at most this long. The price is one look a series and day;
 * what it bounds is how long a removal has to wait.
 */
export const SERIES_LEASE_MS = 86_400_000;
/** A series is gone so long after its last bucket: the lease, and as much again for what is in flight or stalled. */
export const LEAVING_MS = 2 * SERIES_LEASE_MS;

const EXISTS = Uint8Array.of(1);
const VERSION = 1;
const LEAVING_SIZE = 7;

export function seriesKey(objectId: string, metric: string): Uint8Array {
  return keyOf({ text: objectId }, { text: metric });
}

/** For makers of samples: false of one that leaves, whose row must be written again. */
export function hasSeries(reader: Reader, objectId: string, metric: string): boolean {
  return reader.get('series', seriesKey(objectId, metric)) !== undefined;
}

/** For questions. */
export function isKnownSeries(reader: Reader, objectId: string, metric: string): boolean {
  return hasSeries(reader, objectId, metric) || reader.get('leaving', expiryKey(objectId, metric)) !== undefined;
}

export function seriesRows(objectId: string, metrics: Iterable<string>): SeriesRow[] {
  return [...metrics].map((metric) => ({ table: 'series', key: seriesKey(objectId, metric), value: EXISTS }));
}

/** Metrics that come and go together: all job metrics of a queue, as they are listed together. */
export function companionsOf(objectId: string, metric: string): readonly string[] {
  return isQueueObject(objectId) && QUEUE_METRICS.includes(metric) ? QUEUE_METRICS : [metric];
}

export function expiryKey(objectId: string, metric: string): Uint8Array {
  return keyOf(...sliceParts(sliceOf(objectId)), { text: objectId }, { text: metric });
}

export function expiryValue(sinceMs: number): Uint8Array {
  return keyOf({ byte: VERSION }, { ms: sinceMs });
}

export interface ExpiringSeries {
  readonly slice: number;
  readonly objectId: string;
  readonly metric: string;
}

export function readExpiryKey(key: Uint8Array): ExpiringSeries {
  const parts = new KeyReader(key);
  return { slice: readSlice(parts), objectId: parts.text(), metric: parts.text() };
}

/** Milliseconds since 1970. */
export function readExpiryValue(value: Uint8Array): number {
  if (value.byteLength !== LEAVING_SIZE || value[0] !== VERSION)
    throw new CodedError('internal', 'cannot read a leaving series: it is no such record');
  const parts = new KeyReader(value);
  parts.byte();
  return parts.ms();
}

/** The bound on series, for those who make new ones. */
export interface SeriesEnv {
  /**
   * Takes room for the object's series of these metrics, of which none is stored and which the step at hand writes. False,
   * and nothing is taken, where there is none for all of them.
   */
  readonly takeSeries: (objectId: string, metrics: readonly string[]) => boolean;
}
