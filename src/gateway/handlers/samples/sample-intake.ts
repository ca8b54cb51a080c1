/**
 * The samples of one call: checked, packed into one batch, and made durable with the rows of series that are new.
 *
 * What is wrong or new costs some ten microseconds, so that it is looked at in slices, with turns of the event loop in
 * between. Room for new series is taken at the end, in the turn in which they are handed over: `commit`.
 */

import { SampleBatch } from '../../../actors/aggregator/sample-batch.ts';
import { type Table, tableMessages } from '../../../actors/aggregator/sample-table.ts';
import type { Write } from '../../../actors/runtime/behaviour.ts';
import { definedName } from '../../../actors/shard/host/sample-checks.ts';
import type { ShardHost } from '../../../actors/shard/host/shard-host.ts';
import { ERROR_CODES } from '../../../base/error-codes.ts';
import { CodedError } from '../../../base/errors.ts';
import {
  definitionIdOf,
  isSampleValue,
  type SampleReply,
  sampleSchema,
  sampleTimeFault,
  shortNameOf,
} from '../../../protocol/metric.ts';
import { trySplitTimestamp } from '../../../protocol/timestamp.ts';
import { companionsOf, hasSeries, seriesRows } from '../../../store/series/series-index.ts';
import { faultsOf } from '../../body/parse-body.ts';
import type { SampleColumns } from '../../body/sample-columns.ts';
import type { SampleLines } from '../../body/sample-lines.ts';
import { SliceBudget, type Sliced } from '../../body/turns.ts';

/** Samples that are looked at one by one in a slice; each series that is looked for in the store counts, too. */
const LOOKS_PER_SLICE = 256;

interface Time {
  readonly text: string;
  readonly ms: number;
  readonly subNs: number;
  /** Why samples of this time are not taken. */
  readonly fault: string | undefined;
}

/** A sample as it was sent, and where. */
interface Sent {
  readonly entry: unknown;
  /** In the call: the order of what is told. */
  readonly place: number;
  /** What is told of it. */
  readonly index: number;
}

/** What is not stored of an object and comes together. */
interface NewSeries {
  readonly objectId: string;
  readonly metrics: readonly string[];
  readonly rows: readonly Write[];
  hasRoom: boolean;
}

interface NewSample extends Sent {
  readonly series: NewSeries;
  readonly metric: string;
  readonly time: Time;
  readonly value: number;
}

interface Rejection {
  readonly place: number;
  readonly told: SampleReply['rejected'][number];
}

interface OddRow extends Pick<SampleColumns, 'columns'> {
  readonly objectId: string;
  readonly row: number;
  readonly time: string;
  readonly isPlain: boolean;
}

/** A sample of a series that is known passes without a schema: it costs some tenths of a microsecond. */
export class SampleIntake {
  readonly #host: ShardHost;
  readonly #nowMs: number;
  readonly #batch: SampleBatch;
  readonly #looks = new SliceBudget(LOOKS_PER_SLICE);
  readonly #rejections: Rejection[] = [];
  readonly #new: NewSample[] = [];
  /** By object and metric. */
  readonly #sought = new Map<string, NewSeries>();
  readonly #made: NewSeries[] = [];
  #table: Table | undefined;
  #time: Time | undefined;
  #refreshed = false;

