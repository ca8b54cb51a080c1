/** A modal dialog: the browser's own, which keeps the focus within and ends with Escape. */
import { type ReactNode, useEffect, useId, useRef } from 'react';

export function Dialog(props: { title: string; onClose: () => void; children: ReactNode }): ReactNode {
  const { title, onClose, children } = props;
  const element = useRef<HTMLDialogElement>(null);
  const titleId = useId();
  useEffect(() => {
    const dialog = element.current;
    if (dialog && !dialog.open) dialog.showModal();
    return () => dialog?.close();
  }, []);
  return (
    <dialog ref={element} aria-labelledby={titleId} onCancel={onClose}>
      <div className="panel-head">
        <h2 id={titleId}>{title}</h2>
        <button type="button" className="compact" onClick={onClose}>
          Close
        </button>
      </div>
      {children}
    </dialog>
  );
}
