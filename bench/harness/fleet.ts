/** What every scenario does with our server: register nodes, aim a load at it, ask it something. */
import type { Dialect, LoadPlan } from '../load/load-plan.ts';
import { type Measured, measure } from '../load/run-load.ts';
import type { Format, NodeRange } from '../load/traffic.ts';
import type { UnderTest } from './peer-process.ts';

const REGISTERING_CONNECTIONS = 256;
/** Nodes in one run of the load, so that a stall of the machine costs a part and not all. */
const PART = 50_000;
/** Registering again changes nothing, so a part in which a registration was refused or broke off is sent again. */
const ATTEMPTS = 3;

/** Every node of the range, as fast as the server takes them, in parts. Throws if a part does not get through. */
export async function register(
  server: UnderTest,
  { first, count }: NodeRange,
  connections = REGISTERING_CONNECTIONS,
  progress: (line: string) => void = () => {},
): Promise<Measured[]> {
  const parts: Measured[] = [];
  for (let from = 0; from < count; from += PART) {
    const nodes = { first: first + from, count: Math.min(PART, count - from) };
    parts.push(await registerPart(server, nodes, Math.min(connections, nodes.count)));
    if (count > PART) progress(`${from + nodes.count} of ${count} nodes are registered`);
  }
  return parts;
}

async function registerPart(server: UnderTest, nodes: NodeRange, connections: number): Promise<Measured> {
  const plan = planFor(server, { connections, requests: nodes.count, bytes: { what: 'register', nodes } });
  let outcome = '';
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const measured = await measure(server.pid, plan);
    if (measured.answered === nodes.count) return measured;
    outcome = `${measured.answered} were answered 200, ${measured.refused} 503, ${measured.failed} failed`;
  }
  throw new Error(`cannot register ${nodes.count} nodes in ${ATTEMPTS} attempts: ${outcome} in the last`);
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
