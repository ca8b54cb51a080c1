/** Looks for interruption notices while `ckpt.cloudMonitorMode` is on, and tells of each once, and of its withdrawal. */
import type { Cancel, Timers } from '../base/timers.ts';
import type { Look, Notice } from './notices.ts';
import type { NoticeSource } from './sources.ts';

export interface WatcherParts {
  readonly sources: readonly NoticeSource[];
  readonly isOn: () => boolean;
  readonly timers: Timers;
  readonly onNotice: (notice: Notice, source: string) => void;
  readonly onWithdrawn: () => void;
  readonly onRebalance: (source: string) => void;
}

/** A notice is to be reported within 5 s. */
const LOOK_MS = 2_000;
/** A service that does not answer belongs to another cloud, most of the time. */
const LOOK_AT_SILENT_MS = 60_000;
/** An answer that is lost now and then must not silence a service. */
const SILENCES_MAX = 5;

export class NoticeWatcher {
  readonly #parts: WatcherParts;
  readonly #silences = new Map<string, number>();
  readonly #askAtMs = new Map<string, number>();
  readonly #recommended = new Map<string, string>();
  /** The source whose notice holds. */
  #noticedBy: string | null = null;
  #cancel: Cancel = () => {};
  #isStopped = false;

  constructor(parts: WatcherParts) {
    this.#parts = parts;
  }

  start(): void {
    void this.#turn();
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  async #turn(): Promise<void> {
    const { sources, isOn, timers } = this.#parts;
    if (isOn()) await Promise.all(sources.map((source) => this.#look(source)));
    if (!this.#isStopped) this.#cancel = timers.after(LOOK_MS, () => void this.#turn());
  }

  async #look(source: NoticeSource): Promise<void> {
    const { clock } = this.#parts.timers;
    if (clock.monotonicMs() < (this.#askAtMs.get(source.name) ?? 0)) return;
    const look = await source.look(clock.wallMs());
    const silences = look.kind === 'silence' ? (this.#silences.get(source.name) ?? 0) + 1 : 0;
    this.#silences.set(source.name, silences);
    const waitMs = silences > SILENCES_MAX ? LOOK_AT_SILENT_MS : 0;
    this.#askAtMs.set(source.name, clock.monotonicMs() + waitMs);
    if (!this.#isStopped) this.#take(source.name, look);
  }

  #take(name: string, look: Look): void {
    const { onNotice, onRebalance, onWithdrawn } = this.#parts;
    if (look.kind === 'notice' && this.#noticedBy === null) {
      this.#noticedBy = name;
      onNotice(look.notice, name);
    }
    // A recommendation says as well as nothing does that the notice holds no more.
    if ((look.kind === 'nothing' || look.kind === 'rebalance') && this.#noticedBy === name) {
      this.#noticedBy = null;
      onWithdrawn();
    }
    if (look.kind === 'rebalance' && this.#recommended.get(name) !== look.id) {
      this.#recommended.set(name, look.id);
      onRebalance(name);
    }
  }
}
