/** Metrics: definitions, series, summary, samples (endpoints 6 to 8, contract sections 4 and 6). */

import { aggregatorAddress, type OpenPart, type Sample } from '../../actors/aggregator/messages.ts';
import type { ShardHost } from '../../actors/thread/shard-host.ts';
import { CodedError, ERROR_CATALOGUE } from '../../base/errors.ts';
import { tryParseDuration } from '../../protocol/duration.ts';
import { idSchema, objectIdSchema } from '../../protocol/id.ts';
import {
  BUCKET_VALUES,
  type BucketValue,
  type Definition,
  definitionBodySchema,
  definitionIdOf,
  JOB_DEFINITIONS,
  LEVELS,
  type Level,
  SAMPLES_PER_CALL_MAX,
  type SampleReply,
  type SentSample,
  SYSTEM_TOTAL,
  sampleSchema,
  shortNameOf,
} from '../../protocol/metric.ts';
import { epochMsOf, tryParseTimestamp } from '../../protocol/timestamp.ts';
import { startOf } from '../../store/bucket.ts';
import { KeyReader, keyOf, textKey } from '../../store/keys.ts';
import { hasSeries } from '../../store/series-index.ts';
import type { OpenBuckets } from '../../workers/task.ts';
import { faultsOf, validate } from '../body.ts';
import type { Handler } from '../handler.ts';
import { isDefined, sampleFault, sampleOf, takesSeries } from '../samples.ts';
import { streamOf } from '../streams.ts';

const JSON_TYPE = 'application/json; charset=utf-8';
const NO_CACHE = [['cache-control', 'no-cache']] as const;
/** Points of an automatic level. */
const POINTS_MAX = 2_000;
const DAY_MS = 86_400_000;

export const listMetrics: Handler = async ({ call }, { host, main }) => {
  await call.stream(
    200,
    JSON_TYPE,
    streamOf(main, { type: 'metricList', definitions: host.shared.definitions }),
    NO_CACHE,
  );
};

export const putMetric: Handler = async ({ call, params, body }, { main }) => {
  const id = idSchema.safeParse(params['id']);
  if (!id.success) throw new CodedError('invalid', undefined, { id: 'is not an id' });
  const sent = validate(definitionBodySchema, body);
  const definitionId = definitionIdOf(id.data);
  const definition: Definition = {
    id: definitionId,
    name: sent.name ?? shortNameOf(definitionId),
    description: sent.description ?? '',
    unit: sent.unit ?? '',
    labels: sent.labels ?? [],
    aggregation: sent.aggregation,
  };
  call.json(200, await main.define(definition, false));
};

export const getSeries: Handler = async ({ call, params }, services) => {
  const { host, main } = services;
  const objectId = params['objectId'] as string;
  const definitionId = definitionIdOf(params['definitionId'] as string);
  const question = seriesQuestion(call.query, host.clock.wallMs());
  const definition = host.shared.definitions.find(({ id }) => id === definitionId);
  if (!definition || !isKnownSeries(host, objectId, definition)) throw new CodedError('notFound');
  const open = await host.ask(aggregatorAddress(objectId), { type: 'open', metric: shortNameOf(definitionId) });
  const value = question.value ?? definition.aggregation;
  const { level, fromMs, toMs } = question;
  const bytes = await main.answer({
    type: 'series',
    objectId,
    definition,
    level: level.name,
    fromMs,
    toMs,
    value,
    open: open as OpenPart[],
  });
  call.send(200, JSON_TYPE, bytes as Uint8Array, NO_CACHE);
};

function isKnownSeries(host: ShardHost, objectId: string, definition: Definition): boolean {
  if (objectId === SYSTEM_TOTAL && JOB_DEFINITIONS.some(({ id }) => id === definition.id)) return true;
  if (!objectIdSchema.safeParse(objectId).success) return false;
  host.reader.refresh();
  return hasSeries(host.reader, objectId, shortNameOf(definition.id));
}

interface SeriesQuestion {
  readonly level: Level;
  readonly fromMs: number;
  readonly toMs: number;
  readonly value: BucketValue | null;
}

function seriesQuestion(query: URLSearchParams, nowMs: number): SeriesQuestion {
  const fields: Record<string, string> = {};
  const toMs = timeOf(query, 'end', fields) ?? nowMs;
  const fromMs = timeOf(query, 'start', fields) ?? toMs - DAY_MS;
  if (fromMs > toMs) fields['start'] ??= 'is after end';
  const agg = query.get('agg');
  if (agg !== null && !(BUCKET_VALUES as readonly string[]).includes(agg))
    fields['agg'] = `is not one of ${BUCKET_VALUES.join(', ')}`;
  const interval = query.get('interval');
  const level = interval === null ? finestThatFits(fromMs, toMs, nowMs) : levelOf(interval);
  if (!level) fields['interval'] = `is not one of ${LEVELS.map(({ name }) => name).join(', ')}`;
  if (!level || Object.keys(fields).length > 0) throw new CodedError('invalid', undefined, fields);
  return { level, fromMs, toMs: Math.min(toMs, lastMs(nowMs)), value: agg as BucketValue | null };
}

/** No sample is later than a day ahead; a key does not reach the end of the year 9999, which a caller may ask for. */
function lastMs(nowMs: number): number {
  return nowMs + 2 * DAY_MS;
}

