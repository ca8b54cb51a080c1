/**
 * What one webhook still has to deliver, in memory: positions of events by the job or node that they tell of. Of one such key
 * one event is in flight at a time, so the receiver gets them in order. Pure: times in, what to do out.
 *
 * Two things slow it down after failures. The event itself backs off, 5 s at first, twice as long each time, an hour at most.
 * And after some failures in a row the whole webhook only probes, one event every half a minute at most: a receiver that is
 * away is not stormed, and once it is back everything is ready at once.
 * Where not even a connection came about, there need not be an event to probe with: all of them may have to back off for
 * long. The caller then asks every half a minute whether somebody listens there again, and sends nothing.
 */
import { SET_ASIDE_MAX, WAITING_MAX } from '../../protocol/webhook.ts';

const BACKOFF_MS = 5_000;
const BACKOFF_MS_MAX = 3_600_000;
const RETRY_AFTER_MS_MAX = 86_400_000;
const IN_FLIGHT_MAX = 8;
/** So many failures in a row are the receiver's, not an event's. */
const PROBE_AFTER = 5;
const PROBE_MS_MAX = 30_000;

interface Waiting {
  readonly key: string;
  readonly sinceMs: number;
  attempts: number;
}

export class Outbox {
  readonly #waitingMax: number;
  readonly #asideMax: number;
  /** In the order in which they came: the oldest first. */
  readonly #waiting = new Map<number, Waiting>();
  readonly #positions = new Map<string, number[]>();
  /** Keys whose first event may be sent now, the longest ready first. */
  readonly #ready = new Set<string>();
  /** Keys whose first event has failed, and when it may be sent again. */
  readonly #dueMs = new Map<string, number>();
  readonly #inFlight = new Set<string>();
  readonly #aside = new Set<number>();
  #failures = 0;
  #probeMs = 0;
  /** Whether the last attempt ended without a connection, and when to see whether one comes about. */
  #isUnreached = false;
  #checkMs = 0;

  constructor(waitingMax = WAITING_MAX, asideMax = SET_ASIDE_MAX) {
    this.#waitingMax = waitingMax;
    this.#asideMax = asideMax;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  get setAside(): number {
    return this.#aside.size;
  }

  get isFailing(): boolean {
    return this.#failures > 0;
  }

