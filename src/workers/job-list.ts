/** All jobs as a JSON array, by createdAt then id, in bounded memory: records hold the JSON, so this is a concatenation. */
import { jobJsonOf } from '../store/job-record.ts';
import { afterKey, KeyReader, textKey } from '../store/keys.ts';
import type { Reader } from '../store/store.ts';
import { JsonArrayWriter } from './json-array.ts';

/** Jobs read before the thread may do something else. */
const PAGE = 500;

export async function* jobList(reader: Reader): AsyncGenerator<Uint8Array> {
  const writer = new JsonArrayWriter();
  let start: Uint8Array | undefined;
  for (;;) {
    reader.refresh();
    const page = [...reader.range('jobByCreated', { ...(start ? { start } : {}), limit: PAGE })];
    for (const { key } of page) {
      const parts = new KeyReader(key);
      parts.ns();
      const record = reader.get('job', textKey(parts.text()));
      const chunk = record && writer.add(jobJsonOf(record));
      if (chunk) {
        yield chunk;
        reader.refresh();
      }
    }
    const last = page.at(-1);
    if (!last || page.length < PAGE) break;
    start = afterKey(last.key);
    await new Promise((resolve) => setImmediate(resolve));
  }
  yield writer.end();
}
