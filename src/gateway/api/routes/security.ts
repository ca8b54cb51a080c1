/** Routes of the identity provider, node tokens and the audit log. */
import { z } from 'zod';
import { configSchema } from '../../../protocol/config/config-schema.ts';
import { idpRequestSchema, idpSettingsSchema } from '../../../protocol/config/idp.ts';
import { nodeKeyRequestSchema, nodeTokenRequestSchema, nodeTokenSchema } from '../../../protocol/identity/identity.ts';
import {
  serviceTokenListSchema,
  serviceTokenMadeSchema,
  serviceTokenRequestSchema,
} from '../../../protocol/identity/service-token.ts';
import { parameter } from '../../../protocol/lists/parameter.ts';
import type { Route } from '../../http/route.ts';
import { idReplySchema, json, jsonBody } from './forms.ts';

const EXAMPLE_RECORD = {
  seq: 1,
  time: '2026-05-04T10:00:00.000Z',
  who: 'ann',
  from: '10.0.0.9',
  action: 'config.changed',
  target: 'node.ttl',
  detail: {},
  prev: '',
  hash: '9f2c',
};

const auditRecordSchema = z
  .object({
    seq: z.number().int(),
    time: z.string(),
    who: z.string(),
    from: z.string(),
    action: z.string(),
    target: z.string(),
    detail: z.record(z.string(), z.unknown()),
    prev: z.string(),
    hash: z.string(),
  })
  .meta({
    id: 'AuditRecord',
    description: 'Who did what, from where; each record carries the hash of the previous one',
    examples: [EXAMPLE_RECORD],
  });

const meSchema = z
  .object({
    name: z.string(),
    roles: z.array(z.string()).describe('viewer, operator or admin, bound to queues as in viewer@a|b; node, or join'),
    queues: z.array(z.string()).nullable().describe('The queues whose jobs the caller sees; null: all'),
    groups: z.array(z.string()).nullable().describe('Groups in the token; null where it carries none'),
    expiresAt: z.string().nullable().describe('When the token ends'),
    identityProvider: z
      .boolean()
      .describe('Whether the identity provider is on; while it is off everybody is an administrator'),
    nodeId: z.string().optional().describe('The node that a node token is for'),
  })
  .meta({
    id: 'Caller',
    description: 'Who the caller is',
    examples: [
      {
        name: 'ann',
        roles: ['admin'],
        queues: null,
        groups: ['admin'],
        expiresAt: '2026-05-04T11:00:00.000Z',
        identityProvider: true,
      },
    ],
  });

const auditListSchema = z
  .array(auditRecordSchema)
  .meta({ id: 'AuditRecordList', description: 'Records, newest first', examples: [[EXAMPLE_RECORD]] });

const revocationSchema = z.object({ nodeId: z.string(), revokedThrough: z.string() }).meta({
  id: 'NodeTokenRevocation',
  description: 'Which tokens are no longer valid',
  examples: [{ nodeId: 'node-1', revokedThrough: '2026-05-04T10:00:00.000Z' }],
});

const joinRevocationSchema = z.object({ revokedThrough: z.string() }).meta({
  id: 'JoinTokenRevocation',
  description: 'Which join tokens are no longer valid',
  examples: [{ revokedThrough: '2026-05-04T10:00:00.000Z' }],
});

const keySchema = z
  .object({ keyId: z.string() })
  .meta({ id: 'NodeTokenKey', description: 'The key that signs node tokens from now on', examples: [{ keyId: 'k2' }] });

