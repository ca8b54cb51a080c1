/** Webhooks (contract section 14). Operators who are bound to queues manage only those of their queues' jobs. */
import { CodedError } from '../../base/errors.ts';
import { type Webhook, type WebhookRequest, webhookRequestSchema } from '../../protocol/webhook.ts';
import { validate } from '../body/parse-body.ts';
import type { Principal } from '../http/exchange.ts';
import { authorOf, type Handler } from './handler.ts';
import { mustBeId } from './nodes.ts';

export const listWebhooks: Handler = async ({ exchange }, { main }) => {
  const all = await main.webhooks();
  exchange.json(
    200,
    all.filter((webhook) => manages(exchange.principal, webhook)),
  );
};

export const getWebhook: Handler = async ({ exchange, params }, { main }) => {
  const webhook = await main.webhook(params['id'] as string);
  // One that the caller may not manage is not there.
  if (!manages(exchange.principal, webhook)) throw new CodedError('notFound');
  exchange.json(200, webhook);
};

export const putWebhook: Handler = async ({ exchange, params, body }, { main }) => {
  const id = mustBeId(params['id'] as string);
  const request = validate(webhookRequestSchema, body);
  const all = await main.webhooks();
  const known = all.find((webhook) => webhook.id === id);
  const mayManage = manages(exchange.principal, request) && (!known || manages(exchange.principal, known));
  if (!mayManage)
    throw new CodedError('notPrivileged', 'you manage only webhooks of one of your queues, with types of job.* alone');
  exchange.json(200, await main.putWebhook(id, request, authorOf(exchange)));
};

export const removeWebhook: Handler = async ({ exchange, params }, { main }) => {
  const id = params['id'] as string;
  await mustManage(exchange.principal, id, main);
  await main.removeWebhook(id, authorOf(exchange));
  exchange.json(200, { id });
};

export const testWebhook: Handler = async ({ exchange, params }, { main }) => {
  const id = params['id'] as string;
  await mustManage(exchange.principal, id, main);
  exchange.json(200, await main.testWebhook(id));
};

export const replayWebhook: Handler = async ({ exchange, params }, { main }) => {
  const id = params['id'] as string;
  await mustManage(exchange.principal, id, main);
  exchange.json(200, await main.replayWebhook(id, authorOf(exchange)));
};

async function mustManage(
  caller: Principal,
  id: string,
  main: { readonly webhook: (id: string) => Promise<Webhook> },
): Promise<void> {
  if (!manages(caller, await main.webhook(id))) throw new CodedError('notFound');
}

/** A caller who operates everywhere manages all of them. */
function manages({ scope }: Principal, { queue, types }: Pick<Webhook | WebhookRequest, 'queue' | 'types'>): boolean {
  const queues = scope?.operates ?? null;
  if (queues === null) return true;
  return typeof queue === 'string' && queues.includes(queue) && types.every((type) => type.startsWith('job.'));
}
