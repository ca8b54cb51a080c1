/** What the user may do, so that pages say it before he tries. The server decides. */
import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { claimsOf } from '../api/claims.ts';
import { currentSession, onTokenChange } from '../api/token.ts';
import { idpQuery, meQuery } from './server.ts';

export interface Role {
  /** Empty if no user is signed in. */
  readonly userName: string;
  /** As the server calls that user; empty if no user is signed in. */
  readonly ownId: string;
  /** False only where it is known. */
  readonly mayChange: boolean;
  /** Whether node tokens may be made and webhooks managed. False only where it is known. */
  readonly mayOperate: boolean;
  /** In words, of one of them: `an administrator, a member of ops or root`. */
  readonly administrator: string;
  /** As the server grants them, in words: `operator of a, b`; empty while they are not known. */
  readonly roles: readonly string[];
}

/** Why a button does nothing for who may not press it. */
export const NEEDS_OPERATOR = 'Needs the role operator or admin';
export const NEEDS_ADMIN = 'Needs the role admin';

export function useRole(): Role {
  const session = useSyncExternalStore(onTokenChange, currentSession);
  const { data } = useQuery(idpQuery);
  const token = session?.accessToken ?? null;
  const me = useQuery({ ...meQuery(token), enabled: token !== null && data?.enabled === true });
  const adminGroups = (data?.adminGroups ?? '').split(',').filter(Boolean);
  const groupsText = adminGroups.length === 0 ? '' : `, a member of ${adminGroups.join(' or ')}`;
  const administrator = `an administrator${groupsText}`;
  if (session === null || !data?.enabled)
    return { userName: '', ownId: '', mayChange: true, mayOperate: true, administrator, roles: [] };
  const { userName, groups } = claimsOf(session.accessToken, data.groupsClaim);
  // By the claims until the server has answered: they may be anywhere in another provider's token.
  const mayChange = me.data
    ? me.data.roles.includes('admin')
    : data.oidc !== null || groups.some((group) => adminGroups.includes(group));
  const mayOperate = mayChange || (me.data?.roles.some((role) => /^operator(@|$)/.test(role)) ?? false);
  const roles = (me.data?.roles ?? []).map(roleText);
  return { userName: session.userName || userName, ownId: userName, mayChange, mayOperate, administrator, roles };
}

/** `operator@a|b%7Cc` in words. */
function roleText(role: string): string {
  const [name = '', queues] = role.split('@');
  return queues === undefined ? name : `${name} of ${queues.split('|').map(decodeURIComponent).join(', ')}`;
}
