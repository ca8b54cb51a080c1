/**
 * The canonical workload with churn, for as long as is asked: nodes that come and go, jobs, samples, logs, settings, tokens and
 * deliveries of the audited server, and readers of events beside them. Descriptors, memory, readers of the database and pages of it that
 * hold nothing are looked at all the time; over the second half they must not grow. The amount is seconds after the server is warm; in
 * a run of more than an hour the clients work the slower, so that the auditor can hold what they were acknowledged in memory.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type DatabaseFigures, databaseFigures, openLmdbReader } from '../../src/store/kv/lmdb-store.ts';
import type { Reader } from '../../src/store/kv/store.ts';
import { until } from '../support/api.ts';
import { EventReader } from '../support/event-reader.ts';
import { AuditedServer } from './audited-server.ts';
import { heldEnv, heldMb } from './heap/collected-heap.ts';
import { type Counts, type Machine, type MachineOptions, mustHold, pause } from './machine.ts';
import { descriptors, memoryMb } from './process-figures.ts';

const LOOKS = 60;
const READERS = 4;
const CHURN_MS = 5_000;
/** Between two calls of a client, and how many calls each makes at most in longer runs. */
const PAUSE_MS = 5;
const CALLS_MAX = 200_000;
/**
 * Growth over the second half that is taken for noise: of memory and free pages in MB, of descriptors, and of readers. An hour with the
 * leak of docs/decisions/0145-sleeping-threads.md grew by 47 MB.
 */
const NOISE = { memoryMb: 32, heldMb: 16, freeMb: 48, descriptors: 16, readers: 16 };
/** Before that, buffers and heaps are still growing to what they need: more is noise. What is held after a collection is not. */
const WARM_SECONDS = 600;
/** Short runs, three side by side: up to 24 MB of memory, up to 2 held. */
const WARMING = { memoryMb: 96, heldMb: 5 };
/** Code and caches grow with the work that is done, not with time: on a busy machine half of a short run is not enough of it. */
const WARM = { facts: 1_000, ms: 300_000 };
const COLLECT_MS = { least: 1_000, most: 10_000 };

export const soak: Machine = { name: 'soak', short: 15, long: 3_600, run };

interface Look {
  readonly second: number;
  /** The least since the look before: garbage that waits to be collected is not held. */
  readonly memoryMb: number;
  /** Of it, in the heaps of all threads after all garbage was collected. */
  readonly heldMb: number;
  readonly descriptors: number;
  /** Of the database: its file, of it what holds nothing, slots of readers, and how many transactions ago the oldest began to read. */
  readonly databaseMb: number;
  readonly freeMb: number;
  readonly readers: number;
  readonly behind: number;
}

async function run({ seed, amount, say }: MachineOptions): Promise<Counts> {
  const lookMs = Math.max(200, (amount * 1_000) / LOOKS);
  const held = await mkdtemp(join(tmpdir(), 'cairn-held-'));
  const server = await AuditedServer.start({
    pauseMs: Math.max(PAUSE_MS, (amount * 1_000) / CALLS_MAX),
    env: heldEnv(held, Math.min(COLLECT_MS.most, Math.max(COLLECT_MS.least, lookMs))),
  });
  // Opened once, before anything is written: LMDB may write to what its users share whenever a process opens a database.
  const database = openLmdbReader(join(server.dataFolder, 'db'));
  try {
    const looks: Look[] = [];
    server.work();
    await until(
      () => Promise.resolve(server.acknowledged),
      (facts) => facts >= WARM.facts,
      `${WARM.facts} facts, after which the server is warm`,
      WARM.ms,
    );
    const begunMs = Date.now();
    while (Date.now() - begunMs < amount * 1_000) {
      let leastMb = Number.POSITIVE_INFINITY;
      for (let leftMs = lookMs; leftMs > 0; leftMs -= CHURN_MS) {
        await churnReaders(server);
        await pause(Math.min(leftMs, CHURN_MS));
        leastMb = Math.min(leastMb, memoryMb(server.process.pid));
      }
      const second = (Date.now() - begunMs) / 1_000;
      const look = { ...lookAt(server, database), second, memoryMb: leastMb, heldMb: heldMb(held) };
      looks.push(look);
      if (looks.length % 10 === 0) say(`${look.second.toFixed(0)} s: ${JSON.stringify(look)}`);
    }
    await server.rest();
    await server.audit(`after ${amount} s of seed ${seed}`);
    await server.auditDeliveries(`after ${amount} s of seed ${seed}`);
    const half = looks.slice(Math.floor(looks.length / 2));
    const growth = (what: (look: Look) => number): number => slopeOf(half, what) * (amount / 2);
    const faults: string[] = [];
    const limits = amount < WARM_SECONDS ? { ...NOISE, ...WARMING } : NOISE;
    for (const [what, noise] of Object.entries(limits) as [keyof typeof NOISE, number][]) {
      const grown = growth((look) => look[what]);
      say(`${what}: ${grown.toFixed(1)} over the second half`);
      if (grown > noise) faults.push(`${what} grows by ${grown.toFixed(1)} over the second half`);
    }
    say(`database: ${growth(({ databaseMb }) => databaseMb).toFixed(1)} MB of file over the second half`);
    mustHold(faults, `a soak of ${amount} s`);
    const last = looks.at(-1) as Look;
    return {
      seconds: amount,
      facts: server.acknowledged,
      'MB of memory': last.memoryMb,
      'MB held': last.heldMb,
      descriptors: last.descriptors,
      'MB of database': last.databaseMb,
      'MB of it free': last.freeMb,
      'readers of the database': last.readers,
    };
  } finally {
    await database.close();
    await server.dispose();
    await rm(held, { recursive: true });
  }
}

/** Readers of events that come, read a little, and go without a word. */
async function churnReaders(server: AuditedServer): Promise<void> {
  const { base } = server.api;
  const opening = Array.from({ length: READERS }, () =>
    EventReader.open(base, '?lastEventId=0', undefined, server.token),
  );
  for (const reader of await Promise.all(opening)) reader.close();
}

function lookAt({ process: { pid } }: AuditedServer, database: Reader): Omit<Look, 'second' | 'memoryMb' | 'heldMb'> {
  const { fileBytes, freeBytes, readers } = databaseFigures(database) as DatabaseFigures;
  const own = readers.filter((slot) => slot.pid === pid);
  return {
    descriptors: descriptors(pid),
    databaseMb: Math.round(fileBytes / 1e6),
    freeMb: Math.round(freeBytes / 1e6),
    readers: own.length,
    behind: Math.max(0, ...own.map(({ behind }) => behind)),
  };
}

/** Of the line with the least squares, a second. */
function slopeOf(looks: readonly Look[], what: (look: Look) => number): number {
  const mean = (of: (look: Look) => number): number => looks.reduce((sum, look) => sum + of(look), 0) / looks.length;
  const [x, y] = [mean(({ second }) => second), mean(what)];
  const over = looks.reduce((sum, look) => sum + (look.second - x) * (what(look) - y), 0);
  const under = looks.reduce((sum, look) => sum + (look.second - x) ** 2, 0);
  return under === 0 ? 0 : over / under;
}
