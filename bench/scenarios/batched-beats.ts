/**
 * Heartbeats in batches of 1,000: MessagePack and JSON by POST, MessagePack in WebSocket frames, without and with three
 * metrics a beat, beside Redis that sets keys of 400 bytes with an expiry, pipelined by 16.
 *
 * Measured: beats a second, latency of a batch, CPU per beat. Excluded: registration, TLS, the load generator's own CPU.
 * Sketch: the bytes of a beat without metrics are 24, so parsing, one map look-up and one store should come to well under
 * 1 µs; with metrics three samples go to the journal besides. Redis takes 2.8 µs. Budget: a million beats a CPU-second,
 * and 0.4 times Redis.
 */
import { planFor, register, webSocket } from '../harness/fleet.ts';
import { REDIS_ABSENT, startCairn, tryStartRedis, type UnderTest } from '../harness/peer-process.ts';
import { contest, type Target } from '../harness/rounds.ts';
import type { AnyRow, Scenario } from '../harness/table.ts';
import { measure } from '../load/run-load.ts';
import type { Format } from '../load/traffic.ts';

const REDIS = 'redis pipelined by 16';
const PIPELINE = 16;

export const batchedBeats: Scenario = {
  name: 'batched-beats',
  rounds: 5,
  run: async (options) => {
    const { smoke } = options;
    const nodes = { first: 0, count: smoke ? 200 : 10_000 };
    const perMessage = smoke ? 20 : 1_000;
    const beats = smoke ? 400 : 1_000_000;
    const connections = 4;
    const servers: UnderTest[] = [];
    try {
      const cairn = await startCairn();
      servers.push(cairn);
      const redis = await tryStartRedis();
      if (redis) servers.push(redis);
      await register(cairn, nodes);
      const batches = (name: string, what: 'batches' | 'frames', format: Format, metrics: boolean): Target => {
        const plan = planFor(cairn, {
          connections,
          // A beat with metrics costs many times one without; a tenth of them takes long enough to be measured.
          requests: beats / perMessage / (metrics && !smoke ? 10 : 1),
          bytes: { what, nodes, metrics, format, perMessage },
          ...(what === 'frames' ? { dialect: webSocket(format) } : {}),
        });
        return { name, perMessage, measure: () => measure(cairn.pid, plan) };
      };
      const targets = [
        batches('POST msgpack', 'batches', 'msgpack', false),
        batches('POST json', 'batches', 'json', false),
        batches('frame msgpack', 'frames', 'msgpack', false),
        batches('POST msgpack, metrics', 'batches', 'msgpack', true),
        batches('frame msgpack, metrics', 'frames', 'msgpack', true),
      ];
      if (redis) targets.push(pipelined(redis, nodes, beats));
      const rows = await contest(targets, { unit: 'beat', ratioTo: REDIS }, options);
      return redis ? rows.map(withRate) : [...rows.map(withRate), { name: REDIS, absent: REDIS_ABSENT }];
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  },
};

function pipelined(redis: UnderTest, nodes: { first: number; count: number }, beats: number): Target {
  const plan = planFor(redis, {
    connections: 64,
    requests: Math.ceil(beats / PIPELINE),
    dialect: { kind: 'redis' },
    bytes: { what: 'redis-sets', nodes, perMessage: PIPELINE },
  });
  return { name: REDIS, perMessage: PIPELINE, measure: () => measure(redis.pid, plan) };
}

function withRate(row: AnyRow): AnyRow {
  if ('absent' in row || row.cpuMicroseconds === 0) return row;
  return { ...row, facts: { ...row.facts, 'beats a CPU-second': Math.round(1e6 / row.cpuMicroseconds) } };
}
