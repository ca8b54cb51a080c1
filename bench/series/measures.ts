/**
 * The canonical measures: nodes that beat twice a minute, each at its own moment, with three metrics that look like a machine's: a
 * percentage with two digits, memory that wanders, a disk that fills. A sample of a turn is the same bytes for every system.
 */
import { seededRandom } from '../../src/base/random.ts';

export const METRICS = ['cpuPercent', 'memoryUsedMB', 'diskUsedMB'] as const;
export const PERIOD_MS = 30_000;

export interface Measure {
  readonly node: number;
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  /** One a metric, in their order. */
  readonly values: readonly [number, number, number];
}

export function nodeName(node: number): string {
  return `i-${(0x0abc00000000 + node * 7919).toString(16).padStart(17, '0')}`;
}

/** Measures of one node after the other; call it once a period with its start. */
export class Machines {
  readonly #random = seededRandom(42);
  readonly #cpu: Float64Array;
  readonly #memory: Float64Array;
  readonly #disk: Float64Array;

  constructor(nodes: number) {
    this.#cpu = new Float64Array(nodes).fill(4_000);
    this.#memory = new Float64Array(nodes).fill(8_192);
    this.#disk = new Float64Array(nodes).fill(51_200);
  }

  turn(periodMs: number, nodes: number, take: (measure: Measure) => void): void {
    for (let node = 0; node < nodes; node++) {
      const cpu = between((this.#cpu[node] as number) + this.#random.int(1_001) - 500, 0, 10_000);
      const memory = between((this.#memory[node] as number) + this.#random.int(129) - 64, 512, 16_384);
      const disk = (this.#disk[node] as number) + this.#random.int(4);
      this.#cpu[node] = cpu;
      this.#memory[node] = memory;
      this.#disk[node] = disk;
      const timeMs = periodMs + ((node * 7_919) % PERIOD_MS);
      take({ node, timeMs, values: [cpu / 100, memory, disk] });
    }
  }
}

function between(value: number, least: number, most: number): number {
  return Math.min(most, Math.max(least, value));
}
