/** Climbs of readers that stay: streams of events, and followers of a log. Each line carries when it was sent. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startBeats } from '../lists/beat-probe.ts';
import { fillStore, nodeIdOf } from '../lists/fill-store.ts';
import { type ServerOn, startOn } from '../lists/server-on.ts';
import { residentMiB } from '../load/process-cpu.ts';
import { startReaders } from '../streams/stream-readers.ts';
import { type Climb, isLast, type Step } from './climb.ts';
import type { EnvelopeOptions } from './options.ts';

const NODES = 100;
const BEATS_PER_SECOND = 100;
/** Writes a second that every reader gets. */
const WRITES_PER_SECOND = 50;
const LOG = 'var/log/envelope.log';

interface Stream {
  readonly name: string;
  readonly unit: string;
  readonly how: string;
  readonly path: string;
  /** Makes one line that carries the text. */
  readonly write: (server: ServerOn, text: string, i: number) => Promise<void>;
}

export function eventClimb(options: EnvelopeOptions): Promise<Climb> {
  return climb(options, {
    name: 'readers of events',
    unit: 'readers',
    how: `Each gets ${WRITES_PER_SECOND} job events a second, beside ${BEATS_PER_SECOND} heartbeats a second, whose p99 this is.`,
    path: '/api/v1/event?types=job.event',
    write: (server, containerId, i) => {
      const event = { timestamp: new Date().toISOString(), eventType: 'Job-Running', containerId };
      return post(server, '/api/v1/job', JSON.stringify({ id: `job-${i}`, queueName: 'q', events: [event] }));
    },
  });
}

export function followerClimb(options: EnvelopeOptions): Promise<Climb> {
  let size = 0;
  // One after the other, because each says where the log ends: those that open the readers are not waited for.
  let writing = Promise.resolve();
  const append = async (server: ServerOn, text: string): Promise<void> => {
    const line = `a line with ${text}\n`;
    await post(server, `/api/v1/nodes/${nodeIdOf(0)}/files/${LOG}?offset=${size}`, line);
    size += Buffer.byteLength(line);
  };
  return climb(options, {
    name: 'followers of a log',
    unit: 'followers',
    how: `Each follows one log that grows by ${WRITES_PER_SECOND} lines a second, beside ${BEATS_PER_SECOND} heartbeats a second, whose p99 this is.`,
    path: `/nodes/${nodeIdOf(0)}/${LOG}?follow=true`,
    write: (server, text) => {
      writing = writing.catch(() => {}).then(() => append(server, text));
      return writing;
    },
  });
}

async function climb({ smoke, seconds, sizes, say }: EnvelopeOptions, stream: Stream): Promise<Climb> {
  const { name, unit, how } = stream;
  const steps: Step[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'cairn-envelope-'));
  try {
    await fillStore(join(folder, 'data'), { jobs: 1, nodes: NODES, seed: 42, nowMs: Date.now() });
    const server = await startOn(folder);
    try {
      await stream.write(server, 'the first', -1);
      for (const size of smoke ? [5] : sizes.readers) {
        say(`${name}: ${size}`);
        steps.push(await fanOut(server, stream, size, smoke ? 0.5 : seconds));
        if (isLast(steps.at(-1) as Step)) break;
      }
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return { name, unit, how, steps };
}

let written = 0;

async function fanOut(server: ServerOn, { path, write }: Stream, count: number, seconds: number): Promise<Step> {
  const opening = startReaders(server.base, path, count);
  // A stream that has nothing to say says nothing: a line opens every reader.
  const greeting = setInterval(() => void write(server, 'hello', written++).catch(() => {}), 200);
  const readers = await opening.finally(() => clearInterval(greeting));
  const beats = startBeats(server.base, NODES, BEATS_PER_SECOND);
  try {
    await readers.take();
    beats.take();
    const begunMs = performance.now();
    for (let i = 0; i < seconds * WRITES_PER_SECOND; i++) {
      const dueMs = begunMs + (i * 1_000) / WRITES_PER_SECOND;
      await new Promise((resolve) => setTimeout(resolve, Math.max(0, dueMs - performance.now())));
      await write(server, `@${Date.now()}@`, written++);
    }
    const last = `the-last-${written++}`;
    await write(server, last, written);
    await readers.last(last);
    const { latencies } = await readers.take();
    const meanwhile = beats.take();
    return {
      size: count,
      figures: {
        p99Ms: meanwhile.latencies.quantile(0.99),
        refused: meanwhile.refused,
        deliveryP99Ms: latencies.quantile(0.99),
        memoryMiB: residentMiB(server.pid),
      },
      cpuMicroseconds: null,
      generatorLateMs: 0,
    };
  } finally {
    readers.stop();
    await beats.stop();
  }
}

async function post(server: ServerOn, path: string, body: string): Promise<void> {
  const headers = { 'content-type': path.includes('/files/') ? 'application/octet-stream' : 'application/json' };
  const { status } = await fetch(`${server.base}${path}`, { method: 'POST', headers, body });
  if (status !== 200) throw new Error(`POST ${path} was answered ${status}`);
}
