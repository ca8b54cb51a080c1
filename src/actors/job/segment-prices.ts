/**
 * Price and pay type of a run segment are those that its node has when the segment begins. The job keeps them: a node is
 * forgotten 30 days after its end, and may have another price by the time that the job ends.
 */
import { isTerminal, statusOfEvent } from '../../protocol/job.ts';
import { places, type SavedSegments, SegmentWalk, type TimedEvent } from '../../protocol/run-segments.ts';
import type { EpochNs } from '../../protocol/timestamp.ts';
import type { EventRow } from '../../store/records/job-event-row.ts';
import type { NodePrice } from '../../store/records/node-record.ts';
import type { JobState } from './job-state.ts';
import { type SegmentPrice, SegmentPrices } from './segment-price-table.ts';

/** By instance id or node id, as events name nodes. */
export type Prices = ReadonlyMap<string, NodePrice>;

/**
 * The prices of all segments of `events`, of which those before them left `passed`. A segment keeps the price that it has, also
 * where a late event has moved its beginning; one that is new, or had none, gets that of `prices`. Where its node is not known
 * any more, it costs what the node cost the job before.
 */
export function priceSegments(
  events: readonly TimedEvent[],
  kept: SegmentPrices,
  prices: Prices,
  passed?: { readonly segments: SavedSegments; readonly recent: readonly SegmentPrice[] },
): SegmentPrices {
  const priced = new SegmentPrices();
  if (kept.size + prices.size + (passed?.recent.length ?? 0) === 0) return priced;
  const latest = new Map(passed?.recent.map((price) => [price.nodeOid, price]));
  const before = kept.all;
  let next = 0;
  for (const segment of segmentsOf(events, passed?.segments)) {
    const { start, end, nodeOid } = segment;
    if (nodeOid === '') continue;
    let found = kept.of(segment);
    for (; next < before.length; next++) {
      const price = before[next] as SegmentPrice;
      if (end !== null && price.start >= end) break;
      latest.set(price.nodeOid, price);
      if (price.start >= start && price.nodeOid === nodeOid) found ??= price;
    }
    const price = found ?? prices.get(nodeOid) ?? latest.get(nodeOid);
    if (price) priced.add(priceOf(segment, price));
  }
  return priced;
}

/**
 * Nodes whose price may be that of a segment which `arriving` begins or moves, or that of one without a price. Of sealed events
 * only those around an arriving one count, unless the job ends: then the cost of all of it is told.
 */
export function nodesToPrice(
  state: JobState,
  arriving: readonly TimedEvent[],
  rows: readonly EventRow[] | undefined,
): ReadonlySet<string> {
  const nodes = new Set<string>();
  const add = ({ event: { eventType, nodeOid } }: TimedEvent): void => {
    if (nodeOid && places(eventType)) nodes.add(nodeOid);
  };
  state.events.forEach(add);
  arriving.forEach(add);
  if (rows) {
    const placing = rows.flatMap((row) => row.placing).sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
    const isEnd = arriving.some(({ event }) => isTerminal(statusOfEvent(event.eventType) ?? ''));
    (isEnd ? placing : around(placing, arriving)).forEach(add);
  } else if (state.sealed) {
    const { nodeOid, open } = state.sealed.walk.segments;
    nodes.add(nodeOid);
    if (open) nodes.add(open.nodeOid);
  }
  nodes.delete('');
  return nodes;
}

/** The last of `placing` before each arriving event, and the first behind it. Both lists are in the order of time. */
function around(placing: readonly TimedEvent[], arriving: readonly TimedEvent[]): TimedEvent[] {
  const found: TimedEvent[] = [];
  let next = 0;
  for (const { at } of arriving) {
    for (; next < placing.length && (placing[next] as TimedEvent).at <= at; next++);
    for (const timed of placing.slice(Math.max(0, next - 1), next + 1)) if (found.at(-1) !== timed) found.push(timed);
  }
  return found;
}

interface Segment {
  readonly start: EpochNs;
  /** Null for the segment that is still open. */
  readonly end: EpochNs | null;
  readonly nodeOid: string;
}

function segmentsOf(events: readonly TimedEvent[], passed?: SavedSegments): Segment[] {
  const walk = new SegmentWalk(passed);
  const segments: Segment[] = [];
  for (const timed of events) {
    const ended = walk.pass(timed);
    if (ended) segments.push(ended);
  }
  if (walk.open) segments.push({ ...walk.open, end: null });
  return segments;
}

function priceOf(
  { start, nodeOid }: Segment,
  { spot, price, onDemandPrice }: Pick<SegmentPrice, 'spot' | 'price' | 'onDemandPrice'>,
): SegmentPrice {
  return { start, nodeOid, spot, price, onDemandPrice };
}
