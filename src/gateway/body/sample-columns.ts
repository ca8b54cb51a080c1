/**
 * Samples in columns (`sampleColumnsSchema`). The form of the table is checked here; each sample is where it is taken.
 *
 * MessagePack is read in one pass and without an object a value, where it is as senders write it: a map of the names below,
 * with texts and numbers where they belong. Everything else is left to the decoder of all bodies, so that nothing is decided
 * here that it would not decide.
 */
import { ObjectList } from '../../actors/aggregator/sample-table.ts';
import { CodedError } from '../../base/errors.ts';
import {
  isSampleValue,
  SAMPLE_COLUMNS_MAX,
  SAMPLE_VALUE_MAX,
  SAMPLES_PER_CALL_MAX,
  shortNameOf,
} from '../../protocol/metric.ts';
import { MsgpackCursor } from './msgpack-cursor.ts';
import { ObjectLists } from './object-lists.ts';

export interface SampleColumn {
  /** As it was sent. */
  readonly definitionId: string;
  /** Its short name. */
  readonly metric: string;
  /** By row; NaN where there is no sample, and where it is one of `others`. */
  readonly values: Float64Array;
  /** By row: what is no value of a sample. */
  readonly others: ReadonlyMap<number, unknown>;
}

const NO_OTHERS: ReadonlyMap<number, unknown> = new Map();

/** Those of this thread. */
const lists = new ObjectLists();

export class SampleColumns {
  readonly list: ObjectList;
  /** One for all rows, or one for each. */
  readonly times: readonly string[];
  readonly columns: readonly SampleColumn[];

  constructor(list: ObjectList, times: readonly string[], columns: readonly SampleColumn[]) {
    this.list = list;
    this.times = times;
    this.columns = columns;
  }

  /** Samples that are there. */
  get count(): number {
    let count = 0;
    for (const { values, others } of this.columns) {
      count += others.size;
      for (const value of values) if (!Number.isNaN(value)) count++;
    }
    return count;
  }

  /** As a list of samples names them, for who may report of those objects only. */
  objects(): unknown[] {
    return this.list.ids.map((objectId) => ({ objectId }));
  }
}

/** A list of samples is no object, and a single sample, which may have any other field beside its own, has an `objectId`. */
export function isColumns(body: unknown): body is object {
  return typeof body === 'object' && body !== null && 'objectIds' in body && !('objectId' in body);
}

/** Throws `invalid` where it is no table, or has too many places. */
export function columnsOf(body: object): SampleColumns {
  const { objectIds, values, ...sent } = body as Readonly<Record<string, unknown>>;
  // Some senders write null for what they leave out.
  const time = sent['time'] ?? undefined;
  const times = sent['times'] ?? undefined;
  // Too many of them are not looked at.
  if (Array.isArray(objectIds) && objectIds.length > SAMPLES_PER_CALL_MAX)
    throw invalid('objectIds', `has ${objectIds.length} entries; at most ${SAMPLES_PER_CALL_MAX} a call`);
  const ids = mustBeTexts('objectIds', objectIds);
  const rows = ids.length;
  if ((time === undefined) === (times === undefined))
    throw invalid('time', 'send either time, for all rows, or times, with one for each row');
  const rowTimes = time === undefined ? timesOfRows(times, rows) : [mustBeText('time', time)];
  if (typeof values !== 'object' || values === null || Array.isArray(values))
    throw invalid('values', 'is not an object with a list of values for each metric');
  const named = Object.entries(values);
  mustFit(rows, named.length);
  const columns = named.map(([definitionId, column]): SampleColumn => {
    const name = `values.${definitionId}`;
    if (!Array.isArray(column)) throw invalid(name, 'is not a list of values');
    mustHaveRows(name, column.length, rows);
    return columnOf(definitionId, column);
  });
  return new SampleColumns(new ObjectList(ids), rowTimes, columns);
}

function columnOf(definitionId: string, sent: readonly unknown[]): SampleColumn {
  const others = new Map<number, unknown>();
  const values = Float64Array.from(sent, (value, row) => {
    if (isSampleValue(value)) return value;
    if (value !== null) others.set(row, value);
    return Number.NaN;
  });
  return { definitionId, metric: shortNameOf(definitionId), values, others };
}

