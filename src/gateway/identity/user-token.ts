/**
 * Checks an access token of the identity provider against its key set, exactly as contract section 9 has it. Pure but for
 * the signature's arithmetic: keys and time are given, nothing is fetched.
 */
import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTPayload, type JWTVerifyResult, jwtVerify } from 'jose';
import { CodedError } from '../../base/errors.ts';
import type { PublicJwk } from '../../protocol/identity/identity.ts';
import type { IdpTarget } from './provider.ts';
import { untilMsOf } from './token-time.ts';

export interface TokenUser {
  readonly name: string;
  /** Groups in the token; null where it carries none. */
  readonly groups: readonly string[] | null;
  /** Wall clock. */
  readonly fromMs: number;
  readonly untilMs: number;
}

export type LocalKeys = ReturnType<typeof createLocalJWKSet>;

const ALGORITHMS = ['RS256', 'ES256'];
/** The media type of RFC 9068: what marks an access token of providers other than Cognito. */
const ACCESS_TOKEN_TYPE = /^(application\/)?at\+jwt$/i;

/** Throws where the keys are not a key set. */
export function localKeysOf(keys: readonly PublicJwk[]): LocalKeys {
  return createLocalJWKSet({ keys: [...keys] } as unknown as JSONWebKeySet);
}

/** The user; undefined where the token names a key that the set does not have; throws tokenInvalid. */
export async function checkUserToken(
  token: string,
  keys: LocalKeys,
  target: IdpTarget,
  nowMs: number,
): Promise<TokenUser | undefined> {
  let result: JWTVerifyResult;
  try {
    result = await jwtVerify(token, keys, {
      issuer: target.issuer,
      algorithms: ALGORITHMS,
      clockTolerance: target.leewayMs / 1_000,
      currentDate: new Date(nowMs),
      requiredClaims: ['exp', 'iss'],
    });
  } catch (error) {
    if (error instanceof errors.JWKSNoMatchingKey) return undefined;
    throw tokenFault(error);
  }
  const { payload, protectedHeader } = result;
  mustBeAccess(payload, protectedHeader.typ, target);
  const groups = payload[target.groupsClaim];
  return {
    name: nameOf(payload),
    groups: isTexts(groups) ? groups : null,
    fromMs: (payload.nbf ?? 0) * 1_000 - target.leewayMs,
    untilMs: untilMsOf(payload, target.leewayMs, nowMs),
  };
}

function mustBeAccess(payload: JWTPayload, type: string | undefined, target: IdpTarget): void {
  const use = payload['token_use'];
  const isMarked = use === 'access' || (use === undefined && target.isOverridden && ACCESS_TOKEN_TYPE.test(type ?? ''));
  if (!isMarked) throw new CodedError('tokenInvalid', 'it is not an access token');
  const client = payload['client_id'];
  const audience = Array.isArray(payload.aud) ? payload.aud : [payload.aud];
  const isForUs = client === undefined ? audience.includes(target.clientId) : client === target.clientId;
  if (!isForUs) throw new CodedError('tokenInvalid', 'it is for another client');
}

/** Never quotes the token. */
export function tokenFault(error: unknown): CodedError {
  if (error instanceof CodedError) return error;
  if (error instanceof errors.JWTExpired) return new CodedError('tokenInvalid', 'it has expired');
  if (error instanceof errors.JWTClaimValidationFailed)
    return new CodedError('tokenInvalid', `its ${error.claim} is not accepted`);
  return new CodedError('tokenInvalid', 'it does not verify');
}

function nameOf(payload: JWTPayload): string {
  const name = payload['username'] ?? payload['cognito:username'] ?? payload.sub;
  return typeof name === 'string' ? name.slice(0, 128) : 'unnamed';
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}
