/** Routes of worker nodes: registration, heartbeats, and what they upload. */
import { z } from 'zod';
import { nodeExplanationSchema } from '../../../protocol/explain/finding.ts';
import {
  heartbeatBatchReplySchema,
  heartbeatBatchSchema,
  heartbeatReplySchema,
  heartbeatSchema,
  registrationReplySchema,
} from '../../../protocol/heartbeat.ts';
import { flagParameter, parameter } from '../../../protocol/lists/parameter.ts';
import { reclaimListSchema } from '../../../protocol/lists/reclaim.ts';
import { nodeListSchema, nodeRegistrationSchema, workerNodeSchema } from '../../../protocol/node.ts';
import type { Route } from '../../http/route.ts';
import { NODE_PARAMETERS } from '../../lists/node-parameters.ts';
import { RECLAIM_PARAMETERS } from '../../lists/reclaim-parameters.ts';
import { bytesSchema, idReplySchema, json, jsonBody, LIST_FORMS, MIB } from './forms.ts';

const pathListSchema = z
  .array(z.string())
  .meta({ id: 'LogPathList', description: 'Paths of log files', examples: [['nodes/node-1/var/log/messages']] });

const sizeSchema = z
  .object({ size: z.number().int() })
  .meta({ id: 'StoredSize', description: 'Bytes of the log that are stored', examples: [{ size: 11 }] });

export const NODES_ROUTES = [
  {
    name: 'listNodes',
    method: 'GET',
    path: '/api/v1/node',
    access: 'scoped',
    summary: 'List worker nodes',
    query: NODE_PARAMETERS,
    answer: { ...json(nodeListSchema, 'Running nodes by id; Link names the next page'), ...LIST_FORMS },
    errors: ['invalid'],
  },
  {
    name: 'getNode',
    method: 'GET',
    path: '/api/v1/node/{id}',
    access: 'scoped-or-own-worker',
    names: 'path',
    summary: 'Read one node, including a lost or deregistered one',
    answer: json(workerNodeSchema, 'The node'),
    errors: ['notFound'],
  },
  {
    name: 'explainNode',
    method: 'GET',
    path: '/api/v1/node/{id}/explain',
    access: 'scoped',
    summary: 'Explain how a node is, and what keeps it from doing its work',
    answer: json(nodeExplanationSchema, 'A summary, and findings from the worst to the mildest'),
    errors: ['notFound'],
  },
  {
    name: 'listReclaims',
    method: 'GET',
    path: '/api/v1/reclaim',
    access: 'scoped',
    summary: 'List reclaims of spot nodes with the jobs that they interrupted, the work that is repeated and its cost',
    query: RECLAIM_PARAMETERS,
    answer: json(reclaimListSchema, 'Reclaims in the range, newest first, and the totals of all'),
    errors: ['invalid'],
  },
  {
    name: 'registerNode',
    method: 'PUT',
    path: '/api/v1/node/{id}',
    access: 'register',
    names: 'path',
    summary: 'Register or update a worker node; counts as a heartbeat',
    body: jsonBody(nodeRegistrationSchema),
    answer: json(registrationReplySchema, 'When to send the next heartbeat'),
    errors: ['invalid', 'instanceTaken', 'storageFull'],
  },
  {
    name: 'deregisterNode',
    method: 'DELETE',
    path: '/api/v1/node/{id}',
    access: 'worker',
    names: 'path',
    summary: 'Deregister a node: remove it from the list of running nodes',
    answer: json(idReplySchema, 'Done'),
    errors: ['notFound'],
  },
  {
    name: 'postHeartbeat',
    method: 'POST',
    path: '/api/v1/node/{id}/heartbeat',
    access: 'worker',
    names: 'path',
    summary: 'Send one heartbeat',
    body: { ...jsonBody(heartbeatSchema, 8 * MIB), optional: true },
    answer: json(heartbeatReplySchema, 'When to send the next heartbeat'),
    errors: ['invalid', 'notFound', 'instanceTaken'],
  },
  {
    name: 'postHeartbeats',
    method: 'POST',
    path: '/api/v1/heartbeat',
    access: 'worker',
    names: 'beats',
    summary: 'Send heartbeats of many nodes, at most 10,000',
    body: { schema: heartbeatBatchSchema, kinds: ['json', 'msgpack', 'ndjson'], sizeMax: 8 * MIB },
    answer: json(heartbeatBatchReplySchema, 'What was accepted'),
    errors: ['invalid'],
  },
  {
    name: 'listNodeFiles',
    method: 'GET',
    path: '/api/v1/nodes/{id}/files',
    access: 'scoped',
    summary: 'List a node’s log files',
    answer: json(pathListSchema, 'Paths for GET /nodes/{id}/{path}'),
    errors: ['notFound'],
  },
  {
    name: 'appendNodeFile',
    method: 'POST',
    path: '/api/v1/nodes/{id}/files/{path...}',
    access: 'worker',
    names: 'path',
    summary: 'Append to a node’s log file',
    query: {
      offset: {
        ...parameter('Number of bytes of the log sent so far; must equal the stored size', z.int().min(0), 0),
        isRequired: true,
      },
      cut: flagParameter(
        'true: truncate the stored log to the offset first; only for a job’s output, /…/jobs/{job id}/stdout.log or stderr.log',
      ),
    },
    body: { schema: bytesSchema, kinds: ['bytes'], sizeMax: 16 * MIB, optional: true },
    answer: json(sizeSchema, 'The stored size'),
    errors: ['invalid', 'notFound', 'offsetConflict', 'storageFull'],
  },
] as const satisfies readonly Route[];
