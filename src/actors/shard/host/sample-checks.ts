/**
 * Checks of samples before they are sent to an actor, for heartbeats, jobs and imported samples alike: is the time
 * acceptable, is the metric defined, is there room for another series?
 */

import { CodedError } from '../../../base/errors.ts';
import { METRICS_PER_BEAT_MAX } from '../../../protocol/heartbeat.ts';
import {
  type Definition,
  definitionIdOf,
  heartbeatDefinition,
  SERIES_MAX,
  sampleTimeFault,
  shortNameOf,
} from '../../../protocol/metric.ts';
import { type SplitTime, trySplitTimestamp } from '../../../protocol/timestamp.ts';
import { hasSeries } from '../../../store/series/series-index.ts';
import type { Sample } from '../../aggregator/messages.ts';
import type { ShardHost } from './shard-host.ts';

/** Defines a metric on main; with `onlyNew`, an existing definition stays as it is. */
export interface MetricDefiner {
  define(definition: Definition, onlyNew: boolean): Promise<unknown>;
}

/** Why a sample of this time is refused, as the end of a sentence that begins with "time"; undefined if it is accepted. */
export function sampleFault(time: string, nowMs: number): string | undefined {
  return sampleTimeFault(mustSplit(time).ms, nowMs);
}

function mustSplit(time: string): SplitTime {
  const split = trySplitTimestamp(time);
  if (!split) throw new RangeError('cannot read the time of a sample: it was not checked');
  return split;
}

export function sampleOf(metric: string, time: string | null, nowMs: number, value: number): Sample {
  if (time === null) return [metric, nowMs, 0, value];
  const { ms, subNs } = mustSplit(time);
  return [metric, ms, subNs, value];
}

/** The metric's short name; defines the metric first if necessary. Undefined if the limit of definitions is reached. */
export async function defineMissing(
  name: string,
  { host, main }: { readonly host: ShardHost; readonly main: MetricDefiner },
): Promise<string | undefined> {
  const id = definitionIdOf(name);
  const short = shortNameOf(id);
  if (definedName(host, id) !== undefined) return short;
  try {
    await main.define(heartbeatDefinition(short), true);
    return short;
  } catch (error) {
    if (error instanceof CodedError && error.name === 'tooManySeries') return undefined;
    throw error;
  }
}

/** Names as sent → short names of existing definitions; rebuilt whenever the definitions change. */
let names: { readonly definitions: unknown; readonly shorts: ReadonlyMap<string, string> } | undefined;

/** The short name of a metric, given with or without its prefix; undefined if there is no such definition. */
export function definedName(host: ShardHost, name: string): string | undefined {
  const { definitions } = host.shared;
  if (names?.definitions !== definitions) names = { definitions, shorts: shortsOf(definitions) };
  return names.shorts.get(name);
}

function shortsOf(definitions: readonly Definition[]): ReadonlyMap<string, string> {
  const shorts = new Map<string, string>();
  for (const { id } of definitions) {
    const short = shortNameOf(id);
    shorts.set(id, short);
    // What follows the prefix may begin with it again, and is then the name of another metric.
    if (definitionIdOf(short) === id) shorts.set(short, short);
  }
  return shorts;
}

/**
 * Whether a sample of this series may be accepted: there is room, or the series exists already. `added` collects the new
 * series that were accepted before it in the same item, at most `METRICS_PER_BEAT_MAX`. The actor that writes them takes
 * the room.
 */
export function takesSeries(host: ShardHost, objectId: string, metric: string, added = new Set<string>()): boolean {
  if (host.stats.seriesCount <= SERIES_MAX - METRICS_PER_BEAT_MAX) return true;
  host.reader.refresh();
  if (hasSeries(host.reader, objectId, metric)) return true;
  if (host.stats.seriesCount + added.size >= SERIES_MAX) return false;
  added.add(metric);
  return true;
}
