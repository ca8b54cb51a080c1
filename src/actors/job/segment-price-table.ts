/**
 * What a job's run segments cost, by beginning and node. A job may have thousands, and a late event passes all of them: they
 * are found by their time as it is, because a text of it for each would take longer than the walk over the events.
 */
import type { EpochNs } from '../../protocol/timestamp.ts';

/** What running on a node costs: told when it registers, and taken over when a run segment on it begins. */
export interface SegmentPrice {
  /** When the segment begins. */
  readonly start: EpochNs;
  readonly nodeOid: string;
  readonly spot: boolean;
  /** USD an hour. */
  readonly price: number;
  readonly onDemandPrice: number;
}

type Segment = Pick<SegmentPrice, 'start' | 'nodeOid'>;

export class SegmentPrices {
  /** In the order in which they were added first. */
  readonly #prices: SegmentPrice[] = [];
  /** Place of the first price of a time. */
  readonly #places = new Map<EpochNs, number>();
  /** Places of the others: segments without length may begin at one time on several nodes. */
  readonly #others = new Map<string, number>();

  constructor(prices: Iterable<SegmentPrice> = []) {
    for (const price of prices) this.add(price);
  }

  get size(): number {
    return this.#prices.length;
  }

  /** Oldest first, where they were added so. */
  get all(): readonly SegmentPrice[] {
    return this.#prices;
  }

  of(segment: Segment): SegmentPrice | undefined {
    const place = this.#placeOf(segment);
    return place === undefined ? undefined : this.#prices[place];
  }

  /** In the place of the one that the segment has, if it has one. */
  add(price: SegmentPrice): void {
    const place = this.#placeOf(price);
    if (place !== undefined) {
      this.#prices[place] = price;
      return;
    }
    const next = this.#prices.push(price) - 1;
    if (this.#places.has(price.start)) this.#others.set(keyOf(price), next);
    else this.#places.set(price.start, next);
  }

  #placeOf(segment: Segment): number | undefined {
    const place = this.#places.get(segment.start);
    if (place === undefined || this.#prices[place]?.nodeOid === segment.nodeOid) return place;
    return this.#others.size === 0 ? undefined : this.#others.get(keyOf(segment));
  }
}

function keyOf({ start, nodeOid }: Segment): string {
  return `${start} ${nodeOid}`;
}
