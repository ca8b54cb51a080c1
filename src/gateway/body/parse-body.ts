/** What a request body says: its bytes (see `incoming-body.ts`) decompressed within its limit, parsed, validated. */
import { isUtf8 } from 'node:buffer';
import { promisify } from 'node:util';
import { gunzip, gunzipSync } from 'node:zlib';
import { C1, Unpackr } from 'msgpackr';
import { z } from 'zod';
import { CodedError } from '../../base/errors.ts';
import type { HttpExchange } from '../http/exchange.ts';
import type { BodyKind, RouteBody } from '../http/route.ts';
import { jsonInSlices, SLICE_BYTES, WHOLE_MAX } from './json-slices.ts';
import { msgpackInSlices } from './msgpack-slices.ts';
import { plainFault } from './plain-faults.ts';
import { inTurns, SliceBudget, type Sliced } from './turns.ts';

const gunzipAsync = promisify(gunzip);
/** Below this, decompressing takes less than a thread hop. */
const GUNZIP_SYNC_MAX = 16_384;

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
export function bodyKindOf(exchange: HttpExchange, body: RouteBody): BodyKind {
  if (body.kinds.includes('bytes')) return 'bytes';
  const type = (exchange.headers['content-type'].split(';')[0] as string).trim().toLowerCase();
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

export async function decompress(exchange: HttpExchange, raw: Buffer, sizeMax: number): Promise<Buffer> {
  const encoding = exchange.headers['content-encoding'].trim().toLowerCase();
  if (encoding === '' || encoding === 'identity') return raw;
  if (encoding !== 'gzip' && encoding !== 'x-gzip')
    throw new CodedError('unsupportedMediaType', 'use content-encoding gzip, or none');
  const options = { maxOutputLength: sizeMax };
  try {
    return raw.byteLength <= GUNZIP_SYNC_MAX ? gunzipSync(raw, options) : await gunzipAsync(raw, options);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
      throw new CodedError('tooLarge', `the decompressed body exceeds the limit of ${sizeMax} bytes`);
    }
    throw new CodedError('malformed', 'the body is not gzip');
  }
}

export function parseBody(kind: BodyKind, bytes: Buffer): unknown {
  try {
    if (kind === 'msgpack') return unpacked(bytes);
    mustBeUtf8(bytes);
    const text = bytes.toString('utf8');
    return kind === 'ndjson' ? parseLines(text) : JSON.parse(text);
  } catch (error) {
    throw unparsed(error, kind, bytes);
  }
}

/** The same with turns of the event loop in between, where the body is larger than what may hold the thread. */
export async function parseLargeBody(kind: BodyKind, bytes: Buffer): Promise<unknown> {
  if (bytes.byteLength <= WHOLE_MAX) return parseBody(kind, bytes);
  try {
    if (kind === 'msgpack') return mustBeUsed(await inTurns(msgpackInSlices(bytes, unpack)));
    mustBeUtf8(bytes);
    return await inTurns(kind === 'ndjson' ? linesInSlices(bytes) : jsonInSlices(bytes));
  } catch (error) {
    throw unparsed(error, kind, bytes);
  }
}

export function mustBeUtf8(bytes: Buffer): void {
  if (!isUtf8(bytes)) throw new CodedError('malformed', 'the body is not UTF-8');
}

function unparsed(error: unknown, kind: BodyKind, bytes: Buffer): CodedError {
  if (error instanceof CodedError) return error;
  const name = kind === 'msgpack' ? 'MessagePack' : 'JSON';
  return new CodedError('malformed', `the body is not ${name} (${bytes.byteLength} bytes)`);
}

function unpack(bytes: Uint8Array): unknown {
  return unpackr.unpack(bytes);
}

function unpacked(bytes: Buffer): unknown {
  return mustBeUsed(unpack(bytes));
}

function mustBeUsed(value: unknown): unknown {
  // The library has an object for the one byte that MessagePack never uses; anywhere deeper no schema takes it.
  if (value === C1) throw new CodedError('malformed', 'the body is not MessagePack');
  return value;
}

function parseLines(text: string): unknown[] {
  const values: unknown[] = [];
  for (const [i, line] of text.split('\n').entries()) {
    const value = parseLine(line, i + 1);
    if (value !== undefined) values.push(value);
  }
  return values;
}

function* linesInSlices(bytes: Buffer): Sliced<unknown[]> {
  const budget = new SliceBudget(SLICE_BYTES);
  const values: unknown[] = [];
  let number = 0;
  for (let from = 0; from <= bytes.byteLength; ) {
    const end = bytes.indexOf(0x0a, from);
    const to = end < 0 ? bytes.byteLength : end;
    yield* budget.spend(to - from + 1);
    number++;
    const value = to - from > WHOLE_MAX ? yield* longLine(bytes, from, to, number) : lineAt(bytes, from, to, number);
    if (value !== undefined) values.push(value);
    from = to + 1;
  }
  return values;
}

function lineAt(bytes: Buffer, from: number, to: number, number: number): unknown {
  return parseLine(bytes.toString('utf8', from, to), number);
}

/** As `parseLine`, of a line that is too long to be parsed at once. */
export function* longLine(bytes: Buffer, from: number, to: number, number: number): Sliced<unknown> {
  if (bytes.toString('utf8', from, to).trim() === '') return undefined;
  try {
    return yield* jsonInSlices(bytes.subarray(from, to));
  } catch (error) {
    throw error instanceof CodedError ? error : notJson(number);
  }
}

function notJson(number: number): CodedError {
  return new CodedError('malformed', `line ${number} is not JSON`);
}

/** Undefined where it is blank. Throws `malformed` with its number, from 1. */
export function parseLine(line: string, number: number): unknown {
  if (line.trim() === '') return undefined;
  try {
    return JSON.parse(line);
  } catch {
    throw notJson(number);
  }
}

/** The named fields of an object, for what no schema knows need not be looked at; any other value as it is. */
export function pickFields(value: unknown, fields: readonly string[]): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const picked: Record<string, unknown> = {};
  for (const field of fields)
    if (Object.hasOwn(value, field)) picked[field] = (value as Record<string, unknown>)[field];
  return picked;
}

// Every schema is read behind this module; the words for its faults are set once for the thread.
z.config({ customError: plainFault });

/** Bad fields that a refusal names. */
export const FAULTS_MAX = 20;

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