  /** When something is sent again that has failed; null while nothing waits for that. */
  get nextAttemptMs(): number | null {
    if (this.#dueMs.size === 0) return null;
    // A loop: there may be more keys than a call may have arguments.
    let earliestMs = Number.POSITIVE_INFINITY;
    for (const dueMs of this.#dueMs.values()) if (dueMs < earliestMs) earliestMs = dueMs;
    return Math.max(earliestMs, this.#isProbing ? this.#probeMs : 0);
  }

  /** Positions that must be set aside for it, the oldest. */
  add(position: number, key: string, sinceMs: number): number[] {
    this.#waiting.set(position, { key, sinceMs, attempts: 0 });
    const positions = this.#positions.get(key);
    if (positions) positions.push(position);
    else this.#positions.set(key, [position]);
    if (!this.#dueMs.has(key) && !this.#inFlight.has(key)) this.#ready.add(key);
    return this.#waiting.size > this.#waitingMax ? this.#oldest(() => true, this.#waiting.size - this.#waitingMax) : [];
  }

  /** The next event to send; null while there is none. It is in flight until `succeeded` or `failed`. */
  next(nowMs: number): { readonly position: number; readonly attempt: number } | null {
    if (this.#inFlight.size >= (this.#isProbing ? 1 : IN_FLIGHT_MAX)) return null;
    if (this.#isProbing && nowMs < this.#probeMs) return null;
    for (const [key, dueMs] of this.#dueMs) {
      if (dueMs > nowMs) continue;
      this.#dueMs.delete(key);
      this.#ready.add(key);
    }
    for (const key of this.#ready) {
      this.#ready.delete(key);
      const position = this.#positions.get(key)?.[0];
      const waiting = position === undefined ? undefined : this.#waiting.get(position);
      if (position === undefined || !waiting) continue;
      this.#inFlight.add(key);
      waiting.attempts++;
      return { position, attempt: waiting.attempts };
    }
    return null;
  }

  succeeded(position: number): void {
    if (this.#isProbing) this.release();
    this.#failures = 0;
    const key = this.#land(position);
    if (key !== undefined) this.#remove(position, key);
  }

  /** `isUnreached`: there was not even a connection. */
  failed(position: number, nowMs: number, retryAfterMs: number | null, isUnreached = false): void {
    this.#failures++;
    this.#isUnreached = isUnreached;
    this.#checkMs = nowMs + PROBE_MS_MAX;
    const askedMs = Math.min(retryAfterMs ?? 0, RETRY_AFTER_MS_MAX);
    if (this.#isProbing)
      this.#probeMs = nowMs + Math.max(askedMs, Math.min(backoffMs(this.#failures - PROBE_AFTER + 1), PROBE_MS_MAX));
    const key = this.#land(position);
    const waiting = this.#waiting.get(position);
    if (key === undefined || !waiting) return;
    this.#ready.delete(key);
    this.#dueMs.set(key, nowMs + Math.max(backoffMs(waiting.attempts), askedMs));
  }

  /**
   * Whether the caller is to see if a connection to the receiver comes about, and to `release` everything if one does.
   * Asked again, it says so again after half a minute.
   */
  mustCheckConnection(nowMs: number): boolean {
    if (!this.#isProbing || !this.#isUnreached || this.#inFlight.size > 0 || nowMs < this.#checkMs) return false;
    this.#checkMs = nowMs + PROBE_MS_MAX;
    return true;
  }

  /** Takes out what has waited since before `beforeMs`; the positions, to be set aside. */
  expire(beforeMs: number): number[] {
    return this.#oldest(({ sinceMs }) => sinceMs < beforeMs, Number.POSITIVE_INFINITY);
  }

  /** Notes a position as set aside; those that must go for it, the oldest. */
  noteAside(position: number): number[] {
    this.#aside.add(position);
    const gone: number[] = [];
    for (const oldest of this.#aside) {
      if (this.#aside.size <= this.#asideMax) break;
      this.#aside.delete(oldest);
      gone.push(oldest);
    }
    return gone;
  }

  /** Everything that waits may be sent at once; and no more of what is set aside: the caller adds it again. */
  release(): void {
    this.#failures = 0;
    for (const [key] of this.#dueMs) this.#ready.add(key);
    this.#dueMs.clear();
  }

  takeAside(): number[] {
    const positions = [...this.#aside].sort((a, b) => a - b);
    this.#aside.clear();
    return positions;
  }

  get #isProbing(): boolean {
    return this.#failures >= PROBE_AFTER;
  }

  #oldest(isMeant: (waiting: Waiting) => boolean, count: number): number[] {
    const positions: number[] = [];
    for (const [position, waiting] of this.#waiting) {
      if (positions.length >= count || !isMeant(waiting)) break;
      // One that is on its way may arrive yet; the next look takes it if it does not.
      if (this.#inFlight.has(waiting.key) && this.#positions.get(waiting.key)?.[0] === position) continue;
      this.#remove(position, waiting.key);
      positions.push(position);
    }
    return positions;
  }

  #land(position: number): string | undefined {
    const key = this.#waiting.get(position)?.key;
    if (key === undefined) return undefined;
    this.#inFlight.delete(key);
    this.#ready.add(key);
    return key;
  }

  #remove(position: number, key: string): void {
    this.#waiting.delete(position);
    const positions = this.#positions.get(key) ?? [];
    const at = positions.indexOf(position);
    if (at >= 0) positions.splice(at, 1);
    // What was held up by its failure may go on.
    if (at === 0 && this.#dueMs.delete(key) && positions.length > 0) this.#ready.add(key);
    if (positions.length > 0) return;
    this.#positions.delete(key);
    this.#ready.delete(key);
  }
}

function backoffMs(attempts: number): number {
  return Math.min(BACKOFF_MS * 2 ** Math.min(attempts - 1, 20), BACKOFF_MS_MAX);
}
