/** The metric definition entries: the system total with every job metric, then every series that has a bucket, or had one lately. */
import { type Definition, definitionIdOf, JOB_DEFINITIONS, metricEntryOf, SYSTEM_TOTAL } from '../protocol/metric.ts';
import { afterKey, KeyReader } from '../store/keys.ts';
import { hasSeries, readLeavingKey } from '../store/series-index.ts';
import type { Reader } from '../store/store.ts';
import { RowWriter } from './rows/row-writer.ts';

const PAGE = 1_000;

export async function* metricList(reader: Reader, definitions: readonly Definition[]): AsyncGenerator<Uint8Array> {
  const byId = new Map(definitions.map((definition) => [definition.id, definition]));
  const writer = new RowWriter({ format: 'json', fields: null }, []);
  const add = (definition: Definition, objectId: string): Uint8Array | undefined =>
    writer.add(Buffer.from(JSON.stringify(metricEntryOf(definition, objectId))));
  for (const definition of JOB_DEFINITIONS) add(definition, SYSTEM_TOTAL);
  const always = new Set(JOB_DEFINITIONS.map(({ id }) => id));
  for (const { objectId, metric } of everySeries(reader)) {
    const definition = byId.get(definitionIdOf(metric));
    if (!definition || (objectId === SYSTEM_TOTAL && always.has(definition.id))) continue;
    const chunk = add(definition, objectId);
    if (chunk) yield chunk;
  }
  yield writer.end();
}

interface SeriesName {
  readonly objectId: string;
  readonly metric: string;
}

/** Those with a row, then those that leave and have not come back. */
function* everySeries(reader: Reader): Iterable<SeriesName> {
  for (const key of everyKey(reader, 'series')) {
    const parts = new KeyReader(key);
    yield { objectId: parts.text(), metric: parts.text() };
  }
  for (const key of everyKey(reader, 'leaving')) {
    const series = readLeavingKey(key);
    if (!hasSeries(reader, series.objectId, series.metric)) yield series;
  }
}

/** Page by page, so that a slow reader of the list holds no snapshot. */
function* everyKey(reader: Reader, table: 'series' | 'leaving'): Iterable<Uint8Array> {
  let start: Uint8Array | undefined;
  for (;;) {
    reader.refresh();
    const page = [...reader.range(table, { ...(start ? { start } : {}), limit: PAGE })];
    for (const { key } of page) yield key;
    const last = page.at(-1);
    if (!last || page.length < PAGE) return;
    start = afterKey(last.key);
  }
}
