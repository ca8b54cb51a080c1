/**
 * Is the whole server listening? A beat passes main (which accepts connections), the shard that has the connection and
 * the shard that has the node; while the writer stands, clients wait for replies instead of beating. So a shard that is
 * wide awake must not judge its nodes while another thread hangs. Every thread that listens shows a pulse every
 * `TICK_MS`: a counter in shared memory. Who sees one stand still holds the time by which it judges
 * nodes (`LivenessClock`).
 *
 *   pulse of A   | | | |                        | | | |          (a stall of A)
 *   B sees       | | | |····graceMs····held·····| | | |
 *                      └──── counted ───┘        └─ owed: B's time stands as long again ─┘
 */
import { TICK_MS } from '../../../base/stall-aware-clock.ts';

export interface Watched {
  readonly name: string;
  /** A number that changes with every pulse; 0 before the first. */
  readonly pulse: () => number;
  /** How long it may stand still before the thread counts as absent. */
  readonly graceMs: number;
}

interface Seen extends Watched {
  value: number;
  sinceMs: number;
}

/** Five ticks, like a stall of our own, and five less than `CONFIRM_MS`: an absence is noticed before a verdict falls in it. */
export const PULSE_GRACE_MS = 250;
/** A disk may take its time: beats that need no disk are counted meanwhile. Beyond a second clients notice. */
export const WRITER_GRACE_MS = 1_000;

export class ThreadWatchdog {
  readonly #threads: readonly Seen[];
  #owedMs = 0;

  constructor(threads: readonly Watched[], nowMs: number) {
    this.#threads = threads.map((thread) => ({ ...thread, value: thread.pulse(), sinceMs: nowMs }));
  }

  /** Names of the threads that are absent. `nowMs` is on a clock that does not count the caller's own stalls. */
  absent(nowMs: number): string[] {
    const absent: string[] = [];
    for (const thread of this.#threads) {
      const value = thread.pulse();
      if (value !== thread.value) {
        thread.value = value;
        thread.sinceMs = nowMs;
      }
      const standsMs = nowMs - thread.sinceMs;
      if (value !== 0 && standsMs <= thread.graceMs) continue;
      // What passed before its absence was noticed, and before its last pulse was. A thread that has not begun yet took nothing from anybody.
      if (value !== 0)
        this.#owedMs = Math.max(this.#owedMs, Math.min(standsMs, thread.graceMs + 2 * TICK_MS) + TICK_MS);
      absent.push(thread.name);
    }
    return absent;
  }

  /** Milliseconds that passed before the absences so far were noticed; asking settles them. */
  takeOwedMs(): number {
    const owed = this.#owedMs;
    this.#owedMs = 0;
    return owed;
  }
}
