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
  return bytesOf(points.end(task, level));
}

function valueAt(
  run: BucketColumns | readonly Parameters<typeof bucketValue>[0][],
  i: number,
  value: BucketValue,
): number {
  if (run instanceof BucketColumns) return run.value(i, value);
  return bucketValue(run[i] as Parameters<typeof bucketValue>[0], value);
}

/** Own memory, ready to be transferred. */
export function bytesOf(text: string): Uint8Array {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text));
  bytes.write(text);
  return bytes;
}

/** Points as text. A day's date is formatted once; a point costs its minute and its number. */
class PointText {
  readonly #format: SeriesFormat;
  #text: string;
  #day = Number.NaN;
  #date = '';
  #first = true;

  constructor(format: SeriesFormat) {
    this.#format = format;
    this.#text = format === 'csv' ? 'time,value\n' : '';
  }

  add(startMs: number, value: number): void {
    const day = dayOf(startMs);
    if (day !== this.#day) {
      this.#day = day;
      this.#date = new Date(day).toISOString().slice(0, 11);
    }
    const time = `${this.#date}${CLOCK[(startMs - day) / MINUTE_MS]}`;
    // As JSON does: −0 is 0.
    const number = value === 0 ? '0' : String(value);
    if (this.#format === 'csv') this.#text += `${time},${number}\n`;
    else if (this.#format === 'ndjson') this.#text += `{"time":"${time}","value":${number}}\n`;
    else this.#text += `${this.#first ? '' : ','}{"time":"${time}","value":${number}}`;
    this.#first = false;
  }

  end(task: SeriesTask, level: Level): string {
    if (this.#format !== 'json') return this.#text;
    const id = JSON.stringify(`${task.definition.id}.${task.objectId}`);
    return `{"id":${id},"points":[${this.#text}],"metaData":${JSON.stringify(metaDataOf(task.objectId, level))}}`;
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

/** `08:15:00Z` by minute of the day. */
const CLOCK: readonly string[] = Array.from({ length: DAY_MS / MINUTE_MS }, (_, minute) => {
  const two = (n: number): string => String(n).padStart(2, '0');
  return `${two(Math.floor(minute / 60))}:${two(minute % 60)}:00Z`;
});
