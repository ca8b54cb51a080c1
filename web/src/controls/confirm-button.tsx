/** A button that asks first, for what cannot be undone. */
import { type ReactNode, useState } from 'react';
import { Dialog, DialogEnd } from './dialog.tsx';

interface ConfirmDialogProps {
  /** What the button does, as on the button itself. */
  readonly action: string;
  /** A question, e.g. `Revoke the token nightly?` */
  readonly question: string;
  /** What follows from it. */
  readonly consequence: string;
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

interface ConfirmButtonProps extends Omit<ConfirmDialogProps, 'onClose'> {
  readonly isDisabled?: boolean;
  /** Of the height of the other buttons of a page's head. */
  readonly isLarge?: boolean;
  /** Whether it looks like what it does, beside a button that does no harm. */
  readonly isHarmful?: boolean;
}

export function ConfirmButton({ isDisabled, isLarge, isHarmful, ...asked }: ConfirmButtonProps): ReactNode {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={[isLarge ? '' : 'compact', isHarmful ? 'danger' : ''].filter(Boolean).join(' ') || undefined}
        disabled={isDisabled}
        onClick={() => setOpen(true)}
      >
        {asked.action}
      </button>
      {isOpen ? <ConfirmDialog {...asked} onClose={() => setOpen(false)} /> : null}
    </>
  );
}

export function ConfirmDialog({ action, question, consequence, onConfirm, onClose }: ConfirmDialogProps): ReactNode {
  return (
    <Dialog title={question} onClose={onClose}>
      <p>{consequence}</p>
      <DialogEnd>
        <button
          type="button"
          className="danger"
          onClick={() => {
            onClose();
            onConfirm();
          }}
        >
          {action}
        </button>
      </DialogEnd>
    </Dialog>
  );
}
