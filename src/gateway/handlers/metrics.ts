/** Questions about metrics: definitions, series, summary (endpoints 6 to 8, contract section 6). */

import { aggregatorAddress, partitionAddress } from '../../actors/aggregator/messages.ts';
import type { ShardHost } from '../../actors/shard/host/shard-host.ts';
import { CodedError } from '../../base/errors.ts';
import { tryParseDuration } from '../../protocol/duration.ts';
import { idSchema, objectIdSchema } from '../../protocol/id.ts';
import {
  BUCKET_VALUES,
  type BucketValue,
  type Definition,
  definitionBodySchema,
  definitionIdOf,
  JOB_DEFINITIONS,
  SUMMARY_KEYS,
  SYSTEM_TOTAL,
  shortNameOf,
} from '../../protocol/metric.ts';
import { LEVELS, type Level } from '../../protocol/rollup-retention.ts';
import { cleanTexts } from '../../protocol/text.ts';
import { epochMsOf, tryParseTimestamp } from '../../protocol/timestamp.ts';
import { startOf } from '../../store/series/bucket.ts';
import { isKnownSeries } from '../../store/series/series-index.ts';
import { DAY_MS, windowMsOf } from '../../store/series/series-layout.ts';
import { seesObject } from '../../workers/series/seen-objects.ts';
import { shortSeries } from '../../workers/series/series-answer.ts';
import type { SeriesFormat } from '../../workers/task/task.ts';
import { validate } from '../body/parse-body.ts';
import type { HttpExchange } from '../http/exchange.ts';
import { queuesSeenBy } from '../identity/access.ts';
import { authorOf, type Handler } from './handler.ts';
import { formatOf, SERIES_TYPES, summaryFormatOf } from './series-format.ts';

/** Points of an automatic level. */
const POINTS_MAX = 2_000;
const MINUTE_MS = LEVELS[0].intervalMs;

export const putMetric: Handler = async ({ exchange, params, body }, { main }) => {
  const id = idSchema.safeParse(params['id']);
  if (!id.success) throw new CodedError('invalid', undefined, { id: 'is not an id' });
  const warnings: string[] = [];
  const sent = validate(definitionBodySchema, cleanTexts(body, warnings, Number.POSITIVE_INFINITY));
  const definitionId = definitionIdOf(id.data);
  const definition: Definition = {
    id: definitionId,
    name: sent.name ?? shortNameOf(definitionId),
    description: sent.description ?? '',
    unit: sent.unit ?? '',
    labels: sent.labels ?? [],
    aggregation: sent.aggregation,
  };
  const defined = await main.define(definition, false, authorOf(exchange));
  exchange.json(200, warnings.length > 0 ? { ...defined, warnings } : defined);
};

export const getSeries: Handler = async ({ exchange, params }, services) => {
  const { host, main } = services;
  const objectId = params['objectId'] as string;
  const definitionId = definitionIdOf(params['definitionId'] as string);
  const question = seriesQuestion(exchange, host.clock.wallMs());
  const definition = host.shared.definitions.find(({ id }) => id === definitionId);
  const queues = queuesSeenBy(exchange.principal);
  if (!definition || !isKnown(host, objectId, definition) || !seesObject(host.reader, objectId, queues))
    throw new CodedError('notFound');
  const open = await host.ask(aggregatorAddress(objectId), {
    type: 'open',
    objectId,
    metric: shortNameOf(definitionId),
  });
  const value = question.value ?? definition.aggregation;
  const { level, fromMs, toMs, format } = question;
  const task = { type: 'series', objectId, definition, level: level.name, fromMs, toMs, value, format, open } as const;
  // What is open was asked first: the store must be seen as it is after that, or what was flushed in between would be in neither.
  host.reader.refresh();
  const bytes = shortSeries(host.reader, task) ?? ((await main.answer(task)) as Uint8Array);
  exchange.send(200, SERIES_TYPES[format], bytes);
};

function isKnown(host: ShardHost, objectId: string, definition: Definition): boolean {
  if (objectId === SYSTEM_TOTAL && JOB_DEFINITIONS.some(({ id }) => id === definition.id)) return true;
  if (!objectIdSchema.safeParse(objectId).success) return false;
  host.reader.refresh();
  return isKnownSeries(host.reader, objectId, shortNameOf(definition.id));
}

interface SeriesQuestion {
  readonly level: Level;
  readonly fromMs: number;
  readonly toMs: number;
  readonly value: BucketValue | null;
  readonly format: SeriesFormat;
}

function seriesQuestion(exchange: HttpExchange, nowMs: number): SeriesQuestion {
  const { query } = exchange;
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
  const format = formatOf(exchange, fields);
  if (!level || Object.keys(fields).length > 0) throw new CodedError('invalid', undefined, fields);
  // Nothing lies outside, and a window that is looked for costs time.
  const oldestMs = nowMs - level.retentionMs - windowMsOf(level);
  const range = { fromMs: Math.max(fromMs, oldestMs), toMs: Math.min(toMs, nowMs + 2 * DAY_MS) };
  return { level, ...range, value: agg as BucketValue | null, format };
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

export const getSummary: Handler = async ({ exchange }, { host, main }) => {
  const nowMs = host.clock.wallMs();
  const fields: Record<string, string> = {};
  const toMs = timeOf(exchange.query, 'end', fields) ?? Number.MAX_SAFE_INTEGER;
  // Without a start, an end before all that is retained is a range with nothing in it.
  const fromMs = timeOf(exchange.query, 'start', fields) ?? Math.min(toMs, nowMs - LEVELS[2].retentionMs);
  if (fromMs > toMs) fields['start'] ??= 'is after end';
  const format = summaryFormatOf(exchange, fields);
  const keys = summaryKeysOf(exchange.query, fields);
  if (Object.keys(fields).length > 0) throw new CodedError('invalid', undefined, fields);
  // Samples may be a day ahead, and "everything" means them too.
  const range = { fromMs: Math.max(fromMs, nowMs - LEVELS[2].retentionMs), toMs: Math.min(toMs, nowMs + 2 * DAY_MS) };
  const open = await host.ask(partitionAddress(0), {
    type: 'totals',
    ...range,
    fromMs: startOf(range.fromMs, MINUTE_MS),
  });
  const bytes = await main.answer({
    type: 'summary',
    ...range,
    nowMs,
    format,
    keys,
    open,
    queues: queuesSeenBy(exchange.principal),
  });
  exchange.send(200, SERIES_TYPES[format], bytes as Uint8Array);
};

/** In the order of the summary; null means all. */
function summaryKeysOf(query: URLSearchParams, faults: Record<string, string>): readonly string[] | null {
  const text = query.get('fields');
  if (text === null) return null;
  const asked = text.split(',');
  const unknown = asked.find((key) => !SUMMARY_KEYS.includes(key));
  if (unknown !== undefined) {
    const what = unknown === '' ? 'an empty name' : `an unknown one: ${unknown.slice(0, 64)}`;
    faults['fields'] = `has ${what}; want some of ${SUMMARY_KEYS.join(', ')}`;
  }
  return SUMMARY_KEYS.filter((key) => asked.includes(key));
}
