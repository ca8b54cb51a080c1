/** Fetches a key set over HTTP. The only place that talks to the provider for keys. */
import type { webcrypto } from 'node:crypto';
import { importJWK } from 'jose';
import { faultOfDelivery } from '../../control/webhooks/delivery-fault.ts';
import { placeFault } from '../../protocol/config/idp.ts';
import type { ProviderEndpoints, PublicJwk } from '../../protocol/identity/identity.ts';
import { DESCRIPTION } from './provider.ts';

export type FetchKeys = (jwksUri: string) => Promise<FetchedKeys>;

export interface FetchedKeys {
  readonly keys: readonly PublicJwk[];
  /** Where people sign in, of a provider that was asked for its description. */
  readonly endpoints?: ProviderEndpoints;
}

const FETCH_TIMEOUT_MS = 5_000;
/** Key sets have two to ten keys of half a kilobyte each. */
const ANSWER_SIZE_MAX = 262_144;
const KEYS_MAX = 64;
/** The JWT library checks no signature of a shorter key. */
const RSA_BITS_MIN = 2_048;
/** What a signature check needs; anything else a provider adds is not carried around. */
const KEY_FIELDS = ['kty', 'kid', 'alg', 'use', 'key_ops', 'n', 'e', 'crv', 'x', 'y'] as const;

/** Where Cognito serves its keys, below the issuer; other providers say in their description where theirs are. */
const USUAL_PLACE = '/.well-known/jwks.json';

/**
 * By the address of a key set, or of a provider's description. Throws an error without the content if the key set
 * cannot be fetched or has no key.
 */
export async function fetchKeys(jwksUri: string): Promise<FetchedKeys> {
  if (jwksUri.endsWith(DESCRIPTION)) return fetchDescribed(jwksUri);
  try {
    return { keys: await keysAt(jwksUri) };
  } catch (error) {
    if (!jwksUri.endsWith(USUAL_PLACE)) throw error;
    // Second, not first: an emulator's description may name a port that it does not listen on.
    const described = await placeIn(jwksUri.slice(0, -USUAL_PLACE.length) + DESCRIPTION).catch(() => undefined);
    if (described === undefined) throw error;
    return { keys: await keysAt(described) };
  }
}

/** OpenID Connect Discovery: the issuer's description names its key set. */
async function placeIn(description: string): Promise<string | undefined> {
  const { jwks_uri: place } = (await jsonAt(description)) as { readonly jwks_uri?: unknown };
  return typeof place === 'string' && URL.canParse(place) && /^https?:/.test(place) ? place : undefined;
}

/** A description that is another issuer's, or that sends us to a place where we would not go, is not used. */
async function fetchDescribed(description: string): Promise<FetchedKeys> {
  const document = await jsonAt(description);
  if (typeof document !== 'object' || document === null) throw new Error('its discovery document is not an object');
  const { issuer, jwks_uri: place } = document as Readonly<Record<string, unknown>>;
  const asked = description.slice(0, -DESCRIPTION.length);
  if (typeof issuer !== 'string' || issuer.replace(/\/$/, '') !== asked)
    throw new Error(`its discovery document is for another issuer${shown(issuer)}`);
  if (typeof place !== 'string') throw new Error('its discovery document names no jwks_uri');
  const fault = placeFault(place);
  if (fault !== undefined) throw new Error(`its jwks_uri ${fault}`);
  return { keys: await keysAt(place), endpoints: endpointsIn(issuer, document as Readonly<Record<string, unknown>>) };
}

/** So that an operator can copy it, where it is no more than an address. */
function shown(issuer: unknown): string {
  return typeof issuer === 'string' && placeFault(issuer) === undefined ? `: ${issuer}` : '';
}

function endpointsIn(issuer: string, document: Readonly<Record<string, unknown>>): ProviderEndpoints {
  const placeOf = (name: string): string => {
    const value = document[name];
    return typeof value === 'string' && placeFault(value) === undefined ? value : '';
  };
  return {
    issuer,
    authorization: placeOf('authorization_endpoint'),
    token: placeOf('token_endpoint'),
    endSession: placeOf('end_session_endpoint'),
  };
}

async function keysAt(jwksUri: string): Promise<readonly PublicJwk[]> {
  const named = publicKeysOf(await jsonAt(jwksUri));
  const usable = await Promise.all(named.map(isUsable));
  const keys = named.filter((_, i) => usable[i]);
  if (keys.length === 0) throw new Error('the key set holds no key that can check a token');
  return keys;
}

async function jsonAt(address: string): Promise<unknown> {
  try {
    return JSON.parse(await textAt(address));
  } catch (error) {
    // What `fetch` hides behind "fetch failed", of the address that was asked: a description may lead to another one.
    const { cause } = error as Error;
    throw cause instanceof Error ? new Error(faultOfDelivery(cause, address)) : error;
  }
}

async function textAt(address: string): Promise<string> {
  const response = await fetch(address, {
    headers: { accept: 'application/json, application/jwk-set+json' },
    // Not followed: a redirect could lead a request of ours to a place of a stranger's choosing.
    redirect: 'manual',
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    const why = response.status >= 300 && response.status < 400 ? ', and redirects are not followed' : '';
    throw new Error(`${address} answered ${response.status}${why}`);
  }
  return readAtMost(response, ANSWER_SIZE_MAX);
}

async function readAtMost(response: Response, sizeMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).byteLength;
    if (size > sizeMax) throw new Error(`the answer is over ${sizeMax} bytes`);
    chunks.push(chunk as Uint8Array);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Only public members of asymmetric keys: a set that leaks private ones does not make us keep them. */
export function publicKeysOf(value: unknown): PublicJwk[] {
  const keys = (value as { keys?: unknown } | null)?.keys;
  if (!Array.isArray(keys)) return [];
  return keys
    .filter((key): key is Record<string, unknown> => typeof key === 'object' && key !== null && isAsymmetric(key))
    .slice(0, KEYS_MAX)
    .map((key) => Object.fromEntries(KEY_FIELDS.filter((name) => name in key).map((name) => [name, key[name]])));
}

/** What is written like a key and is none would be found out at the first token, when everybody is locked out already. */
async function isUsable(key: PublicJwk): Promise<boolean> {
  if (key['use'] !== undefined && key['use'] !== 'sig') return false;
  const isRsa = key['kty'] === 'RSA';
  try {
    const { algorithm } = (await importJWK(key, isRsa ? 'RS256' : 'ES256')) as webcrypto.CryptoKey;
    return !isRsa || (algorithm as webcrypto.RsaKeyAlgorithm).modulusLength >= RSA_BITS_MIN;
  } catch {
    return false;
  }
}

function isAsymmetric(key: object): boolean {
  const { kty } = key as { kty?: unknown };
  return kty === 'RSA' || kty === 'EC';
}
