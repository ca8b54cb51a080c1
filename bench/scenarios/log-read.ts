/**
 * A log of 10 GiB: its last lines, ranges anywhere, a long read; and 1,000 followers of one growing log.
 *
 * Measured: latency and server CPU of each, memory, heartbeats beside followers and alone. The large file is sparse but for
 * its last MiB: reading zeros that no disk has to bring is what remains when a disk is not the bound.
 * Sketch: 1,000 lines of 100 bytes are one read of 128 KiB from the end and two thread hops: a millisecond. A line to a
 * thousand followers is a thousand writes of 5 µs, shared by all lines that came within the same 100 ms.
 */
import { appendFileSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '../../src/base/random.ts';
import type { Row, Scenario } from '../harness/table.ts';
import { startBeats } from '../lists/beat-probe.ts';
import { fillStore, nodeIdOf } from '../lists/fill-store.ts';
import { type ServerOn, startOn } from '../lists/server-on.ts';
import { Latencies } from '../load/latencies.ts';
import { cpuSeconds, residentMiB } from '../load/process-cpu.ts';
import { startReaders } from '../streams/stream-readers.ts';

const SEED = 42;
const NODES = 100;
const BEATS_PER_SECOND = 200;
const MIB = 1024 * 1024;

interface Size {
  readonly fileBytes: number;
  readonly longRead: number;
  readonly requests: number;
  readonly followers: number;
  readonly linesPerSecond: number;
  readonly seconds: number;
}

const FULL: Size = {
  fileBytes: 10 * 1024 * MIB,
  longRead: 2 * 1024 * MIB,
  requests: 1_000,
  followers: 1_000,
  linesPerSecond: 500,
  seconds: 15,
};
const SMOKE: Size = {
  fileBytes: 8 * MIB,
  longRead: 2 * MIB,
  requests: 5,
  followers: 10,
  linesPerSecond: 100,
  seconds: 0.5,
};

export const logRead: Scenario = {
  name: 'log-read',
  run: async ({ smoke, progress }) => {
    const size = smoke ? SMOKE : FULL;
    const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-logs-'));
    try {
      await fillStore(join(folder, 'data'), { jobs: 10, nodes: NODES, seed: SEED, nowMs: Date.now() });
      makeLarge(folder, size);
      const server = await startOn(folder);
      try {
        const random = seededRandom(SEED);
        const anywhere = (): string => {
          const from = random.int(size.fileBytes - 65_536);
          return `bytes=${from}-${from + 65_535}`;
        };
        const rows = [
          await reads(server, 'tail of 1,000 lines', size.requests, '?tail=1000', () => undefined),
          await reads(server, 'tail of 100 with a text', size.requests, '?tail=100&q=7%20x', () => undefined),
          await reads(server, '64 KiB anywhere', size.requests, '', anywhere),
          await reads(server, 'long read', 1, '', () => `bytes=0-${size.longRead - 1}`),
        ];
        progress(`${size.followers} followers`);
        return [...rows, await followers(server, size)];
      } finally {
        await server.stop();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

function makeLarge(folder: string, { fileBytes }: Size): void {
  const file = join(folder, 'log', 'nodes', nodeIdOf(0), 'large.log');
  mkdirSync(join(file, '..'), { recursive: true });
  writeFileSync(file, '');
  truncateSync(file, fileBytes - MIB);
  const lines = Array.from({ length: MIB / 128 }, (_, i) => `${String(i).padStart(8)} ${'x'.repeat(118)}\n`);
  appendFileSync(file, lines.join(''));
}

async function reads(
  server: ServerOn,
  name: string,
  count: number,
  query: string,
  range: () => string | undefined,
): Promise<Row> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  const latencies = new Latencies();
  const url = `${server.base}/nodes/${nodeIdOf(0)}/large.log${query}`;
  await read(agent, url, range());
  const restMiB = residentMiB(server.pid);
  let mostMiB = restMiB;
  const watch = setInterval(() => {
    mostMiB = Math.max(mostMiB, residentMiB(server.pid));
  }, 20);
  const before = cpuSeconds(server.pid);
  const begunMs = performance.now();
  let bytes = 0;
  for (let i = 0; i < count; i++) {
    const requestedMs = performance.now();
    bytes += await read(agent, url, range());
    latencies.record((performance.now() - requestedMs) * 1_000);
  }
  const seconds = (performance.now() - begunMs) / 1_000;
  clearInterval(watch);
  agent.destroy();
  return {
    name,
    perSecond: count / seconds,
    p50Ms: latencies.quantile(0.5),
    p99Ms: latencies.quantile(0.99),
    cpuMicroseconds: ((cpuSeconds(server.pid) - before) * 1e6) / count,
    unit: 'read',
    facts: { bytes: bytes / count, 'MB a second': bytes / 1e6 / seconds, 'memory growth, MiB': mostMiB - restMiB },
  };
}

function read(agent: http.Agent, url: string, range: string | undefined): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = range === undefined ? {} : { range };
    const request = http.get(url, { agent, headers }, (response) => {
      let bytes = 0;
      response.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
      });
      response.once('error', reject);
      response.once('end', () => {
        if (response.statusCode === 200 || response.statusCode === 206) resolve(bytes);
        else reject(new Error(`a log was answered ${response.statusCode}`));
      });
    });
    request.once('error', reject);
  });
}

