/** Node actors on an actor system under the test's hand; TTL 300 s. */

import { nodeBehaviour } from '../../src/actors/node/behaviour.ts';
import { HeartbeatCheckpointer } from '../../src/actors/node/heartbeat-checkpointer.ts';
import { LivenessClock } from '../../src/actors/node/liveness-clock.ts';
import { SilenceHistogram } from '../../src/actors/node/silence-histogram.ts';
import type { NodeEnv, NodeState } from '../../src/actors/node/state.ts';
import { factsOf, type NodeFacts, nodeRegistrationSchema } from '../../src/protocol/node.ts';
import { ActorWorld } from './actor-world.ts';

/** What a node actor is given: nobody else is silent, and there is room for every series. */
export function nodeEnv(over: Partial<NodeEnv> = {}): NodeEnv {
  return {
    times: { heartbeatMs: 30_000, ttlMs: 300_000 },
    configVersion: 1,
    intervalMultiplier: () => 1,
    livenessClock: new LivenessClock(),
    checkpointer: new HeartbeatCheckpointer<NodeState>(0, []),
    storedBeat: () => 0,
    histogram: new SilenceHistogram(),
    massSilence: () => ({ running: 1, silent: 0 }),
    takeSeries: () => true,
    ...over,
  };
}

export function nodeWorld(): ActorWorld<NodeEnv> {
  return new ActorWorld<NodeEnv>([nodeBehaviour], nodeEnv());
}

export function nodeFacts(id: string, instance: object): NodeFacts {
  return factsOf(id, nodeRegistrationSchema.parse({ instance }));
}
