/**
 * What a server has to catch up with, and heartbeats meanwhile: blocks that were flushed and not merged, days that have ended and
 * are not rolled. Its first look at them is a minute after its start: until then heartbeats have it for themselves.
 */
import { join } from 'node:path';
import { LEVELS } from '../../src/protocol/rollup-retention.ts';
import { openLmdbReader } from '../../src/store/kv/lmdb-store.ts';
import type { Reader } from '../../src/store/kv/store.ts';
import { readRollupState } from '../../src/store/series/rollup-state.ts';
import { chunkRange, readBlockKey, SLICES, windowMsOf, windowStartOf } from '../../src/store/series/series-layout.ts';
import type { Row } from '../harness/table.ts';
import { startBeats } from '../lists/beat-probe.ts';
import { nodeIdOf } from '../lists/fill-store.ts';
import type { ServerOn } from '../lists/server-on.ts';
import type { Latencies } from '../load/latencies.ts';
import { cpuSeconds } from '../load/process-cpu.ts';

const [FINE] = LEVELS;
/** A pass of the server's maintenance begins a minute after the last has ended. */
const PASS_MS = 60_000;
const LOOK_EVERY_MS = 50;
const NODES = 200;
const BEATS_PER_SECOND = 200;

export interface CatchUp {
  readonly samples: number;
  /** Where the samples begin. */
  readonly fromMs: number;
  /** The blocks before this time are to be merged, and the days rolled. */
  readonly beforeMs: number;
  readonly idleMs: number;
  readonly deadlineMs: number;
}

export async function measureCatchUp(folder: string, server: ServerOn, of: CatchUp): Promise<Row[]> {
  const reader = openLmdbReader(join(folder, 'data', 'db'));
  await registerNodes(server.base);
  const beats = startBeats(server.base, NODES, BEATS_PER_SECOND);
  try {
    const idleCpu = await cpuDuring(server.pid, () => new Promise((resolve) => setTimeout(resolve, of.idleMs)));
    const idle = rowOf('heartbeats, idle', idleCpu, of.idleMs, beats.take());
    let most = 0;
    const hasBegun = (): boolean => {
      if (hasEnded(reader, of)) return true;
      const blocks = reader.count('block');
      most = Math.max(most, blocks);
      return blocks < most;
    };
    await until(hasBegun, performance.now() + 2 * PASS_MS);
    beats.take();
    const begunMs = performance.now();
    let caughtUpMs = 0;
    const cpu = await cpuDuring(server.pid, async () => {
      await until(() => hasEnded(reader, of), begunMs + of.deadlineMs);
      caughtUpMs = performance.now() - begunMs;
      // A catch-up that is over at once (the smoke run) would show no beat.
      await new Promise((resolve) => setTimeout(resolve, of.idleMs - caughtUpMs));
    });
    const ms = performance.now() - begunMs;
    const meanwhile = rowOf('heartbeats, meanwhile', cpu, ms, beats.take());
    const own = Math.max(0, cpu - (idleCpu * ms) / of.idleMs);
    return [
      idle,
      {
        ...meanwhile,
        ratio: meanwhile.p99Ms / idle.p99Ms,
        ratioTo: 'idle (p99)',
        facts: {
          'catch-up, s': caughtUpMs / 1_000,
          'samples a second': (1_000 * of.samples) / caughtUpMs,
          'CPU µs a sample': (1e6 * own) / of.samples,
          'bytes a sample at 1m, merged': fineBytes(reader, of) / of.samples,
        },
      },
    ];
  } finally {
    await beats.stop();
    await reader.close();
  }
}

function hasEnded(reader: Reader, { beforeMs }: CatchUp): boolean {
  reader.refresh();
  const [oldest] = [...reader.range('block', { limit: 1 })];
  if (oldest && readBlockKey(oldest.key).windowMs < beforeMs) return false;
  const [stale] = [...reader.range('stale', { limit: 1 })];
  return !stale && readRollupState(reader).rolledBeforeMs >= beforeMs;
}

/** Keys and values of the chunks of 1m. */
function fineBytes(reader: Reader, { fromMs, beforeMs }: CatchUp): number {
  let bytes = 0;
  for (let windowMs = windowStartOf(FINE, fromMs); windowMs < beforeMs; windowMs += windowMsOf(FINE))
    for (const { key, value } of reader.range('chunk', chunkRange(FINE, windowMs, 0, SLICES)))
      bytes += key.byteLength + value.byteLength;
  return bytes;
}

async function until(isSo: () => boolean, deadlineMs: number): Promise<void> {
  while (!isSo()) {
    if (performance.now() > deadlineMs) throw new Error('the server did not catch up in time');
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

async function cpuDuring(pid: number, run: () => Promise<void>): Promise<number> {
  const before = cpuSeconds(pid);
  await run();
  return cpuSeconds(pid) - before;
}

async function registerNodes(base: string): Promise<void> {
  for (let i = 0; i < NODES; i++) {
    const { status } = await fetch(`${base}/api/v1/node/${nodeIdOf(i)}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    if (status !== 200) throw new Error(`a registration was answered ${status}`);
  }
}

function rowOf(
  name: string,
  cpu: number,
  ms: number,
  { latencies, refused }: { readonly latencies: Latencies; readonly refused: number },
): Row {
  const beats = latencies.count;
  return {
    name,
    unit: 'beat',
    perSecond: (1_000 * beats) / ms,
    p50Ms: latencies.quantile(0.5),
    p99Ms: latencies.quantile(0.99),
    cpuMicroseconds: (1e6 * cpu) / Math.max(1, beats),
    ...(refused > 0 ? { facts: { 'answered 503': refused } } : {}),
  };
}
