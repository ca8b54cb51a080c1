/** How long nobody acknowledged a write, for each kind of stroke. */
import type { Gap } from './cluster-clients.ts';

export function sayGaps(gaps: readonly Gap[], say: (text: string) => void): void {
  for (const what of new Set(gaps.map((gap) => gap.what))) {
    const times = gaps.filter((gap) => gap.what === what).map(({ ms }) => ms);
    const sorted = [...times].sort((a, b) => a - b);
    const seconds = (ms: number | undefined): string => ((ms ?? 0) / 1_000).toFixed(1);
    say(
      `longest time without an acknowledged write, ${what}: ${times.length} times, median ` +
        `${seconds(sorted[Math.floor(sorted.length / 2)])} s, longest ${seconds(sorted.at(-1))} s; all: ${times.map(seconds).join(' ')}`,
    );
  }
}
