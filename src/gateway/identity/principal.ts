/** The caller that grants make: the column of the access table, and the queues that it sees. Pure. */
import { formatGrant, type Grant, type Scope } from '../../protocol/identity/role.ts';
import type { Principal } from '../http/exchange.ts';

export function principalOf(
  name: string,
  groups: readonly string[] | null,
  grants: readonly Grant[],
  scope: Scope,
  untilMs: number,
): Principal {
  const has = (role: Grant['role']): boolean => grants.some((grant) => grant.role === role);
  const kind = has('admin') ? 'admin' : has('operator') ? 'operator' : has('viewer') ? 'user' : 'outsider';
  return { kind, name, groups, untilMs, roles: grants.map(formatGrant), scope };
}
