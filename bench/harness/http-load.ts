/**
 * Closed-loop HTTP load over raw sockets: each connection sends its next request when the answer to the last is complete.
 * The requests are prepared as bytes before the clock runs, and answers are only scanned for their end, so that the load
 * costs little beside the server. Runs in a process of its own (`load-process.ts`).
 */
import net from 'node:net';
import tls from 'node:tls';
import { Latencies } from './latencies.ts';

export interface LoadPlan {
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  readonly connections: number;
  readonly requests: number;
  /** Complete requests, cycled through. */
  readonly bytes: readonly Uint8Array[];
}

export interface LoadResult {
  readonly answered: number;
  readonly failed: number;
  readonly seconds: number;
  readonly latencies: Latencies;
}

export function requestBytes(
  method: string,
  path: string,
  host: string,
  body: string | Uint8Array,
  contentType = 'application/json',
): Uint8Array {
  const payload = typeof body === 'string' ? Buffer.from(body) : Buffer.from(body);
  const head = `${method} ${path} HTTP/1.1\r\nHost: ${host}\r\nContent-Type: ${contentType}\r\nContent-Length: ${payload.byteLength}\r\n\r\n`;
  return Buffer.concat([Buffer.from(head), payload]);
}

export async function runLoad(plan: LoadPlan): Promise<LoadResult> {
  const latencies = new Latencies();
  let sent = 0;
  let failed = 0;
  let answered = 0;
  const begun = performance.now();
  const connection = (): Promise<void> =>
    new Promise((resolve) => {
      const socket = plan.secure
        ? tls.connect({ host: plan.host, port: plan.port, rejectUnauthorized: false })
        : net.connect({ host: plan.host, port: plan.port });
      socket.setNoDelay(true);
      let sentAt = 0;
      const next = (): void => {
        if (sent >= plan.requests) {
          socket.destroy();
          resolve();
          return;
        }
        sentAt = performance.now();
        socket.write(plan.bytes[sent++ % plan.bytes.length] as Uint8Array);
      };
      const take = answerScanner((status) => {
        latencies.record((performance.now() - sentAt) * 1000);
        if (status === 200) answered++;
        else failed++;
        next();
      });
      socket.once(plan.secure ? 'secureConnect' : 'connect', next);
      socket.on('data', take);
      socket.on('error', () => {
        failed++;
        resolve();
      });
      socket.on('close', () => resolve());
    });
  await Promise.all(Array.from({ length: plan.connections }, connection));
  return { answered, failed, seconds: (performance.now() - begun) / 1000, latencies };
}

const LENGTH = /\r\ncontent-length: (\d+)/i;

/** Finds the end of each answer by its content-length. */
function answerScanner(onAnswer: (status: number) => void): (chunk: Buffer) => void {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    for (;;) {
      const headEnd = rest.indexOf('\r\n\r\n');
      if (headEnd < 0) return;
      const head = rest.toString('latin1', 0, headEnd);
      const end = headEnd + 4 + Number(LENGTH.exec(head)?.[1] ?? 0);
      if (rest.length < end) return;
      rest = rest.subarray(end);
      onAnswer(Number(head.slice(9, 12)));
    }
  };
}
