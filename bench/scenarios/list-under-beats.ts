/**
 * GET /api/v1/node with 100,000 running nodes, read back to back, while all of them beat every 30 s over HTTP.
 *
 * Measured: latency of the beats (open loop, 3,333 a second) without and with the reader, in turn; time to the first byte
 * and to the last of a list; how much more memory the server holds at its peak while lists are read. Excluded: what a
 * client does with the list: the reader throws the bytes away. Beats carry no metrics, so that memory for series does not
 * pass for memory for lists.
 * Sketch: 500 bytes a node are 50 MB a list; a loopback takes 1 to 2 GB/s, so a list of ready-made bytes is 30 to 50 ms, and
 * with JSON.stringify on the event loop it would be 300. Budget: p99 of beats at most twice that without a reader.
 */
import { countNodes } from '../harness/ask.ts';
import { planFor, register } from '../harness/fleet.ts';
import { type ListRead, startListReader } from '../harness/list-reader.ts';
import type { LoadPlan } from '../harness/load-plan.ts';
import { startCairn, type UnderTest } from '../harness/peer-process.ts';
import { forgetPeak, peakMiB, residentMiB } from '../harness/process-cpu.ts';
import { mustBeClean, ROUNDS } from '../harness/rounds.ts';
import { type Measured, measure } from '../harness/run-load.ts';
import { median, rowOf, type Scenario } from '../harness/table.ts';

const PATH = '/api/v1/node';
const BEAT_EVERY_SECONDS = 30;

interface Listing {
  readonly beats: Measured;
  readonly reads: readonly ListRead[];
  readonly growthMiB: number;
}

export const listUnderBeats: Scenario = {
  name: 'list-under-beats',
  run: async ({ smoke, progress }) => {
    const nodes = { first: 0, count: smoke ? 500 : 100_000 };
    const phase = smoke
      ? { name: 'beats', perSecond: 200, seconds: 0.25 }
      : { name: 'beats', perSecond: nodes.count / BEAT_EVERY_SECONDS, seconds: 10 };
    const cairn = await startCairn();
    try {
      progress(`registering ${nodes.count} nodes`);
      await register(cairn, nodes);
      const listed = await countNodes(cairn, 'running');
      if (listed !== nodes.count) throw new Error(`the list has ${listed} nodes, want ${nodes.count}`);
      const plan = planFor(cairn, {
        connections: smoke ? 8 : 128,
        requests: 0,
        bytes: { what: 'single-beats', nodes, metrics: false },
        phases: [phase],
      });
      const idle: Measured[] = [];
      const busy: Listing[] = [];
      for (let round = smoke ? 1 : 0; round <= (smoke ? 1 : ROUNDS); round++) {
        const quiet = mustBeClean(await measure(cairn.pid, plan));
        const listing = await beatsWhileListing(cairn, plan);
        progress(
          `round ${round}: beats p99 ${quiet.p99Ms.toFixed(2)} ms, with lists ${listing.beats.p99Ms.toFixed(2)} ms`,
        );
        if (round === 0) continue;
        idle.push(quiet);
        busy.push(listing);
      }
      return rowsOf(idle, busy);
    } finally {
      await cairn.stop();
    }
  },
};

async function beatsWhileListing(server: UnderTest, plan: LoadPlan): Promise<Listing> {
  const before = residentMiB(server.pid);
  forgetPeak(server.pid);
  const reader = startListReader({ host: server.host, port: server.port, path: PATH });
  const beats = mustBeClean(await measure(server.pid, plan));
  const reads = await reader.stop();
  return { beats, reads, growthMiB: peakMiB(server.pid) - before };
}

function rowsOf(idle: readonly Measured[], busy: readonly Listing[]) {
  const quiet = rowOf('beats alone', 'beat', 1, idle);
  const listing = rowOf(
    'beats while listing',
    'beat',
    1,
    busy.map(({ beats }) => beats),
  );
  const reads = busy.flatMap((round) => round.reads);
  const lag = median([...idle, ...busy.map(({ beats }) => beats)].map(({ lagP99Ms }) => lagP99Ms));
  return [
    { ...quiet, facts: { ...quiet.facts, 'generator late at p99, ms': lag } },
    {
      ...listing,
      facts: {
        ...listing.facts,
        'p99 beside beats alone': quiet.p99Ms > 0 ? listing.p99Ms / quiet.p99Ms : 0,
        lists: reads.length,
        'bytes of a list': reads[0]?.bytes ?? 0,
        'first byte p50, ms': median(reads.map(({ firstByteMs }) => firstByteMs)),
        'list p50, ms': median(reads.map(({ totalMs }) => totalMs)),
        'slowest list, ms': Math.max(...reads.map(({ totalMs }) => totalMs)),
        'memory growth while listing, most, MiB': Math.max(...busy.map(({ growthMiB }) => growthMiB)),
      },
    },
  ];
}
