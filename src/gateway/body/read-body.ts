/** The body of a call whose caller may send it: read within its limit, decompressed, parsed; not yet validated. */
import type { Gate } from '../../base/gate.ts';
import type { HttpExchange } from '../http/exchange.ts';
import type { RouteBody } from '../http/route.ts';
import { bodyKindOf, decompress, parseLargeBody } from './parse-body.ts';
import { readSampleColumns } from './sample-columns.ts';
import { readSampleLines } from './sample-lines.ts';

const NO_BYTES = Buffer.alloc(0);

/** With a `gate` the body waits for its turn between reading and parsing, and is inside until the call is over. */
export async function readBody(exchange: HttpExchange, body: RouteBody, gate: Gate | null = null): Promise<unknown> {
  const { incoming } = exchange;
  if (!incoming && body.optional) return undefined;
  // Too large by its own word: no need to look at its type.
  if (incoming && incoming.announced > body.sizeMax) await incoming.read(body.sizeMax);
  const kind = bodyKindOf(exchange, body);
  const bytes = incoming ? await incoming.read(body.sizeMax) : NO_BYTES;
  if (bytes.byteLength === 0 && body.optional) return undefined;
  if (gate && incoming) {
    await gate.enter(bytes.byteLength);
    incoming.whenOver(() => gate.leave(bytes.byteLength));
  }
  const plain = await decompress(exchange, bytes, body.sizeMax);
  if (incoming && plain !== bytes) incoming.mustGrow(plain.byteLength);
  if (kind === 'bytes') return plain;
  if (body.readersOf === 'samples') {
    if (kind === 'ndjson') return readSampleLines(plain);
    const columns = kind === 'msgpack' ? readSampleColumns(plain) : undefined;
    if (columns) return columns;
  }
  return parseLargeBody(kind, plain);
}
