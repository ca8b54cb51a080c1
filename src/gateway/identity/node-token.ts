/**
 * Node tokens and join tokens: JWTs of our own, ES256, with a type of their own in the header, so that no token of the
 * provider can pass for one and none of these for a user's. Signing is for main, checking for every shard.
 */
import { randomUUID } from 'node:crypto';
import { importJWK, type JWTPayload, jwtVerify, SignJWT } from 'jose';
import { CodedError } from '../../base/errors.ts';
import type { PublicJwk } from '../../protocol/identity/identity.ts';
import type { Principal } from '../http/exchange.ts';
import type { CheckedToken } from './token-cache.ts';
import { untilMsOf } from './token-time.ts';
import { type LocalKeys, tokenFault } from './user-token.ts';

export const NODE_TOKEN_TYPE = 'cairn-node+jwt';
const AUDIENCE = 'cairn-node';
const ALGORITHM = 'ES256';

export interface NodeTokenClaims {
  /** Null: a join token. */
  readonly nodeId: string | null;
  /** Whether the node gets a new one when it registers again; so for those that a join brought. */
  readonly isRenewable: boolean;
  /** Wall clock, ms. */
  readonly issuedMs: number;
  readonly untilMs: number;
}

/** Times are JSON numbers with a fraction: a token ends at its millisecond, and a revocation has one, too. */
export async function signNodeToken(
  claims: NodeTokenClaims,
  serverId: string,
  key: PublicJwk & { kid: string },
): Promise<string> {
  const payload = {
    iss: issuerOf(serverId),
    aud: AUDIENCE,
    iat: claims.issuedMs / 1_000,
    exp: claims.untilMs / 1_000,
    jti: randomUUID(),
    ...(claims.nodeId === null ? {} : { sub: claims.nodeId }),
    ...(claims.isRenewable ? { renew: true } : {}),
  };
  return new SignJWT(payload)
    .setProtectedHeader({ alg: ALGORITHM, typ: NODE_TOKEN_TYPE, kid: key.kid })
    .sign(await importJWK(key, ALGORITHM));
}

/** Who the token makes its bearer; throws tokenInvalid. */
export async function checkNodeToken(
  token: string,
  keys: LocalKeys,
  serverId: string,
  revoked: ReadonlyMap<string, number>,
  nowMs: number,
): Promise<CheckedToken> {
  let payload: JWTPayload;
  try {
    ({ payload } = await jwtVerify(token, keys, {
      issuer: issuerOf(serverId),
      audience: AUDIENCE,
      algorithms: [ALGORITHM],
      typ: NODE_TOKEN_TYPE,
      clockTolerance: 0,
      currentDate: new Date(nowMs),
      requiredClaims: ['exp', 'iat'],
    }));
  } catch (error) {
    throw tokenFault(error);
  }
  const untilMs = untilMsOf(payload, 0, nowMs);
  const revokedThroughMs = revoked.get(payload.sub ?? '') ?? Number.NEGATIVE_INFINITY;
  if (Math.round((payload.iat ?? 0) * 1_000) <= revokedThroughMs)
    throw new CodedError('tokenInvalid', 'it was revoked');
  return { caller: callerOf(payload, untilMs), fromMs: 0 };
}

function callerOf({ sub, jti, renew }: JWTPayload, untilMs: number): Principal {
  if (sub === undefined) return { kind: 'join', name: `join token ${String(jti).slice(0, 8)}`, groups: null, untilMs };
  return { kind: 'node', name: `node ${sub}`, groups: null, untilMs, nodeId: sub, isRenewable: renew === true };
}

/** Other servers' tokens have another id in it: two servers that share keys by a copied folder stay apart. */
function issuerOf(serverId: string): string {
  return `cairn:${serverId}`;
}
