/**
 * Heartbeats from a body to their nodes: checked whole, then taken. The usual beat (known metrics, a time that is taken)
 * costs one look at each value; whatever is unusual goes to the schema, which also finds the words for what is wrong.
 */
import { z } from 'zod';
import type { Sample } from '../../actors/aggregator/messages.ts';
import { type BeatOfNode, NO_SAMPLES } from '../../actors/shard/host/heartbeat-dispatcher.ts';
import {
  definedName,
  defineMissing,
  sampleFault,
  sampleOf,
  takesSeries,
} from '../../actors/shard/host/sample-checks.ts';
import { CodedError, failureOf } from '../../base/errors.ts';
import { isId } from '../../base/format/ids.ts';
import {
  type BatchedBeat,
  BEATS_PER_CALL_MAX,
  type Heartbeat,
  heartbeatBatchSchema,
  METRICS_PER_BEAT_MAX,
} from '../../protocol/heartbeat.ts';
import { isSampleValue, nodeObjectId, SERIES_MAX } from '../../protocol/metric.ts';
import { trySplitTimestamp } from '../../protocol/timestamp.ts';
import { validate } from '../body/parse-body.ts';
import { withOrders } from './orders.ts';
import type { BatchDone, HeartbeatServices } from './services.ts';

/** A batch of no more weight, a beat and each of its samples being one, is taken at once: 1,000 beats with three metrics. */
export const WHOLE_WEIGHT = 4_096;
/** Of a larger one so much in a turn: 1 to 2 ms, and as long on the shard that it crosses to. */
export const SLICE_WEIGHT = 2_048;
/** The same of what goes to the schema, or has a metric without a definition: twice as dear. */
export const UNUSUAL_WEIGHT = SLICE_WEIGHT / 2;
const beatCountSchema = z.array(z.unknown()).max(BEATS_PER_CALL_MAX);
/** Warnings a reply tells; more say nothing new. */
const WARNINGS_MAX = 32;

/**
 * Takes an array of beats that overload has let pass. Throws a CodedError where it is not one; then none was taken. A large
 * one is taken in slices, and refused by `done`; the promise resolves when all of it was handed on.
 */
export function takeBatch(body: unknown, services: HeartbeatServices, answer: BatchDone): Promise<void> | undefined {
  const done = withOrders(body, services, answer);
  const { host, largeBatches } = services;
  const plain = plainBatch(body, WHOLE_WEIGHT);
  if (!plain && Array.isArray(body)) {
    validate(beatCountSchema, body);
    if (isHeavy(body)) return largeBatches.take(body, services, done);
  }
  const beats = plain ?? validate(heartbeatBatchSchema, body);
  const nowMs = host.clock.wallMs();
  const sent: BeatOfNode[] = new Array(beats.length);
  const unusual: number[] = [];
  for (let i = 0; i < beats.length; i++) {
    const beat = beats[i] as BatchedBeat;
    const samples = usualSamples(beat, services, nowMs);
    if (!samples) unusual.push(i);
    sent[i] = { id: beat.id, samples: samples ?? NO_SAMPLES };
  }
  if (unusual.length === 0) {
    deliver(sent, [], services, done);
    return undefined;
  }
  const warnings: string[] = [];
  const fill = async (i: number): Promise<void> => {
    const beat = beats[i] as BatchedBeat;
    sent[i] = { id: beat.id, samples: await samplesOf(beat.id, beat, services, warnings) };
  };
  Promise.all(unusual.map(fill)).then(
    () => deliver(sent, warnings, services, done),
    (error: unknown) => done(error instanceof CodedError ? failureOf(error) : { name: 'internal' }, null),
  );
  return undefined;
}

function deliver(
  beats: readonly BeatOfNode[],
  warnings: readonly string[],
  { host }: HeartbeatServices,
  done: BatchDone,
): void {
  host.beats.many(beats, (failure, { accepted, unknown, nextBeatMs }) => {
    if (failure) {
      done(failure, null);
      return;
    }
    const reply = { accepted, unknown: unknown as string[], nextBeatMs, configVersion: host.shared.configVersion };
    done(null, warnings.length > 0 ? { ...reply, warnings: [...warnings] } : reply);
  });
}

/**
 * The value as beats, where every part of it is what the schema would take as it is, and all of it weighs no more than that;
 * undefined leaves it to the schema.
 */
