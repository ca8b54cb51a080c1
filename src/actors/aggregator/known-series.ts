/**
 * Which series are known to exist, so that a sample of a known one costs no look at the store. Bounded: when it is full, the
 * older half is forgotten and read again when it is needed. Objects with the same metrics share one set. Nothing is known for
 * longer than a lease, because a series without buckets may be removed.
 */

import type { Reader } from '../../store/kv/store.ts';
import { hasSeries, SERIES_LEASE_MS } from '../../store/series/series-index.ts';

/** Objects in each half: about 100 bytes each. */
const OBJECTS_MAX = 65_536;
/** Different sets of metrics; beyond it an object has a set of its own. */
const SETS_MAX = 1_024;
const NOTHING: ReadonlySet<string> = new Set();

export class KnownSeries {
  #young = new Map<string, ReadonlySet<string>>();
  #old = new Map<string, ReadonlySet<string>>();
  /** When the young half began, by the wall clock, as the removal of series goes by it. */
  #sinceMs = Number.NEGATIVE_INFINITY;
  readonly #sets = new Map<string, ReadonlySet<string>>();
  /** Another number whenever something was forgotten. */
  #generation = 0;
  /** Lists of objects that had all of these metrics, for as long as nothing was forgotten. */
  readonly #lists = new WeakMap<
    readonly string[],
    { readonly generation: number; readonly metrics: readonly string[] }
  >();

  /** Forgets what has been known for its lease. To be called before `has` and `find`. */
  age(nowMs: number): void {
    const youngForMs = nowMs - this.#sinceMs;
    if (youngForMs >= 0 && youngForMs < SERIES_LEASE_MS / 2) return;
    // After a pause of a whole lease, or a clock that was set back, neither half is of use.
    const isNext = youngForMs >= 0 && youngForMs < SERIES_LEASE_MS;
    this.#old = isNext ? this.#young : new Map();
    this.#young = new Map();
    this.#generation++;
    this.#sinceMs = isNext ? this.#sinceMs + SERIES_LEASE_MS / 2 : nowMs;
  }

  has(objectId: string, metric: string): boolean {
    return this.#young.get(objectId)?.has(metric) === true || this.#old.get(objectId)?.has(metric) === true;
  }

  /** Whether every object is known to have every metric. */
  hasAll(objectIds: readonly string[], metrics: readonly string[]): boolean {
    const last = this.#lists.get(objectIds);
    if (last?.generation === this.#generation && metrics.every((metric, i) => last.metrics[i] === metric)) return true;
    if (!objectIds.every((objectId) => metrics.every((metric) => this.has(objectId, metric)))) return false;
    this.#lists.set(objectIds, { generation: this.#generation, metrics });
    return true;
  }

  /** Whether the store has it; remembered where it does. */
  find(reader: Reader, objectId: string, metric: string): boolean {
    if (this.has(objectId, metric)) return true;
    if (!hasSeries(reader, objectId, metric)) return false;
    this.add(objectId, metric);
    return true;
  }

  /** Only of what is durable: a row that fails to be written must be written by the next sample. */
  add(objectId: string, metric: string): void {
    this.addAll(objectId, [metric]);
  }

  /** At once: a set that grows by one is made again each time. */
  addAll(objectId: string, metrics: readonly string[]): void {
    const before = this.#young.get(objectId) ?? NOTHING;
    if (metrics.every((metric) => before.has(metric))) return;
    if (this.#young.size >= OBJECTS_MAX) {
      this.#old = this.#young;
      this.#young = new Map();
      this.#generation++;
    }
    this.#young.set(objectId, this.#shared(new Set([...before, ...metrics])));
  }

  #shared(metrics: ReadonlySet<string>): ReadonlySet<string> {
    const key = [...metrics].sort().join(' ');
    const known = this.#sets.get(key);
    if (known) return known;
    if (this.#sets.size < SETS_MAX) this.#sets.set(key, metrics);
    return metrics;
  }
}
