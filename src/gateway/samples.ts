/** Samples on their way in: times that are taken, definitions that must exist, the bound on series. */

import type { Sample } from '../actors/aggregator/messages.ts';
import type { ShardHost } from '../actors/thread/shard-host.ts';
import { CodedError } from '../base/errors.ts';
import { definitionIdOf, heartbeatDefinition, SERIES_MAX, sampleTimeFault, shortNameOf } from '../protocol/metric.ts';
import { epochMsOf, mustParseTimestamp } from '../protocol/timestamp.ts';
import { hasSeries } from '../store/series-index.ts';
import type { HandlerServices } from './handler.ts';

/** Why a sample of this time is not taken; undefined where it is. The text continues "time …". */
export function sampleFault(time: string, nowMs: number): string | undefined {
  return sampleTimeFault(epochMsOf(mustParseTimestamp(time)), nowMs);
}

export function sampleOf(metric: string, time: string | null, nowMs: number, value: number): Sample {
  if (time === null) return [metric, nowMs, 0, value];
  const ns = mustParseTimestamp(time);
  const timeMs = epochMsOf(ns);
  return [metric, timeMs, Number(ns - BigInt(timeMs) * 1_000_000n), value];
}

/** The metric's short name, defined now if it was not; undefined where no more definitions fit. */
export async function defineMissing(name: string, { host, main }: HandlerServices): Promise<string | undefined> {
  const id = definitionIdOf(name);
  const short = shortNameOf(id);
  if (isDefined(host, id)) return short;
  try {
    await main.define(heartbeatDefinition(short), true);
    return short;
  } catch (error) {
    if (error instanceof CodedError && error.name === 'tooManySeries') return undefined;
    throw error;
  }
}

export function isDefined(host: ShardHost, definitionId: string): boolean {
  return definitionsOf(host).has(definitionId);
}

let known: { readonly definitions: unknown; readonly ids: ReadonlySet<string> } | undefined;

function definitionsOf(host: ShardHost): ReadonlySet<string> {
  const { definitions } = host.shared;
  if (known?.definitions !== definitions) known = { definitions, ids: new Set(definitions.map(({ id }) => id)) };
  return known.ids;
}

/** Whether a sample of this series may be taken: there is room, or the series is there already. */
export function takesSeries(host: ShardHost, objectId: string, metric: string): boolean {
  if (host.stats.seriesCount < SERIES_MAX) return true;
  host.reader.refresh();
  return hasSeries(host.reader, objectId, metric);
}
