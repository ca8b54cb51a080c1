/**
 * One heartbeat in a WebSocket frame of its own, JSON and MessagePack, beside one heartbeat in an HTTP request to the same
 * server and beside bare uWS that parses the frame and answers it; and the same on 16 sockets, where a commit has few beats
 * to share it, beside the least that is durable.
 *
 * Measured: throughput, latency, CPU per beat; three metrics a beat, one frame in flight on each connection. Excluded: the
 * upgrade, TLS, the load generator's own CPU.
 * Sketch: a frame saves HTTP's head (parsing 100 bytes, writing 100) and the router, but not the read, the write, the actor
 * and the journal. Budget: half of the HTTP beat; on 16 sockets 1.6 times the least that is durable.
 */
import { planFor, register, webSocket } from '../harness/fleet.ts';
import { startCairn, startPeer, type UnderTest } from '../harness/peer-process.ts';
import { contest, type Target } from '../harness/rounds.ts';
import type { Scenario } from '../harness/table.ts';
import { measure } from '../load/run-load.ts';
import type { Format } from '../load/traffic.ts';
import { CANONICAL } from '../load/workload.ts';

const FLOOR = 'durable-uws, 16 sockets';

export const websocketBeats: Scenario = {
  name: 'websocket-beats',
  rounds: 5,
  run: async (options) => {
    const { smoke } = options;
    const nodes = { first: 0, count: smoke ? 20 : CANONICAL.nodes };
    const load = { connections: smoke ? 4 : CANONICAL.connections, requests: smoke ? 200 : 60_000 };
    const few = { connections: smoke ? 4 : 16, requests: smoke ? 200 : 15_000 };
    const servers: UnderTest[] = [];
    try {
      const cairn = await startCairn();
      const bare = await startPeer('bare-uws');
      const durable = await startPeer('durable-uws');
      servers.push(cairn, bare, durable);
      await register(cairn, nodes);
      const frames = (name: string, server: UnderTest, format: Format, size = load): Target => {
        const plan = planFor(server, {
          ...size,
          dialect: webSocket(format),
          bytes: { what: 'frames', nodes, metrics: true, format, perMessage: 1 },
        });
        return { name, perMessage: 1, measure: () => measure(server.pid, plan) };
      };
      const http = planFor(cairn, { ...load, bytes: { what: 'single-beats', nodes, metrics: true } });
      return await contest(
        [
          { name: 'cairn http', perMessage: 1, measure: () => measure(cairn.pid, http) },
          frames('cairn frame json', cairn, 'json'),
          frames('cairn frame msgpack', cairn, 'msgpack'),
          frames('bare-uws frame json', bare, 'json'),
          { ...frames('cairn, 16 sockets', cairn, 'json', few), ratioTo: FLOOR },
          frames(FLOOR, durable, 'json', few),
        ],
        { unit: 'beat', ratioTo: 'cairn http' },
        options,
      );
    } finally {
      await Promise.all(servers.map((server) => server.stop()));
    }
  },
};
