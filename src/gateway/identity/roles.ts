/** What the groups of a token come to, by `security.roles` and the administrator groups (contract section 14). Pure. */
import { decodeName, type Grant, parseGrant } from '../../protocol/identity/role.ts';

export class Roles {
  readonly #adminGroups: readonly string[];
  readonly #grants = new Map<string, Grant[]>();

  /** `roles` as the configuration holds them; they were checked when they were set. */
  constructor(adminGroups: readonly string[], roles: Readonly<Record<string, string>>) {
    this.#adminGroups = adminGroups;
    for (const [name, text] of Object.entries(roles)) {
      const group = decodeName(name);
      const grant = parseGrant(text);
      if (group === undefined || typeof grant === 'string') continue;
      this.#grants.set(group, [...(this.#grants.get(group) ?? []), grant]);
    }
  }

  /** Empty: none of the groups has a role. */
  grantsOf(groups: readonly string[]): Grant[] {
    if (groups.some((group) => this.#adminGroups.includes(group))) return [{ role: 'admin', queues: null }];
    if (this.#grants.size === 0) return [{ role: 'viewer', queues: null }];
    return groups.flatMap((group) => this.#grants.get(group) ?? []);
  }
}
