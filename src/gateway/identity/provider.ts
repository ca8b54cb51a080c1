/**
 * Where the identity provider of a configuration is. Issuer and key set are two settings, because emulators and some
 * providers serve keys elsewhere than the issuer's name says. Environment, not configuration: they say what stands around
 * this process, and anyone who could change them over the API could grant themselves access.
 */
import { UsageError } from '../../base/usage-error.ts';
import type { Config } from '../../protocol/config/config.ts';
import { GROUPS_CLAIM, regionOfPool } from '../../protocol/config/idp.ts';

export interface IdpTarget {
  readonly issuer: string;
  /** Where the keys are; of a provider that was named by its issuer, the description that says where they are. */
  readonly jwksUri: string;
  readonly clientId: string;
  /** Named by its issuer, so that its tokens are judged as any OpenID Connect provider's. */
  readonly isAnyProvider: boolean;
  /** Of any provider: what `aud` must contain; empty where the token must be for the client. */
  readonly audience: string;
  /** A provider of the operator's choosing, which need not be a Cognito pool. */
  readonly isOverridden: boolean;
  /** The claim that holds the user's groups. */
  readonly groupsClaim: string;
  readonly leewayMs: number;
}

/** What of the configuration says where the provider is. */
export type ProviderSettings = Pick<Config['security']['idp'], 'userPoolID' | 'clientID'> &
  Partial<Pick<Config['security']['idp'], 'issuer' | 'audience' | 'groupsClaim'>>;

/** OpenID Connect Discovery 1.0, section 4. */
export const DESCRIPTION = '/.well-known/openid-configuration';

export type Environment = Readonly<Record<string, string | undefined>>;

const LEEWAY_S_MAX = 60;

export function idpTarget(idp: ProviderSettings, env: Environment): IdpTarget {
  const clientId = idp.clientID;
  const leewayMs = leewaySecondsOf(env) * 1_000;
  if (idp.issuer) {
    const jwksUri = idp.issuer.replace(/\/$/, '') + DESCRIPTION;
    const groupsClaim = idp.groupsClaim || GROUPS_CLAIM;
    const { issuer, audience = '' } = idp;
    return { issuer, jwksUri, clientId, isAnyProvider: true, audience, isOverridden: true, groupsClaim, leewayMs };
  }
  const override = env['CAIRN_IDP_ISSUER'] || undefined;
  const issuer = override ?? `https://cognito-idp.${regionOfPool(idp.userPoolID)}.amazonaws.com/${idp.userPoolID}`;
  return {
    issuer,
    jwksUri: env['CAIRN_IDP_JWKS_URI'] || `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`,
    clientId,
    isAnyProvider: false,
    audience: '',
    isOverridden: override !== undefined,
    groupsClaim: env['CAIRN_IDP_GROUPS_CLAIM'] || 'cognito:groups',
    leewayMs,
  };
}

/** Where users sign in with name and password: Cognito's API; undefined where the provider is another one. */
export function signInEndpoint(pool: ProviderSettings, env: Environment): string | undefined {
  if (pool.issuer) return undefined;
  const endpoint = env['CAIRN_COGNITO_ENDPOINT'] || undefined;
  if (endpoint !== undefined || env['CAIRN_IDP_ISSUER']) return endpoint;
  return `https://cognito-idp.${regionOfPool(pool.userPoolID)}.amazonaws.com`;
}

/** Throws a sentence for the operator where the environment's settings cannot be used. */
export function mustBeProviderEnvironment(env: Environment): void {
  leewaySecondsOf(env);
  for (const name of ['CAIRN_IDP_ISSUER', 'CAIRN_IDP_JWKS_URI', 'CAIRN_COGNITO_ENDPOINT']) {
    const value = env[name];
    if (value && !(URL.canParse(value) && /^https?:$/.test(new URL(value).protocol)))
      throw new UsageError(`cannot use ${name}: it is not an http or https address`);
  }
}

function leewaySecondsOf(env: Environment): number {
  const text = env['CAIRN_TOKEN_LEEWAY_SECONDS'] || '0';
  const seconds = Number(text);
  if (/^\d{1,2}$/.test(text) && seconds <= LEEWAY_S_MAX) return seconds;
  throw new UsageError(`cannot use CAIRN_TOKEN_LEEWAY_SECONDS ${text}: want a whole number from 0 to ${LEEWAY_S_MAX}`);
}

/** What a look for a provider key brought. */
export type KeySearch = 'known' | 'unknown' | 'unreachable';
