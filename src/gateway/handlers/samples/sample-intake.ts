/** The samples of one call: checked, packed into one batch, and made durable with the rows of series that are new. */

import { SampleBatch } from '../../../actors/aggregator/sample-batch.ts';
import { type Table, tableMessages } from '../../../actors/aggregator/sample-table.ts';
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

interface Time {
  readonly text: string;
  readonly ms: number;
  readonly subNs: number;
  /** Why samples of this time are not taken. */
  readonly fault: string | undefined;
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
  /** Metrics of objects that have no series yet. */
  readonly #added = new Map<string, Set<string>>();
  #table: Table | undefined;
  #time: Time | undefined;
  #refreshed = false;

  constructor(host: ShardHost, expected?: number) {
    this.#host = host;
    this.#batch = new SampleBatch(expected);
    this.#nowMs = host.clock.wallMs();
    host.knownSeries.age(this.#nowMs);
  }

  /** Those that are not taken. */
  takeAll(sent: readonly unknown[]): SampleReply['rejected'] {
    const rejected: SampleReply['rejected'] = [];
    sent.forEach((entry, index) => {
      const fault = this.#isTaken(entry) ? undefined : this.#takeChecked(entry);
      if (fault) rejected.push(rejectionOf(entry, index, fault));
    });
    return rejected;
  }

  /** The same of lines, whose values are made only where they are looked at. */
  takeLines(lines: SampleLines): SampleReply['rejected'] {
    const rejected: SampleReply['rejected'] = [];
    const { count, objectIds, metrics, times, values } = lines;
    for (let index = 0; index < count; index++) {
      const metric = metrics[index];
      const isTaken =
        metric !== undefined &&
        this.#isTakenAs(objectIds[index] as string, metric, times[index] as string, values[index] as number);
      if (isTaken) continue;
      const entry = lines.at(index);
      const fault = metric === undefined && this.#isTaken(entry) ? undefined : this.#takeChecked(entry);
      if (fault) rejected.push(rejectionOf(entry, index, fault));
    }
    return rejected;
  }

  /** The same of columns. The index of a rejected sample is its row; its metric tells the column. */
  takeColumns({ list, times, columns }: SampleColumns): SampleReply['rejected'] {
    const { knownSeries } = this.#host;
    // One text for each name, so that it is compared by reference where it is folded in.
    const metrics = columns.map(({ definitionId, metric }) => definedName(this.#host, definitionId) ?? metric);
    const { pairs, faulty } = this.#pairsOf(times);
    const areKnown = knownSeries.hasAll(list.ids, metrics);
    const hasOthers = columns.some(({ others }) => others.size > 0);
    this.#table = { list, metrics, columns: columns.map(({ values }) => values), times: pairs };
    if (areKnown && faulty.size === 0 && !hasOthers) return [];
    const rejected: SampleReply['rejected'] = [];
    let plainRows = 0;
    list.ids.forEach((objectId, row) => {
      const timeAt = times.length === 1 ? 0 : row;
      const isKnown = areKnown || metrics.every((metric) => knownSeries.has(objectId, metric));
      const isPlain = isKnown && !faulty.has(timeAt);
      if (isPlain) plainRows++;
      if (!isPlain || hasOthers)
        rejected.push(...this.#takeRow({ objectId, row, time: times[timeAt] as string, isPlain, columns }));
    });
    if (plainRows === 0) this.#table = undefined;
    return rejected;
  }

  /** What the table cannot have goes its own way, and leaves a gap there: the whole row, or in a plain one what is no value. */
  #takeRow({ objectId, row, time, isPlain, columns }: OddRow): SampleReply['rejected'] {
    const rejected: SampleReply['rejected'] = [];
    for (const { definitionId, metric, values, others } of columns) {
      const isOther = others.has(row);
      if (!isOther && (isPlain || Number.isNaN(values[row]))) continue;
      const value = isOther ? others.get(row) : values[row];
      values[row] = Number.NaN;
      if (!isOther && this.#isTakenAs(objectId, metric, time, value as number)) continue;
      const entry = { objectId, definitionId, time, value };
      const fault = this.#takeChecked(entry);
      if (fault) rejected.push(rejectionOf(entry, row, fault));
    }
    return rejected;
  }

  /** Milliseconds and nanoseconds of each time, and the places of those that are not taken. */
  #pairsOf(times: readonly string[]): { readonly pairs: Float64Array; readonly faulty: ReadonlySet<number> } {
    const pairs = new Float64Array(2 * times.length);
    const faulty = new Set<number>();
    times.forEach((text, i) => {
      const at = this.#timeOf(text);
      if (!at || at.fault !== undefined) faulty.add(i);
      else pairs.set([at.ms, at.subNs], 2 * i);
    });
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

  /** Durable when it resolves. */
  async commit(): Promise<void> {
    const rows = [...this.#added].flatMap(([objectId, metrics]) => seriesRows(objectId, metrics));
    const outgoing = [...this.#batch.outgoing(), ...(this.#table ? tableMessages(this.#table) : [])];
    await this.#host.appendSamples(outgoing, rows);
    for (const [objectId, metrics] of this.#added)
      for (const metric of metrics) this.#host.knownSeries.add(objectId, metric);
  }

  #takeChecked(entry: unknown): CodedError | undefined {
    const result = sampleSchema.safeParse(entry);
    if (!result.success) {
      const faults = Object.entries(faultsOf(result.error));
      return new CodedError('invalid', faults.map(([name, reason]) => `${name} ${reason}`).join('; '));
    }
    const { objectId, definitionId, time, value } = result.data;
    const id = definitionIdOf(definitionId);
    if (definedName(this.#host, id) === undefined)
      return new CodedError('notFound', 'no such metric definition; create it with PUT /api/v1/metric/{id}');
    const at = this.#timeOf(time) as Time;
    if (at.fault !== undefined) return new CodedError('invalid', `time ${at.fault}`);
    const metric = shortNameOf(id);
    if (!this.#hasRoom(objectId, metric))
      return new CodedError('tooManySeries', 'creating this series would exceed the series limit');
    this.#batch.add(objectId, metric, at.ms, at.subNs, value);
    return undefined;
  }

  /** Samples of one call nearly always share few times, one after the other. */
  #timeOf(text: string): Time | undefined {
    if (this.#time?.text === text) return this.#time;
    const split = trySplitTimestamp(text);
    if (!split) return undefined;
    this.#time = { text, ...split, fault: sampleTimeFault(split.ms, this.#nowMs) };
    return this.#time;
  }

  /** The series is there, or may be made now. */
  #hasRoom(objectId: string, metric: string): boolean {
    const { host, added } = { host: this.#host, added: this.#added.get(objectId) };
    if (added?.has(metric)) return true;
    if (!this.#refreshed) host.reader.refresh();
    this.#refreshed = true;
    if (host.knownSeries.find(host.reader, objectId, metric)) return true;
    // Those that stand for the whole queue come with it: a job looks for one of them only.
    const missing = companionsOf(objectId, metric).filter((name) => !hasSeries(host.reader, objectId, name));
    if (!host.takeSeries(objectId, missing)) return false;
    this.#added.set(objectId, new Set([...(added ?? []), ...missing]));
    return true;
  }
}

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
