/** Routes of webhooks. */
import {
  webhookDetailSchema,
  webhookListSchema,
  webhookMadeSchema,
  webhookRequestSchema,
  webhookSchema,
  webhookTestSchema,
} from '../../../protocol/webhook.ts';
import type { Route } from '../../http/route.ts';
import { idReplySchema, json, jsonBody } from './forms.ts';

export const WEBHOOKS_ROUTES = [
  {
    name: 'listWebhooks',
    method: 'GET',
    path: '/api/v1/webhook',
    access: 'operator',
    summary: 'List the webhooks that the caller manages',
    answer: json(webhookListSchema, 'Webhooks by id'),
    errors: [],
  },
  {
    name: 'getWebhook',
    method: 'GET',
    path: '/api/v1/webhook/{id}',
    access: 'operator',
    summary: 'Read one webhook with its last 100 deliveries since the server’s start, newest first',
    answer: json(webhookDetailSchema, 'The webhook'),
    errors: ['notFound'],
  },
  {
    name: 'putWebhook',
    method: 'PUT',
    path: '/api/v1/webhook/{id}',
    access: 'operator',
    summary: 'Add or change a webhook: events of these types are sent to its URL from now on',
    body: jsonBody(webhookRequestSchema),
    answer: json(webhookMadeSchema, 'The webhook; with its secret if the server created one'),
    errors: ['invalid', 'notPrivileged', 'storageFull'],
  },
  {
    name: 'removeWebhook',
    method: 'DELETE',
    path: '/api/v1/webhook/{id}',
    access: 'operator',
    summary: 'Remove a webhook with everything that waits for it',
    answer: json(idReplySchema, 'Done'),
    errors: ['notFound', 'storageFull'],
  },
  {
    name: 'testWebhook',
    method: 'POST',
    path: '/api/v1/webhook/{id}/test',
    access: 'operator',
    summary: 'Send one event of the type webhook.test at once',
    answer: json(webhookTestSchema, 'How the delivery went'),
    errors: ['notFound'],
  },
  {
    name: 'replayWebhook',
    method: 'POST',
    path: '/api/v1/webhook/{id}/replay',
    access: 'operator',
    summary: 'Deliver at once what was set aside and what is waiting',
    answer: json(webhookSchema, 'The webhook'),
    errors: ['notFound', 'storageFull'],
  },
] as const satisfies readonly Route[];
