/** Routes of what runs under the agent (contract sections 10 and 11): claims, interruptions, drains, and the queues. */
import { z } from 'zod';
import { claimReplySchema, claimSchema } from '../../../protocol/claim.ts';
import { EXAMPLE_TIME } from '../../../protocol/examples/examples.ts';
import { idSchema } from '../../../protocol/id.ts';
import { interruptionSchema } from '../../../protocol/node.ts';
import { queueListSchema } from '../../../protocol/queue.ts';
import type { Route } from '../../http/route.ts';
import { json, jsonBody } from './forms.ts';

const drainReplySchema = z.object({ id: idSchema, drained: z.boolean() }).meta({
  id: 'DrainReply',
  description: 'Whether the node is drained',
  examples: [{ id: 'node-1', drained: true }],
});

const interruptionReplySchema = z.object({ id: idSchema, interruption: interruptionSchema }).meta({
  id: 'InterruptionReply',
  description: 'The stored notice',
  examples: [{ id: 'node-1', interruption: { action: 'terminate', time: EXAMPLE_TIME } }],
});

export const AGENT_ROUTES = [
  {
    name: 'claimJob',
    method: 'PUT',
    path: '/api/v1/job/{id}/claim',
    access: 'worker',
    names: 'claim',
    summary: 'Claim a job for a node before the node runs it',
    body: jsonBody(claimSchema),
    answer: json(claimReplySchema, 'The claim’s epoch, higher than that of every earlier claim'),
    errors: ['invalid', 'notFound', 'jobClaimed', 'storageFull'],
  },
  {
    name: 'interruptNode',
    method: 'POST',
    path: '/api/v1/node/{id}/interruption',
    access: 'worker',
    names: 'path',
    summary: 'Report the cloud’s interruption notice for a node; registering again withdraws it',
    body: jsonBody(interruptionSchema),
    answer: json(interruptionReplySchema, 'The stored notice'),
    errors: ['invalid', 'notFound', 'storageFull'],
  },
  {
    name: 'drainNode',
    method: 'POST',
    path: '/api/v1/node/{id}/drain',
    access: 'operator',
    summary: 'Drain a node: its agent accepts no new jobs; running jobs continue',
    answer: json(drainReplySchema, 'The node is drained'),
    errors: ['notFound', 'storageFull'],
  },
  {
    name: 'undrainNode',
    method: 'DELETE',
    path: '/api/v1/node/{id}/drain',
    access: 'operator',
    summary: 'Undo the drain of a node',
    answer: json(drainReplySchema, 'The node accepts jobs again'),
    errors: ['notFound', 'storageFull'],
  },
  {
    name: 'listQueues',
    method: 'GET',
    path: '/api/v1/queue',
    access: 'scoped',
    summary: 'List queues with their jobs by phase',
    answer: json(queueListSchema, 'Queues by name'),
    errors: [],
  },
] as const satisfies readonly Route[];
