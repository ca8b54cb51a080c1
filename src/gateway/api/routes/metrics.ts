/** Routes of metrics and samples. */
import { z } from 'zod';
import { type Parameter, parameter, textParameter } from '../../../protocol/lists/parameter.ts';
import {
  AGGREGATIONS,
  BUCKET_VALUES,
  definitionBodySchema,
  metricListSchema,
  SUMMARY_FORMATS,
  sampleReplySchema,
  samplesBodySchema,
  seriesSchema,
  summarySchema,
} from '../../../protocol/metric.ts';
import { timestampSchema } from '../../../protocol/node.ts';
import type { Route } from '../../http/route.ts';
import { METRIC_PARAMETERS } from '../../lists/metric-parameters.ts';
import { json, jsonBody, MIB, SERIES_FORMAT } from './forms.ts';

const definedSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    description: z.string(),
    unit: z.string(),
    labels: z.array(z.string()),
    aggregation: z.enum(AGGREGATIONS),
    warnings: z.array(z.string()).optional(),
  })
  .meta({
    id: 'DefinedMetric',
    description: 'The definition as it is stored',
    examples: [
      {
        id: 'metricDef-gpu',
        name: 'GPU',
        description: 'GPU in use',
        unit: 'percent',
        labels: ['nodeId'],
        aggregation: 'avg',
      },
    ],
  });

function timeParameter(description: string, example: string): Parameter {
  return parameter(description, timestampSchema, example);
}

export const METRICS_ROUTES = [
  {
    name: 'getSummary',
    method: 'GET',
    path: '/api/v1/metrics/summary',
    access: 'scoped',
    summary: 'Read the sums of every job metric by queue over a time range',
    query: {
      start: timeParameter(
        'Start of the range, RFC 3339; defaults to the oldest retained data',
        '2026-05-01T00:00:00Z',
      ),
      end: timeParameter('End of the range, exclusive; defaults to the newest retained data', '2027-01-01T00:00:00Z'),
      fields: parameter(
        'Only these keys of items, separated by commas, such as runtime or metricDef-jobCost',
        z.string(),
        'metricDef-runtime,metricDef-jobCost',
      ),
      format: parameter(
        'json, csv or ndjson, or columns: {queueNames, items: {key: {times, values}}}, a place for each queue, null where it has nothing; defaults to the Accept header, then json',
        z.enum(SUMMARY_FORMATS),
        'json',
      ),
    },
    answer: json(summarySchema, 'One item per queue, in both key families'),
    errors: ['invalid'],
  },
  {
    name: 'listMetrics',
    method: 'GET',
    path: '/api/v1/metric',
    access: 'scoped',
    summary: 'List every series with its definition, object and levels',
    query: METRIC_PARAMETERS,
    answer: { ...json(metricListSchema, 'Metric definition entries; Link names the next page'), hasEtag: true },
    errors: ['invalid'],
  },
  {
    name: 'putMetric',
    method: 'PUT',
    path: '/api/v1/metric/{id}',
    access: 'operator',
    summary: 'Define a custom metric',
    body: jsonBody(definitionBodySchema),
    answer: json(definedSchema, 'The definition'),
    errors: ['invalid', 'tooManySeries'],
  },
  {
    name: 'getSeries',
    method: 'GET',
    path: '/api/v1/metricValue/{objectId}/{definitionId}',
    access: 'scoped',
    summary: 'Read the time series of one metric of one object',
    query: {
      interval: textParameter('Level, as a duration: 1m, 30m or 24h; defaults to the finest that fits', '24h'),
      start: timeParameter('Start of the range, RFC 3339; defaults to 24 h before the end', '2026-05-01T00:00:00Z'),
      end: timeParameter('End of the range, exclusive; defaults to now', '2027-01-01T00:00:00Z'),
      agg: parameter(
        'sum, count, avg, min, max or last; defaults to the definition’s aggregation',
        z.enum(BUCKET_VALUES),
        'sum',
      ),
      format: SERIES_FORMAT,
    },
    answer: json(seriesSchema, 'Points in time order; intervals without samples are omitted'),
    errors: ['invalid', 'notFound'],
  },
  {
    name: 'postSamples',
    method: 'POST',
    path: '/api/v1/metricValue',
    access: 'worker',
    names: 'samples',
    summary: 'Report samples',
    body: { schema: samplesBodySchema, kinds: ['json', 'msgpack', 'ndjson'], sizeMax: 8 * MIB, readersOf: 'samples' },
    answer: json(sampleReplySchema, 'What was accepted'),
    errors: ['invalid', 'tooManySeries', 'storageFull'],
  },
] as const satisfies readonly Route[];
