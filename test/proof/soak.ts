/**
 * The canonical workload with churn, for as long as is asked: nodes that come and go, jobs, samples, logs, settings, tokens and
 * deliveries of the audited server, and readers of events beside them. Descriptors, memory and readers of the database are looked at all the
 * time; over the second half they must not grow. The amount is seconds; a week works as well.
 */
import { join } from 'node:path';
import { type DatabaseFigures, databaseFigures, openLmdbReader } from '../../src/store/kv/lmdb-store.ts';
import { EventReader } from '../support/event-reader.ts';
import { AuditedServer } from './audited-server.ts';
import { type Counts, type Machine, type MachineOptions, mustHold, pause } from './machine.ts';
import { descriptors, memoryMb } from './process-figures.ts';

const LOOKS = 60;
const READERS = 4;
/** Growth over the second half that is taken for noise: of memory in MB, of descriptors, and of readers. */
const NOISE_MB = 48;
const NOISE_DESCRIPTORS = 16;
const NOISE_READERS = 16;

export const soak: Machine = { name: 'soak', short: 15, long: 3_600, run };

interface Look {
  readonly second: number;
  readonly memoryMb: number;
  readonly descriptors: number;
  /** Of the database: its file, of it what holds something, and slots of readers that live. */
  readonly databaseMb: number;
  readonly usedMb: number;
  readonly readers: number;
}

async function run({ seed, amount, say }: MachineOptions): Promise<Counts> {
  const server = await AuditedServer.start();
  try {
    const looks: Look[] = [];
    const begunMs = Date.now();
    server.work();
    while (Date.now() - begunMs < amount * 1_000) {
      await churnReaders(server);
      await pause(Math.max(200, (amount * 1_000) / LOOKS));
      const look = await lookAt(server, (Date.now() - begunMs) / 1_000);
      looks.push(look);
      if (looks.length % 10 === 0) say(`${look.second.toFixed(0)} s: ${JSON.stringify(look)}`);
    }
    await server.rest();
    await server.audit(`after ${amount} s of seed ${seed}`);
    await server.auditDeliveries(`after ${amount} s of seed ${seed}`);
    const half = looks.slice(Math.floor(looks.length / 2));
    const growth = (what: (look: Look) => number): number => slopeOf(half, what) * (amount / 2);
    const limits = { memoryMb: NOISE_MB, descriptors: NOISE_DESCRIPTORS, readers: NOISE_READERS };
    const faults: string[] = [];
    for (const [what, noise] of Object.entries(limits) as [keyof typeof limits, number][]) {
      const grown = growth((look) => look[what]);
      say(`${what}: ${grown.toFixed(1)} over the second half`);
      if (grown > noise) faults.push(`${what} grows by ${grown.toFixed(1)} over the second half`);
    }
    const [file, used] = [growth(({ databaseMb }) => databaseMb), growth(({ usedMb }) => usedMb)];
    say(`database: ${file.toFixed(1)} MB of file and ${used.toFixed(1)} MB of content over the second half`);
    mustHold(faults, `a soak of ${amount} s`);
    const last = looks.at(-1) as Look;
    return {
      seconds: amount,
      facts: server.acknowledged,
      'MB of memory': last.memoryMb,
      descriptors: last.descriptors,
      'MB of database': last.databaseMb,
      'readers of the database': last.readers,
    };
  } finally {
    await server.dispose();
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

async function lookAt({ process: { pid }, dataFolder }: AuditedServer, second: number): Promise<Look> {
  return { second, memoryMb: memoryMb(pid), descriptors: descriptors(pid), ...(await databaseAt(dataFolder, pid)) };
}

async function databaseAt(dataFolder: string, pid: number): Promise<Pick<Look, 'databaseMb' | 'usedMb' | 'readers'>> {
  const reader = openLmdbReader(join(dataFolder, 'db'));
  try {
    const { fileBytes, freeBytes, readers } = databaseFigures(reader) as DatabaseFigures;
    return {
      databaseMb: Math.round(fileBytes / 1e6),
      usedMb: Math.round((fileBytes - freeBytes) / 1e6),
      readers: readers.filter((slot) => slot.pid === pid).length,
    };
  } finally {
    await reader.close();
  }
}

/** Of the line with the least squares, a second. */
function slopeOf(looks: readonly Look[], what: (look: Look) => number): number {
  const mean = (of: (look: Look) => number): number => looks.reduce((sum, look) => sum + of(look), 0) / looks.length;
  const [x, y] = [mean(({ second }) => second), mean(what)];
  const over = looks.reduce((sum, look) => sum + (look.second - x) * (what(look) - y), 0);
  const under = looks.reduce((sum, look) => sum + (look.second - x) ** 2, 0);
  return under === 0 ? 0 : over / under;
}
