/** Routes of the configuration. */
import {
  ckptChangesSchema,
  configChangesSchema,
  configHistorySchema,
  configSchema,
} from '../../../protocol/config/config-schema.ts';
import type { Route } from '../../http/route.ts';
import { json, jsonBody } from './forms.ts';

export const CONFIG_ROUTES = [
  {
    name: 'getConfig',
    method: 'GET',
    path: '/api/v1/config',
    access: 'scoped-or-worker',
    summary: 'Read the configuration',
    answer: { ...json(configSchema, 'The configuration, with an ETag'), hasEtag: true },
    errors: [],
  },
  {
    name: 'putConfigKv',
    method: 'PUT',
    path: '/api/v1/configKV',
    access: 'admin',
    summary: 'Change configuration values by dotted path; all or nothing',
    body: jsonBody(configChangesSchema),
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
    body: jsonBody(ckptChangesSchema),
    answer: json(configSchema, 'The configuration after the change'),
    errors: ['invalid'],
  },
  {
    name: 'getConfigHistory',
    method: 'GET',
    path: '/api/v1/config/history',
    access: 'admin',
    summary: 'List the last 100 configuration changes, newest first',
    answer: json(configHistorySchema, 'Who changed what, and when'),
    errors: [],
  },
] as const satisfies readonly Route[];
