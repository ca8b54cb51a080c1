/**
 * The lease: one entry of the bucket, changed only from the revision that was read. It does not end by itself. A server that sees
 * it unchanged for LEASE_MS, by its own clock, may take it, so that no clocks are compared and the engine need not expire anything
 * (its replicas do that each at its own time). The lease only says who may try to lead: what fences is the stream.
 */
import type { Engine } from './engine.ts';
import type { Seal } from './seal.ts';
import type { ReplicaPeer } from './status.ts';

/** A lease that is not renewed for so long is free. */
export const LEASE_MS = 5_000;
/** After the engine has not answered, its holder gets so long to renew it. */
const AFTER_SILENCE_MS = 2_500;
/** Two questions of which the first and the second were answered so far apart: the engine was away. */
const SILENCE_MS = 2_500;
const KEY = 'lease';

export interface LeaseValue {
  readonly peer: ReplicaPeer;
  readonly term: number;
  /** Number of the last message that is acknowledged, as the holder knows: others may be on their way, and may never arrive. */
  readonly last: number;
  /** The holder has stopped in order. */
  readonly isReleased: boolean;
}

export class Lease {
  readonly #engine: Pick<Engine, 'get' | 'swap'>;
  readonly #seal: Seal;
  readonly #nowMs: () => number;
  #revision = 0;
  #value: LeaseValue | null = null;
  #changedMs: number;
  #askedMs: number | null = null;

  constructor(engine: Pick<Engine, 'get' | 'swap'>, seal: Seal, nowMs: () => number) {
    this.#engine = engine;
    this.#seal = seal;
    this.#nowMs = nowMs;
    this.#changedMs = nowMs();
  }

  /** As it was last read or written. */
  get value(): LeaseValue | null {
    return this.#value;
  }

  /** Since it was last seen to change, or written. */
  get ageMs(): number {
    return this.#nowMs() - this.#changedMs;
  }

  /** Reads it; true where it has changed since the last time. */
  async look(): Promise<boolean> {
    const entry = await this.#engine.get(KEY);
    const nowMs = this.#nowMs();
    if (this.#askedMs !== null && nowMs - this.#askedMs > SILENCE_MS)
      this.#changedMs = Math.max(this.#changedMs, nowMs - LEASE_MS + AFTER_SILENCE_MS);
    const isFirst = this.#askedMs === null;
    this.#askedMs = nowMs;
    const revision = entry?.revision ?? 0;
    if (revision === this.#revision && !isFirst) return false;
    this.#revision = revision;
    this.#value = entry && (JSON.parse(Buffer.from(this.#seal.open(entry.value)).toString('utf8')) as LeaseValue);
    this.#changedMs = nowMs;
    return !isFirst;
  }

  /** Whether its holder has let it go, or has not renewed it in time. */
  isFree(self: string): boolean {
    if (!this.#value || this.#value.isReleased || this.#value.peer.id === self) return true;
    return this.ageMs >= LEASE_MS;
  }

  /** Takes or renews it; false where another server has changed it meanwhile. */
  async write(value: LeaseValue): Promise<boolean> {
    const sealed = this.#seal.seal(Buffer.from(JSON.stringify(value)));
    const revision = await this.#engine.swap(KEY, sealed, this.#revision);
    if (revision === null) return false;
    this.#revision = revision;
    this.#value = value;
    this.#changedMs = this.#nowMs();
    return true;
  }
}
