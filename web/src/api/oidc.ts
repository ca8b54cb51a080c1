/**
 * The door to an OpenID Connect provider: signs a user in by the authorization code flow with PKCE. The user leaves for the
 * provider's page and comes back to `/signed-in`. Where the provider is comes from our server, so nothing is looked up
 * at the provider but tokens. What the flow keeps meanwhile, and what renews the session, is in the tab's session storage.
 */
import * as oauth from 'oauth4webapi';

export interface OidcPlace {
  readonly issuer: string;
  readonly clientID: string;
  readonly audience: string;
  readonly scopes: string;
  readonly authorizationEndpoint: string;
  readonly tokenEndpoint: string;
}

export interface SignedIn {
  readonly accessToken: string;
  readonly isRenewable: boolean;
  /** The page that the user was on. */
  readonly returnTo: string;
}

interface Pending {
  readonly state: string;
  readonly verifier: string;
  readonly returnTo: string;
}

export const SIGNED_IN_PATH = '/signed-in';
const PENDING = 'cairn.oidc.pending';
/** With the prefix that tabs share. */
const REFRESH = 'cairn.oidc.refresh';

/** Leaves the page. */
export async function leaveForProvider(place: OidcPlace, returnTo: string): Promise<void> {
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  sessionStorage.setItem(PENDING, JSON.stringify({ state, verifier, returnTo } satisfies Pending));
  const address = new URL(place.authorizationEndpoint);
  const parameters: Readonly<Record<string, string>> = {
    response_type: 'code',
    client_id: place.clientID,
    redirect_uri: redirectUri(),
    scope: place.scopes,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    // Not of the standard, and without it some providers give a token that is no JWT.
    ...(place.audience === '' ? {} : { audience: place.audience }),
  };
  for (const [name, value] of Object.entries(parameters)) address.searchParams.set(name, value);
  window.location.assign(address);
}

/** Throws where the provider refused, and where the answer is not to a question of this tab. */
export async function comeBack(place: OidcPlace, address: URL): Promise<SignedIn> {
  const pending = JSON.parse(sessionStorage.getItem(PENDING) ?? 'null') as Pending | null;
  sessionStorage.removeItem(PENDING);
  if (!pending) throw new Error('this sign-in was not begun in this tab');
  const { server, client, options } = partiesOf(place);
  const parameters = oauth.validateAuthResponse(server, client, address, pending.state);
  const response = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    parameters,
    redirectUri(),
    pending.verifier,
    options,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, response);
  keepRefresh(tokens.refresh_token);
  return {
    accessToken: tokens.access_token,
    isRenewable: tokens.refresh_token !== undefined,
    returnTo: pending.returnTo,
  };
}

/** The next access token of the user who signed in in this tab. */
export async function renewedAccessToken(place: OidcPlace): Promise<string> {
  const refresh = sessionStorage.getItem(REFRESH);
  if (refresh === null) throw new Error('the provider gave nothing to renew the session with');
  const { server, client, options } = partiesOf(place);
  const response = await oauth.refreshTokenGrantRequest(server, client, oauth.None(), refresh, options);
  const tokens = await oauth.processRefreshTokenResponse(server, client, response);
  if (tokens.refresh_token !== undefined) keepRefresh(tokens.refresh_token);
  return tokens.access_token;
}

export function forgetProvider(): void {
  sessionStorage.removeItem(PENDING);
  sessionStorage.removeItem(REFRESH);
}

function keepRefresh(token: string | undefined): void {
  if (token === undefined) sessionStorage.removeItem(REFRESH);
  else sessionStorage.setItem(REFRESH, token);
}

/** What is registered with the provider. */
function redirectUri(): string {
  return window.location.origin + SIGNED_IN_PATH;
}

function partiesOf({ issuer, clientID, authorizationEndpoint, tokenEndpoint }: OidcPlace) {
  const server: oauth.AuthorizationServer = {
    issuer,
    authorization_endpoint: authorizationEndpoint,
    token_endpoint: tokenEndpoint,
  };
  // The server gives an http address on loopback only.
  const options = { [oauth.allowInsecureRequests]: tokenEndpoint.startsWith('http:') };
  return { server, client: { client_id: clientID } satisfies oauth.Client, options };
}
