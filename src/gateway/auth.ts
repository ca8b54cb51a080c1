/** Who calls, and whether they may (contract section 9). With the identity provider off, everybody may do everything. */
import { CodedError } from '../base/errors.ts';
import type { Config } from '../protocol/config.ts';
import { regionOfPool } from '../protocol/idp.ts';
import { ANYONE, type Call, type Principal } from './call.ts';
import { IdpClient, idpTarget } from './idp-client.ts';
import type { Route } from './route.ts';

export class Auth {
  #enabled = false;
  #adminGroups: readonly string[] = [];
  #client: IdpClient | undefined;
  #clientKey = '';

  constructor(config: Config) {
    this.update(config);
  }

  update(config: Config): void {
    const { idp } = config.security;
    this.#enabled = idp.enabled;
    this.#adminGroups = idp.adminGroups;
    if (!idp.enabled) {
      this.#client = undefined;
      this.#clientKey = '';
      return;
    }
    const target = idpTarget({
      region: regionOfPool(idp.userPoolID),
      userPoolID: idp.userPoolID,
      clientID: idp.clientID,
    });
    const key = JSON.stringify(target);
    // The same provider keeps its cached keys: another setting must not cost a fetch, or an outage.
    if (key !== this.#clientKey) this.#client = new IdpClient(target);
    this.#clientKey = key;
  }

  /** Changes whenever a connection that was admitted might not be any more. */
  get key(): string {
    return JSON.stringify([this.#enabled, this.#clientKey, this.#adminGroups]);
  }

  get isEnabled(): boolean {
    return this.#enabled;
  }

  /** Whether a call needs a look at its token at all. */
  isOpen(route: Route | null): boolean {
    return !this.#enabled || route === null || route.access === 'anyone';
  }

  /** The caller; throws tokenMissing, tokenInvalid or notPrivileged. */
  async admit(call: Call, route: Route): Promise<Principal> {
    if (this.isOpen(route)) return ANYONE;
    const principal = await this.#principalOf(call.headers.authorization);
    // Disabling has an error of its own, with the groups in it; its handler answers.
    const needsAdmin = (route.access === 'admin' && route.name !== 'disableIdp') || route.access === 'worker';
    if (needsAdmin && principal.kind !== 'admin') throw new CodedError('notPrivileged');
    return principal;
  }

  async #principalOf(header: string): Promise<Principal> {
    const token = /^bearer +([^\s]+)$/i.exec(header.trim())?.[1];
    if (token === undefined) throw new CodedError('tokenMissing');
    const user = await (this.#client as IdpClient).verify(token);
    const isAdmin = user.groups?.some((group) => this.#adminGroups.includes(group)) ?? false;
    return { kind: isAdmin ? 'admin' : 'user', name: user.name, groups: user.groups };
  }
}
