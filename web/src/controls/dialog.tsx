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
            <Base.Close className="compact">Close</Base.Close>
          </div>
          {children}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** Who opens a form wants to fill it in, not to close it. */
function firstField(popup: HTMLElement | null): HTMLElement | null {
  return popup?.querySelector<HTMLElement>('input:enabled, textarea:enabled') ?? null;
}
