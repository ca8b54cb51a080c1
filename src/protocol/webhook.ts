/** Webhooks: who is told of which events, and how the deliveries went (contract section 14). */
import { z } from 'zod';
import { EVENT_TYPES } from './event.ts';
import { idSchema, queueNameSchema } from './id.ts';
import { timestampSchema } from './node.ts';
import { textSchema } from './text.ts';

/** Each has a queue of its own in memory and on disk. Overflow policy: refuse. */
export const WEBHOOKS_MAX = 50;
/** Events that wait for one webhook. Overflow policy: the oldest are set aside and counted. */
export const WAITING_MAX = 100_000;
/** Events that are set aside for one webhook. Overflow policy: the oldest are removed and counted. */
export const SET_ASIDE_MAX = 100_000;
/** Deliveries that GET shows. Overflow policy: the oldest go. */
export const DELIVERIES_SHOWN = 100;

export const WEBHOOK_FORMATS = ['cairn', 'slack'] as const;
const URL_LENGTH_MAX = 1_024;
/** Kinds of job events in one filter. */
const EVENT_TYPES_MAX = 32;
const EVENT_TYPE_LENGTH_MAX = 128;
/** As standardwebhooks.com asks for. */
const SECRET_BYTES_MIN = 24;
const SECRET_BYTES_MAX = 64;
/** Of a secret that the server makes, or the form of the dashboard. */
export const SECRET_BYTES = 32;

const targets = {
  url: z
    .string()
    .max(URL_LENGTH_MAX)
    .refine((url) => isTarget(url), 'is not an http or https address without user name and password'),
  types: z
    .array(z.enum(EVENT_TYPES))
    .min(1)
    .max(EVENT_TYPES.length)
    .refine((types) => new Set(types).size === types.length, 'names a type twice'),
  queue: queueNameSchema.nullish().describe('Only events of this queue'),
  job: idSchema.nullish().describe('Only events of this job'),
  node: idSchema.nullish().describe('Only events of this node'),
  eventTypes: z
    .array(textSchema.min(1).max(EVENT_TYPE_LENGTH_MAX))
    .min(1)
    .max(EVENT_TYPES_MAX)
    .nullish()
    .describe('Of job events only these, such as Job-Failed; all of them without it'),
  format: z.enum(WEBHOOK_FORMATS).describe('slack sends {"text": …} instead of the event'),
};

const EXAMPLE_TARGETS = {
  url: 'https://hooks.example.com/cairn',
  types: ['job.event', 'node.lost'] as ('job.event' | 'node.lost')[],
  queue: 'genomics',
  eventTypes: ['Job-Failed'],
  format: 'cairn' as const,
};
const EXAMPLE_DELIVERY = {
  id: '7',
  type: 'node.lost',
  time: '2026-05-04T10:00:00.000Z',
  job: null,
  node: 'worker-17',
  eventType: null,
  attempt: 1,
  status: 200,
  ms: 35,
  error: null,
};
const EXAMPLE_WEBHOOK = {
  id: 'on-call',
  ...EXAMPLE_TARGETS,
  paused: false,
  state: 'ok' as const,
  waiting: 0,
  setAside: 0,
  lost: 0,
  nextAttempt: null,
  lastDelivery: EXAMPLE_DELIVERY,
};
const EXAMPLE_SECRET = 'whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz';

/** Body of PUT /api/v1/webhook/{id}. */
export const webhookRequestSchema = z
  .object({
    ...targets,
    secret: z
      .string()
      .refine(isSecret, `is not whsec_ and the base64 of ${SECRET_BYTES_MIN} to ${SECRET_BYTES_MAX} bytes`)
      .nullish()
      .describe('Signs the deliveries; without it the server creates one, or keeps the one that it has'),
    paused: z
      .boolean()
      .nullish()
      .describe('true: events wait and nothing is delivered; false: deliveries go on; without it, what is set stays'),
  })
  .meta({
    id: 'WebhookRequest',
    description: 'Where events are sent, which ones, and in which form',
    examples: [{ ...EXAMPLE_TARGETS, secret: EXAMPLE_SECRET }],
  });
export type WebhookRequest = z.infer<typeof webhookRequestSchema>;