  constructor(host: ShardHost, expected?: number) {
    this.#host = host;
    this.#batch = new SampleBatch(expected);
    this.#nowMs = host.clock.wallMs();
    host.knownSeries.age(this.#nowMs);
  }

  *takeAll(sent: readonly unknown[]): Sliced<void> {
    for (const [index, entry] of sent.entries())
      if (!this.#isTaken(entry)) yield* this.#takeChecked({ entry, place: index, index });
  }

  /** The same of lines, whose values are made only where they are looked at. */
  *takeLines(lines: SampleLines): Sliced<void> {
    const { count, objectIds, metrics, times, values } = lines;
    for (let index = 0; index < count; index++) {
      const metric = metrics[index];
      const isTaken =
        metric !== undefined &&
        this.#isTakenAs(objectIds[index] as string, metric, times[index] as string, values[index] as number);
      if (isTaken) continue;
      const entry = lines.at(index);
      if (metric === undefined && this.#isTaken(entry)) continue;
      yield* this.#takeChecked({ entry, place: index, index });
    }
  }

  /** The same of columns. The index of a rejected sample is its row; its metric tells the column. */
  *takeColumns({ list, times, columns }: SampleColumns): Sliced<void> {
    const { knownSeries } = this.#host;
    // One text for each name, so that it is compared by reference where it is folded in.
    const metrics = columns.map(({ definitionId, metric }) => definedName(this.#host, definitionId) ?? metric);
    const areKnown = knownSeries.hasAll(list.ids, metrics);
    const hasOthers = columns.some(({ others }) => others.size > 0);
    const { pairs, faulty } = this.#pairsOf(times);
    this.#table = { list, metrics, columns: columns.map(({ values }) => values), times: pairs };
    if (areKnown && faulty.size === 0 && !hasOthers) return;
    let plainRows = 0;
    for (const [row, objectId] of list.ids.entries()) {
      const timeAt = times.length === 1 ? 0 : row;
      const isKnown = areKnown || metrics.every((metric) => knownSeries.has(objectId, metric));
      const isPlain = isKnown && !faulty.has(timeAt);
      if (isPlain) plainRows++;
      if (!isPlain || hasOthers)
        yield* this.#takeRow({ objectId, row, time: times[timeAt] as string, isPlain, columns });
    }
    if (plainRows === 0) this.#table = undefined;
  }

  /** What the table cannot have goes its own way, and leaves a gap there: the whole row, or in a plain one what is no value. */
  *#takeRow({ objectId, row, time, isPlain, columns }: OddRow): Sliced<void> {
    for (const [column, { definitionId, metric, values, others }] of columns.entries()) {
      const isOther = others.has(row);
      if (!isOther && (isPlain || Number.isNaN(values[row]))) continue;
      const value = isOther ? others.get(row) : values[row];
      values[row] = Number.NaN;
      if (!isOther && this.#isTakenAs(objectId, metric, time, value as number)) continue;
      const entry = { objectId, definitionId, time, value };
      yield* this.#takeChecked({ entry, place: row * columns.length + column, index: row });
    }
  }

  /** Milliseconds and nanoseconds of each time, and the places of those that are not taken. */
  #pairsOf(times: readonly string[]): { readonly pairs: Float64Array; readonly faulty: ReadonlySet<number> } {
    const pairs = new Float64Array(2 * times.length);
    const faulty = new Set<number>();
    for (const [i, text] of times.entries()) {
      const at = this.#timeOf(text);
      if (!at || at.fault !== undefined) faulty.add(i);
      else pairs.set([at.ms, at.subNs], 2 * i);
    }
    return { pairs, faulty };
  }

  #isTaken(entry: unknown): boolean {
    const sample = entry as { objectId?: unknown; definitionId?: unknown; time?: unknown; value?: unknown } | null;
    if (typeof sample?.objectId !== 'string' || typeof sample.definitionId !== 'string') return false;
    const { time, value } = sample;
    if (typeof time !== 'string' || !isSampleValue(value)) return false;
    return this.#isTakenAs(sample.objectId, shortNameOf(sample.definitionId), time, value);
  }

  /** A sample of a series that is known, at a time that is taken. */
  #isTakenAs(objectId: string, metric: string, time: string, value: number): boolean {
    if (!this.#host.knownSeries.has(objectId, metric)) return false;
    const at = this.#timeOf(time);
    if (!at || at.fault !== undefined) return false;
    this.#batch.add(objectId, metric, at.ms, at.subNs, value);
    return true;
  }

  /** Durable when it resolves: with those that are not taken, in the order in which they were sent. */
  async commit(): Promise<SampleReply['rejected']> {
    for (const sample of this.#new) this.#takeNew(sample);
    const rows = this.#made.flatMap((series) => series.rows);
    const outgoing = [...this.#batch.outgoing(), ...(this.#table ? tableMessages(this.#table) : [])];
    await this.#host.appendSamples(outgoing, rows);
    for (const { objectId, metrics } of this.#made) this.#host.knownSeries.addAll(objectId, metrics);
    return this.#rejections.sort((a, b) => a.place - b.place).map(({ told }) => told);
  }

  *#takeChecked(sent: Sent): Sliced<void> {
    yield* this.#looks.spend(1);
    const result = sampleSchema.safeParse(sent.entry);
    if (!result.success) {
      const faults = Object.entries(faultsOf(result.error));
      this.#reject(sent, new CodedError('invalid', faults.map(([name, reason]) => `${name} ${reason}`).join('; ')));
      return;
    }
    const { objectId, definitionId, time, value } = result.data;
    const id = definitionIdOf(definitionId);
    const at = this.#timeOf(time) as Time;
    const metric = shortNameOf(id);
    if (definedName(this.#host, id) === undefined) this.#reject(sent, new CodedError('notFound', NO_DEFINITION));
    else if (at.fault !== undefined) this.#reject(sent, new CodedError('invalid', `time ${at.fault}`));
    else {
      const series = yield* this.#newSeries(objectId, metric);
      if (series) this.#new.push({ ...sent, series, metric, time: at, value });
      else this.#batch.add(objectId, metric, at.ms, at.subNs, value);
    }
  }

  /** Undefined where it is stored. */
  *#newSeries(objectId: string, metric: string): Sliced<NewSeries | undefined> {
    const sought = this.#sought.get(`${objectId} ${metric}`);
    if (sought) return sought;
    const { reader, knownSeries } = this.#host;
    if (!this.#refreshed) reader.refresh();
    this.#refreshed = true;
    if (knownSeries.find(reader, objectId, metric)) return undefined;
    // Those that stand for the whole queue come with it: a job looks for one of them only.
    const missing = companionsOf(objectId, metric).filter((name) => !hasSeries(reader, objectId, name));
    yield* this.#looks.spend(missing.length);
    const series = { objectId, metrics: missing, rows: seriesRows(objectId, missing), hasRoom: false };
    for (const name of missing) this.#sought.set(`${objectId} ${name}`, series);
    return series;
  }

  #takeNew(sample: NewSample): void {
    const { series, metric, time, value } = sample;
    if (this.#takesRoom(series, metric)) this.#batch.add(series.objectId, metric, time.ms, time.subNs, value);
    else this.#reject(sample, new CodedError('tooManySeries', NO_ROOM));
  }

  #takesRoom(series: NewSeries, metric: string): boolean {
    const { objectId, metrics } = series;
    // Another call may have brought it meanwhile.
    if (series.hasRoom || this.#host.knownSeries.has(objectId, metric)) return true;
    if (!this.#host.takeSeries(objectId, metrics)) return false;
    series.hasRoom = true;
    this.#made.push(series);
    return true;
  }

  #reject({ entry, place, index }: Sent, error: CodedError): void {
    this.#rejections.push({ place, told: rejectionOf(entry, index, error) });
  }

  /** Samples of one call nearly always share few times, one after the other. */
  #timeOf(text: string): Time | undefined {
    if (this.#time?.text === text) return this.#time;
    const split = trySplitTimestamp(text);
    if (!split) return undefined;
    this.#time = { text, ...split, fault: sampleTimeFault(split.ms, this.#nowMs) };
    return this.#time;
  }
}

const NO_DEFINITION = 'no such metric definition; create it with PUT /api/v1/metric/{id}';
const NO_ROOM = 'creating this series would exceed the series limit';

function rejectionOf(entry: unknown, index: number, error: CodedError): SampleReply['rejected'][number] {
  const { objectId, definitionId } = (entry ?? {}) as { objectId?: unknown; definitionId?: unknown };
  return {
    index,
    objectId: typeof objectId === 'string' ? objectId.slice(0, 160) : '',
    definitionId: typeof definitionId === 'string' ? definitionId.slice(0, 160) : '',
    errorCode: ERROR_CODES[error.name].code,
    message: error.message,
  };
}
