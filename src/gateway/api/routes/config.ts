/** Routes of the configuration. */
import { z } from 'zod';
import type { Route } from '../../http/route.ts';
import { configSchema, json, jsonBody } from './forms.ts';

const kvSchema = z.object({ kvMap: z.record(z.string(), z.unknown()) });

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

export const CONFIG_ROUTES = [
  {
    name: 'getConfig',
    method: 'GET',
    path: '/api/v1/config',
    access: 'scoped-or-worker',
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
    summary: 'List the last 100 configuration changes, newest first',
    answer: json(historySchema, 'Who changed what, and when'),
    errors: [],
  },
] as const satisfies readonly Route[];
