/**
 * A thread as production code sees one, on virtual time: an event loop that runs timers before it reads, and that a stall
 * holds. It is the `ThreadPlatform` of whatever lives on it.
 *
 * Fault model. A thread may be held for any time (a blocked event loop, a stopped process, a starved core): nothing of it
 * runs, what comes for it waits, and when it goes on its timers run first, then what has arrived, then its immediates. It
 * may end at any moment between two tasks: its ports close, what it had posted arrives. It is never torn in the middle of
 * a task: JavaScript is not, and a `kill -9` in the middle of a commit is the store's business (`sim-store.ts`).
 */
import { deserialize, serialize } from 'node:v8';
import type { Port, ThreadPlatform } from '../../src/actors/shard/wire/thread-platform.ts';
import type { Clock } from '../../src/base/clock.ts';
import type { Random } from '../../src/base/random.ts';
import { StallAwareClock } from '../../src/base/stall-aware-clock.ts';
import type { Reader } from '../../src/store/kv/store.ts';
import type { Agenda } from './agenda.ts';

export interface ThreadWorld {
  readonly agenda: Agenda;
  readonly random: Random;
  wallMs(): number;
  reader(): Reader;
  /** A task ran that somebody may have awaited: promises have to run before anything else does. */
  mayBeAwaited(): void;
  /** A task threw: a bug, or an escalation that ends the thread. */
  threw(thread: SimThread, error: unknown): void;
  /** Plants a bug where it says so; undefined is production's own. */
  clockOf(base: Clock): StallAwareClock | undefined;
}

type Phase = 'timers' | 'io' | 'soon';

/** How long a message between two threads is on its way, at most. */
const HOP_MS = 0.4;

export class SimThread implements ThreadPlatform {
  readonly name: string;
  readonly #world: ThreadWorld;
  readonly #backlog: Record<Phase, (() => void)[]> = { timers: [], io: [], soon: [] };
  readonly #ports: SimPort[] = [];
  #suspendedUntilMs = 0;
  #ended = false;

  constructor(name: string, world: ThreadWorld) {
    this.name = name;
    this.#world = world;
  }

  get isEnded(): boolean {
    return this.#ended;
  }

  get isSuspended(): boolean {
    return this.#world.agenda.nowMs < this.#suspendedUntilMs;
  }

  /** When what it does now is over: later than now in a task that takes time. */
  get freeAtMs(): number {
    return Math.max(this.#world.agenda.nowMs, this.#suspendedUntilMs);
  }

  newClock(): StallAwareClock {
    const { agenda } = this.#world;
    const base: Clock = {
      monotonicMs: () => agenda.nowMs,
      wallMs: () => this.#world.wallMs(),
      now: () => ({ monotonicMs: agenda.nowMs, wallMs: this.#world.wallMs() }),
    };
    return this.#world.clockOf(base) ?? new StallAwareClock(base);
  }

  openReader(): Reader {
    return this.#world.reader();
  }

  every(ms: number, run: () => void): () => void {
    let cancel = (): void => {};
    const again = (): void => {
      cancel = this.after(ms, () => {
        again();
        run();
      });
    };
    again();
    return () => cancel();
  }

  after(ms: number, run: () => void): () => void {
    let live = true;
    // Node's own timers never take less; less than the clock can show would stand still for ever.
    this.#world.agenda.after(Math.max(1, ms), () => {
      if (live) this.take('timers', () => live && run());
    });
    return () => {
      live = false;
    };
  }

  soon(run: () => void): void {
    this.#world.agenda.after(0, () =>
      this.take('soon', () => {
        run();
        this.#world.mayBeAwaited();
      }),
    );
  }

  receive(port: Port): { readonly message: unknown } | undefined {
    return (port as SimPort).shift();
  }

  /** Messages are not copied here: the thread that sent them still holds them. */
  drop(): void {}

  /** Runs the task now, or when the thread goes on. */
  take(phase: Phase, run: () => void): void {
    if (this.#ended) return;
    if (this.isSuspended) this.#backlog[phase].push(run);
    else this.#run(run);
  }

  /** Nothing runs on it for `ms` from now, or longer where it is held already. */
  hold(ms: number): void {
    const { agenda } = this.#world;
    const untilMs = agenda.nowMs + ms;
    if (untilMs <= this.#suspendedUntilMs) return;
    this.#suspendedUntilMs = untilMs;
    agenda.at(untilMs, () => this.#goOn());
  }

  end(): void {
    this.#ended = true;
    for (const phase of Object.values(this.#backlog)) phase.length = 0;
    for (const port of this.#ports) port.close();
  }

  /** Two connected ports, one end on this thread and one on the other. */
  connect(other: SimThread): { readonly here: Port; readonly there: Port } {
    const here = new SimPort(this, this.#world);
    const there = new SimPort(other, this.#world);
    here.join(there);
    this.#ports.push(here);
    other.#ports.push(there);
    return { here, there };
  }

  #goOn(): void {
    const { timers, io, soon } = this.#backlog;
    while (!this.#ended && !this.isSuspended) {
      const next = timers.shift() ?? io.shift() ?? soon.shift();
      if (!next) return;
      this.#run(next);
    }
  }

  #run(task: () => void): void {
    try {
      task();
    } catch (error) {
      this.#world.threw(this, error);
    }
  }
}

/** Messages arrive in the order sent, as copies, also while the receiver is held; they are heard when it is not. */
class SimPort implements Port {
  readonly #owner: SimThread;
  readonly #world: ThreadWorld;
  readonly #arrived: unknown[] = [];
  #other: SimPort | null = null;
  #hear: ((message: unknown) => void) | null = null;
  #onClose: (() => void) | null = null;
  #lastAtMs = 0;
  #closed = false;

  constructor(owner: SimThread, world: ThreadWorld) {
    this.#owner = owner;
    this.#world = world;
  }

  join(other: SimPort): void {
    this.#other = other;
    other.#other = this;
  }

  on(event: 'message', take: (message: unknown) => void): unknown;
  on(event: 'close', take: () => void): unknown;
  on(event: 'message' | 'close', take: (message: unknown) => void): unknown {
    if (event === 'close') this.#onClose = take as () => void;
    else {
      this.#hear = take;
      // Not before the listener has finished what it is doing.
      for (let i = 0; i < this.#arrived.length; i++) this.#world.agenda.after(0, () => this.#ring());
    }
    return this;
  }

  postMessage(message: unknown): void {
    const other = this.#other;
    if (this.#closed || !other) return;
    const copy: unknown = deserialize(serialize(message));
    this.#world.agenda.at(this.#arrivalMs(), () => {
      if (other.#closed) return;
      other.#arrived.push(copy);
      other.#ring();
    });
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    const other = this.#other;
    if (!other) return;
    this.#world.agenda.at(this.#arrivalMs(), () => {
      if (other.#closed) return;
      other.#owner.take('io', () => {
        if (other.#closed) return;
        other.#closed = true;
        other.#onClose?.();
      });
    });
  }

  shift(): { readonly message: unknown } | undefined {
    return this.#arrived.length > 0 ? { message: this.#arrived.shift() } : undefined;
  }

  #ring(): void {
    this.#owner.take('io', () => {
      if (this.#closed || !this.#hear) return;
      // Somebody may have received it before its turn.
      const next = this.shift();
      if (next) this.#hear(next.message);
    });
  }

  #arrivalMs(): number {
    this.#lastAtMs = Math.max(this.#lastAtMs, this.#owner.freeAtMs + this.#world.random.next() * HOP_MS);
    return this.#lastAtMs;
  }
}
