/** The metric definition entries: the system total with every job metric, then every series that was ever seen. */
import { type Definition, definitionIdOf, JOB_DEFINITIONS, metricEntryOf, SYSTEM_TOTAL } from '../protocol/metric.ts';
import { afterKey, KeyReader } from '../store/keys.ts';
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
  let start: Uint8Array | undefined;
  for (;;) {
    reader.refresh();
    const page = [...reader.range('series', { ...(start ? { start } : {}), limit: PAGE })];
    for (const { key } of page) {
      const parts = new KeyReader(key);
      const objectId = parts.text();
      const definition = byId.get(definitionIdOf(parts.text()));
      if (!definition || (objectId === SYSTEM_TOTAL && always.has(definition.id))) continue;
      const chunk = add(definition, objectId);
      if (chunk) yield chunk;
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) break;
    start = afterKey(last.key);
  }
  yield writer.end();
}