export const SECURITY_ROUTES = [
  {
    name: 'getIdp',
    method: 'GET',
    path: '/api/v1/security/idp',
    access: 'anyone',
    summary: 'Read the identity provider settings',
    answer: json(idpSettingsSchema, 'The settings, without credentials'),
    errors: [],
  },
  {
    name: 'enableIdp',
    method: 'PUT',
    path: '/api/v1/security/idp',
    access: 'admin',
    summary: 'Enable the identity provider after checking every setting against it',
    body: jsonBody(idpRequestSchema),
    answer: json(idpRequestSchema, 'The fields of the request'),
    errors: ['invalid'],
  },
  {
    name: 'disableIdp',
    method: 'DELETE',
    path: '/api/v1/security/idp',
    access: 'disable',
    summary: 'Disable the identity provider',
    answer: json(configSchema, 'The whole configuration'),
    errors: ['notPrivilegedToDisable'],
  },
  {
    name: 'makeNodeToken',
    method: 'POST',
    path: '/api/v1/security/nodeToken',
    access: 'operator',
    summary: 'Create a node token, or, without nodeId, a join token that is valid only for registering',
    body: jsonBody(nodeTokenRequestSchema),
    answer: json(nodeTokenSchema, 'The token; it is shown only this once'),
    errors: ['invalid'],
  },
  {
    name: 'revokeNodeToken',
    method: 'DELETE',
    path: '/api/v1/security/nodeToken/{id}',
    access: 'admin',
    summary: 'Revoke every token issued to the node so far',
    answer: json(revocationSchema, 'Tokens issued up to this time are invalid'),
    errors: ['invalid', 'overloaded', 'storageFull'],
  },
  {
    name: 'revokeJoinTokens',
    method: 'DELETE',
    path: '/api/v1/security/nodeToken',
    access: 'admin',
    summary: 'Revoke every join token created so far',
    answer: json(joinRevocationSchema, 'Join tokens created up to this time are invalid'),
    errors: ['overloaded', 'storageFull'],
  },
  {
    name: 'rotateNodeKey',
    method: 'POST',
    path: '/api/v1/security/nodeKey',
    access: 'admin',
    summary: 'Sign node tokens with a new key from now on',
    body: { ...jsonBody(nodeKeyRequestSchema), optional: true },
    answer: json(keySchema, 'The new key'),
    errors: ['invalid', 'storageFull'],
  },
  {
    name: 'makeServiceToken',
    method: 'POST',
    path: '/api/v1/security/serviceToken',
    access: 'admin',
    summary: 'Create a service token: a role for a program, everywhere or for some queues',
    body: jsonBody(serviceTokenRequestSchema),
    answer: json(serviceTokenMadeSchema, 'The token; it is shown only this once'),
    errors: ['invalid', 'storageFull'],
  },
  {
    name: 'listServiceTokens',
    method: 'GET',
    path: '/api/v1/security/serviceToken',
    access: 'admin',
    summary: 'List the service tokens that are valid, without the tokens themselves',
    answer: json(serviceTokenListSchema, 'Service tokens, the oldest first'),
    errors: [],
  },
  {
    name: 'revokeServiceToken',
    method: 'DELETE',
    path: '/api/v1/security/serviceToken/{id}',
    access: 'admin',
    summary: 'Revoke a service token; it is invalid when the call is answered',
    answer: json(idReplySchema, 'The token is revoked'),
    errors: ['notFound', 'storageFull'],
  },
  {
    name: 'getMe',
    method: 'GET',
    path: '/api/v1/security/me',
    access: 'self',
    summary: 'Read who the caller is and which roles the caller has',
    answer: json(meSchema, 'Name and roles'),
    errors: [],
  },
  {
    name: 'getAudit',
    method: 'GET',
    path: '/api/v1/audit',
    access: 'admin',
    summary: 'Read the audit log: who changed what, and from where; newest first',
    query: {
      limit: parameter('Number of records, 1 to 1000; defaults to 100', z.int().min(1).max(1_000), 100),
      before: parameter('Only records with a smaller number', z.int().min(1), 1_000),
    },
    answer: json(auditListSchema, 'Records, each with the hash of the previous record'),
    errors: ['invalid'],
  },
] as const satisfies readonly Route[];