const deliverySchema = z
  .object({
    id: z.string().describe('The event’s id, as the receiver sees it in webhook-id'),
    type: z.string(),
    time: timestampSchema.describe('When the attempt began'),
    job: z.string().nullable().describe('Id of the job that the event tells of; null for other events'),
    node: z.string().nullable().describe('Node that the event tells of, as the event names it; null for other events'),
    eventType: z.string().nullable().describe('What happened to the job, such as Job-Failed; null for other events'),
    attempt: z.number().int(),
    status: z.number().int().nullable().describe('HTTP status; null if there was no answer'),
    ms: z.number().int(),
    error: z.string().nullable().describe('Why it failed; null if it was delivered'),
  })
  .meta({ id: 'WebhookDelivery', description: 'One attempt to deliver an event', examples: [EXAMPLE_DELIVERY] });
export type Delivery = z.infer<typeof deliverySchema>;

export const webhookSchema = z
  .object({
    id: idSchema,
    url: z.string(),
    types: z.array(z.string()),
    queue: queueNameSchema.optional(),
    job: idSchema.optional(),
    node: idSchema.optional(),
    eventTypes: z.array(z.string()).optional(),
    format: z.enum(WEBHOOK_FORMATS),
    paused: z.boolean().describe('Nothing is delivered until somebody resumes it'),
    state: z.enum(['ok', 'failing', 'paused']).describe('failing: the latest attempt failed, tests included'),
    waiting: z.number().int().describe('Events that are not delivered yet'),
    setAside: z.number().int().describe('Events that were given up; POST …/replay delivers them'),
    lost: z
      .number()
      .int()
      .describe('Events that can no longer be delivered: they were removed before they could be sent'),
    nextAttempt: timestampSchema.nullable().describe('When a failed delivery is attempted again'),
    lastDelivery: deliverySchema
      .nullable()
      .describe('The latest attempt at this URL, tests included; null before the first since the server’s start'),
  })
  .meta({ id: 'Webhook', description: 'A webhook and how its deliveries go', examples: [EXAMPLE_WEBHOOK] });
export type Webhook = z.infer<typeof webhookSchema>;

export const webhookListSchema = z
  .array(webhookSchema)
  .meta({ id: 'WebhookList', description: 'Webhooks by id', examples: [[EXAMPLE_WEBHOOK]] });

export const webhookDetailSchema = webhookSchema.extend({ deliveries: z.array(deliverySchema) }).meta({
  id: 'WebhookDetail',
  description: 'A webhook with its last deliveries, newest first',
  examples: [{ ...EXAMPLE_WEBHOOK, deliveries: [EXAMPLE_DELIVERY] }],
});
export type WebhookDetail = z.infer<typeof webhookDetailSchema>;

export const webhookMadeSchema = webhookSchema
  .extend({
    secret: z.string().optional().describe('The secret that the server created; it is shown only this once'),
  })
  .meta({
    id: 'StoredWebhook',
    description: 'The webhook as it is stored; with its secret if the server created one',
    examples: [{ ...EXAMPLE_WEBHOOK, secret: EXAMPLE_SECRET }],
  });
export type WebhookMade = z.infer<typeof webhookMadeSchema>;

export const webhookTestSchema = z
  .object({
    delivered: z.boolean(),
    status: z.number().int().nullable(),
    ms: z.number().int(),
    error: z.string().nullable(),
  })
  .meta({
    id: 'WebhookTest',
    description: 'How a test delivery went',
    examples: [{ delivered: true, status: 200, ms: 35, error: null }],
  });
export type WebhookTest = z.infer<typeof webhookTestSchema>;

/** The body of a PUT that leaves the webhook as it is: for those who change one field of it. */
export function requestOf({ url, types, queue, job, node, eventTypes, format, paused }: Webhook): WebhookRequest {
  return { url, types: types as WebhookRequest['types'], queue, job, node, eventTypes, format, paused };
}

function isTarget(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, username, password } = new URL(text);
  return (protocol === 'http:' || protocol === 'https:') && username === '' && password === '';
}

function isSecret(secret: string): boolean {
  const bytes = secretBytes(secret);
  return bytes !== null && bytes.byteLength >= SECRET_BYTES_MIN && bytes.byteLength <= SECRET_BYTES_MAX;
}

/** The bytes of a secret of the form `whsec_<base64>`; null where it has another form. */
export function secretBytes(secret: string): Uint8Array | null {
  const [, text] = /^whsec_([A-Za-z0-9+/]+={0,2})$/.exec(secret) ?? [];
  if (text === undefined || text.length % 4 !== 0) return null;
  return Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
}
