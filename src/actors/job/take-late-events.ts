/**
 * Events that are older than some that are sealed, or too many for the job: all its events are passed. What is written is
 * still what is new: late events go to a new row, or to the last one while it is short, and rows lose what is folded away.
 */
import type { JobEvent } from '../../protocol/job.ts';
import type { TimedEvent } from '../../protocol/run-segments.ts';
import { type EventRow, encodeEventRow, SealedEvent } from '../../store/records/job-event-row.ts';
import { FormulaWalk } from './formulas.ts';
import type { JobState, Sealed } from './job-state.ts';
import { JobWalk } from './job-walk.ts';
import { foldOldestPairs, mergeEvents } from './merge-events.ts';
import type { SavedWalk } from './saved-walk.ts';
import { isTooMuch, momentOf, ROW, type RowWrites, recentOf, rowsOf } from './sealing.ts';
import { type SegmentPrice, SegmentPrices } from './segment-price-table.ts';
import { type Prices, priceSegments } from './segment-prices.ts';
import { pricesOf } from './stored-job.ts';

/** A last row with fewer events takes the next ones; else each late event would be a row. */
const SHORT_ROW = ROW.events / 2;

interface AllTaken {
  readonly state: JobState;
  readonly added: readonly JobEvent[];
  readonly samples: FormulaWalk['samples'];
  readonly rows: RowWrites;
}

export function takeAmongAll(
  state: JobState,
  arriving: readonly TimedEvent[],
  rows: readonly EventRow[],
  nodePrices: Prices,
): AllTaken {
  const known = [...inOrder(rows, state.sealed?.isSorted ?? true), ...state.events];
  const { events, arrived } = mergeEvents(known, arriving);
  if (arrived.length === 0) return { state, added: [], samples: [], rows: new Map() };
  const ofRows: PricesOfRows = new Map(rows.map((row) => [row, pricesOf(row.prices)]));
  const prices = priceSegments(events, sortedPrices([...ofRows.values(), state.prices.all]), nodePrices);
  const { cpus = 1, counted } = state;
  const walk = new FormulaWalk({ events, arrived, cpus, prices, nodePrices, counted, folded: state.folded });
  for (const place of arrived) walk.sample(place);
  const folding = foldOldestPairs(events, state.folded);
  const isLate = state.sealed !== null && (events[arrived[0] as number] as TimedEvent).at <= state.sealed.last.at;
  const next: JobState = { ...state, counted: walk.counted, folded: folding.folded };
  const added = arrived.map((place) => (events[place] as TimedEvent).event);
  const isFolded = folding.events !== events;
  const shelf = new Shelf(ofRows, folding.events, isFolded, prices, () => {
    if (isFolded) return undefined;
    walk.passTo(events.length);
    return walk.walk.save();
  });
  return { ...shelf.stow(next, isLate), added, samples: walk.samples };
}

/** Rows are in the order of arrival, which is that of events of one time. */
function inOrder(rows: readonly EventRow[], isSorted: boolean): readonly TimedEvent[] {
  if (isSorted) return rows.flatMap((row) => row.events);
  let runs = runsOf(rows);
  while (runs.length > 1) runs = pairsMerged(runs);
  return runs[0] ?? [];
}

/** Events of rows that follow each other in time. Late parts of one update do, so that there are few runs of many rows. */
function runsOf(rows: readonly EventRow[]): TimedEvent[][] {
  const runs: TimedEvent[][] = [];
  for (const { events } of rows) {
    const last = runs.at(-1)?.at(-1);
    if (last && last.at <= (events[0] as TimedEvent).at) (runs.at(-1) as TimedEvent[]).push(...events);
    else runs.push([...events]);
  }
  return runs;
}

function pairsMerged(runs: readonly TimedEvent[][]): TimedEvent[][] {
  const merged: TimedEvent[][] = [];
  for (let i = 0; i < runs.length; i += 2) merged.push(mergedRun(runs[i] as TimedEvent[], runs[i + 1]));
  return merged;
}

/** Not a sort: that compares each two events twice, and comparing times is most of what it does. */
function mergedRun(first: TimedEvent[], second: readonly TimedEvent[] = []): TimedEvent[] {
  const merged: TimedEvent[] = [];
  let next = 0;
  for (const event of second) {
    for (; next < first.length && (first[next] as TimedEvent).at <= event.at; next++)
      merged.push(first[next] as TimedEvent);
    merged.push(event);
  }
  for (; next < first.length; next++) merged.push(first[next] as TimedEvent);
  return merged;
}

function byTime(a: TimedEvent, b: TimedEvent): number {
  return a.at < b.at ? -1 : a.at > b.at ? 1 : 0;
}

/** Each segment's, as it was told last, in the order of time. */
function sortedPrices(told: readonly (readonly SegmentPrice[])[]): SegmentPrices {
  const prices = [...new SegmentPrices(told.flat()).all];
  prices.sort((a, b) => (a.start < b.start ? -1 : a.start > b.start ? 1 : 0));
  return new SegmentPrices(prices);
}

