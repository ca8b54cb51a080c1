/** A modal dialog: keeps the focus within, ends with Escape or a click beside it, and gives the focus back. */
import { Dialog as Base } from '@base-ui/react/dialog';
import type { ReactNode } from 'react';

export function Dialog(props: { title: string; onClose: () => void; children: ReactNode }): ReactNode {
  const { title, onClose, children } = props;
  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className="dialog">
          <div className="panel-head">
            <Base.Title>{title}</Base.Title>
            <Base.Close className="compact">Close</Base.Close>
          </div>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}
