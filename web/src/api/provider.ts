/** The identity provider as the server tells of it, also to a browser that is not signed in. */
import type { IdpSettings } from '../../../src/protocol/config/idp.ts';
import type { OidcPlace } from './oidc.ts';

export interface Provider extends Omit<IdpSettings, 'groupsClaim'> {
  /** Where Cognito takes name and password; null where the provider is another one. */
  readonly signInEndpoint: string | null;
  /** The claim of a token that holds the groups of its owner. */
  readonly groupsClaim: string;
  /** Null where the provider is a user pool, or does not say where people sign in. */
  readonly oidc: OidcPlace | null;
}

/** Throws where the server gives no answer. */
export async function readProvider(signal?: AbortSignal): Promise<Provider> {
  const response = await fetch('/api/v1/security/idp', signal ? { signal } : {});
  if (!response.ok) throw new Error(`The server answered ${response.status}`);
  const settings = (await response.json()) as IdpSettings;
  const { headers } = response;
  return {
    ...settings,
    signInEndpoint: headers.get('cairn-sign-in-endpoint'),
    groupsClaim: headers.get('cairn-groups-claim') ?? '',
    oidc: oidcPlaceOf(settings, headers),
  };
}

function oidcPlaceOf({ issuer, clientID, audience, scopes }: IdpSettings, headers: Headers): OidcPlace | null {
  const authorizationEndpoint = headers.get('cairn-authorization-endpoint');
  const tokenEndpoint = headers.get('cairn-token-endpoint');
  if (!issuer || authorizationEndpoint === null || tokenEndpoint === null) return null;
  return { issuer, clientID, audience: audience ?? '', scopes: scopes ?? '', authorizationEndpoint, tokenEndpoint };
}
