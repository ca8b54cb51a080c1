/** Appends to a node's logs, resumed where the server's copy ends. */
import { CairnError, type Connection, send } from './connection.ts';
import type { components } from './schema.ts';

/** Bytes, text, or a stream of bytes: a file's `createReadStream()`, a `ReadableStream` where it can be iterated. */
export type LogSource = string | Uint8Array | AsyncIterable<Uint8Array>;

export interface AppendOptions {
  /** Where the source begins in the log, in bytes; 0 unless told. */
  readonly offset?: number;
  readonly signal?: AbortSignal;
}

const PART_SIZE = 1_048_576;
const OFFSET_CONFLICT = 1006;

/**
 * The stored size afterwards. What the server has already is not sent again, so that an upload that broke off is resumed by
 * the same call. Fails if the server has less than `offset`: the bytes between are not known here.
 */
export async function append(
  connection: Connection,
  node: string,
  path: string,
  source: LogSource,
  { offset = 0, signal }: AppendOptions,
): Promise<number> {
  const segments = path.replace(/^\//, '').split('/').map(encodeURIComponent).join('/');
  const url = new URL(`${connection.baseUrl}/api/v1/nodes/${encodeURIComponent(node)}/files/${segments}`);
  let at = offset;
  let stored = offset;
  for await (const part of partsOf(source)) {
    const end = at + part.length;
    while (stored < end) {
      url.searchParams.set('offset', String(stored));
      stored = await sendPart(connection, url, part.subarray(stored - at), stored, signal);
    }
    at = end;
  }
  return stored;
}

/** The stored size, be it because the part was taken or because the server has more than we thought. */
async function sendPart(
  connection: Connection,
  url: URL,
  body: Uint8Array,
  offset: number,
  signal: AbortSignal | undefined,
): Promise<number> {
  const headers = { 'content-type': 'application/octet-stream' };
  try {
    const init = { method: 'POST', headers, body: body as Uint8Array<ArrayBuffer>, signal: signal ?? null };
    const response = await send(connection, url, init);
    return ((await response.json()) as components['schemas']['StoredSize']).size;
  } catch (error) {
    const size = error instanceof CairnError && error.code === OFFSET_CONFLICT ? error.fields['size'] : undefined;
    if (typeof size === 'number' && size > offset) return size;
    throw error;
  }
}

async function* partsOf(source: LogSource): AsyncGenerator<Uint8Array> {
  if (typeof source === 'string') yield* split(new TextEncoder().encode(source));
  else if (source instanceof Uint8Array) yield* split(source);
  else for await (const chunk of source) yield* split(chunk);
}

function* split(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += PART_SIZE) yield bytes.subarray(at, at + PART_SIZE);
}
