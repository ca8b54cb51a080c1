/** Service tokens (contract section 14): for programs that call the API. Bodies, and what every shard knows of a token. */
import { z } from 'zod';
import { queueNameSchema } from '../id.ts';
import { isCleanText } from '../text.ts';
import { ROLES } from './role.ts';
import { ttlSchema } from './token-ttl.ts';

const QUEUES_MAX = 100;
const NAME_LENGTH_MAX = 128;

export const serviceTokenRequestSchema = z
  .object({
    name: z
      .string()
      .min(1, 'is empty')
      .max(NAME_LENGTH_MAX)
      .refine(isCleanText, 'holds a control character')
      .describe('What the token is for; shown in the access log and the audit log'),
    role: z.enum(ROLES).describe('What the bearer may do'),
    queues: z
      .array(queueNameSchema)
      .min(1, 'names no queue: leave it out for all queues')
      .max(QUEUES_MAX)
      .nullish()
      .describe('The queues that a viewer or an operator is bound to; absent for all'),
    ttl: ttlSchema,
  })
  .refine(({ role, queues }) => role !== 'admin' || !queues, {
    path: ['queues'],
    message: 'cannot bind an administrator: leave it out',
  })
  .meta({
    id: 'ServiceTokenRequest',
    description: 'A role for a program, everywhere or for some queues',
    examples: [{ name: 'nightly report', role: 'viewer', queues: ['genomics'], ttl: '720h' }],
  });
export type ServiceTokenRequest = z.infer<typeof serviceTokenRequestSchema>;

export const serviceTokenMadeSchema = z
  .object({
    token: z.string().describe('The token; it is shown only this once'),
    id: z.string(),
    expiresAt: z.string(),
  })
  .meta({
    id: 'CreatedServiceToken',
    description: 'A new service token; it is shown only this once',
    examples: [{ token: 'cairn_st_example', id: 'st-1', expiresAt: '2026-06-03T10:00:00.000Z' }],
  });
export type ServiceTokenMade = z.infer<typeof serviceTokenMadeSchema>;

const EXAMPLE_TOKEN = {
  id: 'st-1',
  name: 'nightly report',
  role: 'viewer',
  queues: ['genomics'],
  createdAt: '2026-05-04T10:00:00.000Z',
  createdBy: 'admin',
  expiresAt: '2026-06-03T10:00:00.000Z',
} as const;

export const serviceTokenSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    role: z.enum(ROLES),
    queues: z.array(z.string()).nullable(),
    createdAt: z.string(),
    createdBy: z.string(),
    expiresAt: z.string(),
  })
  .meta({
    id: 'ServiceToken',
    description: 'A service token, without the token itself',
    examples: [{ ...EXAMPLE_TOKEN, queues: [...EXAMPLE_TOKEN.queues] }],
  });
export const serviceTokenListSchema = z.array(serviceTokenSchema).meta({
  id: 'ServiceTokenList',
  description: 'Service tokens, the oldest first',
  examples: [[{ ...EXAMPLE_TOKEN, queues: [...EXAMPLE_TOKEN.queues] }]],
});
export type ServiceToken = z.infer<typeof serviceTokenSchema>;

/** As it is stored, and as every shard knows it: the token itself is nowhere. */
export interface StoredServiceToken extends ServiceToken {
  /** SHA-256 of the whole token, base64url. */
  readonly hash: string;
  /** Wall clock, ms. */
  readonly untilMs: number;
}

/** The public part, in this order. */
export function serviceTokenOf(stored: StoredServiceToken): ServiceToken {
  const { id, name, role, queues, createdAt, createdBy, expiresAt } = stored;
  return { id, name, role, queues, createdAt, createdBy, expiresAt };
}
