/** The identity provider of a server, as its settings name it. */
import type { ApiClient } from '../api/client.ts';
import { Failure } from '../api/failure.ts';

export interface Provider {
  readonly clientID: string;
  readonly issuer: string;
  readonly scopes: readonly string[];
  /** Where a user pool takes user names and passwords; null for any other provider. */
  readonly poolEndpoint: string | null;
}

interface Settings {
  readonly enabled: boolean;
  readonly region: string;
  readonly userPoolID: string;
  readonly clientID: string;
  readonly issuer?: string;
  readonly scopes?: string | readonly string[];
}

/** Throws `Failure` where there is nothing to sign in to. */
export async function providerOf(client: ApiClient): Promise<Provider> {
  const { headers, bytes } = await client.ask('/api/v1/security/idp');
  const chunks: Uint8Array[] = [];
  for await (const chunk of bytes) chunks.push(chunk);
  const settings = JSON.parse(Buffer.concat(chunks).toString('utf8')) as Settings;
  if (!settings.enabled)
    throw new Failure(`${client.server} has no identity provider: it takes every call without signing in`);
  const { region, userPoolID, clientID, scopes = [] } = settings;
  const pool = `https://cognito-idp.${region}.amazonaws.com`;
  const named = headers['cairn-sign-in-endpoint'];
  return {
    clientID,
    issuer: settings.issuer || `${pool}/${userPoolID}`,
    scopes: typeof scopes === 'string' ? scopes.split(/[ ,]+/).filter((scope) => scope !== '') : scopes,
    poolEndpoint: settings.issuer ? null : typeof named === 'string' ? named : pool,
  };
}
