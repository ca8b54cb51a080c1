/** Asks before edits are lost. */
import { useBlocker } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { TAB_DEFAULT } from '../../../address/settings-tabs.ts';
import { Dialog, DialogEnd } from '../../../controls/dialog.tsx';

/** `count`: edits that are not applied. */
export function LeaveGuard({ count, isApplying }: { count: number; isApplying: boolean }): ReactNode {
  const leaving = useBlocker({
    // To a field of the same tab, the form stays.
    shouldBlockFn: ({ current, next }) => count > 0 && tabIn(current) !== tabIn(next),
    // Not while a change is on its way: a changed address leads the browser on.
    enableBeforeUnload: () => count > 0 && !isApplying,
    withResolver: true,
  });
  if (leaving.status !== 'blocked') return null;
  return (
    <Dialog title="Leave without applying?" onClose={leaving.reset}>
      <p>{count === 1 ? 'One change is' : `${count} changes are`} not applied and will be lost.</p>
      <DialogEnd cancel="Stay">
        <button type="button" className="danger" onClick={leaving.proceed}>
          Leave
        </button>
      </DialogEnd>
    </Dialog>
  );
}

function tabIn({ pathname, search }: { readonly pathname: string; readonly search: object }): string {
  return `${pathname} ${'tab' in search && search.tab !== undefined ? String(search.tab) : TAB_DEFAULT}`;
}
