/** HTTP requests as bytes, and the end of each answer. */
import { namesUnknown, type OnAnswer, type Scanner } from './scanner.ts';

export function requestBytes(
  method: string,
  path: string,
  host: string,
  body: string | Uint8Array = '',
  contentType = 'application/json',
): Uint8Array {
  const payload = Buffer.from(body as string);
  const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${contentType}\r\nContent-Length: ${payload.byteLength}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), payload]);
}

const LENGTH = /\r\ncontent-length: (\d+)/i;
const CHUNKED = /\r\ntransfer-encoding: *chunked/i;
const RETRY_AFTER = /\r\nretry-after: \d/i;

/** Finds the end of each answer by its content-length; a batch that names unknown nodes counts as 404. */
export function httpScanner(onAnswer: OnAnswer): Scanner {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const headEnd = rest.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const head = rest.toString('latin1', 0, headEnd);
      if (CHUNKED.test(head)) throw new Error('the load generator reads no chunked answers; use the list reader');
      const end = headEnd + 4 + Number(LENGTH.exec(head)?.[1] ?? 0);
      if (rest.length < end) return;
      const status = Number(head.slice(9, 12));
      const body = rest.subarray(headEnd + 4, end);
      rest = rest.subarray(end);
      onAnswer(status === 200 && namesUnknown(body) ? 404 : status, status === 503 && RETRY_AFTER.test(head), -1);
    }
  };
}
