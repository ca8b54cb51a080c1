/** A world of some nodes and jobs for tests: an hour of history that always ends at the same moment. */
import { makeWorld, type World, type WorldOptions } from '../../../fleet/plan/world.ts';

export function smallWorld(options: Partial<WorldOptions> = {}): World {
  return makeWorld({
    seed: 42,
    prefix: 'fleet-test',
    nodes: 30,
    jobs: 120,
    queues: 7,
    spanSeconds: 3_600,
    startNs: 1_769_850_000_123_456_789n,
    ...options,
  });
}
