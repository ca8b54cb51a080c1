/**
 * One heartbeat a request over keep-alive HTTP, with three metrics, beside the bare uWS handler, the same with a durable log,
 * and Fastify on the same bytes, and beside Redis that sets a key of 400 bytes with an expiry, one command at a time.
 *
 * Measured: throughput, latency, CPU per beat. Excluded: registration, TLS, the load generator's own CPU.
 * Sketch: the bare handler costs about 6 µs (kernel, HTTP, JSON.parse), Redis 7.5, Fastify 28. Ours adds a schema, an actor,
 * a journal append shared with the beats of the same turn, an access log line. Budget: 1.6 times `durable-uws`, the least that
 * answers when the bytes are on disk (docs/decisions/0106-floor-of-a-durable-beat.md).
 */
import { planFor, register } from '../harness/fleet.ts';
import { REDIS_ABSENT, startCairn, startPeer, tryStartRedis, type UnderTest } from '../harness/peer-process.ts';
import { contest, LONG_WARM_UP, type Target } from '../harness/rounds.ts';
import type { Scenario } from '../harness/table.ts';
import { measure } from '../load/run-load.ts';
import { CANONICAL } from '../load/workload.ts';

export const steadyHeartbeats: Scenario = {
  name: 'steady-heartbeats',
  rounds: 5,
  run: async (options) => {
    const { smoke } = options;
    const nodes = { first: 0, count: smoke ? 20 : CANONICAL.nodes };
    const load = { connections: smoke ? 4 : CANONICAL.connections, requests: smoke ? 200 : 60_000 };
    const servers: UnderTest[] = [];
    try {
      const cairn = await startCairn();
      servers.push(cairn, await startPeer('bare-uws'), await startPeer('durable-uws'), await startPeer('fastify'));
      const redis = await tryStartRedis();
      if (redis) servers.push(redis);
      await register(cairn, nodes);
      const targets = servers.map((server): Target => {
        const traffic =
          server === redis
            ? ({ dialect: { kind: 'redis' }, bytes: { what: 'redis-sets', nodes, perMessage: 1 } } as const)
            : ({ bytes: { what: 'single-beats', nodes, metrics: true } } as const);
        const plan = planFor(server, { ...load, ...traffic });
        return { name: server.name, perMessage: 1, measure: () => measure(server.pid, plan) };
      });
      const rows = await contest(targets, { unit: 'beat', ratioTo: 'durable-uws', warmUps: LONG_WARM_UP }, options);
      return redis ? rows : [...rows, { name: 'redis', absent: REDIS_ABSENT }];
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  },
};
