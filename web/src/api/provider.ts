/** The identity provider as the server tells of it, also to a browser that is not signed in. */
import type { IdpSettings } from '../../../src/protocol/config/idp.ts';

export interface Provider extends IdpSettings {
  /** Where Cognito takes name and password; null where the provider is another one. */
  readonly signInEndpoint: string | null;
  /** The claim of a token that holds the groups of its owner. */
  readonly groupsClaim: string;
}

/** Throws where the server gives no answer. */
export async function readProvider(signal?: AbortSignal): Promise<Provider> {
  const response = await fetch('/api/v1/security/idp', signal ? { signal } : {});
  if (!response.ok) throw new Error(`The server answered ${response.status}`);
  return {
    ...((await response.json()) as IdpSettings),
    signInEndpoint: response.headers.get('cairn-sign-in-endpoint'),
    groupsClaim: response.headers.get('cairn-groups-claim') ?? '',
  };
}
