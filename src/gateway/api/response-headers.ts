/**
 * Headers that every answer carries, whatever its handler says. Made once a change of configuration, not once a request;
 * only a page of another origin that is allowed to ask (CORS, off by default) gets some of its own.
 */
import type { SharedState } from '../../actors/shard/wire/shared-state.ts';
import type { Headers } from '../http/headers.ts';
import { type Environment, idpTarget, signInEndpoint } from '../identity/provider.ts';

/** A year, as the preload lists want it; a browser takes it only over a connection whose certificate it trusts. */
const HSTS: Headers[number] = ['strict-transport-security', 'max-age=31536000'];
const NOSNIFF: Headers[number] = ['x-content-type-options', 'nosniff'];
const OWN_STYLES = "style-src 'self'";
const PREFLIGHT_SECONDS = '600';
const READABLE =
  'Content-Range, Deprecation, ETag, Link, Retry-After, WWW-Authenticate, X-Cairn-Behind-Ms, X-Cairn-Warning';
const ACCEPTED = 'Authorization, Content-Encoding, Content-Type, If-None-Match, Last-Event-ID, Range';

export function everyAnswer(isTls: boolean): Headers {
  return isTls ? [NOSNIFF, HSTS] : [NOSNIFF];
}

/** Nothing inline, nothing from elsewhere; the identity provider may be asked for tokens. */
export function pageHeaders(state: SharedState, env: Environment): Headers {
  const provider = providerOrigins(state, env)
    .map((origin) => ` ${origin}`)
    .join('');
  const policy = [
    "default-src 'none'",
    "script-src 'self'",
    OWN_STYLES,
    "img-src 'self' data:",
    "font-src 'self'",
    `connect-src 'self'${provider}`,
    "manifest-src 'self'",
    "worker-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
  ];
  return [
    ['content-security-policy', policy.join('; ')],
    ['x-frame-options', 'DENY'],
    ['referrer-policy', 'no-referrer'],
    ['cross-origin-opener-policy', 'same-origin'],
    ['cross-origin-resource-policy', 'same-origin'],
  ];
}

/** For the reference page: its viewer has styles in its templates. Scripts stay the server's own. Decision 0137. */
export function withInlineStyles(headers: Headers): Headers {
  return headers.map(([name, value]) =>
    name === 'content-security-policy'
      ? [name, value.replace(OWN_STYLES, `${OWN_STYLES} 'unsafe-inline'`)]
      : [name, value],
  );
}

/**
 * What the sign-in page needs beside the settings: where Cognito takes name and password (absent for another provider), and
 * which claim holds a user's groups. Headers, because the settings' body is the interface's.
 */
export function signInHeaders({ config, identity }: SharedState, env: Environment): Headers {
  const { idp } = config.security;
  const { authorization, token, endSession } = identity.idpKeys?.endpoints ?? NOWHERE;
  const endpoint = signInEndpoint(idp, env);
  const { groupsClaim } = idpTarget(idp, env);
  return [
    ...(endpoint === undefined ? [] : [['cairn-sign-in-endpoint', endpoint] as const]),
    ['cairn-groups-claim', groupsClaim],
    ...(authorization === '' || token === ''
      ? []
      : [['cairn-authorization-endpoint', authorization] as const, ['cairn-token-endpoint', token] as const]),
    ...(endSession === '' ? [] : [['cairn-end-session-endpoint', endSession] as const]),
  ];
}

const NOWHERE = { authorization: '', token: '', endSession: '' };

function providerOrigins({ config, identity }: SharedState, env: Environment): string[] {
  const { idp } = config.security;
  if (!idp.enabled) return [];
  const places = [idpTarget(idp, env).issuer, signInEndpoint(idp, env), identity.idpKeys?.endpoints?.token];
  return [
    ...new Set(
      places.filter((place) => place !== undefined && place !== '').map((place) => new URL(place as string).origin),
    ),
  ];
}

/** For an answer to a page of `origin`; empty where it may not ask. */
export function corsHeaders(allowed: readonly string[], origin: string): Headers {
  const vary: Headers[number] = ['vary', 'Origin'];
  if (!allowed.includes(origin)) return [vary];
  return [vary, ['access-control-allow-origin', origin], ['access-control-expose-headers', READABLE]];
}

/** What a preflight asks for; the origin is checked by `corsHeaders`. */
export function preflightHeaders(allow: string): Headers {
  return [
    ['access-control-allow-methods', allow],
    ['access-control-allow-headers', ACCEPTED],
    ['access-control-max-age', PREFLIGHT_SECONDS],
  ];
}
