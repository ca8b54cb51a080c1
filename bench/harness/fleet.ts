/** What every scenario does with our server: register nodes, aim a load at it, ask it something. */
import type { Dialect, LoadPlan } from './load-plan.ts';
import type { UnderTest } from './peer-process.ts';
import { type Measured, measure } from './run-load.ts';
import type { Format, NodeRange } from './traffic.ts';

export const REGISTERING_CONNECTIONS = 256;

/** Every node of the range, as fast as the server takes them; throws if one is refused. */
export async function register(
  server: UnderTest,
  nodes: NodeRange,
  connections = REGISTERING_CONNECTIONS,
): Promise<Measured> {
  const plan = planFor(server, {
    connections: Math.min(connections, nodes.count),
    requests: nodes.count,
    bytes: { what: 'register', nodes },
  });
  const measured = await measure(server.pid, plan);
  if (measured.answered !== nodes.count)
    throw new Error(
      `cannot register ${nodes.count} nodes: ${measured.answered} were answered 200, ${measured.refused} 503, ${measured.failed} failed`,
    );
  return measured;
}

export function planFor(server: UnderTest, plan: Omit<LoadPlan, 'host' | 'port' | 'secure'>): LoadPlan {
  return { host: server.host, port: server.port, secure: server.secure, ...plan };
}

export function webSocket(format: Format): Dialect {
  return {
    kind: 'websocket',
    path: '/api/v1/heartbeat',
    subprotocol: format === 'json' ? 'cairn.json' : 'cairn.msgpack',
  };
}
