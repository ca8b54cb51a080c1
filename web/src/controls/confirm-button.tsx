/** A button that asks first, for what cannot be undone. */
import { type ReactNode, useState } from 'react';
import { Dialog } from './dialog.tsx';

interface ConfirmButtonProps {
  /** What the button does, as on the button itself. */
  readonly action: string;
  /** A question, e.g. `Revoke the token nightly?` */
  readonly question: string;
  /** What follows from it. */
  readonly consequence: string;
  readonly isDisabled?: boolean;
  /** Of the height of the other buttons of a page's head. */
  readonly isLarge?: boolean;
  readonly onConfirm: () => void;
}

export function ConfirmButton(props: ConfirmButtonProps): ReactNode {
  const { action, question, consequence, isDisabled, onConfirm } = props;
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button
        type="button"
        className={props.isLarge ? undefined : 'compact'}
        disabled={isDisabled}
        onClick={() => setOpen(true)}
      >
        {action}
      </button>
      {isOpen ? (
        <Dialog title={question} onClose={() => setOpen(false)}>
          <p>{consequence}</p>
          <div className="form-end">
            <button
              type="button"
              className="danger"
              onClick={() => {
                setOpen(false);
                onConfirm();
              }}
            >
              {action}
            </button>
            <button type="button" onClick={() => setOpen(false)}>
              Cancel
            </button>
          </div>
        </Dialog>
      ) : null}
    </>
  );
}
