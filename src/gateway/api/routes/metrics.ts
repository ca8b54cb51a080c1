/** Routes of metrics and samples. */
import { z } from 'zod';
import {
  definitionBodySchema,
  metricEntrySchema,
  sampleReplySchema,
  sampleSchema,
  seriesSchema,
  summarySchema,
} from '../../../protocol/metric.ts';
import type { Route } from '../../http/route.ts';
import { METRIC_PARAMETERS } from '../../lists/metric-parameters.ts';
import { json, jsonBody, MIB } from './forms.ts';

export const METRICS_ROUTES = [
  {
    name: 'getSummary',
    method: 'GET',
    path: '/api/v1/metrics/summary',
    access: 'scoped',
    summary: 'Read the sums of every job metric by queue over a time range',
    query: {
      start: 'Start of the range, RFC 3339; defaults to the oldest retained data',
      end: 'End of the range, exclusive; defaults to the newest retained data',
      format: 'json, csv or ndjson; defaults to the Accept header, then json',
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
    answer: json(z.array(metricEntrySchema), 'Metric definition entries; Link names the next page'),
    errors: ['invalid'],
  },
  {
    name: 'putMetric',
    method: 'PUT',
    path: '/api/v1/metric/{id}',
    access: 'operator',
    summary: 'Define a custom metric',
    body: jsonBody(definitionBodySchema),
    answer: json(z.looseObject({ id: z.string() }), 'The definition'),
    errors: ['invalid', 'tooManySeries'],
  },
  {
    name: 'getSeries',
    method: 'GET',
    path: '/api/v1/metricValue/{objectId}/{definitionId}',
    access: 'scoped',
    summary: 'Read the time series of one metric of one object',
    query: {
      interval: 'Level, as a duration: 1m, 30m or 24h; defaults to the finest that fits',
      start: 'Start of the range, RFC 3339; defaults to 24 h before the end',
      end: 'End of the range, exclusive; defaults to now',
      agg: 'sum, count, avg, min, max or last; defaults to the definition’s aggregation',
      format: 'json, csv or ndjson; defaults to the Accept header, then json',
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
    body: { schema: z.array(sampleSchema), kinds: ['json', 'msgpack', 'ndjson'], sizeMax: 8 * MIB },
    answer: json(sampleReplySchema, 'What was accepted'),
    errors: ['invalid', 'tooManySeries', 'storageFull'],
  },
] as const satisfies readonly Route[];
