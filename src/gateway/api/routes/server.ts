/** Routes of the server itself: events, its description, health, figures and logs. */
import { z } from 'zod';
import { LOG_LEVELS } from '../../../base/log-level.ts';
import { doctorReportSchema } from '../../../protocol/explain/doctor.ts';
import { flagParameter, parameter } from '../../../protocol/lists/parameter.ts';
import type { Route } from '../../http/route.ts';
import { json, LOG_QUERY, text } from './forms.ts';

const readySchema = z
  .object({
    status: z.string(),
    reasons: z.array(z.string()),
    role: z.enum(['leader', 'follower', 'catching-up']).optional().describe('Of a server of a cluster'),
    leader: z.string().nullable().optional().describe('URL of the server that leads; null where none does'),
    behindMs: z.number().optional().describe('Milliseconds by which this server is behind the leader'),
  })
  .meta({
    id: 'Health',
    description: 'Whether the server does its work, with reasons for caution',
    examples: [{ status: 'ready', reasons: [] }],
  });

const openApiSchema = z
  .looseObject({ openapi: z.string() })
  .meta({ id: 'OpenApiDocument', description: 'This document', examples: [{ openapi: '3.1.0' }] });

const eventStreamSchema = z.string().meta({
  id: 'EventStream',
  description: 'Server-sent events; data is one JSON object with time and what the name of the event says',
  examples: ['id: 7\nevent: node.lost\ndata: {"time":"2026-05-04T10:00:00.000Z","node":"node-1"}\n\n'],
});

export const SERVER_ROUTES = [
  {
    name: 'getEvents',
    method: 'GET',
    path: '/api/v1/event',
    access: 'scoped',
    summary: 'Follow events of nodes, jobs and the configuration as server-sent events, resumable with Last-Event-ID',
    query: {
      types: parameter(
        'Only events with these names, separated by commas; gap is always sent',
        z.string(),
        'job.event,node.lost',
      ),
      queue: parameter('Only events of jobs of these queues', z.string(), 'genomics'),
      job: parameter('Only events of these jobs', z.string(), 'job-1'),
      node: parameter('Only events of these nodes, and of jobs on them', z.string(), 'node-1'),
      lastEventId: parameter(
        'Only events after the one with this id; 0 for all that are stored; without it and the Last-Event-ID header, only new events',
        z.union([z.int().min(0), z.string()]),
        0,
      ),
      follow: flagParameter('false: end after the last event that is stored; defaults to true'),
    },
    answer: {
      description: 'Events as they become durable',
      contentType: 'text/event-stream',
      schema: eventStreamSchema,
    },
    errors: ['invalid'],
  },
  {
    name: 'getOpenApi',
    method: 'GET',
    path: '/api/v1/openapi.json',
    access: 'scoped',
    summary: 'Read this API description',
    answer: { ...json(openApiSchema, 'OpenAPI 3.1'), hasEtag: true },
    errors: [],
  },
  {
    name: 'livez',
    method: 'GET',
    path: '/livez',
    access: 'anyone',
    summary: 'Check that the process is running',
    answer: json(readySchema, 'It does'),
    errors: [],
  },
  {
    name: 'readyz',
    method: 'GET',
    path: '/readyz',
    access: 'anyone',
    summary: 'Check that the server is ready, with reasons for caution',
    answer: json(readySchema, 'Ready, with reasons for caution'),
    errors: ['overloaded'],
  },
  {
    name: 'getMetricsText',
    method: 'GET',
    path: '/metrics',
    access: 'scoped',
    summary: 'Read the server’s own metrics',
    answer: text('Prometheus text format'),
    errors: [],
  },
  {
    name: 'getDoctor',
    method: 'GET',
    path: '/api/v1/doctor',
    access: 'admin',
    summary: 'Find what is wrong with the server, each finding with a remedy',
    answer: json(doctorReportSchema, 'The findings; none on a healthy server'),
    errors: [],
  },
  {
    name: 'getServerLog',
    method: 'GET',
    path: '/{log_name}.log',
    followsLogName: true,
    access: 'user',
    summary: 'Read the server log (/{log_name}.log) or the access log (/{log_name}-access.log)',
    query: {
      ...LOG_QUERY,
      level: parameter(
        'Only lines of this level and of worse ones; of the access log, warn: refused or failed, error: failed',
        z.enum(LOG_LEVELS),
        'warn',
      ),
    },
    answer: text('The log file'),
    errors: ['invalid', 'notFound', 'rangeNotSatisfiable'],
  },
] as const satisfies readonly Route[];
