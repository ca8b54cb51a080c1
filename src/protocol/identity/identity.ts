/** What every shard must know to check tokens: public keys and revocations. One secret is in here. Node token bodies. */
import { z } from 'zod';
import { idSchema } from '../id.ts';
import type { StoredServiceToken } from './service-token.ts';
import { ttlSchema } from './token-ttl.ts';

/** A public key as a JSON Web Key. */
export type PublicJwk = Readonly<Record<string, unknown>>;

export interface IdpKeySet {
  readonly jwksUri: string;
  readonly keys: readonly PublicJwk[];
  /** Of a provider that was named by its issuer. */
  readonly endpoints?: ProviderEndpoints;
}

/** From a provider's discovery document; empty where it names none that we would go to. */
export interface ProviderEndpoints {
  /** As the document writes it, which is how tokens write it. */
  readonly issuer: string;
  readonly authorization: string;
  readonly token: string;
  readonly endSession: string;
}

export interface IdentityState {
  /** The provider's key set, and the address that it came from; null until it was fetched. */
  readonly idpKeys: IdpKeySet | null;
  /** Keys whose node tokens are accepted, the newest first. */
  readonly nodeKeys: readonly PublicJwk[];
  /** Node id (empty: join tokens) → tokens issued up to this time (wall clock, ms) are no longer valid. */
  readonly revoked: readonly (readonly [nodeId: string, throughMs: number])[];
  readonly serviceTokens: readonly StoredServiceToken[];
  /** Seals the positions of events for readers who are bound to queues; the one secret in here. */
  readonly positionKey: string;
}

export const NO_IDENTITY: IdentityState = {
  idpKeys: null,
  nodeKeys: [],
  revoked: [],
  serviceTokens: [],
  positionKey: '',
};

export const nodeTokenRequestSchema = z
  .object({
    nodeId: idSchema.nullish().describe('The node that the token is for; absent for a join token'),
    ttl: ttlSchema,
  })
  .meta({
    id: 'NodeTokenRequest',
    description: 'A token for a node, or, without nodeId, a join token',
    examples: [{ nodeId: 'node-1', ttl: '720h' }],
  });
export type NodeTokenRequest = z.infer<typeof nodeTokenRequestSchema>;

export const nodeTokenSchema = z.object({ token: z.string(), expiresAt: z.string() }).meta({
  id: 'NodeToken',
  description: 'A token of a node, or a join token; it is shown only this once',
  examples: [{ token: 'eyJhbGciOiJFUzI1NiJ9.e30.c2lnbmF0dXJl', expiresAt: '2026-06-03T10:00:00.000Z' }],
});
export type NodeToken = z.infer<typeof nodeTokenSchema>;

export const nodeKeyRequestSchema = z
  .object({
    revokeOld: z
      .boolean()
      .nullish()
      .describe(
        'Whether tokens signed with earlier keys become invalid now; otherwise they stay valid until they expire',
      ),
  })
  .meta({
    id: 'NodeKeyRequest',
    description: 'What happens to tokens signed with earlier keys',
    examples: [{ revokeOld: false }],
  });
