/**
 * The open series of one object. A heartbeat brings the same metrics in the same order each time, so the series behind the last one is
 * looked at first: that is a comparison of two references, where a map would look for the name in its memory.
 */

export interface OpenSeries {
  readonly metric: string;
  /** Row of its newest bucket. */
  newest: number;
  next: OpenSeries | null;
}

export const NO_BUCKET = -1;

/** So many series are found as fast one after the other as by a map. */
const FEW_SERIES = 16;

export class OpenObject {
  #first: OpenSeries | null = null;
  #last: OpenSeries | null = null;
  /** The one that was found last. */
  #at: OpenSeries | null = null;
  #count = 0;
  /** Once they are many. */
  #byMetric: Map<string, OpenSeries> | null = null;

  find(metric: string): OpenSeries | undefined {
    const next = this.#at?.next ?? this.#first;
    if (next?.metric === metric) {
      this.#at = next;
      return next;
    }
    const found = this.#byMetric ? this.#byMetric.get(metric) : this.#walk(metric);
    if (found) this.#at = found;
    return found;
  }

  /** A series without a bucket. */
  add(metric: string): OpenSeries {
    const series: OpenSeries = { metric, newest: NO_BUCKET, next: null };
    if (this.#last) this.#last.next = series;
    else this.#first = series;
    this.#last = series;
    this.#at = series;
    this.#count++;
    if (this.#byMetric) this.#byMetric.set(metric, series);
    else if (this.#count > FEW_SERIES) this.#byMetric = new Map([...this].map((one) => [one.metric, one]));
    return series;
  }

  /** In the order in which they came. */
  *[Symbol.iterator](): Generator<OpenSeries> {
    for (let series = this.#first; series; series = series.next) yield series;
  }

  #walk(metric: string): OpenSeries | undefined {
    for (let series = this.#first; series; series = series.next) if (series.metric === metric) return series;
    return undefined;
  }
}
