/** Who did something, as people know him. */
import type { ReactNode } from 'react';
import { useRole } from '../queries/role.ts';
import { LongId } from './long-id.tsx';

/** A user pool may know its users by ids only: of the one who is signed in, the page knows the name. */
export function Person({ who }: { who: string }): ReactNode {
  const { ownId, userName } = useRole();
  if (who !== '' && who === ownId) return <span title={who}>{userName}</span>;
  return (
    <span title={who}>
      <LongId id={who} />
    </span>
  );
}