/** Milliseconds, rounded up for an end and down for a start, so that no sub-millisecond part changes the answer. */
function timeOf(query: URLSearchParams, name: string, fields: Record<string, string>): number | undefined {
  const text = query.get(name);
  if (text === null) return undefined;
  const ns = tryParseTimestamp(text);
  if (ns === undefined) {
    fields[name] = 'is not an RFC 3339 timestamp in UTC, such as 2026-01-31T08:15:00Z';
    return undefined;
  }
  const ms = epochMsOf(ns);
  return name === 'end' && BigInt(ms) * 1_000_000n < ns ? ms + 1 : ms;
}

function levelOf(interval: string): Level | undefined {
  const asked = tryParseDuration(interval);
  return asked === undefined ? undefined : LEVELS.find(({ intervalMs }) => BigInt(intervalMs) * 1_000_000n === asked);
}

function finestThatFits(fromMs: number, toMs: number, nowMs: number): Level {
  const fits = LEVELS.find(
    ({ intervalMs, retentionMs }) =>
      fromMs >= nowMs - retentionMs && (toMs - startOf(fromMs, intervalMs)) / intervalMs <= POINTS_MAX,
  );
  return fits ?? LEVELS[2];
}

export const getSummary: Handler = async ({ call }, { host, main }) => {
  const nowMs = host.clock.wallMs();
  const fields: Record<string, string> = {};
  const toMs = timeOf(call.query, 'end', fields) ?? Number.MAX_SAFE_INTEGER;
  const fromMs = timeOf(call.query, 'start', fields) ?? nowMs - LEVELS[2].retentionMs;
  if (fromMs > toMs) fields['start'] ??= 'is after end';
  if (Object.keys(fields).length > 0) throw new CodedError('invalid', undefined, fields);
  const queues = queueObjects(host);
  const parts = await Promise.all(queues.map((objectId) => host.ask(aggregatorAddress(objectId), { type: 'open' })));
  const open: Record<string, readonly OpenBuckets[]> = {};
  queues.forEach((objectId, i) => {
    const part = parts[i] as readonly OpenPart[];
    if (part.length > 0) open[objectId] = part;
  });
  const bytes = await main.answer({ type: 'summary', fromMs, toMs: Math.min(toMs, lastMs(nowMs)), nowMs, open });
  call.send(200, JSON_TYPE, bytes as Uint8Array, NO_CACHE);
};

/** Objects of queues that have series: one look a queue, not one a series. */
function queueObjects(host: ShardHost): string[] {
  host.reader.refresh();
  const queues: string[] = [];
  let start: Uint8Array = textKey('queue-');
  for (;;) {
    const [entry] = [...host.reader.range('series', { start, limit: 1 })];
    if (!entry) return queues;
    const objectId = new KeyReader(entry.key).text();
    if (!objectId.startsWith('queue-')) return queues;
    queues.push(objectId);
    start = keyOf({ text: objectId }, { byte: 0xff });
  }
}

export const postSamples: Handler = async ({ call, body }, services) => {
  const { host } = services;
  const sent = Array.isArray(body) ? (body as unknown[]) : [body];
  if (sent.length > SAMPLES_PER_CALL_MAX) {
    throw new CodedError('invalid', undefined, {
      body: `has ${sent.length} samples; at most ${SAMPLES_PER_CALL_MAX} a call`,
    });
  }
  const nowMs = host.clock.wallMs();
  const rejected: SampleReply['rejected'] = [];
  const byObject = new Map<string, Sample[]>();
  sent.forEach((entry, index) => {
    const outcome = readSample(entry, nowMs, host);
    if (outcome instanceof CodedError) rejected.push(rejectionOf(entry, index, outcome));
    else
      group(
        byObject,
        outcome.objectId,
        sampleOf(shortNameOf(definitionIdOf(outcome.definitionId)), outcome.time, nowMs, outcome.value),
      );
  });
  await Promise.all(
    [...byObject].map(([objectId, samples]) => host.ask(aggregatorAddress(objectId), { type: 'post', samples })),
  );
  call.json(200, { accepted: sent.length - rejected.length, rejected });
};

function readSample(entry: unknown, nowMs: number, host: ShardHost): SentSample | CodedError {
  const result = sampleSchema.safeParse(entry);
  if (!result.success)
    return new CodedError(
      'invalid',
      Object.entries(faultsOf(result.error))
        .map(([name, reason]) => `${name} ${reason}`)
        .join('; '),
    );
  const sample = result.data;
  const id = definitionIdOf(sample.definitionId);
  if (!isDefined(host, id))
    return new CodedError('notFound', 'no such metric definition; make it by PUT /api/v1/metric/{id}');
  const fault = sampleFault(sample.time, nowMs);
  if (fault !== undefined) return new CodedError('invalid', `time ${fault}`);
  if (!takesSeries(host, sample.objectId, shortNameOf(id)))
    return new CodedError('tooManySeries', 'a new series would pass the bound');
  return sample;
}

function rejectionOf(entry: unknown, index: number, error: CodedError): SampleReply['rejected'][number] {
  const { objectId, definitionId } = (entry ?? {}) as { objectId?: unknown; definitionId?: unknown };
  return {
    index,
    objectId: typeof objectId === 'string' ? objectId.slice(0, 160) : '',
    definitionId: typeof definitionId === 'string' ? definitionId.slice(0, 160) : '',
    errorCode: ERROR_CATALOGUE[error.name].code,
    message: error.message,
  };
}

function group(groups: Map<string, Sample[]>, objectId: string, sample: Sample): void {
  const samples = groups.get(objectId);
  if (samples) samples.push(sample);
  else groups.set(objectId, [sample]);
}
