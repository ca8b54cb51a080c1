/** The answer to a question about one series, as bytes: at most some 12,000 points, so it is put together at once. */
import { LEVELS, type Level, metricObjectOf, type Series, shortNameOf } from '../protocol/metric.ts';
import { bucketValue, startOf } from '../store/bucket.ts';
import { BucketColumns } from '../store/bucket-columns.ts';
import { dayOf } from '../store/series-place.ts';
import type { Reader } from '../store/store.ts';
import { visitBuckets } from './series-read.ts';
import type { SeriesFormat, SeriesTask } from './task.ts';

const MINUTE_MS = 60_000;

export function seriesAnswer(reader: Reader, task: SeriesTask): Uint8Array {
  const level = LEVELS.find(({ name }) => name === task.level) as Level;
  const { toMs, value } = task;
  const fromMs = startOf(task.fromMs, level.intervalMs);
  const points = new PointText(task.format, (toMs - fromMs) / level.intervalMs);
  const question = { ...task, metric: shortNameOf(task.definition.id) };
  visitBuckets(reader, level, question, (run) => {
    if (run instanceof BucketColumns) {
      for (let i = 0; i < run.count; i++) {
        const startMs = run.startMs[i] as number;
        if (startMs >= fromMs && startMs < toMs) points.add(startMs, run.value(i, value));
      }
      return;
    }
    for (const bucket of run)
      if (bucket.startMs >= fromMs && bucket.startMs < toMs) points.add(bucket.startMs, bucketValue(bucket, value));
  });
  return points.end(task, level);
}

const encoder = new TextEncoder();

/** Own memory, ready to be transferred. */
export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}

/** What stands around a point's date, its minute and its number. */
const AROUND: Readonly<Record<SeriesFormat, { before: string; between: string; after: string }>> = {
  json: { before: ',{"time":"', between: ':00Z","value":', after: '}' },
  ndjson: { before: '{"time":"', between: ':00Z","value":', after: '}\n' },
  csv: { before: '', between: ':00Z,', after: '\n' },
};
/** A time of 20 characters, a number of at most 25, and what is around them. */
const POINT_SIZE_MAX = 80;
const POINTS_FIRST_MAX = 16_384;
const ZERO = 0x30;
const COLON = 0x3a;

/** Points as bytes, written in place: a string of ten thousand points would be built and copied several times. */
class PointText {
  readonly #format: SeriesFormat;
  readonly #between: Uint8Array;
  readonly #after: Uint8Array;
  #bytes: Uint8Array;
  #size = 0;
  #day = Number.NaN;
  /** Up to the `T` of the day's points. */
  #before: Uint8Array = new Uint8Array(0);

  constructor(format: SeriesFormat, points: number) {
    this.#format = format;
    this.#between = bytesOf(AROUND[format].between);
    this.#after = bytesOf(AROUND[format].after);
    this.#bytes = new Uint8Array(POINT_SIZE_MAX * Math.max(4, Math.min(points, POINTS_FIRST_MAX)));
    if (format === 'csv') this.#copy(bytesOf('time,value\n'));
  }

  add(startMs: number, value: number): void {
    if (this.#size + POINT_SIZE_MAX > this.#bytes.length) this.#grow(this.#bytes.length * 2);
    const day = dayOf(startMs);
    if (day !== this.#day) {
      this.#day = day;
      this.#before = bytesOf(AROUND[this.#format].before + new Date(day).toISOString().slice(0, 11));
    }
    this.#copy(this.#before);
    const minutes = (startMs - day) / MINUTE_MS;
    const hour = Math.floor(minutes / 60);
    this.#two(hour);
    this.#bytes[this.#size++] = COLON;
    this.#two(minutes - hour * 60);
    this.#copy(this.#between);
    // As JSON does: −0 is 0.
    const text = String(value + 0);
    const bytes = this.#bytes;
    const at = this.#size;
    for (let i = 0; i < text.length; i++) bytes[at + i] = text.charCodeAt(i);
    this.#size = at + text.length;
    this.#copy(this.#after);
  }

  end(task: SeriesTask, level: Level): Uint8Array {
    if (this.#format !== 'json') return this.#bytes.slice(0, this.#size);
    // Without the comma before the first.
    const points = this.#bytes.subarray(Math.min(1, this.#size), this.#size);
    const id = JSON.stringify(`${task.definition.id}.${task.objectId}`);
    const head = bytesOf(`{"id":${id},"points":[`);
    const tail = bytesOf(`],"metaData":${JSON.stringify(metaDataOf(task.objectId, level))}}`);
    const whole = new Uint8Array(head.length + points.length + tail.length);
    whole.set(head);
    whole.set(points, head.length);
    whole.set(tail, head.length + points.length);
    return whole;
  }

  #copy(part: Uint8Array): void {
    const bytes = this.#bytes;
    const at = this.#size;
    for (let i = 0; i < part.length; i++) bytes[at + i] = part[i] as number;
    this.#size = at + part.length;
  }

  #two(number: number): void {
    const tens = Math.floor(number / 10);
    this.#bytes[this.#size++] = ZERO + tens;
    this.#bytes[this.#size++] = ZERO + number - tens * 10;
  }

  #grow(size: number): void {
    const grown = new Uint8Array(size);
    grown.set(this.#bytes);
    this.#bytes = grown;
  }
}

function metaDataOf(objectId: string, level: Level): Series['metaData'] {
  const object = metricObjectOf(objectId);
  return {
    interval: level.interval,
    ...(object.type === 'queue' ? { queueName: object.name } : {}),
    ...(object.type === 'node' ? { nodeId: object.name } : {}),
  };
}
