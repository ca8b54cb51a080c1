/** A button that opens a dialog, for a form that is not always on the page. */
import { type ReactNode, useState } from 'react';
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
  const classes = [isPrimary ? 'primary' : '', isCompact ? 'compact' : ''].filter(Boolean).join(' ');
  return (
    <>
      <button type="button" className={classes || undefined} onClick={() => setOpen(true)}>
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
