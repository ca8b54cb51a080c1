/**
 * Reads a request body within its limit: bytes from the socket, decompressed, parsed, validated. A chunk's memory is
 * uWS's and dies with the callback, so it is copied (or, where the whole body is one chunk, parsed at once).
 */
import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { gunzip, gunzipSync } from 'node:zlib';
import { C1, Unpackr } from 'msgpackr';
import type { z } from 'zod';
import { CodedError } from '../base/errors.ts';
import type { Call } from './call.ts';
import type { BodyKind, RouteBody } from './route.ts';

const gunzipAsync = promisify(gunzip);
/** Below this, decompressing takes less than a thread hop. */
const GUNZIP_SYNC_MAX = 16_384;
/** A body beyond this is not even read to be dropped: its connection is closed with the answer. */
const DISCARD_MAX = 64 * 1024 * 1024;

const unpackr = new Unpackr({
  useRecords: false,
  mapsAsObjects: true,
  int64AsType: 'number',
  largeBigIntToFloat: true,
});

const TYPES: Readonly<Record<string, BodyKind>> = {
  '': 'json',
  'application/json': 'json',
  'application/msgpack': 'msgpack',
  'application/x-msgpack': 'msgpack',
  'application/vnd.msgpack': 'msgpack',
  'application/x-ndjson': 'ndjson',
  'application/ndjson': 'ndjson',
};

/** Which form the body has; throws `unsupportedMediaType` where the route does not read it. */
export function bodyKindOf(call: Call, body: RouteBody): BodyKind {
  if (body.kinds.includes('bytes')) return 'bytes';
  const type = (call.headers['content-type'].split(';')[0] as string).trim().toLowerCase();
  const kind = Object.hasOwn(TYPES, type) ? TYPES[type] : undefined;
  if (!kind || !body.kinds.includes(kind)) {
    throw new CodedError('unsupportedMediaType', `want ${wanted(body)}`);
  }
  return kind;
}

function wanted(body: RouteBody): string {
  const names: Readonly<Record<BodyKind, string>> = {
    json: 'application/json',
    msgpack: 'application/msgpack',
    ndjson: 'application/x-ndjson',
    bytes: 'any type',
  };
  return body.kinds.map((kind) => names[kind]).join(' or ');
}

/**
 * The raw bytes as sent, at most `sizeMax`. Must be called before the handler returns to uWS. What is too large is taken
 * off the wire and dropped, up to `DISCARD_MAX`: most clients read no answer before they have sent all, and a connection
 * closed under them would show as a broken pipe instead of the 413.
 */
export function readRaw(call: Call, sizeMax: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    if (announcedSize(call) > DISCARD_MAX) {
      call.closeAfter = true;
      reject(new CodedError('tooLarge', `${announcedSize(call)} bytes, the limit is ${sizeMax}`));
      return;
    }
    const chunks: Buffer[] = [];
    let size = 0;
    let isOver = false;
    call.response.onData((chunk, isLast) => {
      if (isOver) return;
      size += chunk.byteLength;
      if (size > sizeMax) {
        chunks.length = 0;
        isOver = isLast || size > DISCARD_MAX;
        if (!isOver) return;
        call.closeAfter = !isLast;
        reject(new CodedError('tooLarge', `the limit is ${sizeMax} bytes`));
        return;
      }
      chunks.push(Buffer.from(chunk.slice(0)));
      if (isLast) resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, size));
    });
  });
}

/**
 * Takes a body off the wire that nobody wants, before the answer: uWS closes a connection with it that the client asked to
 * be closed, and a client that still sends would see a broken pipe. Must be called before the handler returns to uWS.
 */
export function dropBody(call: Call): Promise<void> {
  const announced = announcedSize(call);
  if (announced === 0 || announced > DISCARD_MAX) return Promise.resolve();
  let size = 0;
  return new Promise((resolve) => {
    call.response.onData((chunk, isLast) => {
      size += chunk.byteLength;
      if (isLast || size > DISCARD_MAX) resolve();
    });
  });
}

function announcedSize(call: Call): number {
  return Number(call.headers['content-length']);
}

export async function decompress(call: Call, raw: Buffer, sizeMax: number): Promise<Buffer> {
  const encoding = call.headers['content-encoding'].trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return raw;
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw new CodedError('unsupportedMediaType', 'want content-encoding gzip, or none');
  const options = { maxOutputLength: sizeMax };
  try {
    return raw.byteLength <= GUNZIP_SYNC_MAX ? gunzipSync(raw, options) : await gunzipAsync(raw, options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new CodedError('tooLarge', `decompressed it is over the limit of ${sizeMax} bytes`);
    }
    throw new CodedError('malformed', 'the body is not gzip');
  }
}

export function parseBody(kind: BodyKind, bytes: Buffer): unknown {
  try {
    if (kind === 'msgpack') return unpacked(bytes);
    if (!isUtf8(bytes)) throw new CodedError('malformed', 'the body is not UTF-8');
    const text = bytes.toString('utf8');
    return kind === 'ndjson' ? parseLines(text) : JSON.parse(text);
  } catch (error) {
    if (error instanceof CodedError) throw error;
    const name = kind === 'msgpack' ? 'MessagePack' : 'JSON';
    throw new CodedError('malformed', `the body is not ${name} (${bytes.byteLength} bytes)`);
  }
}

function unpacked(bytes: Buffer): unknown {
  const value: unknown = unpackr.unpack(bytes);
  // The library has an object for the one byte that MessagePack never uses; anywhere deeper no schema takes it.
  if (value === C1) throw new CodedError('malformed', 'the body is not MessagePack');
  return value;
}

function parseLines(text: string): unknown[] {
  const values: unknown[] = [];
  let number = 0;
  for (const line of text.split('\n')) {
    number++;
    if (line.trim() === '') continue;
    try {
      values.push(JSON.parse(line));
    } catch {
      throw new CodedError('malformed', `line ${number} is not JSON`);
    }
  }
  return values;
}

const FAULTS_MAX = 20;

/** The value by its schema; throws `invalid` with a reason for each bad field (20 at most). */
export function validate<T>(schema: z.ZodType<T>, value: unknown): T {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw new CodedError('invalid', undefined, faultsOf(result.error));
}

export function faultsOf(error: z.ZodError): Record<string, string> {
  const fields: Record<string, string> = {};
  for (const issue of error.issues.slice(0, FAULTS_MAX)) {
    const name = issue.path.length === 0 ? 'body' : issue.path.map(String).join('.');
    // A plain definition, because a hostile field may be called __proto__.
    Object.defineProperty(fields, name.slice(0, 256), {
      value: issue.message,
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return fields;
}
