/** Tokens from a provider: asked for by a code, by a user name, or again by a refresh token. */
import type { Credentials, Refresh } from '../api/credentials.ts';
import { EXIT, Failure } from '../api/failure.ts';

const TIMEOUT_MS = 15_000;

export interface Granted {
  readonly access_token?: string;
  readonly refresh_token?: string;
  /** Seconds. */
  readonly expires_in?: number;
}

export interface Endpoints {
  readonly authorization_endpoint: string;
  readonly token_endpoint: string;
}

/** Throws `Failure`. */
export async function discover(issuer: string): Promise<Endpoints> {
  const url = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const found = await ask(url, { method: 'GET' });
  const { authorization_endpoint, token_endpoint } = found as Partial<Endpoints>;
  if (!authorization_endpoint || !token_endpoint) {
    throw new Failure(`the identity provider at ${issuer} names no endpoints for signing in`);
  }
  return { authorization_endpoint, token_endpoint };
}

export async function exchangeForm(endpoint: string, form: Readonly<Record<string, string>>): Promise<Granted> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return (await ask(endpoint, { method: 'POST', headers, body: new URLSearchParams(form).toString() })) as Granted;
}

interface PoolAnswer {
  readonly AuthenticationResult?: {
    readonly AccessToken?: string;
    readonly RefreshToken?: string;
    readonly ExpiresIn?: number;
  };
  readonly ChallengeName?: string;
}

/** Cognito's InitiateAuth. Throws `Failure`, also where the pool wants more than a password. */
export async function initiateAuth(
  endpoint: string,
  clientId: string,
  flow: 'USER_PASSWORD_AUTH' | 'REFRESH_TOKEN_AUTH',
  parameters: Readonly<Record<string, string>>,
): Promise<Granted> {
  const answer = (await ask(`${endpoint.replace(/\/$/, '')}/`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'AWSCognitoIdentityProviderService.InitiateAuth',
    },
    body: JSON.stringify({ AuthFlow: flow, ClientId: clientId, AuthParameters: parameters }),
  })) as PoolAnswer;
  if (answer.ChallengeName) {
    throw new Failure(
      `the user pool asks for ${answer.ChallengeName}: sign in on the dashboard once, or without --username`,
    );
  }
  const { AccessToken, RefreshToken, ExpiresIn } = answer.AuthenticationResult ?? {};
  return {
    ...(AccessToken === undefined ? {} : { access_token: AccessToken }),
    ...(RefreshToken === undefined ? {} : { refresh_token: RefreshToken }),
    ...(ExpiresIn === undefined ? {} : { expires_in: ExpiresIn }),
  };
}

/** `refreshFrom` makes of a refresh token how to use it later. */
export function credentialsOf(
  granted: Granted,
  nowMs: number,
  refreshFrom: (refreshToken: string) => Refresh,
  before: string | null = null,
): Credentials {
  if (!granted.access_token) throw new Failure('the identity provider gave no access token');
  const refreshToken = granted.refresh_token ?? before;
  return {
    accessToken: granted.access_token,
    expiresAt: granted.expires_in === undefined ? null : new Date(nowMs + granted.expires_in * 1_000).toISOString(),
    refresh: refreshToken ? refreshFrom(refreshToken) : null,
  };
}

export async function renew({ refresh }: Credentials, nowMs: number): Promise<Credentials> {
  if (!refresh) throw new Failure('the stored token has expired; sign in with cairn login', EXIT.notAllowed);
  const { clientId, refreshToken } = refresh;
  const granted =
    refresh.kind === 'oidc'
      ? await exchangeForm(refresh.tokenEndpoint, {
          grant_type: 'refresh_token',
          refresh_token: refreshToken,
          client_id: clientId,
        })
      : await initiateAuth(refresh.endpoint, clientId, 'REFRESH_TOKEN_AUTH', { REFRESH_TOKEN: refreshToken });
  return credentialsOf(granted, nowMs, (next) => ({ ...refresh, refreshToken: next }), refreshToken);
}

async function ask(url: string, init: RequestInit): Promise<unknown> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(TIMEOUT_MS) });
  } catch (error) {
    const { cause, message } = error as Error & { cause?: { code?: string } };
    throw new Failure(
      `cannot reach the identity provider at ${new URL(url).origin}: ${cause?.code ?? message}`,
      EXIT.notReached,
    );
  }
  const text = await response.text();
  const body = jsonIn(text);
  if (response.ok && body) return body;
  const { error_description, error, message } = (body ?? {}) as Record<string, unknown>;
  const reason = error_description ?? message ?? error ?? `status ${response.status}`;
  throw new Failure(`the identity provider refused: ${String(reason)}`, EXIT.notAllowed);
}

function jsonIn(text: string): object | undefined {
  try {
    const body: unknown = JSON.parse(text);
    return typeof body === 'object' && body !== null ? body : undefined;
  } catch {
    return undefined;
  }
}
