/** What the user may do, so that pages say it before he tries. The server decides. */
import { useQuery } from '@tanstack/react-query';
import { useSyncExternalStore } from 'react';
import { claimsOf } from './claims.ts';
import { idpQuery } from './queries.ts';
import { currentSession, onTokenChange } from './token.ts';

export interface Role {
  /** Empty if no user is signed in. */
  readonly userName: string;
  /** False only where it is known. */
  readonly mayChange: boolean;
  readonly adminGroups: string;
}

export function useRole(): Role {
  const session = useSyncExternalStore(onTokenChange, currentSession);
  const { data } = useQuery(idpQuery);
  const adminGroups = data?.adminGroups ?? '';
  if (session === null || !data?.enabled) return { userName: '', mayChange: true, adminGroups };
  const { userName, groups } = claimsOf(session.accessToken, data.groupsClaim);
  return {
    userName: session.userName || userName,
    mayChange: groups.some((group) => adminGroups.split(',').includes(group)),
    adminGroups,
  };
}
