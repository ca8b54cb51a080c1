/**
 * What a job cost and saved, node by node, by the formulas of docs/reference/metrics.md. The server counts them when a job ends or is
 * restored, for its queue; here they are for one job, up to now, and what was not repeated is of one run. Pure.
 */
import { beginsAfterEnd, ENDINGS, runsOf } from '../../../../src/protocol/names/job-status.ts';
import { RunProgress } from '../../../../src/protocol/run-progress.ts';
import { runSegments, SegmentWalk, type TimedEvent } from '../../../../src/protocol/run-segments.ts';
import { type EpochNs, secondsBetween } from '../../../../src/protocol/timestamp.ts';
import { spanText } from '../../parts/format.ts';

/** USD per hour; undefined where the node did not tell. */
export interface NodePrice {
  readonly isSpot: boolean;
  readonly price: number | undefined;
  readonly onDemandPrice: number | undefined;
}

export interface NodeCost {
  /** Which run of the job, from 1: one that was run again from scratch has several. */
  readonly run: number;
  readonly nodeOid: string;
  readonly runSeconds: number;
  /** Undefined where the node is not known. */
  readonly price: NodePrice | undefined;
  /** USD */
  readonly cost: number;
  readonly savedBySpot: number;
  /** Run time that restores on this node did not repeat, and its price here. */
  readonly timeSavedSeconds: number;
  readonly savedByRestore: number;
  /** Whether the job was restored there from a checkpoint of which not all is known: the two above are at least so much. */
  readonly isUntold: boolean;
}

const HOUR_SECONDS = 3_600;
const NS = 1e9;

/** Run by run, in order of first run or restore. */
export function costsOf(
  events: readonly TimedEvent[],
  prices: ReadonlyMap<string, NodePrice>,
  now: EpochNs,
): NodeCost[] {
  const run = new Map<string, number>();
  const saved = new Map<string, number>();
  const untold = new Set<string>();
  const begins = runsOf(events.map(({ event, at }) => ({ eventType: event.eventType, at })));
  const rowAt = (at: EpochNs, nodeOid: string): string =>
    `${Math.max(1, begins.filter((begin) => begin.at <= at).length)} ${nodeOid}`;
  for (const { nodeOid, start, end } of runSegments(events, events.length, now)) {
    const row = rowAt(start, nodeOid);
    run.set(row, (run.get(row) ?? 0) + secondsBetween(start, end));
  }
  let progress = new RunProgress();
  let hasEnded = false;
  const segments = new SegmentWalk();
  let isBaseUntold = false;
  for (const timed of events) {
    // Nothing of an earlier run is in a checkpoint of one that began from scratch.
    if (hasEnded && beginsAfterEnd(timed.event)) {
      progress = new RunProgress();
      [hasEnded, isBaseUntold] = [false, false];
    }
    hasEnded ||= ENDINGS.has(timed.event.eventType);
    segments.pass(timed);
    progress.pass(timed, segments.open !== null);
    const { suspendedNs } = progress;
    const { nodeOid } = segments;
    if (timed.event.eventType !== 'Job-RestoreSucceeded') continue;
    // What is counted on top of it is at least so much, too.
    isBaseUntold ||= suspendedNs === null;
    const row = rowAt(timed.at, nodeOid);
    if (isBaseUntold) untold.add(row);
    if (suspendedNs !== null) saved.set(row, (saved.get(row) ?? 0) + Number(suspendedNs) / NS);
  }
  const rows = [...new Set([...run.keys(), ...saved.keys(), ...untold])].map((row) => {
    const nodeOid = row.slice(row.indexOf(' ') + 1);
    const price = prices.get(nodeOid);
    const hours = (run.get(row) ?? 0) / HOUR_SECONDS;
    const timeSavedSeconds = saved.get(row) ?? 0;
    const perHour = price?.price ?? 0;
    const onDemand = price?.onDemandPrice ?? perHour;
    return {
      run: Number.parseInt(row, 10),
      nodeOid,
      runSeconds: run.get(row) ?? 0,
      price,
      cost: hours * perHour,
      savedBySpot: price?.isSpot ? hours * (onDemand - perHour) : 0,
      timeSavedSeconds,
      savedByRestore: (timeSavedSeconds / HOUR_SECONDS) * perHour,
      isUntold: untold.has(row),
    };
  });
  return rows.toSorted((a, b) => a.run - b.run);
}

export const UNKNOWN = 'unknown';
export const NOTHING = '–';

/** `isPart`: whether a restored checkpoint held more, of which nothing is known. */
export function notRepeatedText(seconds: number, isPart: boolean): string {
  if (isPart) return seconds > 0 ? `≥ ${spanText(seconds)}` : UNKNOWN;
  return seconds > 0 ? spanText(seconds) : NOTHING;
}