function timesOfRows(times: unknown, rows: number): readonly string[] {
  if (Array.isArray(times)) mustHaveRows('times', times.length, rows);
  return mustBeTexts('times', times);
}

function mustBeText(name: string, sent: unknown): string {
  if (typeof sent !== 'string') throw invalid(name, 'is not a text');
  return sent;
}

function mustBeTexts(name: string, sent: unknown): readonly string[] {
  if (!Array.isArray(sent)) throw invalid(name, 'is not a list of texts');
  const place = sent.findIndex((value) => typeof value !== 'string');
  if (place >= 0) throw invalid(name, `has no text at place ${place}`);
  return sent as string[];
}

function mustHaveRows(name: string, count: number, rows: number): void {
  if (count !== rows) throw invalid(name, `has ${count} entries; objectIds has ${rows}`);
}

function mustFit(rows: number, columns: number): void {
  if (columns > SAMPLE_COLUMNS_MAX)
    throw invalid('values', `has ${columns} metrics; at most ${SAMPLE_COLUMNS_MAX} a call`);
  if (rows * columns > SAMPLES_PER_CALL_MAX)
    throw invalid(
      'values',
      `has ${rows * columns} places (rows times metrics); at most ${SAMPLES_PER_CALL_MAX} a call`,
    );
}

function invalid(field: string, fault: string): CodedError {
  return new CodedError('invalid', undefined, { [field.slice(0, 256)]: fault });
}

/** Undefined where the body is not of the usual form. */
export function readSampleColumns(bytes: Buffer): SampleColumns | undefined {
  const cursor = new MsgpackCursor(bytes);
  let list: ObjectList | undefined;
  let times: { readonly texts: readonly string[]; readonly areByRow: boolean } | undefined;
  let columns: readonly SampleColumn[] | undefined;
  for (let names = cursor.map(); names > 0; names--) {
    const name = cursor.text();
    if (name === 'objectIds' && !list) list = readList(bytes, cursor);
    else if (name === 'time' && !times) times = { texts: [cursor.text()], areByRow: false };
    else if (name === 'times' && !times) times = { texts: readTexts(cursor), areByRow: true };
    else if (name === 'values' && !columns) columns = readColumns(cursor);
    else return undefined;
    if (cursor.isLost) return undefined;
  }
  if (!list || !times || !columns || !cursor.isAtEnd) return undefined;
  const rows = list.ids.length;
  if (times.areByRow && times.texts.length !== rows) return undefined;
  if (columns.some(({ values }) => values.length !== rows) || rows * columns.length > SAMPLES_PER_CALL_MAX)
    return undefined;
  return new SampleColumns(list, times.texts, columns);
}

function readList(bytes: Buffer, cursor: MsgpackCursor): ObjectList | undefined {
  const from = cursor.at;
  const known = lists.find(bytes, from);
  if (known) {
    cursor.at = known.end;
    return known.list;
  }
  const ids = readTexts(cursor);
  return cursor.isLost ? undefined : lists.learn(bytes.subarray(from, cursor.at), ids);
}

function readTexts(cursor: MsgpackCursor): readonly string[] {
  const texts: string[] = [];
  const count = cursor.array();
  // Also where there is no column; the decoder of all bodies reads them, and they are refused by their number.
  if (count > SAMPLES_PER_CALL_MAX) cursor.isLost = true;
  for (let left = count; left > 0 && !cursor.isLost; left--) texts.push(cursor.text());
  return texts;
}

function readColumns(cursor: MsgpackCursor): readonly SampleColumn[] | undefined {
  const columns: SampleColumn[] = [];
  const names = new Set<string>();
  let places = 0;
  for (let left = cursor.map(); left > 0 && !cursor.isLost; left--) {
    const definitionId = cursor.text();
    const count = cursor.array();
    places += count;
    // More than a call may have: not even looked at.
    if (places > SAMPLES_PER_CALL_MAX || columns.length === SAMPLE_COLUMNS_MAX) return undefined;
    const values = cursor.numbers(count, SAMPLE_VALUE_MAX);
    names.add(definitionId);
    columns.push({ definitionId, metric: shortNameOf(definitionId), values, others: NO_OTHERS });
  }
  // Of two columns with one name the decoder of all bodies takes the second, and it has another name for this one.
  return names.size === columns.length && !names.has('__proto__') ? columns : undefined;
}
