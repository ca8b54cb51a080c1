/**
 * A modal dialog: keeps the focus within, ends with Escape or a click beside it, and gives the focus back. Where a form in
 * it holds what is not saved, it asks before it goes.
 */
import { Dialog as Base } from '@base-ui/react/dialog';
import { useBlocker } from '@tanstack/react-router';
import {
  createContext,
  type ReactNode,
  type RefObject,
  useContext,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { SettingWords } from '../names/setting-words.tsx';

interface Question {
  readonly title: string;
  readonly consequence: string;
  readonly keep: string;
  readonly leave: string;
  /** Whether also the dialog's own buttons ask. */
  readonly isOfButtons: boolean;
}

const UNSAVED: Question = {
  title: 'Discard what you entered?',
  consequence: 'It is not saved and will be lost.',
  keep: 'Keep editing',
  leave: 'Discard',
  isOfButtons: true,
};
const UNCOPIED: Question = {
  title: 'Close without copying?',
  consequence: 'What is shown here has not been copied, and is not shown again.',
  keep: 'Go back',
  leave: 'Close',
  // Who presses Done has read what stands above it.
  isOfButtons: false,
};

/** What a dialog asks before it goes; undefined: it goes at once. */
type Hold = { readonly question: Question; readonly isAsked: boolean } | undefined;

const HoldContext = createContext<(hold: Hold) => void>(() => undefined);

function useQuestion(question: Question | undefined): void {
  const hold = useContext(HoldContext);
  // Before the next key: it may be Escape.
  useLayoutEffect(() => {
    if (!question) return undefined;
    hold({ question, isAsked: false });
    return () => hold(undefined);
  }, [hold, question]);
}

/** For a form in a dialog: what was entered and is not saved holds the dialog, until its reader discards it. */
export function useHold(isUnsaved: boolean): void {
  useQuestion(isUnsaved ? UNSAVED : undefined);
}

interface Outcome {
  readonly ref: RefObject<HTMLDivElement | null>;
  readonly onCopy: () => void;
}

/**
 * For what a form has made, in its place: it is seen from its top, wherever the form was scrolled to. A secret in it that is
 * shown only once holds the dialog until it is copied, with its button or by hand.
 */
export function useOutcome(hasSecret: boolean): Outcome {
  const ref = useRef<HTMLDivElement>(null);
  const [isCopied, setCopied] = useState(false);
  useQuestion(hasSecret && !isCopied ? UNCOPIED : undefined);
  useLayoutEffect(() => showTop(ref.current?.closest('.dialog')), []);
  return { ref, onCopy: () => setCopied(true) };
}

export function Dialog(props: { title: string; onClose: () => void; children: ReactNode }): ReactNode {
  const { title, onClose, children } = props;
  const popup = useRef<HTMLDivElement>(null);
  const [hold, setHold] = useState<Hold>();
  const close = (isByButton: boolean): void =>
    hold === undefined || (isByButton && !hold.question.isOfButtons) ? onClose() : setHold({ ...hold, isAsked: true });
  return (
    <Base.Root
      open
      onOpenChange={(isOpen, { reason, event }) => !isOpen && close(reason === 'close-press' && !isCross(event.target))}
    >
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
          {hold === undefined ? null : (
            <LeaveQuestion
              {...hold}
              isThere={() => popup.current !== null}
              onKeep={() => setHold({ ...hold, isAsked: false })}
              onLeave={onClose}
            />
          )}
        </Base.Popup>
      </Base.Portal>
    </Base.Root>
  );
}

/** It is pressed as Escape is: without a look at what stands there. */
function isCross(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest('.dialog-close') !== null;
}

interface LeaveQuestionProps {
  readonly question: Question;
  readonly isAsked: boolean;
  /** Whether the dialog that it asks about is. */
  readonly isThere: () => boolean;
  readonly onKeep: () => void;
  readonly onLeave: () => void;
}

/** Asks also where the browser would go to another page: on a phone, Back is what closes a dialog. */
function LeaveQuestion({ question, isAsked, isThere, onKeep, onLeave }: LeaveQuestionProps): ReactNode {
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
      title={question.title}
      onClose={() => {
        leaving.reset?.();
        onKeep();
      }}
    >
      <p>{question.consequence}</p>
      <DialogEnd cancel={question.keep}>
        <button
          type="button"
          className="danger"
          onClick={() => {
            leaving.proceed?.();
            onLeave();
          }}
        >
          {question.leave}
        </button>
      </DialogEnd>
    </Dialog>
  );
}

/** The end of every dialog that asks: what closes it, then what it is for. */
interface DialogEndProps {
  readonly cancel?: string;
  /** Why it was not done, a line for each reason: beside the buttons it is in sight. The first field that is at fault comes into sight, too. */
  readonly fault?: string | undefined;
  readonly children?: ReactNode;
}

export function DialogEnd({ cancel = 'Cancel', fault, children }: DialogEndProps): ReactNode {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (fault !== undefined) showFault(ref.current?.closest('.dialog'));
  }, [fault]);
  return (
    <div className="form-end dialog-end" ref={ref}>
      {fault === undefined ? null : (
        <p className="bad" role="alert">
          {fault.split('\n').map((line) => (
            <span key={line} className="fault-line">
              <SettingWords text={line} />
            </span>
          ))}
        </p>
      )}
      <Base.Close>{cancel}</Base.Close>
      {children}
    </div>
  );
}

/** Also without the edges of what was out of sight: where nothing scrolls any more, they would stay as they were. */
function showTop(dialog: Element | null | undefined): void {
  dialog?.scrollTo(0, 0);
  for (const edge of dialog?.getAnimations({ subtree: true }) ?? []) {
    edge.cancel();
    edge.play();
  }
}

function showFault(dialog: Element | null | undefined): void {
  const field = dialog?.querySelector<HTMLElement>('[aria-invalid=true]');
  field?.focus({ preventScroll: true });
  // Not at the edge: the reason stands below it.
  field?.scrollIntoView({ block: 'center' });
}

/** Who opens a form wants to fill it in, not to close it; a question begins at what changes nothing. */
function firstField(popup: HTMLElement | null): HTMLElement | null {
  return (
    popup?.querySelector<HTMLElement>('input:enabled, textarea:enabled') ??
    popup?.querySelector<HTMLElement>('.dialog-end > button') ??
    null
  );
}
