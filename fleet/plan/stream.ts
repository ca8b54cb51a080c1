/**
 * Every entity decides from a random stream of its own, named by what it is. So a run with another number of nodes has
 * the same jobs, and a plan can be made again at any time instead of being kept in memory.
 */
import { hashOf } from '../../src/base/hash.ts';
import { type Random, seededRandom } from '../../src/base/random.ts';

export function streamOf(seed: number, ...name: readonly (string | number)[]): Random {
  return seededRandom(hashOf(`${seed}/${name.join('/')}`));
}

/** Between the bounds, each factor equally likely: what lasts is seldom long. */
export function logBetween(random: Random, low: number, high: number): number {
  return low * (high / low) ** random.next();
}

export function shuffle<T>(random: Random, items: T[]): void {
  for (let i = items.length - 1; i > 0; i--) {
    const j = random.int(i + 1);
    const item = items[i] as T;
    items[i] = items[j] as T;
    items[j] = item;
  }
}
