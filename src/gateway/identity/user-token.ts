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
  if (target.isAnyProvider) mustBeAccessOfAny(payload, protectedHeader.typ, target);
  else mustBeAccess(payload, protectedHeader.typ, target);
  return {
    name: nameOf(payload, target),
    groups: groupsOf(payload, target),
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

/** What marks the tokens of Keycloak, Entra, Okta and the like (contract section 14). */
function mustBeAccessOfAny(payload: JWTPayload, type: string | undefined, { audience, clientId }: IdpTarget): void {
  if (type !== undefined && !/^jwt$/i.test(type) && !ACCESS_TOKEN_TYPE.test(type))
    throw new CodedError('tokenInvalid', 'its type is not that of an access token');
  if (isIdToken(payload)) throw new CodedError('tokenInvalid', 'it is an ID token: want an access token');
  // Most providers have no such claim; one that has it says what the token is for.
  if (!['access', undefined].includes(payload['token_use'] as string | undefined))
    throw new CodedError('tokenInvalid', 'it is not an access token');
  const audiences = Array.isArray(payload.aud) ? payload.aud : [payload.aud];
  const { azp, client_id: client, cid } = payload;
  const isForUs = audience === '' ? [...audiences, azp, client, cid].includes(clientId) : audiences.includes(audience);
  if (!isForUs)
    throw new CodedError('tokenInvalid', audience === '' ? 'it is for another client' : 'it is for another audience');
}

function isIdToken(payload: JWTPayload): boolean {
  const { typ, token_use: use, at_hash: accessHash, nonce } = payload;
  if (use === 'id' || typ === 'ID') return true;
  if (typ !== 'Bearer' && (accessHash !== undefined || nonce !== undefined)) return true;
  return ['scope', 'scp', 'client_id', 'cid'].every((claim) => payload[claim] === undefined);
}

/** Never quotes the token. */
export function tokenFault(error: unknown): CodedError {
  if (error instanceof CodedError) return error;
  if (error instanceof errors.JWTExpired) return new CodedError('tokenInvalid', 'it has expired');
  if (error instanceof errors.JWTClaimValidationFailed)
    return new CodedError('tokenInvalid', `its ${error.claim} is not accepted`);
  return new CodedError('tokenInvalid', 'it does not verify');
}

function nameOf(payload: JWTPayload, { isAnyProvider }: IdpTarget): string {
  const { username, preferred_username: preferred, upn, email, sub } = payload;
  const names = isAnyProvider ? [preferred, username, upn, email, sub] : [username, payload['cognito:username'], sub];
  const name = names.find((one) => typeof one === 'string' && one !== '') as string | undefined;
  return name?.slice(0, 128) ?? 'unnamed';
}

function groupsOf(payload: JWTPayload, { groupsClaim, isAnyProvider }: IdpTarget): readonly string[] | null {
  if (!isAnyProvider) return isTexts(payload[groupsClaim]) ? payload[groupsClaim] : null;
  const groups = Object.hasOwn(payload, groupsClaim) ? payload[groupsClaim] : valueAt(payload, groupsClaim.split('.'));
  if (typeof groups === 'string') return [groups];
  return isTexts(groups) ? groups : null;
}

function valueAt(value: unknown, path: readonly string[]): unknown {
  let at = value;
  for (const name of path) {
    if (typeof at !== 'object' || at === null || Array.isArray(at) || !Object.hasOwn(at, name)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[name];
  }
  return at;
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}
