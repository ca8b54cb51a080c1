/**
 * Events that arrive at a job. They come in the order of time, but for some: those are put among the events in the record, and
 * where they are older than a sealed one, all events of the job are passed again. Either way gives the same job and samples.
 */
import { EVENTS_PER_JOB_MAX, isTerminal, type JobEvent, statusOfEvent } from '../../protocol/job.ts';
import type { TimedEvent } from '../../protocol/run-segments.ts';
import type { EventRow } from '../../store/records/job-event-row.ts';
import { FormulaWalk, type JobSample } from './formulas.ts';
import { eventCountOf, type JobState, type Sealed } from './job-state.ts';
import { mergeEvents } from './merge-events.ts';
import { isTooMuch, momentOf, type RowWrites, recentOf, rowsOf } from './sealing.ts';
import { SegmentPrices } from './segment-price-table.ts';
import { type Prices, priceSegments } from './segment-prices.ts';
import { takeAmongAll } from './take-late-events.ts';

export interface Taken {
  readonly state: JobState;
  /** Events that were new. */
  readonly added: readonly JobEvent[];
  readonly samples: readonly JobSample[];
  readonly rows: RowWrites;
}

const NO_ROWS: RowWrites = new Map();

/** Whether the sealed events must be at hand to take these, which are in the order of time. */
export function needsSealed(state: JobState, arriving: readonly TimedEvent[]): boolean {
  const { sealed } = state;
  const [first] = arriving;
  if (!sealed || !first) return false;
  return (
    first.at <= sealed.last.at ||
    isAboveMax(state, arriving) ||
    // A node may have become known since the job left it.
    (sealed.walk.unpriced > 0 && arriving.some(({ event }) => isTerminal(statusOfEvent(event.eventType) ?? '')))
  );
}

/** `rows` are the sealed events, where they are needed. */
export function takeEvents(
  state: JobState,
  arriving: readonly TimedEvent[],
  rows: readonly EventRow[] | undefined,
  nodePrices: Prices,
): Taken {
  if (rows || isAboveMax(state, arriving)) return takeAmongAll(state, arriving, rows ?? [], nodePrices);
  return takeInOrder(state, arriving, nodePrices);
}

function isAboveMax(state: JobState, arriving: readonly TimedEvent[]): boolean {
  return eventCountOf(state) + arriving.length > EVENTS_PER_JOB_MAX;
}

function takeInOrder(state: JobState, arriving: readonly TimedEvent[], nodePrices: Prices): Taken {
  const { sealed } = state;
  const { events, arrived } = mergeEvents(state.events, arriving);
  if (arrived.length === 0) return { state, added: [], samples: [], rows: NO_ROWS };
  const passed = sealed ? { segments: sealed.walk.segments, recent: sealed.recent } : undefined;
  const prices = priceSegments(events, state.prices, nodePrices, passed);
  const { cpus = 1, folded, counted } = state;
  const walk = new FormulaWalk({
    events,
    arrived,
    cpus,
    prices,
    nodePrices,
    counted,
    folded,
    passed: sealed?.walk ?? null,
  });
  for (const place of arrived) walk.sample(place);
  const next: JobState = { ...state, events, prices, counted: walk.counted };
  const added = arrived.map((place) => (events[place] as TimedEvent).event);
  if (!isTooMuch(events)) return { state: next, added, samples: walk.samples, rows: NO_ROWS };
  walk.passTo(events.length);
  return { ...seal(next, walk), added, samples: walk.samples };
}

/** Seals all events of the record; `walk` has passed them. */
function seal(state: JobState, { walk }: FormulaWalk): { readonly state: JobState; readonly rows: RowWrites } {
  const { events, sealed: before, prices } = state;
  const { open } = walk.segments;
  const openPrice = open && prices.of(open);
  const ended = openPrice ? prices.all.filter((price) => price !== openPrice) : prices.all;
  const rows = rowsOf(events, ended, before?.next ?? 0);
  const [first, last] = [events[0] as TimedEvent, events.at(-1) as TimedEvent];
  const sealed: Sealed = {
    next: (before?.next ?? 0) + rows.size,
    count: (before?.count ?? 0) + events.length,
    isSorted: before?.isSorted ?? true,
    first: before?.first ?? momentOf(first),
    last: momentOf(last),
    recent: recentOf(before?.recent ?? [], prices),
    walk: walk.save(),
  };
  return { state: { ...state, events: [], sealed, prices: new SegmentPrices(openPrice ? [openPrice] : []) }, rows };
}