/** The rows that there are, in the order of their numbers, and the prices that stand in them. */
type PricesOfRows = ReadonlyMap<EventRow, readonly SegmentPrice[]>;

/** Where all events of a job are to stand: in the rows that there are, in new ones, or in the record. */
class Shelf {
  readonly #rows: PricesOfRows;
  readonly #events: readonly TimedEvent[];
  readonly #isFolded: boolean;
  readonly #prices: SegmentPrices;
  readonly #walkToEnd: () => SavedWalk | undefined;
  readonly #writes = new Map<number, Uint8Array | null>();

  /**
   * `events` are all that the job is to have, `isFolded` says that some are left out of them, and `prices` are those of all its
   * segments; `walkToEnd` has passed the events, unless some were folded.
   */
  constructor(
    rows: PricesOfRows,
    events: readonly TimedEvent[],
    isFolded: boolean,
    prices: SegmentPrices,
    walkToEnd: () => SavedWalk | undefined,
  ) {
    this.#rows = rows;
    this.#events = events;
    this.#isFolded = isFolded;
    this.#prices = prices;
    this.#walkToEnd = walkToEnd;
  }

  /** `isLate`: some are older than the last sealed one, so that none may stay in the record. */
  stow(state: JobState, isLate: boolean): { readonly state: JobState; readonly rows: RowWrites } {
    const unsealed = this.#events.filter((timed) => !(timed instanceof SealedEvent));
    const sealsAll = isLate || isTooMuch(unsealed);
    const kept = this.#withoutFolded();
    const last = kept.at(-1);
    const absorbs = sealsAll && last !== undefined && last.events.length < SHORT_ROW;
    const rest = absorbs ? kept.slice(0, -1) : kept;
    const inRows = new SegmentPrices(rest.flatMap(({ row }) => this.#rows.get(row) ?? []));
    const unstored = this.#prices.all.filter((price) => !inRows.of(price));
    const before = state.sealed;
    const next = before?.next ?? 0;
    if (!sealsAll) {
      const prices = new SegmentPrices(unstored);
      if (kept.length === 0) return { state: { ...state, events: unsealed, sealed: null, prices }, rows: this.#writes };
      const sealed = this.#sealed(state, kept, {
        next,
        walk: this.#walkOf(state, this.#events.length - unsealed.length),
      });
      return { state: { ...state, events: unsealed, sealed, prices }, rows: this.#writes };
    }
    const added = absorbs ? [...last.events.map(wholeOf), ...unsealed].sort(byTime) : unsealed;
    const made = rowsOf(added, unstored, absorbs ? last.row.number : next);
    for (const [number, row] of made) this.#writes.set(number, row);
    const walk = this.#walkToEnd() ?? this.#walkOf(state, this.#events.length);
    const { open } = walk.segments;
    const openPrice = open && this.#prices.of(open);
    const sealed = this.#sealed(state, [...rest, { events: added }], {
      next: Math.max(next, ...[...made.keys()].map((n) => n + 1)),
      walk,
    });
    const prices = new SegmentPrices(openPrice ? [openPrice] : []);
    return { state: { ...state, events: [], sealed, prices }, rows: this.#writes };
  }

  /** The rows with what is left of them; those that lose events are rewritten. */
  #withoutFolded(): { readonly row: EventRow; readonly events: readonly SealedEvent[] }[] {
    const rows = [...this.#rows.keys()];
    if (!this.#isFolded) return rows.map((row) => ({ row, events: row.events }));
    const left = new Set(this.#events);
    const kept = [];
    for (const row of rows) {
      const events = row.events.filter((event) => left.has(event));
      if (events.length < row.events.length)
        this.#writes.set(row.number, events.length === 0 ? null : encodeEventRow(events.map(wholeOf), row.prices));
      if (events.length > 0) kept.push({ row, events });
    }
    return kept;
  }

  #walkOf({ folded }: JobState, count: number): SavedWalk {
    const walk = new JobWalk(this.#prices, folded, null);
    for (let i = 0; i < count; i++) walk.pass(this.#events[i] as TimedEvent);
    return walk.save();
  }

  #sealed(
    { sealed: before }: JobState,
    stored: readonly { readonly events: readonly TimedEvent[] }[],
    { next, walk }: Pick<Sealed, 'next' | 'walk'>,
  ): Sealed {
    let isSorted = true;
    let count = 0;
    let last = stored[0]?.events[0] as TimedEvent;
    for (const { events } of stored) {
      if ((events[0] as TimedEvent).at < last.at) isSorted = false;
      const end = events.at(-1) as TimedEvent;
      if (end.at >= last.at) last = end;
      count += events.length;
    }
    return {
      next,
      count,
      isSorted,
      first: momentOf(wholeOf(this.#events[0] as TimedEvent)),
      last: momentOf(wholeOf(last)),
      recent: recentOf(before?.recent ?? [], this.#prices),
      walk,
    };
  }
}

function wholeOf(timed: TimedEvent): TimedEvent {
  return timed instanceof SealedEvent ? { at: timed.at, event: timed.whole } : timed;
}
