/** A thread's timers and ports, played: timers run when the test says so, messages arrive at once and are kept. */
import type { Port } from '../../src/actors/shard/wire/thread-platform.ts';
import { StallAwareClock } from '../../src/base/stall-aware-clock.ts';

interface Timer {
  readonly everyMs: number | null;
  atMs: number;
  readonly run: () => void;
}

export class PlayedPlatform {
  nowMs = 1_000_000;
  readonly #timers = new Set<Timer>();

  newClock(): StallAwareClock {
    const now = (): number => this.nowMs;
    return new StallAwareClock({ monotonicMs: now, wallMs: now, now: () => ({ monotonicMs: now(), wallMs: now() }) });
  }

  every(ms: number, run: () => void): () => void {
    return this.#plan({ everyMs: ms, atMs: this.nowMs + ms, run });
  }

  after(ms: number, run: () => void): () => void {
    return this.#plan({ everyMs: null, atMs: this.nowMs + ms, run });
  }

  soon(run: () => void): void {
    this.after(0, run);
  }

  receive(): undefined {
    return undefined;
  }

  /** Messages are not copied here: the thread that sent them still holds them. */
  drop(): void {}

  /** Runs what falls due in the next `ms`, in its order. */
  pass(ms: number): void {
    const untilMs = this.nowMs + ms;
    for (;;) {
      const [next] = [...this.#timers].sort((a, b) => a.atMs - b.atMs);
      if (!next || next.atMs > untilMs) break;
      this.nowMs = next.atMs;
      if (next.everyMs === null) this.#timers.delete(next);
      else next.atMs += next.everyMs;
      next.run();
    }
    this.nowMs = untilMs;
  }

  #plan(timer: Timer): () => void {
    this.#timers.add(timer);
    return () => this.#timers.delete(timer);
  }
}

/** The end of a port that the code under test has. */
export class PlayedPort<Sent = unknown> implements Port {
  readonly sent: Sent[] = [];
  #take: (message: unknown) => void = () => {};

  on(event: 'message' | 'close', take: (message: unknown) => void): this {
    if (event === 'message') this.#take = take;
    return this;
  }

  postMessage(message: unknown): void {
    this.sent.push(message as Sent);
  }

  /** A message comes from the other end. */
  say(message: unknown): void {
    this.#take(message);
  }

  close(): void {
    this.#take = () => {};
  }
}
