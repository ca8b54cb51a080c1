/** Search over everything, by keys alone: type, choose by arrows, Enter. In a file of its own, fetched ahead. */
import { Autocomplete } from '@base-ui/react/autocomplete';
import { Dialog } from '@base-ui/react/dialog';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type ReactNode, useEffect, useEffectEvent, useState } from 'react';
import { useNarrow } from '../browser/narrow.ts';
import { LongId } from '../names/long-id.tsx';
import { matchIn } from '../names/match-in-name.ts';
import { Badge } from '../parts/badge.tsx';
import { type Found, type FoundGroup, usePaletteSearch } from './palette-search.ts';

/** The dialog would move the focus a frame later, and what a quick typist types first would be lost. */
const focusNow = (input: HTMLInputElement | null): void => input?.focus();

/** What is seen to be highlighted is opened: the index that the list keeps is another one while answers arrive. */
function chooseHighlighted({ currentTarget }: KeyboardEvent): boolean {
  const option = currentTarget.closest('[role=dialog]')?.querySelector<HTMLElement>('[role=option][data-highlighted]');
  option?.click();
  return option !== undefined && option !== null;
}

export function Palette({ onClose }: { onClose: () => void }): ReactNode {
  const [text, setText] = useState('');
  const { groups, elsewhere, isSearching, isUnanswered } = usePaletteSearch(text);
  const typed = text.trim();
  const isNothing = groups.length === 0 && !isSearching && !isUnanswered && typed !== '';
  const navigate = useNavigate();
  const open = ({ to, search, hash }: Found): void => {
    onClose();
    // Guides and the reference are documents of their own, which the router does not know.
    if (/^\/(api|docs)\//.test(to)) window.location.assign(to);
    else void navigate({ to, search: search as never, ...(hash === undefined ? {} : { hash }) });
  };
  const setAwaited = useFirstFound(groups, isSearching, open);
  return (
    <Dialog.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Dialog.Portal>
        <Dialog.Backdrop className="backdrop" />
        <Dialog.Popup className="palette" aria-label="Search everything">
          <Autocomplete.Root
            open
            inline
            items={isNothing ? [elsewhere] : groups}
            filter={null}
            value={text}
            onValueChange={(value) => {
              setText(value);
              setAwaited(false);
            }}
            itemToStringValue={(item: Found) => item.label}
            autoHighlight="always"
            keepHighlight
          >
            <Autocomplete.Input
              ref={focusNow}
              onKeyDown={(event) => {
                if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
                event.preventBaseUIHandler();
                event.preventDefault();
                if (!chooseHighlighted(event)) setAwaited(true);
              }}
              className="palette-input"
              aria-label="Search jobs, nodes, queues, pages, settings and guides"
              placeholder="Search jobs, nodes, queues, settings, guides…"
            />
            <Dialog.Close className="hidden">Close</Dialog.Close>
            <Nothing
              {...{ isNothing, isSearching, isUnanswered }}
              isTyped={typed !== ''}
              hasFound={groups.length > 0}
            />
            <Autocomplete.List className="palette-list" aria-busy={isSearching}>
              {({ value, items }: FoundGroup) => (
                <Autocomplete.Group key={value} items={items}>
                  <Autocomplete.GroupLabel className="menu-label">{value}</Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(found: Found) => <FoundOption key={found.id} found={found} typed={typed} onOpen={open} />}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </Autocomplete.Root>
        </Dialog.Popup>
      </Dialog.Portal>
    </Dialog.Root>
  );
}

interface NothingProps {
  readonly isNothing: boolean;
  readonly isSearching: boolean;
  readonly isUnanswered: boolean;
  readonly isTyped: boolean;
  readonly hasFound: boolean;
}

/** Why there is nothing to choose, or not all of it. */
function Nothing({ isNothing, isSearching, isUnanswered, isTyped, hasFound }: NothingProps): ReactNode {
  const text = isNothing
    ? 'Nothing matches: no name, page, setting or guide has this text.'
    : isUnanswered && isTyped
      ? 'The server does not answer: of jobs and nodes, those that were loaded are searched.'
      : '';
  return (
    <>
      <Autocomplete.Empty className="palette-empty">
        {hasFound || isUnanswered || !isSearching ? null : 'Searching…'}
      </Autocomplete.Empty>
      {text === '' ? null : (
        <p className="palette-away" role="status">
          {text}
        </p>
      )}
    </>
  );
}

/** Who presses Enter before anything is found goes to what is found first. */
function useFirstFound(groups: readonly FoundGroup[], isSearching: boolean, open: (found: Found) => void) {
  const [isAwaited, setAwaited] = useState(false);
  const openFirst = useEffectEvent((): void => {
    const first = groups[0]?.items[0];
    if (first !== undefined) open(first);
  });
  const hasFound = groups.length > 0;
  useEffect(() => {
    if (!isAwaited) return;
    if (hasFound) openFirst();
    else if (!isSearching) setAwaited(false);
  }, [isAwaited, hasFound, isSearching]);
  return setAwaited;
}

interface FoundOptionProps {
  found: Found;
  typed: string;
  onOpen: (found: Found) => void;
}

function FoundOption({ found, typed, onOpen }: FoundOptionProps): ReactNode {
  const { label, isPlain, state } = found;
  return (
    <Autocomplete.Item value={found} className="option palette-option" onClick={() => onOpen(found)}>
      <span className={isPlain ? 'palette-label palette-all' : 'palette-label'} title={label}>
        <Matched name={label} typed={isPlain ? '' : typed} />
      </span>
      <Hint of={found} typed={typed} />
      {state === undefined ? null : state === 'alive' ? <span className="muted">Alive</span> : <Badge state={state} />}
    </Autocomplete.Item>
  );
}

/** Characters that a phone and a wide window have room for. */
const SHOWN = { narrow: 24, wide: 48 };

function has(text: string, typed: string): boolean {
  return typed !== '' && text.toLowerCase().includes(typed.toLowerCase());
}

/** What was typed is looked for in it only where the label has none of that: else the label needs the room. */
function Hint({ of: { label, hint }, typed }: { of: Found; typed: string }): ReactNode {
  return has(hint, typed) && !has(label, typed) ? (
    <span className="palette-hint palette-hint-whole">
      <Matched name={hint} typed={typed} />
    </span>
  ) : (
    <span className="palette-hint">
      <LongId id={hint} />
    </span>
  );
}

/** What was typed is seen in it, and its end, by which names differ: what is left out is in the middle. */
function Matched({ name, typed }: { name: string; typed: string }): ReactNode {
  const { before, match, after } = matchIn(name, typed, SHOWN[useNarrow() ? 'narrow' : 'wide']);
  return match === '' ? (
    <LongId id={before} />
  ) : (
    <>
      <span className="palette-match">
        {before}
        <b>{match}</b>
      </span>
      <LongId id={after} />
    </>
  );
}
