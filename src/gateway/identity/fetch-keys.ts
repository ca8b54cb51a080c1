/** Fetches a key set over HTTP. The only place that talks to the provider for keys. */
import type { PublicJwk } from '../../protocol/identity.ts';
import { localKeysOf } from './user-token.ts';

export type FetchKeys = (jwksUri: string) => Promise<readonly PublicJwk[]>;

const FETCH_TIMEOUT_MS = 5_000;
/** Key sets have two to ten keys of half a kilobyte each. */
const ANSWER_SIZE_MAX = 262_144;
const KEYS_MAX = 64;
/** What a signature check needs; anything else a provider adds is not carried around. */
const KEY_FIELDS = ['kty', 'kid', 'alg', 'use', 'key_ops', 'n', 'e', 'crv', 'x', 'y'] as const;

/** Throws a sentence without the content where the set cannot be had or holds no key. */
export async function fetchKeys(jwksUri: string): Promise<readonly PublicJwk[]> {
  const response = await fetch(jwksUri, {
    headers: { accept: 'application/json, application/jwk-set+json' },
    // A redirect could lead a request of ours to a place of a stranger's choosing.
    redirect: 'error',
    signal: AbortSignal.timeout(FETCH_TIMEOUT_MS),
  });
  if (response.status !== 200) {
    await response.body?.cancel();
    throw new Error(`the key set answered ${response.status}`);
  }
  const text = await readAtMost(response, ANSWER_SIZE_MAX);
  const keys = publicKeysOf(JSON.parse(text));
  if (keys.length === 0) throw new Error('the key set holds no key');
  localKeysOf(keys);
  return keys;
}

async function readAtMost(response: Response, sizeMax: number): Promise<string> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body ?? []) {
    size += (chunk as Uint8Array).byteLength;
    if (size > sizeMax) throw new Error(`the key set is over ${sizeMax} bytes`);
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

function isAsymmetric(key: object): boolean {
  const { kty } = key as { kty?: unknown };
  return kty === 'RSA' || kty === 'EC';
}
