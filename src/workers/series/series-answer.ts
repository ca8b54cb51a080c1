/** The answer to a question about one series, as bytes: at most some 12,000 points, so it is put together at once. */

import { type BucketValue, metricObjectOf, type Series, shortNameOf } from '../../protocol/metric.ts';
import { LEVELS, type Level } from '../../protocol/rollup-retention.ts';
import { readWithin } from '../../store/kv/bounded-reader.ts';
import type { Reader } from '../../store/kv/store.ts';
import { bucketValue, startOf } from '../../store/series/bucket.ts';
import { BucketColumns } from '../../store/series/bucket-columns.ts';
import { DAY_MS, dayOf } from '../../store/series/series-layout.ts';
import type { SeriesFormat, SeriesTask } from '../task/task.ts';
import { visitBuckets } from './series-read.ts';
import { bytesOf, NUMBER_SIZE_MAX, TextBytes } from './text-bytes.ts';

const MINUTE_MS = 60_000;

/** What is read, decoded and written in about a millisecond: a day at 1m that was merged, or some hours with all their blocks. */
const SHORT = { points: 1_500, reads: 120, bytes: 524_288 } as const;

/** The answer where it is short, so that it may be made where others wait; undefined where it may take long: counted, not timed. */
export function shortSeries(reader: Reader, task: SeriesTask): Uint8Array | undefined {
  const { intervalMs } = levelOf(task);
  if ((task.toMs - task.fromMs) / intervalMs > SHORT.points) return undefined;
  return readWithin(reader, SHORT, (bounded) => seriesAnswer(bounded, task));
}

/** What is made in steps where others wait: a week at 1m, in about 2 ms. */
const SLICED_POINTS_MAX = 12_000;

/** One such answer a thread at a time, so that many of them leave a shard to its heartbeats. Overflow policy: the pool. */
let isSlicing = false;

/**
 * The answer in steps that are each as short as a short answer, between which `aTurn` lets others have the thread. Undefined where it
 * is long, or where a step may take long: of the newest one that is found out first, which has what is not merged yet.
 */
export async function slicedSeries(
  reader: Reader,
  task: SeriesTask,
  aTurn: () => Promise<void>,
): Promise<Uint8Array | undefined> {
  const level = levelOf(task);
  if (isSlicing || (task.toMs - task.fromMs) / level.intervalMs > SLICED_POINTS_MAX) return undefined;
  isSlicing = true;
  try {
    const slices: Uint8Array[] = [];
    const fromMs = startOf(task.fromMs, level.intervalMs);
    for (let toMs = task.toMs; toMs > fromMs; ) {
      const slice = { ...task, fromMs: Math.max(fromMs, startOf(toMs - 1, sliceMsOf(level))), toMs };
      const bytes = readWithin(reader, SHORT, (bounded) => slicePoints(bounded, slice, level));
      if (!bytes) return undefined;
      slices.unshift(bytes);
      toMs = slice.fromMs;
      await aTurn();
      // A slice is of one state of the store, whole with what was open; a later state has the same buckets before it, or newer ones.
      reader.refresh();
    }
    return joinedSlices(slices, task, level);
  } finally {
    isSlicing = false;
  }
}

/** Whole days, at most as many as a short answer has points. */
function sliceMsOf({ intervalMs }: Level): number {
  return Math.max(DAY_MS, startOf(SHORT.points * intervalMs, DAY_MS));
}

function slicePoints(reader: Reader, task: SeriesTask, level: Level): Uint8Array {
  text.clear();
  addPoints(reader, task, level);
  return text.take();
}

function joinedSlices(slices: readonly Uint8Array[], task: SeriesTask, level: Level): Uint8Array {
  text.clear();
  addOpening(task);
  // The first point of a slice is written as that of an answer is.
  let isFirst = true;
  for (const slice of slices) {
    if (slice.byteLength === 0) continue;
    text.reserve(slice.byteLength + 1);
    if (!isFirst && task.format === 'json') text.byte(COMMA);
    isFirst = false;
    text.part(slice);
  }
  addClosing(task, level);
  return text.take();
}