async function followers(server: ServerOn, size: Size): Promise<Row> {
  const log = new GrowingLog(server.base);
  await log.append('the first line\n');
  const beats = startBeats(server.base, NODES, BEATS_PER_SECOND);
  await pause(size.seconds * 1_000);
  const alone = beats.take().latencies.quantile(0.99);
  const restMiB = residentMiB(server.pid);
  const readers = await startReaders(server.base, `${log.path}?follow=true`, size.followers);
  try {
    await readers.take();
    const before = cpuSeconds(server.pid);
    const begunMs = performance.now();
    const lines = await log.grow(size);
    await readers.last('the last line');
    const seconds = (performance.now() - begunMs) / 1_000;
    const cpu = cpuSeconds(server.pid) - before;
    const { bytes, latencies } = await readers.take();
    const meanwhile = beats.take();
    return {
      name: `${size.followers} followers`,
      perSecond: (lines * size.followers) / seconds,
      p50Ms: latencies.quantile(0.5),
      p99Ms: latencies.quantile(0.99),
      cpuMicroseconds: (cpu * 1e6) / (lines * size.followers),
      unit: 'delivered line',
      facts: {
        'lines a second': lines / seconds,
        'MB a second': bytes / 1e6 / seconds,
        'server CPU, share of one core': cpu / seconds,
        'resident memory, growth, MiB': residentMiB(server.pid) - restMiB,
        'heartbeat p99 alone, ms': alone,
        'heartbeat p99 meanwhile, ms': meanwhile.latencies.quantile(0.99),
        'heartbeats refused': meanwhile.refused,
      },
    };
  } finally {
    readers.stop();
    await beats.stop();
    log.close();
  }
}

/** A node's log that grows by uploads of some lines, each with the moment of its sending in it. */
class GrowingLog {
  readonly path = `/nodes/${nodeIdOf(1)}/growing.log`;
  readonly #base: string;
  readonly #agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  #size = 0;

  constructor(base: string) {
    this.#base = base;
  }

  async grow({ linesPerSecond, seconds }: Size): Promise<number> {
    const everyMs = 50;
    const each = Math.ceil((linesPerSecond * everyMs) / 1_000);
    const begunMs = performance.now();
    let lines = 1;
    for (let upload = 0; upload < (seconds * 1_000) / everyMs; upload++) {
      await pause(begunMs + upload * everyMs - performance.now());
      await this.append(`@${Date.now()}@ ${'y'.repeat(80)}\n`.repeat(each));
      lines += each;
    }
    await this.append('the last line\n');
    return lines;
  }

  append(text: string): Promise<void> {
    const url = `${this.#base}/api/v1/nodes/${nodeIdOf(1)}/files/growing.log?offset=${this.#size}`;
    this.#size += text.length;
    return new Promise((resolve, reject) => {
      const request = http.request(url, { method: 'POST', agent: this.#agent }, (response) => {
        response.resume();
        response.once('end', () => {
          if (response.statusCode === 200) resolve();
          else reject(new Error(`an upload was answered ${response.statusCode}`));
        });
      });
      request.once('error', reject);
      request.end(text);
    });
  }

  close(): void {
    this.#agent.destroy();
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}