export function plainBatch(value: unknown, weightMax = Number.POSITIVE_INFINITY): readonly BatchedBeat[] | undefined {
  if (!Array.isArray(value) || value.length > BEATS_PER_CALL_MAX) return undefined;
  let left = weightMax;
  for (const beat of value) {
    const weight = plainWeight(beat);
    left -= weight;
    if (weight === 0 || left < 0 || typeof beat.id !== 'string' || !isId(beat.id)) return undefined;
  }
  return value as BatchedBeat[];
}

function isHeavy(beats: readonly unknown[]): boolean {
  let weight = 0;
  for (const beat of beats) {
    weight += weightOf(beat);
    if (weight > UNUSUAL_WEIGHT) return true;
  }
  return false;
}

/** One, and one for each sample; whatever else the value is counts as a beat without samples. */
export function weightOf(beat: unknown): number {
  const metrics = (beat as { readonly metrics?: unknown } | null | undefined)?.metrics;
  let weight = 1;
  if (typeof metrics === 'object') for (const _ in metrics) weight++;
  return weight;
}

/** Whether the schema of a beat would take the value as it is. False says nothing about it. */
export function isPlainBeat(value: unknown): value is Heartbeat {
  return plainWeight(value) > 0;
}

/** The weight of a plain beat; 0 where it is not one. */
function plainWeight(value: unknown): number {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return 0;
  const { time, metrics, done } = value as {
    readonly time?: unknown;
    readonly metrics?: unknown;
    readonly done?: unknown;
  };
  if (done !== undefined) return 0;
  if (time !== undefined && (typeof time !== 'string' || trySplitTimestamp(time) === undefined)) return 0;
  if (metrics === undefined) return 1;
  if (typeof metrics !== 'object' || metrics === null || Array.isArray(metrics)) return 0;
  let count = 0;
  for (const name in metrics) {
    count++;
    if (!isId(name) || name === '__proto__' || !isSampleValue((metrics as Record<string, unknown>)[name])) return 0;
  }
  return count <= METRICS_PER_BEAT_MAX ? 1 + count : 0;
}

/** What a beat carries, as samples, where every metric is defined and the time is taken; undefined where it is not so. */
export function usualSamples(
  beat: Heartbeat,
  { host }: HeartbeatServices,
  nowMs: number,
): readonly Sample[] | undefined {
  const { metrics, time } = beat;
  if (metrics === undefined || metrics === null) return NO_SAMPLES;
  if (host.stats.seriesCount > SERIES_MAX - METRICS_PER_BEAT_MAX || (time && sampleFault(time, nowMs) !== undefined))
    return undefined;
  return emit(beat, nowMs, host, definedName);
}

/**
 * The one place where a beat becomes samples, whichever way it came. `definedOf` gives the short name of a metric; null where
 * the metric is left out, undefined where the whole beat is to go another way.
 */
function emit<Known>(
  { metrics, time }: Heartbeat,
  nowMs: number,
  known: Known,
  definedOf: (known: Known, name: string) => string | null | undefined,
): Sample[] | undefined {
  const samples: Sample[] = [];
  for (const name in metrics) {
    const defined = definedOf(known, name);
    if (defined === undefined) return undefined;
    if (defined !== null) samples.push(sampleOf(defined, time ?? null, nowMs, metrics[name] as number));
  }
  return samples;
}

/** The beat's metrics as samples. One that cannot be accepted becomes a warning; the beat counts all the same. */
export async function samplesOf(
  nodeId: string,
  beat: Heartbeat,
  services: HeartbeatServices,
  warnings: string[],
): Promise<readonly Sample[]> {
  const names = beat.metrics ? Object.keys(beat.metrics) : [];
  if (names.length === 0) return NO_SAMPLES;
  const warn = (text: string): void => {
    if (warnings.length < WARNINGS_MAX) warnings.push(text);
  };
  const nowMs = services.host.clock.wallMs();
  const late = beat.time ? sampleFault(beat.time, nowMs) : undefined;
  if (late !== undefined) {
    warn(`the metrics were not taken: time ${late}`);
    return NO_SAMPLES;
  }
  const objectId = nodeObjectId(nodeId);
  const taken = new Map<string, string>();
  const added = new Set<string>();
  for (const name of names) {
    const defined = await defineMissing(name, services);
    if (!defined) warn(`${name} was not taken: there are as many metric definitions as there may be`);
    else if (!takesSeries(services.host, objectId, defined, added))
      warn(`${name} was not taken: there are as many series as there may be`);
    else taken.set(name, defined);
  }
  return emit(beat, nowMs, taken, (shorts, name) => shorts.get(name) ?? null) ?? NO_SAMPLES;
}
