/**
 * Clients that wait for each answer, in every shape: batches of 1 to 10,000 beats with three metrics, on 1 to 256
 * connections, on one shard and on two. None may be refused: such clients send no more than the server answers.
 *
 * Measured: beats a second, latency of a batch, CPU per beat; a row with a refusal or a failure ends the bench with 1.
 * Excluded: registration, TLS, the load generator's own CPU.
 * Sketch: 256 clients with 10,000 beats each wait for each other, two to four seconds; nothing else is different.
 */
import { planFor, register } from '../harness/fleet.ts';
import { startCairn, type UnderTest } from '../harness/peer-process.ts';
import type { Row, Scenario } from '../harness/table.ts';
import { type Measured, measure } from '../load/run-load.ts';

const NODES = 10_000;
const BEATS_MIN = 200_000;

export const closedLoops: Scenario = {
  name: 'closed-loops',
  rounds: 1,
  run: async ({ smoke, progress }) => {
    const rows: Row[] = [];
    for (const shards of smoke ? [1] : [1, 2]) {
      const cairn = await startCairn(['--shards', String(shards)]);
      try {
        await register(cairn, { first: 0, count: smoke ? 200 : NODES });
        for (const perMessage of smoke ? [1, 100] : [1, 10, 100, 1_000, 10_000]) {
          for (const connections of smoke ? [4] : [1, 4, 64, 256]) {
            const name = `${shards === 1 ? '1 shard' : '2 shards'}, ${perMessage} × ${connections}`;
            const row = rowOf(name, perMessage, await loop(cairn, perMessage, connections, smoke));
            progress(`${name}: ${row.perSecond.toFixed(0)} beats a second, p99 ${row.p99Ms.toFixed(0)} ms`);
            rows.push(row);
          }
        }
      } finally {
        await cairn.stop();
      }
    }
    return rows;
  },
};

function loop(server: UnderTest, perMessage: number, connections: number, smoke: boolean): Promise<Measured> {
  const nodes = { first: 0, count: smoke ? 200 : NODES };
  // Each connection sends at least twice, or the first round would be all of it.
  const requests = smoke ? 20 : Math.max(2 * connections, Math.min(20_000, Math.ceil(BEATS_MIN / perMessage)));
  const bytes = { what: 'batches', nodes, metrics: true, format: 'msgpack', perMessage } as const;
  return measure(server.pid, planFor(server, { connections, requests, bytes }));
}

function rowOf(name: string, perMessage: number, measured: Measured): Row {
  const { answered, refused, failed, perSecond, p50Ms, p99Ms, cpuMicroseconds } = measured;
  if (refused + failed > 0)
    throw new Error(`${name}: ${refused} were answered 503 and ${failed} failed, of ${answered + refused + failed}`);
  return {
    name,
    unit: 'beat',
    perSecond: perSecond * perMessage,
    p50Ms,
    p99Ms,
    cpuMicroseconds: cpuMicroseconds / perMessage,
  };
}
