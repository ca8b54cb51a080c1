/** Every route of the API. Order is that of interface.md, then the contract's. */
import { z } from 'zod';
import {
  heartbeatBatchReplySchema,
  heartbeatBatchSchema,
  heartbeatReplySchema,
  heartbeatSchema,
  registrationReplySchema,
} from '../protocol/heartbeat.ts';
import { idpEnableSchema, idpSettingsSchema } from '../protocol/idp.ts';
import { jobDetailSchema, jobEventSchema, jobSchema, jobUpdateReplySchema, jobUpdateSchema } from '../protocol/job.ts';
import {
  definitionBodySchema,
  metricEntrySchema,
  sampleReplySchema,
  sampleSchema,
  seriesSchema,
  summarySchema,
} from '../protocol/metric.ts';
import { nodeRegistrationSchema, workerNodeSchema } from '../protocol/node.ts';
import { JOB_PARAMETERS } from './lists/job-parameters.ts';
import { NODE_PARAMETERS } from './lists/node-parameters.ts';
import type { Route, RouteAnswer, RouteBody } from './route.ts';

const MIB = 1024 * 1024;
const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain; charset=utf-8';

const configSchema = z
  .looseObject({ addr: z.string(), id: z.string(), staticFolder: z.string() })
  .meta({ title: 'Configuration' });
const kvSchema = z.object({ kvMap: z.record(z.string(), z.unknown()) });
const logConfigSchema = z.object({ level: z.string(), maxSizeMB: z.number().int(), maxBackups: z.number().int() });
const readySchema = z.object({ status: z.string(), reasons: z.array(z.string()) });
const historySchema = z.array(
  z.object({
    version: z.number().int(),
    time: z.string(),
    who: z.string(),
    key: z.string(),
    old: z.unknown(),
    new: z.unknown(),
  }),
);

function json(schema: z.ZodType | null, description: string): RouteAnswer {
  return { description, contentType: JSON_TYPE, schema };
}

function text(description: string): RouteAnswer {
  return { description, contentType: TEXT_TYPE, schema: null };
}

function jsonBody(schema: z.ZodType, sizeMax = MIB): RouteBody {
  return { schema, kinds: ['json', 'msgpack'], sizeMax };
}

const LIST_FORMS = { alsoAs: ['application/x-ndjson', 'text/csv'], hasEtag: true } as const;

const LOG_QUERY = {
  tail: 'Only the last lines, so many',
  q: 'Only lines that contain this text',
  follow: 'true: go on with what is appended, until the node ends or the client goes',
};

