/**
 * Who calls (contract section 9). `authenticate` is a lookup for a token that was seen before, and answers at once;
 * a new one is checked, which takes a promise. What the caller may do is the table in `access.ts`.
 */
import { decodeProtectedHeader } from 'jose';
import type { SharedState } from '../../actors/shard/wire/shared-state.ts';
import { CodedError } from '../../base/errors.ts';
import { scopeOf } from '../../protocol/identity/role.ts';
import type { StoredServiceToken } from '../../protocol/identity/service-token.ts';
import { ANYONE, type Principal } from '../http/exchange.ts';
import { checkNodeToken, NODE_TOKEN_TYPE } from './node-token.ts';
import { principalOf } from './principal.ts';
import type { KeySearch } from './provider.ts';
import { type Environment, type IdpTarget, idpTarget } from './provider.ts';
import { Roles } from './roles.ts';
import { checkServiceToken, isServiceToken } from './service-token.ts';
import { type CheckedToken, TokenCache, tokenKey } from './token-cache.ts';
import { checkUserToken, type LocalKeys, localKeysOf, type TokenUser } from './user-token.ts';

export interface AuthHost {
  readonly wallMs: () => number;
  /** Asks main for a provider key that is not known here; what is found arrives by `update` first. */
  readonly seekIdpKey: (kid: string) => Promise<KeySearch>;
  readonly env: Environment;
}

const BEARER = /^bearer +([A-Za-z0-9._~+/=-]+) *$/i;

export class Auth {
  readonly #host: AuthHost;
  readonly #cache = new TokenCache();
  #isOn = false;
  #adminGroups: readonly string[] = [];
  #roles = new Roles([], {});
  #serverId = '';
  #target: IdpTarget | undefined;
  #idpKeys: LocalKeys | undefined;
  #nodeKeys: LocalKeys | undefined;
  #revoked: ReadonlyMap<string, number> = new Map();
  #serviceTokens: ReadonlyMap<string, StoredServiceToken> = new Map();
  /** Times that service tokens were no longer there. */
  #ended = 0;
  /** What the cached tokens were checked against. */
  #basis = '';

  constructor(host: AuthHost, state: SharedState) {
    this.#host = host;
    this.update(state);
  }

  /** Changes whenever a connection that was admitted might not be any more. */
  get key(): string {
    return this.#isOn ? this.#basis : '';
  }

  /** While it is off, callers are not identified. */
  get isOn(): boolean {
    return this.#isOn;
  }

  get adminGroups(): readonly string[] {
    return this.#adminGroups;
  }

  update({ config, identity }: SharedState): void {
    const { idp, roles } = config.security;
    const { serviceTokens, ...rest } = identity;
    const tokens = new Map(serviceTokens.map((token) => [token.id, token]));
    // A token more takes nothing from anybody who was admitted. One less may, whether it was ended here or at another server.
    if ([...this.#serviceTokens.keys()].some((id) => !tokens.has(id))) this.#ended++;
    this.#serviceTokens = tokens;
    const basis = JSON.stringify([idp, roles, rest, this.#ended]);
    if (basis === this.#basis) return;
    this.#basis = basis;
    this.#cache.clear();
    this.#isOn = idp.enabled;
    this.#adminGroups = idp.adminGroups;
    this.#roles = new Roles(idp.adminGroups, roles);
    this.#serverId = config.id;
    this.#target = idp.enabled ? idpTarget(idp, this.#host.env) : undefined;
    const fits = identity.idpKeys !== null && identity.idpKeys.jwksUri === this.#target?.jwksUri;
    this.#idpKeys = fits && identity.idpKeys ? localKeysOf(identity.idpKeys.keys) : undefined;
    this.#nodeKeys = localKeysOf(identity.nodeKeys);
    this.#revoked = new Map(identity.revoked);
  }

  /** The caller by the Authorization header; throws (or rejects with) tokenMissing, tokenInvalid, or overloaded. */
  authenticate(header: string): Principal | Promise<Principal> {
    if (!this.#isOn) return ANYONE;
    if (header === '') return ANYONE;
    const token = BEARER.exec(header)?.[1];
    if (token === undefined) throw new CodedError(/^bearer +\S/i.test(header) ? 'tokenInvalid' : 'tokenMissing');
    const key = tokenKey(token);
    return this.#cache.find(key, this.#host.wallMs()) ?? this.#check(token, key);
  }

  /** A node or join token's bearer, also while the provider is off; undefined for every other header. */
  async bearerOfNodeToken(header: string): Promise<Principal | undefined> {
    const token = BEARER.exec(header)?.[1];
    if (token === undefined || !isNodeToken(token)) return undefined;
    return this.#checkNode(token).then(
      ({ caller }) => caller,
      () => undefined,
    );
  }

  async #check(token: string, key: string): Promise<Principal> {
    const basis = this.#basis;
    const checked = await this.#checked(token);
    // What was decided by settings that have changed meanwhile must not outlive them.
    if (basis === this.#basis) this.#cache.add(key, checked);
    return checked.caller;
  }

  #checked(token: string): CheckedToken | Promise<CheckedToken> {
    if (isServiceToken(token)) return checkServiceToken(token, this.#serviceTokens, this.#host.wallMs());
    return isNodeToken(token) ? this.#checkNode(token) : this.#checkUser(token);
  }

  #checkNode(token: string): Promise<CheckedToken> {
    return checkNodeToken(token, this.#nodeKeys as LocalKeys, this.#serverId, this.#revoked, this.#host.wallMs());
  }

  async #checkUser(token: string): Promise<CheckedToken> {
    let user = await this.#tryUser(token);
    if (!user) {
      const found = await this.#host.seekIdpKey(keyIdOf(token));
      if (found === 'unreachable')
        throw new CodedError(
          'overloaded',
          'the token’s key is unknown, and the identity provider’s keys cannot be fetched',
        );
      user = await this.#tryUser(token);
    }
    if (!user) throw new CodedError('tokenInvalid', 'its key is unknown');
    const { name, groups, fromMs, untilMs } = user;
    const grants = this.#roles.grantsOf(groups ?? []);
    return { caller: principalOf(name, groups, grants, scopeOf(grants), untilMs), fromMs };
  }

  /** Undefined where its key is not known here. */
  async #tryUser(token: string): Promise<TokenUser | undefined> {
    const target = this.#target;
    if (!target) throw new CodedError('tokenInvalid', 'the identity provider was disabled');
    if (!this.#idpKeys) {
      mustBeToken(token);
      return undefined;
    }
    return checkUserToken(token, this.#idpKeys, target, this.#host.wallMs());
  }
}

/** By what it says of itself, before anything is checked: it only chooses the check, and each has keys of its own. */
function isNodeToken(token: string): boolean {
  try {
    return decodeProtectedHeader(token).typ === NODE_TOKEN_TYPE;
  } catch {
    return false;
  }
}

/** What is no token at all must not be answered by "try later". */
function mustBeToken(token: string): void {
  keyIdOf(token);
}

function keyIdOf(token: string): string {
  try {
    return String(decodeProtectedHeader(token).kid ?? '');
  } catch {
    throw new CodedError('tokenInvalid', 'it does not verify');
  }
}
