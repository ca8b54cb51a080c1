/** Lines of JSON from bytes that come in pieces. */
import type { Row } from './values.ts';

export async function* rowsIn(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<Row> {
  const decoder = new TextDecoder();
  let begun = '';
  for await (const chunk of bytes) {
    const lines = (begun + decoder.decode(chunk, { stream: true })).split('\n');
    begun = lines.pop() ?? '';
    for (const line of lines) if (line !== '') yield JSON.parse(line) as Row;
  }
  if (begun !== '') yield JSON.parse(begun) as Row;
}