export const ROUTES = [
  {
    name: 'getIdp',
    method: 'GET',
    path: '/api/v1/security/idp',
    access: 'anyone',
    summary: 'Read the identity provider settings',
    answer: json(idpSettingsSchema, 'The settings, without credentials'),
    errors: [],
  },
  {
    name: 'enableIdp',
    method: 'PUT',
    path: '/api/v1/security/idp',
    access: 'admin',
    summary: 'Enable the identity provider, after checking every setting with it',
    body: jsonBody(idpEnableSchema),
    answer: json(idpEnableSchema, 'The fields of the request'),
    errors: ['invalid'],
  },
  {
    name: 'disableIdp',
    method: 'DELETE',
    path: '/api/v1/security/idp',
    access: 'admin',
    summary: 'Disable the identity provider',
    answer: json(configSchema, 'The whole configuration'),
    errors: ['notPrivilegedToDisable'],
  },
  {
    name: 'getConfig',
    method: 'GET',
    path: '/api/v1/config',
    access: 'user-or-worker',
    summary: 'Read the configuration',
    answer: json(configSchema, 'The configuration, with an ETag'),
    errors: [],
  },
  {
    name: 'putConfigKv',
    method: 'PUT',
    path: '/api/v1/configKV',
    access: 'admin',
    summary: 'Change configuration values by dotted path; all or nothing',
    body: jsonBody(kvSchema),
    answer: json(configSchema, 'The configuration after the change'),
    errors: ['invalid', 'addressUnavailable', 'storageFull'],
  },
  {
    name: 'putCkptConfig',
    method: 'PUT',
    path: '/api/v1/ckptConfig',
    access: 'admin',
    deprecated: true,
    summary: 'Change checkpoint settings, natively typed; use PUT /api/v1/configKV',
    body: jsonBody(z.looseObject({})),
    answer: json(configSchema, 'The configuration after the change'),
    errors: ['invalid'],
  },
  {
    name: 'getConfigHistory',
    method: 'GET',
    path: '/api/v1/config/history',
    access: 'admin',
    summary: 'The last 100 configuration changes, newest first',
    answer: json(historySchema, 'Who changed what, when'),
    errors: [],
  },
  {
    name: 'getSummary',
    method: 'GET',
    path: '/api/v1/metrics/summary',
    access: 'user',
    summary: 'Sums of every job metric by queue over a range',
    query: {
      start: 'Start of the range, RFC 3339; everything that is retained where absent',
      end: 'End of the range, exclusive; now where absent',
      format: 'json, csv or ndjson; what Accept says where absent, or else json',
    },
    answer: json(summarySchema, 'One item a queue, in both key families'),
    errors: ['invalid'],
  },
  {
    name: 'listMetrics',
    method: 'GET',
    path: '/api/v1/metric',
    access: 'user',
    summary: 'List every series with its definition, object and levels',
    answer: json(z.array(metricEntrySchema), 'Metric definition entries'),
    errors: [],
  },
  {
    name: 'putMetric',
    method: 'PUT',
    path: '/api/v1/metric/{id}',
    access: 'admin',
    summary: 'Define a metric of your own',
    body: jsonBody(definitionBodySchema),
    answer: json(z.looseObject({ id: z.string() }), 'The definition'),
    errors: ['invalid', 'tooManySeries'],
  },
  {
    name: 'getSeries',
    method: 'GET',
    path: '/api/v1/metricValue/{objectId}/{definitionId}',
    access: 'user',
    summary: 'Time series of one metric of one object',
    query: {
      interval: 'Level, as a duration: 1m, 30m or 24h; the finest that fits where absent',
      start: 'Start of the range, RFC 3339; 24 h before the end where absent',
      end: 'End of the range, exclusive; now where absent',
      agg: 'sum, count, avg, min, max or last; the definition’s aggregation where absent',
      format: 'json, csv or ndjson; what Accept says where absent, or else json',
    },
    answer: json(seriesSchema, 'Points in order of time, sparse'),
    errors: ['invalid', 'notFound'],
  },
  {
    name: 'postSamples',
    method: 'POST',
    path: '/api/v1/metricValue',
    access: 'worker',
    summary: 'Report samples',
    body: { schema: z.array(sampleSchema), kinds: ['json', 'msgpack', 'ndjson'], sizeMax: 8 * MIB },
    answer: json(sampleReplySchema, 'What was taken'),
    errors: ['invalid', 'tooManySeries', 'storageFull'],
  },
  {
    name: 'getLogConfig',
    method: 'GET',
    path: '/api/v1/log/config',
    access: 'user',
    summary: 'Read the log configuration',
    answer: json(logConfigSchema, 'Level, size and backups'),
    errors: [],
  },
  {
    name: 'putLogConfig',
    method: 'PUT',
    path: '/api/v1/log/config',
    access: 'admin',
    summary: 'Change the log configuration',
    body: jsonBody(logConfigSchema.partial()),
    answer: json(logConfigSchema, 'Level, size and backups after the change'),
    errors: ['invalid'],
  },
  {
    name: 'getNodeFile',
    method: 'GET',
    path: '/nodes/{id}/{path...}',
    access: 'user',
    summary: 'Read a node log file',
    query: { ...LOG_QUERY, job: 'Following ends with this job too' },
    answer: text('The log file'),
    errors: ['invalid', 'notFound', 'rangeNotSatisfiable'],
  },
  {
    name: 'listNodes',
    method: 'GET',
    path: '/api/v1/node',
    access: 'user',
    summary: 'List worker nodes',
    query: NODE_PARAMETERS,
    answer: { ...json(z.array(workerNodeSchema), 'Running nodes by id; Link names the next page'), ...LIST_FORMS },
    errors: ['invalid'],
  },
  {
    name: 'getNode',
    method: 'GET',
    path: '/api/v1/node/{id}',
    access: 'user',
    summary: 'Read one node, also a lost or deregistered one',
    answer: json(workerNodeSchema, 'The node'),
    errors: ['notFound'],
  },
  {
    name: 'registerNode',
    method: 'PUT',
    path: '/api/v1/node/{id}',
    access: 'worker',
    summary: 'Register or update a worker node; counts as a heartbeat',
    body: jsonBody(nodeRegistrationSchema),
    answer: json(registrationReplySchema, 'When to beat next'),
    errors: ['invalid', 'storageFull'],
  },
  {
    name: 'deregisterNode',
    method: 'DELETE',
    path: '/api/v1/node/{id}',
    access: 'worker',
    summary: 'Take a node out of the running list',
    answer: json(z.looseObject({ id: z.string() }), 'Done'),
    errors: ['notFound'],
  },
  {
    name: 'postHeartbeat',
    method: 'POST',
    path: '/api/v1/node/{id}/heartbeat',
    access: 'worker',
    summary: 'One heartbeat',
    body: { ...jsonBody(heartbeatSchema), optional: true },
    answer: json(heartbeatReplySchema, 'When to beat next'),
    errors: ['invalid', 'notFound'],
  },
  {
    name: 'postHeartbeats',
    method: 'POST',
    path: '/api/v1/heartbeat',
    access: 'worker',
    summary: 'Heartbeats of many nodes, at most 10,000',
    body: { schema: heartbeatBatchSchema, kinds: ['json', 'msgpack', 'ndjson'], sizeMax: 8 * MIB },
    answer: json(heartbeatBatchReplySchema, 'What was taken'),
    errors: ['invalid'],
  },
  {
    name: 'listNodeFiles',
    method: 'GET',
    path: '/api/v1/nodes/{id}/files',
    access: 'user',
    summary: 'List a node’s log files',
    answer: json(z.array(z.string()), 'Paths for GET /nodes/{id}/{path}'),
    errors: ['notFound'],
  },
  {
    name: 'appendNodeFile',
    method: 'POST',
    path: '/api/v1/nodes/{id}/files/{path...}',
    access: 'worker',
    summary: 'Append to a node’s log file',
    query: { offset: 'Bytes of the log that were sent before; must equal the stored size' },
    body: { schema: null, kinds: ['bytes'], sizeMax: 16 * MIB, optional: true },
    answer: json(z.object({ size: z.number().int() }), 'The stored size'),
    errors: ['invalid', 'notFound', 'offsetConflict', 'storageFull'],
  },
  {
    name: 'listJobs',
    method: 'GET',
    path: '/api/v1/job',
    access: 'user',
    summary: 'List jobs with their events',
    query: JOB_PARAMETERS,
    answer: { ...json(z.array(jobSchema), 'Jobs by createdAt, then id; Link names the next page'), ...LIST_FORMS },
    errors: ['invalid'],
  },
  {
    name: 'postJobs',
    method: 'POST',
    path: '/api/v1/job',
    access: 'worker',
    summary: 'Report jobs: one update or an array, at most 1,000',
    body: {
      schema: z.union([jobUpdateSchema, z.array(jobUpdateSchema)]),
      kinds: ['json', 'msgpack'],
      sizeMax: 8 * MIB,
    },
    answer: json(jobUpdateReplySchema, 'What was taken'),
    errors: ['invalid', 'storageFull'],
  },
  {
    name: 'getJob',
    method: 'GET',
    path: '/api/v1/job/{id}',
    access: 'user',
    summary: 'Read one job with what follows from its events',
    answer: json(jobDetailSchema, 'The job'),
    errors: ['notFound'],
  },
  {
    name: 'getJobBundle',
    method: 'GET',
    path: '/api/v1/job/{id}/logs.tar.gz',
    access: 'user',
    summary: 'Everything about a job in one file: the job, the logs of its nodes, the server log’s lines about it',
    answer: { description: 'A compressed tar file', contentType: 'application/gzip', schema: null },
    errors: ['notFound'],
  },
  {
    name: 'postJobEvents',
    method: 'POST',
    path: '/api/v1/job/{id}/event',
    access: 'worker',
    summary: 'Report events of a job: one or an array',
    query: { queueName: 'Queue of the job; needed where the job is new' },
    body: { schema: z.union([jobEventSchema, z.array(jobEventSchema)]), kinds: ['json', 'msgpack'], sizeMax: 8 * MIB },
    answer: json(jobDetailSchema, 'The job'),
    errors: ['invalid', 'notFound', 'storageFull'],
  },
  {
    name: 'getEvents',
    method: 'GET',
    path: '/api/v1/event',
    access: 'user',
    summary: 'Follow what happens to nodes, jobs and the configuration: server-sent events, resumable by Last-Event-ID',
    query: {
      types: 'Only events with these names, separated by commas; gap always comes',
      queue: 'Only events of jobs of these queues',
      job: 'Only events of these jobs',
      node: 'Only events of these nodes, and of jobs on them',
      lastEventId: 'Events behind this position; from now on where neither this nor the header Last-Event-ID is given',
    },
    answer: { description: 'Events as they become durable', contentType: 'text/event-stream', schema: null },
    errors: ['invalid'],
  },
  {
    name: 'getOpenApi',
    method: 'GET',
    path: '/api/v1/openapi.json',
    access: 'user',
    summary: 'This description',
    answer: json(z.looseObject({ openapi: z.string() }), 'OpenAPI 3.1'),
    errors: [],
  },
  {
    name: 'livez',
    method: 'GET',
    path: '/livez',
    access: 'anyone',
    summary: 'Whether the process runs',
    answer: json(readySchema, 'It does'),
    errors: [],
  },
  {
    name: 'readyz',
    method: 'GET',
    path: '/readyz',
    access: 'anyone',
    summary: 'Whether the server does its work, and what it doubts',
    answer: json(readySchema, 'Ready, with reasons for doubt'),
    errors: ['overloaded'],
  },
  {
    name: 'getMetricsText',
    method: 'GET',
    path: '/metrics',
    access: 'user',
    summary: 'The server’s own figures',
    answer: text('Prometheus text format'),
    errors: [],
  },
  {
    name: 'getServerLog',
    method: 'GET',
    path: '/{log_name}.log',
    followsLogName: true,
    access: 'user',
    summary: 'Read the server log (/{log_name}.log) or the access log (/{log_name}-access.log)',
    query: LOG_QUERY,
    answer: text('The log file'),
    errors: ['invalid', 'notFound', 'rangeNotSatisfiable'],
  },
] as const satisfies readonly Route[];

export type RouteName = (typeof ROUTES)[number]['name'];
