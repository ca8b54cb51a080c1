/** A button that opens a dialog, for a form that is not always on the page. */
import { type ReactNode, useState } from 'react';
import { AWAY_TEXT, useIsAway } from '../api/reachability.ts';
import { Dialog } from './dialog.tsx';

interface DialogButtonProps {
  /** What stands on the button, such as `Add a webhook…`. */
  readonly action: string;
  readonly title: string;
  readonly isPrimary?: boolean;
  /** In a row of a table. */
  readonly isCompact?: boolean;
  readonly children: ReactNode;
}

export function DialogButton({ action, title, isPrimary, isCompact, children }: DialogButtonProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  // What the form is for cannot be done then.
  const isAway = useIsAway();
  const classes = [isPrimary ? 'primary' : '', isCompact ? 'compact' : ''].filter(Boolean).join(' ');
  return (
    <>
      <button
        type="button"
        className={classes || undefined}
        disabled={isAway}
        title={isAway ? AWAY_TEXT : undefined}
        onClick={() => setOpen(true)}
      >
        {action}
      </button>
      {isOpen ? (
        <Dialog title={title} onClose={() => setOpen(false)}>
          {children}
        </Dialog>
      ) : null}
    </>
  );
}
