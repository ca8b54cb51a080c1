/** Bytes to a server and whatever comes back, without an HTTP client's opinions in between. */
import net from 'node:net';

export interface RawResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

export interface Exchange {
  readonly responses: readonly RawResponse[];
  /** What came after the last whole response. */
  readonly rest: Buffer;
  /** The server ended the connection. */
  readonly isClosed: boolean;
}

export interface RawRequest {
  readonly bytes: Buffer;
  /** Methods of the requests that are whole, in order; their answers are waited for. Empty: nobody knows what comes. */
  readonly methods: readonly string[];
}

/** A server that is busy may be slow; one that answers nothing for so long is stuck. */
const DEADLINE_MS = 30_000;

/** Resolves with all answers that were to come, or when the connection ends; rejects when neither happens. */
export function exchange(port: number, { bytes, methods }: RawRequest): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const socket = net.connect(port, '127.0.0.1');
    let received = Buffer.alloc(0);
    const timer = setTimeout(
      () => end(() => reject(new Error(`no end of the answer within ${DEADLINE_MS} ms; so far: ${received}`))),
      DEADLINE_MS,
    );
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      socket.destroy();
      settle();
    };
    const done = (isClosed: boolean): void => end(() => resolve({ ...responsesIn(received, methods), isClosed }));
    socket.on('data', (chunk: Buffer) => {
      received = Buffer.concat([received, chunk]);
      if (methods.length > 0 && responsesIn(received, methods).responses.length >= methods.length) done(false);
    });
    socket.on('error', () => done(true));
    socket.on('close', () => done(true));
    // Half a request never gets an answer: the end of what we say is told, and the server hangs up.
    if (methods.length > 0) socket.write(bytes);
    else socket.end(bytes);
  });
}

/** As many whole responses as there are. `methods` tells which have no body. */
export function responsesIn(bytes: Buffer, methods: readonly string[]): { responses: RawResponse[]; rest: Buffer } {
  const responses: RawResponse[] = [];
  let rest = bytes;
  for (;;) {
    const read = readOne(rest, methods[responses.length] === 'HEAD');
    if (!read) return { responses, rest };
    if (read.response.status !== 100) responses.push(read.response);
    rest = rest.subarray(read.size);
  }
}

function readOne(bytes: Buffer, isHead: boolean): { response: RawResponse; size: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd < 0) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(first)?.[1] ?? 0);
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );
  const from = headEnd + 4;
  const bodyless = isHead || status === 304 || status === 204 || status === 100 || status === 101;
  if (bodyless) return { response: { status, headers, body: Buffer.alloc(0) }, size: from };
  if (headers.get('transfer-encoding') === 'chunked') return readChunks(bytes, from, status, headers);
  const length = headers.get('content-length');
  const to = length === undefined ? bytes.length : from + Number(length);
  if (bytes.length < to) return undefined;
  return { response: { status, headers, body: bytes.subarray(from, to) }, size: to };
}

function readChunks(
  bytes: Buffer,
  from: number,
  status: number,
  headers: ReadonlyMap<string, string>,
): { response: RawResponse; size: number } | undefined {
  const parts: Buffer[] = [];
  let at = from;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd < 0) return undefined;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    const next = lineEnd + 2 + size + 2;
    if (!(size >= 0) || bytes.length < next) return undefined;
    if (size === 0) return { response: { status, headers, body: Buffer.concat(parts) }, size: next };
    parts.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = next;
  }
}
