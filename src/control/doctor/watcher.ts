/** What only time tells: stalls, steps of the clock, and a journal whose oldest entry stays. Looked at every few seconds. */
import type { Clock } from '../../base/clock.ts';
import type { DoctorFacts } from './rules.ts';

export interface WatcherHost {
  readonly clock: Clock;
  readonly every: (ms: number, run: () => void) => () => void;
  /** The journal's entries and the number of the oldest; undefined where it is empty. */
  readonly journal: () => { readonly entries: number; readonly first: number | undefined };
}

const TICK_MS = 250;
/** A tick that is later than this counts as a stall. */
const LATE_MS = 250;
const WINDOW_MS = 300_000;
const JOURNAL_EVERY_MS = 10_000;
const JUMP_MS = 2_000;

export class Watcher {
  readonly #host: WatcherHost;
  readonly #stalls: { readonly atMs: number; readonly ms: number }[] = [];
  #end: () => void = () => {};
  #lastMs: number;
  #offsetMs: number;
  #jump: { readonly atMs: number; readonly ms: number } | undefined;
  #journalAtMs = 0;
  #oldest: { readonly seq: number; readonly sinceMs: number } | undefined;
  #entries = 0;

  constructor(host: WatcherHost) {
    this.#host = host;
    const { monotonicMs, wallMs } = host.clock.now();
    this.#lastMs = monotonicMs;
    this.#offsetMs = wallMs - monotonicMs;
  }

  start(): void {
    this.#end = this.#host.every(TICK_MS, () => this.tick());
  }

  stop(): void {
    this.#end();
  }

  tick(): void {
    const { monotonicMs, wallMs } = this.#host.clock.now();
    const lateMs = monotonicMs - this.#lastMs - TICK_MS;
    this.#lastMs = monotonicMs;
    if (lateMs > LATE_MS) this.#stalls.push({ atMs: monotonicMs, ms: lateMs });
    while (this.#stalls.length > 0 && monotonicMs - (this.#stalls[0]?.atMs ?? 0) > WINDOW_MS) this.#stalls.shift();
    const offsetMs = wallMs - monotonicMs;
    // A clock that NTP slews drifts by half a millisecond a second at most.
    if (Math.abs(offsetMs - this.#offsetMs) > JUMP_MS)
      this.#jump = { atMs: monotonicMs, ms: offsetMs - this.#offsetMs };
    this.#offsetMs = offsetMs;
    if (monotonicMs - this.#journalAtMs >= JOURNAL_EVERY_MS) this.#lookAtJournal(monotonicMs);
  }

  get facts(): Pick<DoctorFacts, 'stalls' | 'clockJump' | 'journal'> {
    const nowMs = this.#host.clock.monotonicMs();
    const stalledMs = this.#stalls.reduce((sum, { ms }) => sum + ms, 0);
    return {
      stalls: { seconds: stalledMs / 1000, ofSeconds: WINDOW_MS / 1000 },
      journal: { entries: this.#entries, stuckMs: this.#oldest ? nowMs - this.#oldest.sinceMs : 0 },
      ...(this.#jump ? { clockJump: { seconds: this.#jump.ms / 1000, agoMs: nowMs - this.#jump.atMs } } : {}),
    };
  }

  #lookAtJournal(nowMs: number): void {
    this.#journalAtMs = nowMs;
    const { entries, first } = this.#host.journal();
    this.#entries = entries;
    if (first === undefined) this.#oldest = undefined;
    else if (this.#oldest?.seq !== first) this.#oldest = { seq: first, sinceMs: nowMs };
  }
}
