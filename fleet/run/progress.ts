/** One line about how it goes: rewritten in place on a terminal, else a line every five seconds. */
import type { RunStats } from './run-stats.ts';
import type { VirtualTime } from './virtual-time.ts';

const TICK_MS = 1_000;
/** Where lines stay, fewer of them. */
const TICKS_A_LINE = 5;

/** Call the result to end it. */
export function showProgress(stats: RunStats, clock: VirtualTime, out: NodeJS.WriteStream): () => void {
  let ticks = 0;
  let last = { ms: performance.now(), beats: 0, events: 0 };
  const timer = setInterval(() => {
    ticks++;
    if (!out.isTTY && ticks % TICKS_A_LINE !== 0) return;
    const now = { ms: performance.now(), beats: stats.beats, events: stats.events };
    const seconds = (now.ms - last.ms) / 1_000;
    const line = lineOf(stats, clock, (now.beats - last.beats) / seconds, (now.events - last.events) / seconds);
    last = now;
    out.write(out.isTTY ? `\r\x1b[K${line}` : `${line}\n`);
  }, TICK_MS);
  return () => {
    clearInterval(timer);
    if (out.isTTY) out.write('\n');
  };
}

function lineOf(stats: RunStats, clock: VirtualTime, beatsASecond: number, eventsASecond: number): string {
  const { latency, failures, retries } = stats.wire;
  const part = Math.round((100 * clock.nowSecond()) / clock.spanSeconds);
  return [
    `${(clock.elapsedRealMs / 1_000).toFixed(0)} s (${part} %)`,
    `${beatsASecond.toFixed(0)} beats/s`,
    `${eventsASecond.toFixed(0)} events/s`,
    `p50 ${latency.quantileMs(0.5).toFixed(1)} ms`,
    `p99 ${latency.quantileMs(0.99).toFixed(1)} ms`,
    `${stats.faults + stats.unrecovered} errors`,
    `${failures} failed tries`,
    `${retries} retries`,
  ].join('  ');
}
