/** Totals of the job metrics of queues, by place instead of by name: a summary adds up hundreds of thousands of them. */
import { QUEUE_METRICS } from '../../store/series/series-index.ts';
import { Total } from '../../store/series/series-total.ts';
import { bytesOf } from './text-bytes.ts';

export interface Queue {
  readonly objectId: string;
  /** By the metric's place in `QUEUE_METRICS`. */
  readonly totals: (Total | undefined)[];
}

export class QueueTotals {
  readonly #queues = new Map<string, Queue>();

  /** Those with a total, in order of their objects. */
  get queues(): Queue[] {
    return [...this.#queues.values()]
      .filter(({ totals }) => totals.length > 0)
      .sort((a, b) => (a.objectId < b.objectId ? -1 : 1));
  }

  of(objectId: string): Queue {
    let queue = this.#queues.get(objectId);
    if (!queue) {
      queue = { objectId, totals: [] };
      this.#queues.set(objectId, queue);
    }
    return queue;
  }

  total({ totals }: Queue, metric: number): Total {
    let total = totals[metric];
    if (!total) {
      total = new Total();
      while (totals.length < metric) totals.push(undefined);
      totals[metric] = total;
    }
    return total;
  }

  addAll(others: QueueTotals): void {
    for (const { objectId, totals } of others.#queues.values()) {
      const queue = this.of(objectId);
      totals.forEach((total, metric) => {
        if (total) this.total(queue, metric).add(total.count, total.sum.sum, total.newestMs);
      });
    }
  }
}

const PLACES: ReadonlyMap<string, number> = new Map(QUEUE_METRICS.map((name, place) => [name, place]));
/** As segments have them: in order of name. */
const SORTED = [...QUEUE_METRICS].sort();
const SORTED_BYTES = SORTED.map(bytesOf);
const SORTED_PLACES = SORTED.map(jobMetricOf);

/** The place of a job metric; −1 of another. */
export function jobMetricOf(name: string): number {
  return PLACES.get(name) ?? -1;
}

/** As `jobMetricOf`, of the name in the bytes. `guess` is where it stands among the names there: mostly all job metrics are. */
export function jobMetricAt(bytes: Uint8Array, at: number, end: number, guess: number): number {
  for (let i = 0; i < SORTED.length; i++) {
    const sorted = (guess + i) % SORTED.length;
    if (isEqual(bytes, at, end, SORTED_BYTES[sorted] as Uint8Array)) return SORTED_PLACES[sorted] as number;
  }
  return -1;
}

function isEqual(bytes: Uint8Array, at: number, end: number, other: Uint8Array): boolean {
  if (end - at !== other.length) return false;
  for (let i = 0; i < other.length; i++) if (bytes[at + i] !== other[i]) return false;
  return true;
}
