/** What every shard must know to check tokens: public keys and revocations. No secret is in here. Node token bodies. */
import { z } from 'zod';
import { tryParseDuration } from './duration.ts';
import { idSchema } from './id.ts';

/** A public key as a JSON Web Key. */
export type PublicJwk = Readonly<Record<string, unknown>>;

export interface IdentityState {
  /** The provider's key set, and the address that it came from; null until it was fetched. */
  readonly idpKeys: { readonly jwksUri: string; readonly keys: readonly PublicJwk[] } | null;
  /** Keys whose node tokens are accepted, the newest first. */
  readonly nodeKeys: readonly PublicJwk[];
  /** Node id (empty: join tokens) → tokens issued up to this time (wall clock, ms) are no longer valid. */
  readonly revoked: readonly (readonly [nodeId: string, throughMs: number])[];
}

export const NO_IDENTITY: IdentityState = { idpKeys: null, nodeKeys: [], revoked: [] };

/** Ten years: longer than any machine that holds a token. */
export const NODE_TOKEN_TTL_MS_MAX = 87_600 * 3_600_000;

const ttlSchema = z
  .union([z.string(), z.number().int()])
  .refine((ttl) => ttlMsOf(ttl) !== undefined, 'is not a duration above 0 and up to 87600h, such as 720h')
  .describe('How long the token is valid: a duration, or integer nanoseconds');

export const nodeTokenRequestSchema = z.object({
  nodeId: idSchema.nullish().describe('The node that the token is for; absent for a join token'),
  ttl: ttlSchema,
});
export type NodeTokenRequest = z.infer<typeof nodeTokenRequestSchema>;

export const nodeTokenSchema = z.object({ token: z.string(), expiresAt: z.string() });
export type NodeToken = z.infer<typeof nodeTokenSchema>;

export const nodeKeyRequestSchema = z.object({
  revokeOld: z
    .boolean()
    .nullish()
    .describe(
      'Whether tokens signed with earlier keys become invalid now; otherwise they stay valid until they expire',
    ),
});

/** Milliseconds, at least 1; undefined where it is no duration, or out of bounds. */
export function ttlMsOf(ttl: string | number): number | undefined {
  const ns = typeof ttl === 'string' ? tryParseDuration(ttl) : BigInt(Number.isSafeInteger(ttl) ? ttl : 0);
  if (ns === undefined) return undefined;
  const ms = Number(ns / 1_000_000n);
  return ms >= 1 && ms <= NODE_TOKEN_TTL_MS_MAX ? ms : undefined;
}
