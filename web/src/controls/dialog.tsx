/** A modal dialog: keeps the focus within, ends with Escape or a click beside it, and gives the focus back. */
import { Dialog as Base } from '@base-ui/react/dialog';
import { type ReactNode, useRef } from 'react';

export function Dialog(props: { title: string; onClose: () => void; children: ReactNode }): ReactNode {
  const { title, onClose, children } = props;
  const popup = useRef<HTMLDivElement>(null);
  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Base.Portal>
        <Base.Backdrop className="backdrop" />
        <Base.Popup className="dialog" ref={popup} initialFocus={() => firstField(popup.current) ?? true}>
          <div className="panel-head">
            <Base.Title>{title}</Base.Title>
            <Base.Close className="dialog-close" aria-label="Close">
              ×
            </Base.Close>
          </div>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** The end of every dialog that asks: what closes it, then what it is for. */
interface DialogEndProps {
  readonly cancel?: string;
  readonly children?: ReactNode;
}

export function DialogEnd({ cancel = 'Cancel', children }: DialogEndProps): ReactNode {
  return (
    <div className="form-end dialog-end">
      <Base.Close>{cancel}</Base.Close>
      {children}
    </div>
  );
}

/** Who opens a form wants to fill it in, not to close it; a question begins at what changes nothing. */
function firstField(popup: HTMLElement | null): HTMLElement | null {
  return (
    popup?.querySelector<HTMLElement>('input:enabled, textarea:enabled') ??
    popup?.querySelector<HTMLElement>('.dialog-end > button') ??
    null
  );
}