export function seriesAnswer(reader: Reader, task: SeriesTask): Uint8Array {
  const level = levelOf(task);
  text.clear();
  addOpening(task);
  addPoints(reader, task, level);
  addClosing(task, level);
  return text.take();
}

function addOpening({ format, definition, objectId }: SeriesTask): void {
  if (format === 'csv') text.text('time,value\n');
  if (format === 'json') text.text(`{"id":${JSON.stringify(`${definition.id}.${objectId}`)},"points":[`);
}

function addPoints(reader: Reader, task: SeriesTask, level: Level): void {
  const { toMs, value, format } = task;
  const fromMs = startOf(task.fromMs, level.intervalMs);
  const points = new PointText(format);
  const question = { ...task, metric: shortNameOf(task.definition.id) };
  visitBuckets(reader, level, question, (run) => {
    if (run instanceof BucketColumns) points.addRun(run, fromMs, toMs, value);
    else
      for (const bucket of run)
        if (bucket.startMs >= fromMs && bucket.startMs < toMs) points.add(bucket.startMs, bucketValue(bucket, value));
  });
}

function addClosing({ format, objectId }: SeriesTask, level: Level): void {
  if (format === 'json') text.text(`],"metaData":${JSON.stringify(metaDataOf(objectId, level))}}`);
}

function levelOf({ level }: SeriesTask): Level {
  return LEVELS.find(({ name }) => name === level) as Level;
}

/** Used again and again: an answer is made in one go, and one that failed half way may have left its beginning. */
const text = new TextBytes();

/** What stands around a point's date, its minute and its number. */
const AROUND: Readonly<Record<SeriesFormat, { before: string; between: string; after: string }>> = {
  json: { before: ',{"time":"', between: ':00Z","value":', after: '}' },
  ndjson: { before: '{"time":"', between: ':00Z","value":', after: '}\n' },
  csv: { before: '', between: ':00Z,', after: '\n' },
};
/** A date of 11 characters, a minute of 5, a number, and what is around them. */
const POINT_SIZE_MAX = NUMBER_SIZE_MAX + 55;
const COLON = 0x3a;
const COMMA = 0x2c;

/** Points as bytes, in order. */
class PointText {
  readonly #format: SeriesFormat;
  readonly #between: Uint8Array;
  readonly #after: Uint8Array;
  #isFirst = true;
  #day = Number.NaN;
  /** Up to the `T` of the day's points. */
  #before: Uint8Array = new Uint8Array(0);

  constructor(format: SeriesFormat) {
    this.#format = format;
    this.#between = bytesOf(AROUND[format].between);
    this.#after = bytesOf(AROUND[format].after);
  }

  addRun(run: BucketColumns, fromMs: number, toMs: number, value: BucketValue): void {
    const { count, startMs } = run;
    for (let i = 0; i < count; i++) {
      const start = startMs[i] as number;
      if (start >= fromMs && start < toMs) this.add(start, run.value(i, value));
    }
  }

  add(startMs: number, value: number): void {
    text.reserve(POINT_SIZE_MAX);
    let minutes = (startMs - this.#day) / MINUTE_MS;
    if (!(minutes >= 0 && minutes < 1_440)) {
      this.#turnTo(dayOf(startMs));
      minutes = (startMs - this.#day) / MINUTE_MS;
    }
    text.part(this.#isFirst && this.#format === 'json' ? this.#before.subarray(1) : this.#before);
    this.#isFirst = false;
    const hour = (minutes / 60) | 0;
    text.two(hour);
    text.byte(COLON);
    text.two(minutes - hour * 60);
    text.part(this.#between);
    text.number(value);
    text.part(this.#after);
  }

  #turnTo(day: number): void {
    this.#day = day;
    this.#before = bytesOf(AROUND[this.#format].before + new Date(day).toISOString().slice(0, 11));
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
