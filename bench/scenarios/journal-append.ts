/**
 * What a group of samples costs to make durable: as a row of the journal, as the writer commits it (LMDB, with the removal of
 * rows that are acknowledged), and as an append to a preallocated file, which is the least there is. The difference is what a
 * log of samples beside the database could save (decision 0146).
 *
 * One process, nothing else in it; the two take turns. Processor time of the process, so that waiting for the disk is left out.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GroupCommit } from '../../src/store/commit/group-commit.ts';
import { openLmdbStore } from '../../src/store/kv/lmdb-store.ts';
import { WriteBatch } from '../../src/store/kv/write-batch.ts';
import { PreallocatedLog } from '../harness/preallocated-log.ts';
import { median, type Row, type Scenario } from '../harness/table.ts';

/** About what 16 and 64 beats with three metrics make, and a call of 1,000 samples. */
const SIZES = [2_048, 8_192, 65_536];
const GROUPS = 400;
const ROUNDS = 5;
/** The writer removes what is acknowledged some times a second. */
const TRIM_EVERY = 50;

interface Way {
  readonly name: string;
  append(group: Uint8Array): void;
  close(): void;
}

export const journalAppend: Scenario = {
  name: 'journal-append',
  run: async ({ smoke }) => {
    const folder = mkdtempSync(join(tmpdir(), 'cairn-journal-'));
    const ways = [journalIn(join(folder, 'db')), fileIn(join(folder, 'log'))];
    const groups = smoke ? 10 : GROUPS;
    try {
      return SIZES.flatMap((size) => {
        const rounds = ways.map((): Timed[] => []);
        for (let round = 0; round < (smoke ? 1 : ROUNDS); round++)
          for (const [i, way] of ways.entries()) rounds[i]?.push(timed(way, size, groups));
        const least = median((rounds[1] as Timed[]).map(({ cpuMicroseconds }) => cpuMicroseconds));
        return ways.map((way, i) => rowOf(`${size} bytes, ${way.name}`, rounds[i] as Timed[], i === 0 ? least : null));
      });
    } finally {
      for (const way of ways) way.close();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

interface Timed {
  readonly cpuMicroseconds: number;
  readonly ms: readonly number[];
}

function timed(way: Way, size: number, groups: number): Timed {
  const group = new Uint8Array(size).map((_, i) => i * 31);
  way.append(group);
  const ms: number[] = [];
  const from = process.cpuUsage();
  for (let i = 0; i < groups; i++) {
    const begunMs = performance.now();
    way.append(group);
    ms.push(performance.now() - begunMs);
  }
  const { user, system } = process.cpuUsage(from);
  return { cpuMicroseconds: (user + system) / groups, ms: ms.sort((a, b) => a - b) };
}

function rowOf(name: string, rounds: readonly Timed[], least: number | null): Row {
  const cpu = rounds.map(({ cpuMicroseconds }) => cpuMicroseconds);
  const at = (share: number): number => median(rounds.map(({ ms }) => ms[Math.floor(ms.length * share)] as number));
  return {
    name,
    unit: 'group',
    perSecond: 1_000 / at(0.5),
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    cpuMicroseconds: median(cpu),
    cpuSpread: [Math.min(...cpu), Math.max(...cpu)],
    ...(least === null ? {} : { ratio: median(cpu) / least, ratioTo: 'the file' }),
  };
}

function journalIn(folder: string): Way {
  const store = openLmdbStore(folder);
  const group = new GroupCommit(store);
  let number = 0;
  return {
    name: 'a row of the journal',
    append: (bytes) => {
      number++;
      const writes = new WriteBatch().seal();
      const [outcome] = group.commit([{ client: 0, epoch: 1, number, writes, messageBatches: [{ client: 0, bytes }] }]);
      if (outcome?.type !== 'durable') throw new Error('a group was not committed');
      if (number % TRIM_EVERY === 0) group.trim(outcome.seq);
    },
    close: () => store.close(),
  };
}

function fileIn(path: string): Way {
  const log = new PreallocatedLog(path);
  return { name: 'a preallocated file', append: (bytes) => log.append(bytes), close: () => log.close() };
}
