/** The answer to a question about one series, as bytes: at most some 12,000 points, so it is put together at once. */

import { type BucketValue, metricObjectOf, type Series, shortNameOf } from '../../protocol/metric.ts';
import { LEVELS, type Level } from '../../protocol/rollup-retention.ts';
import { readWithin } from '../../store/kv/bounded-reader.ts';
import type { Reader } from '../../store/kv/store.ts';
import { bucketValue, startOf } from '../../store/series/bucket.ts';
import { BucketColumns } from '../../store/series/bucket-columns.ts';
import { dayOf } from '../../store/series/series-layout.ts';
import type { SeriesFormat, SeriesTask } from '../task/task.ts';
import { visitBuckets } from './series-read.ts';
import { bytesOf, NUMBER_SIZE_MAX, TextBytes, TextPattern } from './text-bytes.ts';
import type { WindowTexts } from './window-texts.ts';

const MINUTE_MS = 60_000;

/** What is read, decoded and written in about a millisecond: a day at 1m that was merged, or some hours with all their blocks. */
const SHORT = { points: 1_500, reads: 120, bytes: 524_288 } as const;

/** The answer where it is short, so that it may be made where others wait; undefined where it may take long: counted, not timed. */
export function shortSeries(reader: Reader, task: SeriesTask): Uint8Array | undefined {
  const { intervalMs } = levelOf(task);
  if ((task.toMs - task.fromMs) / intervalMs > SHORT.points) return undefined;
  return readWithin(reader, SHORT, (bounded) => seriesAnswer(bounded, task));
}

/** `texts`: of windows that were answered before, where the thread keeps them. */
export function seriesAnswer(reader: Reader, task: SeriesTask, texts?: WindowTexts): Uint8Array {
  const level = levelOf(task);
  const { toMs, value, format } = task;
  text.clear();
  const fromMs = startOf(task.fromMs, level.intervalMs);
  if (format === 'csv') text.text('time,value\n');
  if (format === 'json') {
    const id = JSON.stringify(`${task.definition.id}.${task.objectId}`);
    text.text(`{"id":${id},"points":[`);
  }
  const points = new PointText(format);
  const question = { ...task, metric: shortNameOf(task.definition.id) };
  const begunAt = text.size;
  visitBuckets(reader, level, question, {
    visit(run, window) {
      const at = text.size;
      if (run instanceof BucketColumns) points.addRun(run, fromMs, toMs, value);
      else
        for (const bucket of run)
          if (bucket.startMs >= fromMs && bucket.startMs < toMs) points.add(bucket.startMs, bucketValue(bucket, value));
      if (window) texts?.add(question, window, text.copyFrom(at));
    },
    knows(window) {
      const known = texts?.find(question, window);
      if (known) text.bytes(known);
      return known !== undefined;
    },
  });
  // Of JSON, whose last point has no comma behind it.
  if (format === 'json' && text.size > begunAt) text.unwrite(1);
  if (format === 'json') text.text(`],"metaData":${JSON.stringify(metaDataOf(task.objectId, level))}}`);
  return text.take();
}

function levelOf({ level }: SeriesTask): Level {
  return LEVELS.find(({ name }) => name === level) as Level;
}

/** Used again and again: an answer is made in one go, and one that failed half way may have left its beginning. */
const text = new TextBytes();

/** What stands around a point's date, its minute and its number. */
const AROUND: Readonly<Record<SeriesFormat, { before: string; between: string; after: string }>> = {
  json: { before: '{"time":"', between: ':00Z","value":', after: '},' },
  ndjson: { before: '{"time":"', between: ':00Z","value":', after: '}\n' },
  csv: { before: '', between: ':00Z,', after: '\n' },
};
/** A date of 11 characters, a minute of 5, a number, what is around them, and what copying in words takes beyond that. */
const POINT_SIZE_MAX = NUMBER_SIZE_MAX + 64;
const DATE_SIZE = 11;

/** Points as bytes, in order. */
class PointText {
  readonly #around: { readonly before: string; readonly between: string };
  readonly #after: Uint8Array;
  #day = Number.NaN;
  /** A point of the day up to its number, at midnight; where its hour begins. */
  #head = new TextPattern('');
  #hourAt = 0;

  constructor(format: SeriesFormat) {
    this.#around = AROUND[format];
    this.#after = bytesOf(AROUND[format].after);
  }

  addRun(run: BucketColumns, fromMs: number, toMs: number, value: BucketValue): void {
    const { count, startMs } = run;
    const values = run.values(value);
    for (let i = 0; i < count; i++) {
      const start = startMs[i] as number;
      if (start >= fromMs && start < toMs) this.add(start, values[i] as number);
    }
  }

  add(startMs: number, value: number): void {
    text.reserve(POINT_SIZE_MAX);
    let minutes = (startMs - this.#day) / MINUTE_MS;
    if (!(minutes >= 0 && minutes < 1_440)) {
      this.#turnTo(dayOf(startMs));
      minutes = (startMs - this.#day) / MINUTE_MS;
    }
    const hour = (minutes / 60) | 0;
    const hourAt = text.pattern(this.#head) + this.#hourAt;
    text.twoAt(hourAt, hour);
    text.twoAt(hourAt + 3, minutes - hour * 60);
    text.number(value);
    text.part(this.#after);
  }

  #turnTo(day: number): void {
    this.#day = day;
    const { before, between } = this.#around;
    const begin = before + new Date(day).toISOString().slice(0, DATE_SIZE);
    this.#hourAt = begin.length;
    this.#head = new TextPattern(`${begin}00:00${between}`);
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
