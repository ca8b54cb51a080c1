/**
 * One shard against two: the same beats on one shard, on two with every beat at the shard that has its connection, and on two
 * with every beat crossing to the other.
 *
 * Measured: CPU per beat, latency, throughput; one heartbeat a request, without metrics: they go to the same shard and would
 * hide the crossing behind the journal. Excluded: TLS, registration.
 * Main hands out connections in turn, and the load opens them one after the other, so connections of even number are all on
 * one shard. Which of the two cannot be seen from outside: both assignments are measured, and the one whose median answer
 * takes longer is the crossing, because waking another thread takes time even where it takes little CPU.
 * Sketch: a crossing is a structured clone there and back, batched by turn: 3 to 4 µs. Budget: 1.4 times one shard.
 */
import { planFor, register } from '../harness/fleet.ts';
import { startCairn, type UnderTest } from '../harness/peer-process.ts';
import { contest, type Target } from '../harness/rounds.ts';
import type { AnyRow, Scenario } from '../harness/table.ts';
import { measure } from '../load/run-load.ts';
import type { Traffic } from '../load/traffic.ts';
import { CANONICAL } from '../load/workload.ts';

const ONE = '1 shard';
const SIDES = ['2 shards, first assignment', '2 shards, second assignment'] as const;
/** Below this the two assignments cannot be told apart, as when connections are not handed out in turn. */
const DIFFERENCE_MIN = 1.05;

export const twoShards: Scenario = {
  name: 'two-shards',
  rounds: 5,
  run: async (options) => {
    const { smoke } = options;
    const nodes = { first: 0, count: smoke ? 40 : CANONICAL.nodes };
    // Both even: an odd number would shift the turn for the next round.
    const load = { connections: smoke ? 4 : CANONICAL.connections, requests: smoke ? 200 : 60_000 };
    const servers: UnderTest[] = [];
    try {
      const one = await startCairn(['--shards', '1']);
      const two = await startCairn(['--shards', '2']);
      servers.push(one, two);
      const beatsOf = (index: number): Traffic => ({
        what: 'single-beats',
        nodes: { ...nodes, shard: { index, of: 2 } },
        metrics: false,
      });
      const target = (name: string, server: UnderTest, first: number): Target => {
        const bytes = beatsOf(first);
        const plan = planFor(server, { ...load, bytes, lanes: [bytes, beatsOf(1 - first)] });
        return { name, perMessage: 1, measure: () => measure(server.pid, plan) };
      };
      for (const server of servers) await register(server, nodes, load.connections);
      const rows = await contest(
        [target(ONE, one, 0), target(SIDES[0], two, 0), target(SIDES[1], two, 1)],
        { unit: 'beat', ratioTo: ONE },
        options,
      );
      return smoke ? rows : named(rows);
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  },
};

function named(rows: readonly AnyRow[]): readonly AnyRow[] {
  const [one, first, second] = rows;
  if (!one || !first || !second || 'absent' in first || 'absent' in second) return rows;
  const [home, crossing] = first.p50Ms <= second.p50Ms ? [first, second] : [second, first];
  if (crossing.p50Ms < home.p50Ms * DIFFERENCE_MIN) {
    const note = 'the assignments cannot be told apart: which one crosses is not known';
    return [one, first, { ...second, facts: { ...second.facts, note } }];
  }
  return [one, { ...home, name: '2 shards, at home' }, { ...crossing, name: '2 shards, all crossing' }];
}
