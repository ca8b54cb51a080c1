/** Everything that the store holds of a slice within one window of 1m: the merged chunk, then blocks as they were flushed. */
import { type Bucket, mergeLists } from '../../store/series/bucket.ts';
import { BucketColumns } from '../../store/series/bucket-columns.ts';
import { decodeSeries } from '../../store/series/series-codec.ts';
import { bodiesOf, metricsOf, readableBodiesOf } from '../../store/series/series-segment.ts';

/** Buckets by object, then metric. */
export type SliceContent = Map<string, Map<string, readonly Bucket[]>>;

const columns = new BucketColumns();

/** Adds a segment's buckets to the content. Segments must come in the order in which their samples arrived. Throws on damage. */
export function addSegment(content: SliceContent, segment: Uint8Array, windowMs: number, intervalMs: number): void {
  for (const { objectId, body } of bodiesOf(segment))
    addObject(content, objectId, decodedOf(body, windowMs, intervalMs));
}

/** As `addSegment`, as much of it as can be read; whether that is all. */
export function addReadable(content: SliceContent, segment: Uint8Array, windowMs: number, intervalMs: number): boolean {
  let isWhole = true;
  const damage = (): void => {
    isWhole = false;
  };
  for (const { objectId, body } of readableBodiesOf(segment, damage)) {
    try {
      addObject(content, objectId, decodedOf(body, windowMs, intervalMs));
    } catch {
      damage();
    }
  }
  return isWhole;
}

function decodedOf(body: Uint8Array, windowMs: number, intervalMs: number): [metric: string, buckets: Bucket[]][] {
  const decoded: [string, Bucket[]][] = [];
  for (const { name, columns: bytes } of metricsOf(body)) {
    decodeSeries(bytes, windowMs, intervalMs, columns);
    decoded.push([name, bucketsOf(columns)]);
  }
  return decoded;
}

function addObject(
  content: SliceContent,
  objectId: string,
  decoded: readonly (readonly [metric: string, buckets: Bucket[]])[],
): void {
  let metrics = content.get(objectId);
  if (!metrics) {
    metrics = new Map();
    content.set(objectId, metrics);
  }
  for (const [name, added] of decoded) {
    const there = metrics.get(name);
    metrics.set(name, there ? mergeLists(there, added) : added);
  }
}

export function bucketsOf(decoded: BucketColumns): Bucket[] {
  const buckets: Bucket[] = [];
  for (let i = 0; i < decoded.count; i++) buckets.push(decoded.bucket(i));
  return buckets;
}
