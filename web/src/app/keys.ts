/** The keys that work on every page: where the reader types, they are text like all others. */
import { useNavigate, useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { isReturn } from '../browser/moves.ts';
import { shortcuts } from '../preferences/preferences.ts';
import { KEYED } from './places.ts';
import { focusRow, noteOpened, returnToRow } from './rows-by-keys.ts';

/** Milliseconds within which the second key follows the `g`. */
const SEQUENCE_MS = 1_500;
/** A radio button and a checkbox take no text. */
const TYPING =
  'input:not([type=radio], [type=checkbox]), textarea, select, [contenteditable], [role=combobox], [role=dialog], [role=menu], [role=listbox]';

const SEARCH = 'main input[type=search]';

export interface KeyActions {
  readonly onPalette: () => void;
  readonly onHelp: () => void;
}

export function useKeys({ onPalette, onHelp }: KeyActions): void {
  const navigate = useNavigate();
  useEffect(() => {
    let goUntilMs = 0;
    const onKey = (event: KeyboardEvent): void => {
      if (event.key.toLowerCase() === 'k' && (event.metaKey || event.ctrlKey) && !event.altKey && !event.shiftKey) {
        event.preventDefault();
        onPalette();
        return;
      }
      if (event.metaKey || event.ctrlKey || event.altKey || event.defaultPrevented) return;
      if (leavesSearch(event)) return;
      if (shortcuts.current() === 'off' || isTyping(event.target)) return;
      const place = performance.now() < goUntilMs ? KEYED.find(({ key }) => key === event.key) : undefined;
      goUntilMs = event.key === 'g' ? performance.now() + SEQUENCE_MS : 0;
      if (place) void navigate({ to: place.to });
      else if (event.key === '/') focusSearch(onPalette);
      else if (event.key === '?') onHelp();
      else if (event.key === 'j' || event.key === 'k') focusRow(event.key === 'j' ? 1 : -1);
      else return;
      event.preventDefault();
    };
    document.addEventListener('keydown', onKey);
    document.addEventListener('click', noteOpened, true);
    return () => {
      document.removeEventListener('keydown', onKey);
      document.removeEventListener('click', noteOpened, true);
    };
  }, [navigate, onPalette, onHelp]);
  useReturn();
}

/** Back on the page of a list one is in the row that was opened; what Back undoes of the list itself leads to no row. */
function useReturn(): void {
  const router = useRouter();
  useEffect(() => {
    let leave = (): void => undefined;
    const stopMoves = router.history.subscribe(() => leave());
    // The rows that were there until then may have the same links.
    const stopPages = router.subscribe('onRendered', ({ pathChanged }) => {
      if (isReturn() && pathChanged) leave = returnToRow();
    });
    return () => {
      leave();
      stopMoves();
      stopPages();
    };
  }, [router]);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof Element && target.closest(TYPING) !== null;
}

/** From the search of a page to its rows: down, or out of it once it is empty. Whether that was it. */
function leavesSearch({ key, target }: KeyboardEvent): boolean {
  if (!(target instanceof HTMLInputElement && target.matches(SEARCH))) return false;
  if (key === 'ArrowDown') focusRow(1);
  else if (key === 'Escape' && target.value === '') target.blur();
  else return false;
  return true;
}

/** The search of the page; where it has none, the palette searches everything. */
function focusSearch(onPalette: () => void): void {
  const box = document.querySelector<HTMLInputElement>(SEARCH);
  if (box) box.focus();
  else onPalette();
}
