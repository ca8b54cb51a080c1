/** Routes of the log configuration and of reading node logs. */
import { logChangesSchema, logConfigSchema } from '../../../protocol/config/config-schema.ts';
import { idSchema } from '../../../protocol/id.ts';
import { parameter } from '../../../protocol/lists/parameter.ts';
import type { Route } from '../../http/route.ts';
import { json, jsonBody, LOG_QUERY, text } from './forms.ts';

export const LOGS_ROUTES = [
  {
    name: 'getLogConfig',
    method: 'GET',
    path: '/api/v1/log/config',
    access: 'scoped',
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
    body: jsonBody(logChangesSchema),
    answer: json(logConfigSchema, 'Level, size and backups after the change'),
    errors: ['invalid'],
  },
  {
    name: 'getNodeFile',
    method: 'GET',
    path: '/nodes/{id}/{path...}',
    access: 'scoped',
    summary: 'Read a node log file',
    query: {
      ...LOG_QUERY,
      job: parameter(
        'Stop following when this job ends; defaults to when all jobs that run on the node have ended',
        idSchema,
        'job-1',
      ),
    },
    answer: text('The log file'),
    errors: ['invalid', 'notFound', 'rangeNotSatisfiable'],
  },
] as const satisfies readonly Route[];
