/** Answers that are given before the whole request has come: most are refusals, and the client still sends its body. */
import type { Headers } from './headers.ts';
import type { IncomingBody } from './incoming-body.ts';
import type { HttpResponse } from './uws.ts';

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly body: string | Uint8Array;
  readonly size: number;
  readonly headers: Headers;
}

export interface EarlyAnswerHost {
  readonly response: HttpResponse;
  /** The connection is closed after the answer, whatever the client asks for. */
  readonly closes: boolean;
  /** The client asks for the connection to be closed. */
  readonly isLast: boolean;
  isGone(): boolean;
  head(status: number, headers: Headers): void;
  sendWhole(answer: Answer): void;
}

export const CLOSES: Headers[number] = ['connection', 'close'];
/** A client that was answered while it still sent more than it may reads the answer in this time, or never. */
const LAST_READ_MS = 1_000;

/**
 * Answers at once, though the client still sends. uWS reads and drops what comes behind an answer without a bound, and
 * closes a connection that the client wants closed in the moment of the answer's end: a client that still sends would
 * see a broken pipe.
 */
export function answerBeforeEnd(host: EarlyAnswerHost, answer: Answer, incoming: IncomingBody): void {
  const { rest } = incoming;
  if (host.isLast || Number.isNaN(rest)) sendAndWatch(host, answer, incoming);
  else sendOnceRead(host, answer, incoming, rest <= incoming.allowance && !host.closes);
}

/**
 * Answers when the bytes that have come are handled, and, where the rest may come, when it has come or takes too long: uWS
 * takes the time limit off a connection with the last byte of a request, so one that was answered before stays open forever.
 */
function sendOnceRead(host: EarlyAnswerHost, answer: Answer, incoming: IncomingBody, mayCome: boolean): void {
  let isSent = false;
  const send = (): void => {
    if (host.isGone() || isSent) return;
    isSent = true;
    clearTimeout(timer);
    if (incoming.isComplete) host.sendWhole(answer);
    else sendAndStop(host, answer);
  };
  const timer = setTimeout(send, mayCome ? LAST_READ_MS : 0).unref();
  if (mayCome)
    incoming.watch(() => {
      if (incoming.isComplete) send();
    });
  else setImmediate(send);
}

/** Reads no more. The client has the whole answer; uWS closes the connection some ten seconds later. */
function sendAndStop(host: EarlyAnswerHost, { status, contentType, body, headers }: Answer): void {
  const { response } = host;
  response.cork(() => {
    host.head(status, [...headers, CLOSES]);
    if (contentType !== '') response.writeHeader('content-type', contentType);
    response.pause();
    response.end(body);
  });
}

/** Sends the answer in a chunk, and ends it when the client has sent all, more than it may, or nothing for a while. */
function sendAndWatch(host: EarlyAnswerHost, answer: Answer, incoming: IncomingBody): void {
  const { response } = host;
  let timer: NodeJS.Timeout | undefined;
  let isEnded = false;
  const end = (): void => {
    if (host.isGone() || isEnded) return;
    isEnded = true;
    clearTimeout(timer);
    if (!incoming.isComplete) response.pause();
    response.cork(() => response.end());
  };
  incoming.watch(() => {
    if (host.isGone() || isEnded) return;
    if (timer === undefined && (incoming.isComplete || (incoming.isPast && !host.isLast))) {
      isEnded = true;
      if (incoming.isComplete) host.sendWhole(answer);
      else sendAndStop(host, answer);
      return;
    }
    if (timer === undefined) sendChunk(host, answer);
    timer ??= setTimeout(end, LAST_READ_MS).unref();
    timer.refresh();
    if (incoming.isComplete) end();
    else if (incoming.isPast) response.pause();
  });
}

function sendChunk(host: EarlyAnswerHost, { status, contentType, body, headers }: Answer): void {
  const { response } = host;
  response.cork(() => {
    host.head(status, host.closes && !host.isLast ? [...headers, CLOSES] : headers);
    if (contentType !== '') response.writeHeader('content-type', contentType);
    response.write(body);
  });
}
