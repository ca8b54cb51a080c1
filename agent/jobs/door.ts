/** The agent's side of its socket: who connects may run jobs, watch them, signal them and have them saved. */
import { open } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { Lines } from '../wire/lines.ts';
import { EXIT_NOT_FOUND } from '../wire/names.ts';
import { type Reply, type Request, readRequest, type Shown } from '../wire/wire.ts';
import type { Job } from './job.ts';
import type { Jobs } from './jobs.ts';

/** How often new output is looked for while somebody watches. */
const LOOK_MS = 100;
const CHUNK_BYTES = 65_536;
const EXIT_USAGE = 2;

export class Door {
  readonly #jobs: Jobs;

  constructor(jobs: Jobs) {
    this.#jobs = jobs;
  }

  accept(socket: Socket): void {
    const lines = new Lines();
    socket.on('error', () => {});
    socket.on('data', (bytes: Buffer) => {
      const whole = lines.push(bytes);
      if (!whole) return void socket.destroy();
      for (const line of whole) void this.#take(line, socket).catch(() => socket.destroy());
    });
  }

  async #take(line: string, socket: Socket): Promise<void> {
    const request = readRequest(line);
    if ('fault' in request) return end(socket, EXIT_USAGE, `the agent does not understand this: ${request.fault}`);
    switch (request.type) {
      case 'run':
        return this.#run(request, socket);
      case 'attach': {
        const job = this.#jobs.get(request.job);
        if (!job) return end(socket, 1, `this agent no longer knows the job ${request.job}`);
        return watch(job, request.shown, socket);
      }
      case 'signal':
        return this.#jobs.get(request.job)?.signal(request.signal);
      case 'checkpoint': {
        const job = this.#jobs.get(request.job);
        if (!job || job.isEnded) return end(socket, EXIT_NOT_FOUND, `the job ${request.job} does not run here`);
        const saved = await job.saver.saveAgain('on demand');
        return void send(socket, { type: 'done', ok: saved.ok, message: saved.ok ? saved.image : saved.detail });
      }
      case 'list':
        return void send(socket, { type: 'jobs', jobs: this.#jobs.list() });
    }
  }

  async #run({ spec, shown }: Extract<Request, { type: 'run' }>, socket: Socket): Promise<void> {
    const outcome = await this.#jobs.run(spec);
    if (!('job' in outcome)) return end(socket, outcome.exitCode, outcome.message);
    if (outcome.isAttached)
      send(socket, { type: 'note', text: `attached to the job ${spec.id}, which already runs here` });
    // The output of an earlier copy on this node was already shown to its own `cairn run`.
    return watch(outcome.job, outcome.isAttached ? shown : null, socket);
  }
}

async function watch(job: Job, given: Shown | null, socket: Socket): Promise<void> {
  send(socket, { type: 'attached', job: job.context.id });
  const note = (text: string): void => void send(socket, { type: 'note', text });
  job.onNote = note;
  const begins = await job.context.outputBegun;
  const shown = given ?? begins;
  const streams = [
    { stream: 'stdout' as const, at: shown.stdout },
    { stream: 'stderr' as const, at: shown.stderr },
  ];
  let ended: { exitCode: number; message: string | null } | null = job.isEnded
    ? { exitCode: job.context.record.exitCode ?? 1, message: job.context.record.message }
    : null;
  void job.ended.then((how) => {
    ended = how;
  });
  while (!socket.destroyed) {
    // Read before the output, so that output written before the end is shown before the end is reported.
    const how = ended as { exitCode: number; message: string | null } | null;
    let moved = false;
    for (const part of streams) {
      const bytes = await readAt(job.context.folder.output(part.stream), part.at);
      if (bytes.byteLength === 0) continue;
      moved = true;
      const isRoom = send(socket, {
        type: 'output',
        stream: part.stream,
        offset: part.at,
        data: bytes.toString('base64'),
      });
      part.at += bytes.byteLength;
      if (!isRoom) await drained(socket);
    }
    if (moved) continue;
    if (how) return end(socket, how.exitCode, how.message);
    await Promise.race([pause(LOOK_MS), job.ended]);
  }
}

async function readAt(path: string, offset: number): Promise<Buffer> {
  const file = await open(path, 'r').catch(() => null);
  if (!file) return Buffer.alloc(0);
  try {
    const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
    const { bytesRead } = await file.read(buffer, 0, CHUNK_BYTES, offset);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

function send(socket: Socket, reply: Reply): boolean {
  return socket.destroyed || socket.write(`${JSON.stringify(reply)}\n`);
}

function end(socket: Socket, exitCode: number, message: string | null): void {
  send(socket, { type: 'end', exitCode, message });
}

function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    socket.once('drain', resolve);
    socket.once('close', () => resolve());
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
