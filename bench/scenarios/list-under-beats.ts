/**
 * GET /api/v1/node with 100,000 running nodes, once a second and then back to back, while all of them beat every 30 s over
 * HTTP.
 *
 * Measured: latency of the beats (open loop, 3,333 a second) without a reader and with each, in turn; time to the first byte
 * and to the last of a list; how much more memory the server holds at its peak while lists are read. Excluded: what a
 * client does with the list: the reader throws the bytes away. Beats carry no metrics, so that memory for series does not
 * pass for memory for lists.
 * Sketch: 500 bytes a node are 50 MB a list; a loopback takes 1 to 2 GB/s, so a list of ready-made bytes is 30 to 50 ms, and
 * with JSON.stringify on the event loop it would be 300. Budget: p99 of beats at most twice that without a reader.
 */
import { countNodes } from '../harness/ask.ts';
import { planFor, register } from '../harness/fleet.ts';
import { type ListRead, startListReader } from '../harness/list-reader.ts';
import { startCairn, type UnderTest } from '../harness/peer-process.ts';
import { mustBeClean, ROUNDS } from '../harness/rounds.ts';
import { median, type Row, rowOf, type Scenario } from '../harness/table.ts';
import type { LoadPlan } from '../load/load-plan.ts';
import { forgetPeak, peakMiB, residentMiB } from '../load/process-cpu.ts';
import { type Measured, prepareLoad } from '../load/run-load.ts';

const PATH = '/api/v1/node';
const BEAT_EVERY_SECONDS = 30;
/** Long enough that a stall shows as latency; given-up beats would have none. */
const GIVE_UP_MS = 30_000;

interface Round {
  readonly beats: Measured;
  readonly reads: readonly ListRead[];
  readonly growthMiB: number;
}

/** Row → milliseconds from list to list. */
const READERS = [
  { name: 'beats alone', everyMs: undefined },
  { name: 'a list a second', everyMs: 1_000 },
  { name: 'lists back to back', everyMs: 0 },
] as const;

export const listUnderBeats: Scenario = {
  name: 'list-under-beats',
  rounds: 5,
  run: async ({ smoke, progress }) => {
    const nodes = { first: 0, count: smoke ? 500 : 100_000 };
    const phase = smoke
      ? { name: 'beats', perSecond: 200, seconds: 0.25 }
      : { name: 'beats', perSecond: nodes.count / BEAT_EVERY_SECONDS, seconds: 8 };
    const cairn = await startCairn();
    try {
      await register(cairn, nodes, 256, progress);
      const listed = await countNodes(cairn, 'running');
      if (listed !== nodes.count) throw new Error(`the list has ${listed} nodes, want ${nodes.count}`);
      const plan = planFor(cairn, {
        connections: smoke ? 8 : 128,
        requests: 0,
        bytes: { what: 'single-beats', nodes, metrics: false },
        phases: [phase],
        giveUpMs: GIVE_UP_MS,
      });
      const rounds = READERS.map((): Round[] => []);
      for (let round = smoke ? 1 : 0; round <= (smoke ? 1 : ROUNDS); round++) {
        for (const [i, { name, everyMs }] of READERS.entries()) {
          const measured = await beatsBeside(everyMs, cairn, plan);
          progress(`round ${round}: ${name}: beats p99 ${measured.beats.p99Ms.toFixed(2)} ms`);
          if (round > 0) rounds[i]?.push(measured);
        }
      }
      const alone = rowOf(READERS[0].name, 'beat', 1, beatsOf(rounds[0] ?? []));
      return READERS.map(({ name }, i) => rowFor(name, rounds[i] ?? [], alone.p99Ms));
    } finally {
      await cairn.stop();
    }
  },
};

async function beatsBeside(everyMs: number | undefined, server: UnderTest, plan: LoadPlan): Promise<Round> {
  const load = await prepareLoad(server.pid, plan);
  const before = residentMiB(server.pid);
  forgetPeak(server.pid);
  const { host, port } = server;
  const reader = everyMs === undefined ? undefined : startListReader({ host, port, path: PATH, everyMs });
  try {
    const beats = mustBeClean(await load.run());
    const reads = (await reader?.stop()) ?? [];
    return { beats, reads, growthMiB: peakMiB(server.pid) - before };
  } finally {
    reader?.cancel();
  }
}

function beatsOf(rounds: readonly Round[]): Measured[] {
  return rounds.map(({ beats }) => beats);
}

function rowFor(name: string, rounds: readonly Round[], aloneP99Ms: number): Row {
  const row = rowOf(name, 'beat', 1, beatsOf(rounds));
  const lag = median(beatsOf(rounds).map(({ lagP99Ms }) => lagP99Ms));
  const reads = rounds.flatMap((round) => round.reads);
  const ofLists = {
    'p99 beside beats alone': aloneP99Ms > 0 ? row.p99Ms / aloneP99Ms : 0,
    lists: reads.length,
    'bytes of a list': reads[0]?.bytes ?? 0,
    'first byte p50, ms': median(reads.map(({ firstByteMs }) => firstByteMs)),
    'list p50, ms': median(reads.map(({ totalMs }) => totalMs)),
    'slowest list, ms': Math.max(0, ...reads.map(({ totalMs }) => totalMs)),
    'memory growth, most, MiB': Math.max(...rounds.map(({ growthMiB }) => growthMiB)),
  };
  return { ...row, facts: { ...row.facts, 'generator late at p99, ms': lag, ...(reads.length > 0 ? ofLists : {}) } };
}
