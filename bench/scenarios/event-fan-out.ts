/**
 * 1,000 events a second to 1,000 readers of `GET /api/v1/event`, beside heartbeats.
 *
 * Measured: server CPU a delivered event, time from the sending of an event to its arrival at a reader, resident memory,
 * heartbeats meanwhile beside heartbeats alone. Every reader must have got the last event at the end. Excluded: what a
 * reader does with an event. The heartbeats and the jobs come from the bench's own process: on few cores a part of their
 * latency is the readers' process taking turns with everybody else.
 * Sketch: an event is 260 bytes, so a thousand readers are 260 MB/s and 10,000 writes a second of 26 KB: a write of 10 µs
 * is 0.1 µs a delivered event, and most of it is the kernel's copy.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import http from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Row, Scenario } from '../harness/table.ts';
import { startBeats } from '../lists/beat-probe.ts';
import { fillStore } from '../lists/fill-store.ts';
import { type ServerOn, startOn } from '../lists/server-on.ts';
import { cpuSeconds, residentMiB } from '../load/process-cpu.ts';
import { startReaders } from '../streams/stream-readers.ts';

const SEED = 42;
const NODES = 100;
const BEATS_PER_SECOND = 200;
const EVENTS_A_CALL = 20;

interface Size {
  readonly readers: readonly number[];
  readonly perSecond: number;
  readonly seconds: number;
}

const FULL: Size = { readers: [1, 100, 1_000], perSecond: 1_000, seconds: 15 };
const SMOKE: Size = { readers: [1, 20], perSecond: 200, seconds: 0.5 };

export const eventFanOut: Scenario = {
  name: 'event-fan-out',
  run: async ({ smoke, progress }) => {
    const size = smoke ? SMOKE : FULL;
    const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-events-'));
    try {
      await fillStore(join(folder, 'data'), { jobs: 10, nodes: NODES, seed: SEED, nowMs: Date.now() });
      const server = await startOn(folder);
      try {
        const rows: Row[] = [];
        const alone = await beatsAlone(server, size.seconds);
        const unread = await sendEvents(server, size);
        rows.push({ ...blank, name: 'no reader', perSecond: size.perSecond, unit: 'event', cpuMicroseconds: unread });
        for (const readers of size.readers) {
          progress(`${readers} readers`);
          rows.push(await fanOut(server, readers, size, alone));
        }
        return rows;
      } finally {
        await server.stop();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

const blank = { p50Ms: 0, p99Ms: 0 };

async function beatsAlone(server: ServerOn, seconds: number): Promise<number> {
  const beats = startBeats(server.base, NODES, BEATS_PER_SECOND);
  await pause(seconds * 1_000);
  const p99Ms = beats.take().latencies.quantile(0.99);
  await beats.stop();
  return p99Ms;
}

/** Server CPU in microseconds an event, with the heartbeats that are sent meanwhile. */
async function sendEvents(server: ServerOn, size: Size): Promise<number> {
  const beats = startBeats(server.base, NODES, BEATS_PER_SECOND);
  const before = cpuSeconds(server.pid);
  const { sent } = await produce(server.base, size);
  const cpu = cpuSeconds(server.pid) - before;
  await beats.stop();
  return (cpu * 1e6) / sent;
}

async function fanOut(server: ServerOn, count: number, size: Size, aloneP99Ms: number): Promise<Row> {
  const restMiB = residentMiB(server.pid);
  const readers = await startReaders(server.base, '/api/v1/event?types=job.event', count);
  const beats = startBeats(server.base, NODES, BEATS_PER_SECOND);
  try {
    await readers.take();
    const before = cpuSeconds(server.pid);
    const begunMs = performance.now();
    const { sent, last } = await produce(server.base, size);
    await readers.last(last);
    const seconds = (performance.now() - begunMs) / 1_000;
    const cpu = cpuSeconds(server.pid) - before;
    const { bytes, latencies } = await readers.take();
    const meanwhile = beats.take();
    return {
      name: count === 1 ? '1 reader' : `${count} readers`,
      perSecond: (sent * count) / seconds,
      p50Ms: latencies.quantile(0.5),
      p99Ms: latencies.quantile(0.99),
      cpuMicroseconds: (cpu * 1e6) / (sent * count),
      unit: 'delivered event',
      facts: {
        'events a second': sent / seconds,
        'MB a second': bytes / 1e6 / seconds,
        'server CPU, share of one core': cpu / seconds,
        'resident memory, growth, MiB': residentMiB(server.pid) - restMiB,
        'heartbeat p99 alone, ms': aloneP99Ms,
        'heartbeat p99 meanwhile, ms': meanwhile.latencies.quantile(0.99),
        'heartbeats refused': meanwhile.refused,
      },
    };
  } finally {
    readers.stop();
    await beats.stop();
  }
}

let produced = 0;

/** Job events at the rate, each with the moment of its sending in it; how many, and a text of the very last. */
async function produce(base: string, { perSecond, seconds }: Size): Promise<{ sent: number; last: string }> {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
  const calls = Math.ceil((perSecond * seconds) / EVENTS_A_CALL);
  const everyMs = (1_000 * EVENTS_A_CALL) / perSecond;
  const begunMs = performance.now();
  const open: Promise<void>[] = [];
  for (let call = 0; call < calls; call++) {
    await pause(begunMs + call * everyMs - performance.now());
    open.push(send(agent, base, eventsNow()));
  }
  await Promise.all(open);
  const last = `the-last-${produced++}`;
  await send(agent, base, [updateOf(last, 'Job-Running')]);
  agent.destroy();
  return { sent: calls * EVENTS_A_CALL + 1, last: `"job":"${last}"` };
}

function eventsNow(): object[] {
  return Array.from({ length: EVENTS_A_CALL }, () => updateOf(`fan-out-${produced++}`, 'Job-Running'));
}

function updateOf(id: string, eventType: string): object {
  const event = { timestamp: new Date().toISOString(), eventType, containerId: `@${Date.now()}@` };
  return { id, queueName: 'fan-out', events: [event] };
}

function send(agent: http.Agent, base: string, updates: readonly object[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json' };
    const request = http.request(`${base}/api/v1/job`, { method: 'POST', agent, headers }, (response) => {
      response.resume();
      response.once('end', () => {
        if (response.statusCode === 200) resolve();
        else reject(new Error(`events were answered ${response.statusCode}`));
      });
    });
    request.once('error', reject);
    request.end(JSON.stringify(updates));
  });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, Math.max(0, ms)));
}
