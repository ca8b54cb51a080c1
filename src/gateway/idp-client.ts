/**
 * The identity provider as seen from here: where its issuer and key set are, and checking its tokens. Issuer and key set
 * are two settings, because emulators and some providers serve keys elsewhere than the issuer's name says.
 */
import { createRemoteJWKSet, errors, type JWTPayload, jwtVerify } from 'jose';
import { CodedError } from '../base/errors.ts';

export interface IdpTarget {
  readonly issuer: string;
  readonly jwksUri: string;
  readonly clientId: string;
  /** A provider of our own choosing, whose tokens may lack Cognito's claims. */
  readonly overridden: boolean;
}

export interface TokenUser {
  readonly name: string;
  readonly groups: readonly string[] | null;
}

type KeySet = ReturnType<typeof createRemoteJWKSet>;

const ALGORITHMS = ['RS256', 'ES256'];
const FETCH_TIMEOUT_MS = 5_000;
/** An unknown key id makes us ask again, at most this often: a rotated key is taken up well within 35 s. */
const COOLDOWN_MS = 10_000;
/** Known keys are believed for this long without a new look; beyond it, and while the provider is away, longer. */
const CACHE_MAX_AGE_MS = 600_000;

export function idpTarget(pool: {
  readonly region: string;
  readonly userPoolID: string;
  readonly clientID: string;
}): IdpTarget {
  const override = process.env['CAIRN_IDP_ISSUER'];
  const issuer = override ?? `https://cognito-idp.${pool.region}.amazonaws.com/${pool.userPoolID}`;
  const jwksUri = process.env['CAIRN_IDP_JWKS_URI'] ?? `${issuer.replace(/\/$/, '')}/.well-known/jwks.json`;
  return { issuer, jwksUri, clientId: pool.clientID, overridden: override !== undefined };
}

export class IdpClient {
  readonly target: IdpTarget;
  readonly #keys: KeySet;

  constructor(target: IdpTarget) {
    this.target = target;
    this.#keys = createRemoteJWKSet(new URL(target.jwksUri), {
      timeoutDuration: FETCH_TIMEOUT_MS,
      cooldownDuration: COOLDOWN_MS,
      cacheMaxAge: CACHE_MAX_AGE_MS,
    });
  }

  /** Fetches the key set; throws where it cannot be had or holds no key. */
  async probe(): Promise<void> {
    await this.#keys.reload();
    if ((this.#keys.jwks()?.keys.length ?? 0) === 0) throw new Error('the key set is empty');
  }

  /** The user of a valid access token; throws tokenInvalid, or overloaded where the keys cannot be had. */
  async verify(token: string): Promise<TokenUser> {
    let payload: JWTPayload;
    try {
      ({ payload } = await jwtVerify(token, this.#keys, {
        issuer: this.target.issuer,
        algorithms: ALGORITHMS,
        clockTolerance: 0,
        requiredClaims: ['exp', 'iss'],
      }));
    } catch (error) {
      throw tokenErrorOf(error);
    }
    this.#checkClaims(payload);
    const groups = payload['cognito:groups'] ?? (this.target.overridden ? payload['groups'] : undefined);
    return { name: nameOf(payload), groups: isTexts(groups) ? groups : null };
  }

  #checkClaims(payload: JWTPayload): void {
    const use = payload['token_use'];
    if (use !== 'access' && !(use === undefined && this.target.overridden))
      throw new CodedError('tokenInvalid', 'it is not an access token');
    const audience = Array.isArray(payload.aud) ? payload.aud : [payload.aud];
    if (payload['client_id'] !== this.target.clientId && !audience.includes(this.target.clientId)) {
      throw new CodedError('tokenInvalid', 'it is for another client');
    }
  }
}

function tokenErrorOf(error: unknown): CodedError {
  if (error instanceof errors.JWTExpired) return new CodedError('tokenInvalid', 'it has expired');
  if (error instanceof errors.JWTClaimValidationFailed)
    return new CodedError('tokenInvalid', `its ${error.claim} is not accepted`);
  if (error instanceof errors.JWKSNoMatchingKey) return new CodedError('tokenInvalid', 'its key is not known');
  if (
    error instanceof errors.JWKSTimeout ||
    !(error instanceof errors.JOSEError) ||
    error.code === 'ERR_JOSE_GENERIC'
  ) {
    return new CodedError('overloaded', 'the identity provider’s keys cannot be fetched');
  }
  return new CodedError('tokenInvalid', 'it does not verify');
}

function nameOf(payload: JWTPayload): string {
  const name = payload['username'] ?? payload['cognito:username'] ?? payload.sub;
  return typeof name === 'string' ? name.slice(0, 128) : 'unnamed';
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === 'string');
}
