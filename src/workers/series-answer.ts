/** The answer to a question about one series, as bytes: at most some 12,000 points, so it is put together at once. */
import { type BucketValue, LEVELS, type Level, metricObjectOf, type Series, shortNameOf } from '../protocol/metric.ts';
import { bucketValue, startOf } from '../store/bucket.ts';
import { BucketColumns } from '../store/bucket-columns.ts';
import { DAY_MS, dayOf } from '../store/series-place.ts';
import type { Reader } from '../store/store.ts';
import { visitBuckets } from './series-read.ts';
import type { SeriesFormat, SeriesTask } from './task.ts';

const MINUTE_MS = 60_000;

export function seriesAnswer(reader: Reader, task: SeriesTask): Uint8Array {
  const level = LEVELS.find(({ name }) => name === task.level) as Level;
  const fromMs = startOf(task.fromMs, level.intervalMs);
  const points = new PointText(task.format);
  const question = { ...task, metric: shortNameOf(task.definition.id) };
  visitBuckets(reader, level, question, (run) => {
    const count = run instanceof BucketColumns ? run.count : run.length;
    for (let i = 0; i < count; i++) {
      const startMs = run instanceof BucketColumns ? (run.startMs[i] as number) : (run[i]?.startMs as number);
      if (startMs >= fromMs && startMs < task.toMs) points.add(startMs, valueAt(run, i, task.value));
    }
  });
  return points.end(task, level);
}

function valueAt(
  run: BucketColumns | readonly Parameters<typeof bucketValue>[0][],
  i: number,
  value: BucketValue,
): number {
  if (run instanceof BucketColumns) return run.value(i, value);
  return bucketValue(run[i] as Parameters<typeof bucketValue>[0], value);
}

const encoder = new TextEncoder();

/** Own memory, ready to be transferred. */
export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Points as bytes, written in place: a string of ten thousand points would be built and copied several times. */
class PointText {
  readonly #format: SeriesFormat;
  #bytes = new Uint8Array(POINT_SIZE_MAX * 64);
  #size = 0;
  #day = Number.NaN;
  #date = '';

  constructor(format: SeriesFormat) {
    this.#format = format;
    if (format === 'csv') this.#ascii('time,value\n');
  }

  add(startMs: number, value: number): void {
    if (this.#size + POINT_SIZE_MAX > this.#bytes.length) this.#grow(this.#bytes.length * 2);
    const day = dayOf(startMs);
    if (day !== this.#day) {
      this.#day = day;
      this.#date = new Date(day).toISOString().slice(0, 11);
    }
    const isCsv = this.#format === 'csv';
    if (this.#format === 'json' && this.#size > 0) this.#ascii(',');
    if (!isCsv) this.#ascii('{"time":"');
    this.#ascii(this.#date);
    this.#ascii(CLOCK[(startMs - day) / MINUTE_MS] as string);
    this.#ascii(isCsv ? ',' : '","value":');
    // As JSON does: −0 is 0.
    this.#ascii(String(value + 0));
    if (!isCsv) this.#ascii('}');
    if (this.#format !== 'json') this.#ascii('\n');
  }

  end(task: SeriesTask, level: Level): Uint8Array {
    const points = this.#bytes.subarray(0, this.#size);
    if (this.#format !== 'json') return points.slice();
    const id = JSON.stringify(`${task.definition.id}.${task.objectId}`);
    const head = bytesOf(`{"id":${id},"points":[`);
    const tail = bytesOf(`],"metaData":${JSON.stringify(metaDataOf(task.objectId, level))}}`);
    const whole = new Uint8Array(head.length + points.length + tail.length);
    whole.set(head);
    whole.set(points, head.length);
    whole.set(tail, head.length + points.length);
    return whole;
  }

  #ascii(text: string): void {
    for (let i = 0; i < text.length; i++) this.#bytes[this.#size++] = text.charCodeAt(i);
  }

  #grow(size: number): void {
    const grown = new Uint8Array(size);
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

/** A time of 20 characters, a number of at most 25, and what is around them. */
const POINT_SIZE_MAX = 80;

function metaDataOf(objectId: string, level: Level): Series['metaData'] {
  const object = metricObjectOf(objectId);
  return {
    interval: level.interval,
    ...(object.type === 'queue' ? { queueName: object.name } : {}),
    ...(object.type === 'node' ? { nodeId: object.name } : {}),
  };
}

/** `08:15:00Z` by minute of the day. */
const CLOCK: readonly string[] = Array.from({ length: DAY_MS / MINUTE_MS }, (_, minute) => {
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}:00Z`;
});
