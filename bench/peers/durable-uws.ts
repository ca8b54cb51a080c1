/**
 * The floor of what is durable: the bare handler, which hands what it has parsed to a thread with a log, and answers when the
 * log is on disk. One write takes all that came while the last one was on its way, and those that are expected, as ours does.
 * A server that keeps beats so that they can be found does more than this.
 */
import { rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads';
import { unpack } from 'msgpackr';
import { ExpectedCalls } from '../../src/actors/shard/host/expected-calls.ts';
import { uws } from '../../src/gateway/http/uws.ts';
import { PreallocatedLog } from '../harness/preallocated-log.ts';

const FRAME_MAX = 8 * 1024 * 1024;
const REPLY = JSON.stringify({ nextBeatMs: 30_000, configVersion: 1 });

function logPath(): string {
  return join(tmpdir(), `cairn-bench-log-${process.pid}`);
}

function keepIn(path: string): void {
  const log = new PreallocatedLog(path);
  parentPort?.on('message', (group: Uint8Array) => {
    log.append(group);
    parentPort?.postMessage(null);
  });
}

/** What waits for the log, and what is on its way to it. */
class Groups {
  readonly #log: Worker;
  readonly #expected = new ExpectedCalls();
  #answers: (() => void)[] = [];
  #parts: Uint8Array[] = [];
  #isInFlight = false;
  #isPlanned = false;

  constructor(log: Worker) {
    this.#log = log;
  }

  /** Answers when the bytes are on disk. */
  take(bytes: Buffer, answer: () => void): void {
    this.#parts.push(Buffer.from(bytes));
    this.#answers.push(answer);
    this.#wake();
  }

  #wake(): void {
    if (this.#isPlanned || this.#isInFlight) return;
    this.#isPlanned = true;
    setImmediate(() => this.#write());
  }

  #write(): void {
    this.#isPlanned = false;
    if (this.#isInFlight || this.#answers.length === 0) return;
    const begunMs = performance.now();
    if (!this.#expected.areThere(this.#answers.length) && this.#expected.leftMs(begunMs) > 0) {
      setTimeout(() => this.#wake(), 1);
      return;
    }
    const waiting = this.#answers;
    const group = Uint8Array.from(Buffer.concat(this.#parts));
    this.#answers = [];
    this.#parts = [];
    this.#isInFlight = true;
    this.#log.once('message', () => {
      this.#isInFlight = false;
      this.#expected.ended(begunMs, performance.now(), waiting.length + this.#answers.length);
      for (const answer of waiting) answer();
      if (this.#answers.length > 0) this.#wake();
    });
    this.#log.postMessage(group);
  }
}

function parseAll(bytes: Buffer, type: string): void {
  if (type === 'application/msgpack') unpack(bytes);
  else if (type !== 'application/x-ndjson') JSON.parse(bytes.toString());
  else for (const line of bytes.toString().split('\n')) if (line !== '') JSON.parse(line);
}

function serve(log: Worker): void {
  const groups = new Groups(log);
  uws
    .App()
    .ws<object>('/api/v1/heartbeat', {
      maxPayloadLength: FRAME_MAX,
      idleTimeout: 60,
      upgrade: (response, request, context) => {
        const [key, protocol, extensions] = ['key', 'protocol', 'extensions'].map((name) =>
          request.getHeader(`sec-websocket-${name}`),
        ) as [string, string, string];
        response.upgrade({}, key, protocol, extensions, context);
      },
      message: (socket, message) => {
        const bytes = Buffer.from(message);
        const { seq, beats } = JSON.parse(bytes.toString()) as { seq: number; beats: readonly unknown[] };
        const reply = { seq, accepted: beats.length, unknown: [], nextBeatMs: 30_000, configVersion: 1 };
        groups.take(bytes, () => void socket.send(JSON.stringify(reply), false));
      },
    })
    .any('/*', (response, request) => {
      let isGone = false;
      response.onAborted(() => {
        isGone = true;
      });
      const type = request.getHeader('content-type');
      const parts: Buffer[] = [];
      response.onData((chunk, isLast) => {
        if (!isLast || parts.length > 0) parts.push(Buffer.from(chunk.slice(0)));
        if (!isLast) return;
        const bytes = parts.length > 0 ? Buffer.concat(parts) : Buffer.from(chunk);
        parseAll(bytes, type);
        groups.take(bytes, () => {
          if (isGone) return;
          response.cork(() => {
            response.writeHeader('content-type', 'application/json; charset=utf-8');
            response.end(REPLY);
          });
        });
      });
    })
    .listen('127.0.0.1', 0, (socket) => {
      if (!socket) process.exit(1);
      process.stdout.write(`ready http://127.0.0.1:${uws.us_socket_local_port(socket)}\n`);
    });
  process.on('SIGTERM', () => {
    rmSync(logPath(), { force: true });
    process.kill(process.pid, 'SIGKILL');
  });
}

if (isMainThread) serve(new Worker(new URL(import.meta.url), { workerData: logPath() }));
else keepIn(workerData as string);
