/**
 * One heartbeat a request over keep-alive HTTP, with metrics, beside the bare uWS handler on the same bytes.
 *
 * Measured: throughput, latency, CPU per beat. Excluded: registration, TLS, the load generator's own CPU.
 * Sketch: the bare handler costs about 6 µs (kernel, HTTP, JSON.parse). Ours adds a schema, an actor, a journal append
 * shared with the beats of the same turn, an access log line. Budget: 1.3 times the bare handler.
 */
import { type LoadPlan, requestBytes } from '../harness/http-load.ts';
import { startCairn, startPeer, type UnderTest } from '../harness/peer-process.ts';
import { type Measured, measure, medianOf } from '../harness/run-load.ts';
import type { Row, Scenario } from '../harness/table.ts';
import { beatBodies, benchNodes, CANONICAL, registrationOf } from '../workload.ts';

export const steadyHeartbeats: Scenario = {
  name: 'steady-heartbeats',
  run: async ({ smoke }) => {
    const nodes = benchNodes(smoke ? 20 : CANONICAL.nodes);
    const plan = { connections: smoke ? 4 : CANONICAL.connections, requests: smoke ? 400 : 60_000 };
    const rounds = smoke ? 1 : 5;
    const cairn = await startCairn();
    const bare = await startPeer('bare-uws');
    try {
      await register(cairn, nodes);
      const runs: Record<string, Measured[]> = { 'bare-uws': [], cairn: [] };
      // In turn, so that a machine that slows down slows both.
      for (let round = 0; round < rounds + 1; round++) {
        for (const server of [bare, cairn]) {
          const measured = await measure(server.pid, planFor(server, nodes, plan));
          if (measured.failed > 0) throw new Error(`${measured.failed} beats failed against ${server.name}`);
          // The first round warms up.
          if (round > 0 || smoke) (runs[server.name] as Measured[]).push(measured);
        }
      }
      return rowsOf(runs);
    } finally {
      await cairn.stop();
      await bare.stop();
    }
  },
};

function planFor(
  server: UnderTest,
  nodes: readonly { readonly path: string }[],
  { connections, requests }: { connections: number; requests: number },
): LoadPlan {
  const bodies = beatBodies(nodes.length);
  const bytes = nodes.map(({ path }, i) => requestBytes('POST', path, server.host, bodies[i] as string));
  return { host: server.host, port: server.port, secure: server.secure, connections, requests, bytes };
}

async function register(server: UnderTest, nodes: ReturnType<typeof benchNodes>): Promise<void> {
  for (const node of nodes) {
    const answer = await fetch(`http://${server.host}:${server.port}/api/v1/node/${node.id}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(registrationOf(node)),
    });
    if (answer.status !== 200) throw new Error(`registration answered ${answer.status}`);
  }
}

function rowsOf(runs: Readonly<Record<string, readonly Measured[]>>): Row[] {
  const bare = medianOf(runs['bare-uws'] as Measured[], ({ cpuMicroseconds }) => cpuMicroseconds);
  return Object.entries(runs).map(([name, measured]) => {
    const median = medianOf(measured, ({ cpuMicroseconds }) => cpuMicroseconds);
    return { name, ...median, unit: 'beat', ratio: median.cpuMicroseconds / bare.cpuMicroseconds, ratioTo: 'bare-uws' };
  });
}
