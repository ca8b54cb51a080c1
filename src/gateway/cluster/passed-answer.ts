/** The leader's answer to a call that was passed on, as the caller gets it. */
import type http from 'node:http';
import { ERROR_CODES } from '../../base/error-codes.ts';
import { CodedError, type ErrorFields, type ErrorName, type Failure } from '../../base/errors.ts';
import type { Headers } from '../http/headers.ts';

/** Up to here an answer is held whole. Longer ones, and those of unknown length, go on as they come. */
const WHOLE_MAX = 262_144;
/** The longest names 10,000 nodes that are not known. */
const HELD_MAX = 8 * 1024 * 1024;
/** Of a connection, or added to every answer by this server itself. */
const OWN_HEADERS: ReadonlySet<string> = new Set([
  'cache-control',
  'connection',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'strict-transport-security',
  'transfer-encoding',
  'x-content-type-options',
]);

export function headersOf({ rawHeaders }: http.IncomingMessage): Headers {
  const headers: (readonly [string, string])[] = [];
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = (rawHeaders[i] as string).toLowerCase();
    if (!OWN_HEADERS.has(name)) headers.push([name, rawHeaders[i + 1] as string]);
  }
  return headers;
}

interface PassedBody {
  readonly body: Uint8Array;
  /** Null where `body` is all. */
  readonly chunks: AsyncIterable<Uint8Array> | null;
  readonly size: number | undefined;
}

export async function wholeOrStream(answer: http.IncomingMessage): Promise<PassedBody> {
  const { 'content-length': length } = answer.headers;
  const size = length === undefined ? undefined : Number(length);
  if (size === undefined || size > WHOLE_MAX) return { body: new Uint8Array(), chunks: bytesOf(answer), size };
  return { body: await wholeOf(answer), chunks: null, size };
}

export async function textOf(answer: http.IncomingMessage): Promise<string> {
  return (await wholeOf(answer)).toString('utf8');
}

/** The failure that the error form of an answer tells. Several have one code, and another status each. */
export function failureIn(text: string, answered: number | undefined): Failure {
  const { errorCode, message, fields } = parsed(text);
  const known = Object.entries(ERROR_CODES).find(([, { code, status }]) => code === errorCode && status === answered);
  if (!known) return { name: 'internal' };
  const [name, { message: stem }] = known as [ErrorName, (typeof ERROR_CODES)[ErrorName]];
  const detail = typeof message === 'string' && message.startsWith(`${stem}: `) ? message.slice(stem.length + 2) : '';
  return { name, ...(detail === '' ? {} : { detail }), ...(fields === undefined ? {} : { fields }) };
}

function parsed(text: string): {
  readonly errorCode?: number;
  readonly message?: string;
  readonly fields?: ErrorFields;
} {
  try {
    return JSON.parse(text) as object;
  } catch {
    return {};
  }
}

async function wholeOf(answer: http.IncomingMessage): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytesOf(answer)) {
    size += chunk.byteLength;
    if (size > HELD_MAX) throw new CodedError('internal', `the leader’s answer exceeds ${HELD_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function* bytesOf(answer: http.IncomingMessage): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of answer) yield chunk as Uint8Array;
  } catch {
    throw new CodedError(
      'notLeader',
      'the leader’s answer was cut, so the outcome is unknown: check, or repeat the call',
    );
  }
}
