import type { Now } from '../../base/clock.ts';
import { nodeObjectId } from '../../protocol/metric.ts';
import type { NodeFacts } from '../../protocol/node.ts';
import type { Reader } from '../../store/kv/store.ts';
import { queueNodeKeys } from '../../store/records/queue-node.ts';
import { hasSeries, SERIES_LEASE_MS } from '../../store/series/series-index.ts';
import { isTaken, ownOids } from './instances.ts';
import type { Beat, ForgetNode, NodeMessage } from './messages.ts';
import { factsJsonOf } from './packed-facts.ts';
import { hasEnded, isRegistered, type NodeState } from './state.ts';

const MINUTE_MS = 60_000;

export const NO_METRICS: ReadonlySet<string> = new Set();

const sharedSets = new Map<string, ReadonlySet<string>>();

/** Different sets of metrics that nodes share; beyond it a node has a set of its own. */
const SHARED_SETS_MAX = 1_024;

/** Adds what only the store knows. */
export function lookUp(state: NodeState, message: NodeMessage, reader: Reader, now: Now): NodeMessage {
  switch (message.type) {
    case 'register':
      reader.refresh();
      return { ...message, isTaken: isTaken(message.facts, reader) };
    case 'forget':
      if (!hasEnded(state)) return message;
      reader.refresh();
      return withRows(message, ownOids(factsIn(state), reader), reader);
    case 'beat': {
      if (state.status !== 'lost') return lookUpMetrics(state, message, reader, now);
      reader.refresh();
      return isTaken(factsIn(state), reader)
        ? { ...message, isTaken: true }
        : lookUpMetrics(state, message, reader, now);
    }
    default:
      return message;
  }
}

function withRows(message: ForgetNode, oids: readonly string[], reader: Reader): ForgetNode {
  return { ...message, oids, queueRows: queueNodeKeys(reader, oids) };
}

/** Finds the metrics that this node sends for the first time; nearly always none, without a look at the store. */
function lookUpMetrics(state: NodeState, message: Beat, reader: Reader, now: Now): Beat {
  // Of a node that is not registered nothing is taken, so nothing may be remembered as written.
  if (!isRegistered(state) || message.samples.length === 0) return message;
  if (!areMetricsFresh(state, now)) {
    state.metrics = NO_METRICS;
    // Half of the lease at least, so that nodes that came together do not look again together.
    const leaseMs = SERIES_LEASE_MS * (0.5 + (state.entropy >>> 0) / 2 ** 33);
    state.metricsUntilMinute = Math.floor((now.wallMs + leaseMs) / MINUTE_MS);
  }
  const unknown = message.samples.map(([metric]) => metric).filter((metric) => !state.metrics.has(metric));
  if (unknown.length === 0) return message;
  reader.refresh();
  state.metrics = sharedSet(new Set([...state.metrics, ...unknown]));
  const objectId = nodeObjectId(state.id);
  return { ...message, newMetrics: [...new Set(unknown)].filter((metric) => !hasSeries(reader, objectId, metric)) };
}

/** Not where the clock was set back either: then nothing tells how old they are. */
export function areMetricsFresh({ metricsUntilMinute }: NodeState, { wallMs }: Now): boolean {
  const untilMs = metricsUntilMinute * MINUTE_MS;
  return wallMs < untilMs && wallMs >= untilMs - SERIES_LEASE_MS;
}

function sharedSet(metrics: ReadonlySet<string>): ReadonlySet<string> {
  const key = [...metrics].sort().join(' ');
  const known = sharedSets.get(key);
  if (known) return known;
  if (sharedSets.size < SHARED_SETS_MAX) sharedSets.set(key, metrics);
  return metrics;
}

export function factsIn(state: NodeState): NodeFacts {
  return JSON.parse(factsJsonOf(state)) as NodeFacts;
}
