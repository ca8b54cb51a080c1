/**
 * A modal dialog: keeps the focus within, ends with Escape or a click beside it, and gives the focus back. Where a form in
 * it holds what is not saved, it asks before it goes.
 */
import { Dialog as Base } from '@base-ui/react/dialog';
import { useBlocker } from '@tanstack/react-router';
import { createContext, type ReactNode, useContext, useLayoutEffect, useRef, useState } from 'react';

type Hold = 'free' | 'held' | 'asking';

const HoldContext = createContext<(hold: Hold) => void>(() => undefined);

/** For a form in a dialog: what was entered and is not saved holds the dialog, until its reader discards it. */
export function useHold(isUnsaved: boolean): void {
  const hold = useContext(HoldContext);
  // Before the next key: it may be Escape.
  useLayoutEffect(() => {
    hold(isUnsaved ? 'held' : 'free');
    return () => hold('free');
  }, [hold, isUnsaved]);
}

export function Dialog(props: { title: string; onClose: () => void; children: ReactNode }): ReactNode {
  const { title, onClose, children } = props;
  const popup = useRef<HTMLDivElement>(null);
  const [hold, setHold] = useState<Hold>('free');
  const close = (): void => (hold === 'free' ? onClose() : setHold('asking'));
  return (
    <Base.Root open onOpenChange={(isOpen) => !isOpen && close()}>
      <Base.Portal>
        {/* A question in front of a form dims the form, too. */}
        <Base.Backdrop className="backdrop" forceRender />
        <Base.Popup className="dialog" ref={popup} initialFocus={() => firstField(popup.current) ?? true}>
          <div className="panel-head">
            <Base.Title>{title}</Base.Title>
            <Base.Close className="dialog-close" aria-label="Close">
              ×
            </Base.Close>
          </div>
          <HoldContext value={setHold}>{children}</HoldContext>
          {hold === 'free' ? null : (
            <DiscardQuestion
              isAsked={hold === 'asking'}
              isThere={() => popup.current !== null}
              onKeep={() => setHold('held')}
              onDiscard={onClose}
            />
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

interface DiscardQuestionProps {
  readonly isAsked: boolean;
  /** Whether the dialog that it asks about is. */
  readonly isThere: () => boolean;
  readonly onKeep: () => void;
  readonly onDiscard: () => void;
}

/** Asks also where the browser would go to another page: on a phone, Back is what closes a dialog. */
function DiscardQuestion({ isAsked, isThere, onKeep, onDiscard }: DiscardQuestionProps): ReactNode {
  const leaving = useBlocker({
    shouldBlockFn: async () => {
      // A link that closes the dialog itself has closed it by then: nobody would answer.
      await new Promise((resolve) => setTimeout(resolve));
      return isThere();
    },
    withResolver: true,
  });
  if (!isAsked && leaving.status !== 'blocked') return null;
  return (
    <Dialog
      title="Discard what you entered?"
      onClose={() => {
        leaving.reset?.();
        onKeep();
      }}
    >
      <p>It is not saved and will be lost.</p>
      <DialogEnd cancel="Keep editing">
        <button
          type="button"
          className="danger"
          onClick={() => {
            leaving.proceed?.();
            onDiscard();
          }}
        >
          Discard
        </button>
      </DialogEnd>
    </Dialog>
  );
}

/** The end of every dialog that asks: what closes it, then what it is for. */
interface DialogEndProps {
  readonly cancel?: string;
  /** Why it was not done, where no field is at fault: beside the buttons it is in sight. */
  readonly fault?: string | undefined;
  readonly children?: ReactNode;
}

export function DialogEnd({ cancel = 'Cancel', fault, children }: DialogEndProps): ReactNode {
  return (
    <div className="form-end dialog-end">
      {fault === undefined ? null : (
        <p className="bad" role="alert">
          {fault}
        </p>
      )}
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
