/** A channel whose two ends are on one thread: what is posted waits until the test lets the other end receive it. */

import type { Port, ThreadPlatform } from '../../src/actors/shard/wire/thread-platform.ts';
import { ManualClock } from '../../src/base/clock.ts';
import { StallAwareClock } from '../../src/base/stall-aware-clock.ts';
import type { Reader } from '../../src/store/kv/store.ts';

export class HeldPipe implements Port {
  readonly waiting: unknown[] = [];
  other: HeldPipe | undefined;
  /** Hands a message to the listener. */
  take: (message: unknown) => void = () => {};

  on(event: 'message' | 'close', take: (message: unknown) => void): void {
    if (event === 'message') this.take = take;
  }

  postMessage(message: unknown): void {
    this.other?.waiting.push(message);
  }

  close(): void {}

  /** Everything that waits here arrives. */
  hear(): void {
    while (this.waiting.length > 0) this.take(this.waiting.shift());
  }
}

export function newHeldPipe(): readonly [HeldPipe, HeldPipe] {
  const [a, b] = [new HeldPipe(), new HeldPipe()];
  a.other = b;
  b.other = a;
  return [a, b];
}

/** A thread on which nothing happens by itself. What was to run soon is in `planned`. */
export class HeldPlatform implements ThreadPlatform {
  readonly clock = new ManualClock();
  readonly planned: (() => void)[] = [];
  readonly #reader: Reader | null;

  constructor(reader: Reader | null = null) {
    this.#reader = reader;
  }

  newClock(): StallAwareClock {
    return new StallAwareClock(this.clock);
  }

  openReader(): Reader {
    if (!this.#reader) throw new Error('this thread has no reader');
    return this.#reader;
  }

  every(): () => void {
    return () => {};
  }

  after(): () => void {
    return () => {};
  }

  soon(run: () => void): void {
    this.planned.push(run);
  }

  receive(port: Port): { readonly message: unknown } | undefined {
    const { waiting } = port as HeldPipe;
    return waiting.length > 0 ? { message: waiting.shift() } : undefined;
  }

  /** Messages are not copied here: the thread that sent them still holds them. */
  drop(): void {}
}
