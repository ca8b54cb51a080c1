/** The reader's saved views: opens one, saves the page that stands behind, removes one. In a file of its own, fetched ahead. */
import { Link, useLocation } from '@tanstack/react-router';
import { type ReactNode, useState } from 'react';
import { Dialog, useHold } from '../controls/dialog.tsx';
import { savedViews } from '../preferences/kept-views.ts';
import { timeZone, usePreference } from '../preferences/preferences.ts';
import { type SavedView, VIEW_NAME_LENGTH_MAX, VIEWS_MAX, withView } from '../preferences/saved-views.ts';
import { KEYED } from './places.ts';
import { viewWords } from './view-words.ts';

export function ViewsDialog({ onClose }: { onClose: () => void }): ReactNode {
  const views = usePreference(savedViews);
  return (
    <Dialog title="Saved views" onClose={onClose}>
      <SaveForm views={views} />
      {views.length === 0 ? (
        <p className="muted">No view is saved yet.</p>
      ) : (
        <ul className="rows" aria-label="Saved views">
          {views.map((view) => (
            <li key={view.name}>
              <Link to={view.to} search={view.search as never} onClick={onClose}>
                {view.name}
              </Link>
              <span className="muted">{hintOf(view)}</span>
              <button
                type="button"
                className="compact"
                aria-label={`Remove ${view.name}`}
                onClick={() => savedViews.choose(views.filter((other) => other !== view))}
              >
                Remove
              </button>
            </li>
          ))}
        </ul>
      )}
    </Dialog>
  );
}

function SaveForm({ views }: { views: readonly SavedView[] }): ReactNode {
  const { pathname, search } = useLocation();
  const [name, setName] = useState('');
  const trimmed = name.trim();
  useHold(trimmed !== '');
  const isReplaced = views.some((view) => view.name === trimmed);
  const isFull = views.length >= VIEWS_MAX && !isReplaced;
  const save = (): void => {
    savedViews.choose(withView(views, { name: trimmed, to: pathname, search: textsOf(search) }));
    setName('');
  };
  return (
    <form
      className="view-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (trimmed !== '' && !isFull) save();
      }}
    >
      <label>
        <span>Name of this view</span>
        <input
          type="text"
          value={name}
          maxLength={VIEW_NAME_LENGTH_MAX}
          placeholder="Failed last night"
          onChange={({ target }) => setName(target.value)}
        />
      </label>
      <button type="submit" className="primary" disabled={trimmed === '' || isFull}>
        {isReplaced ? 'Replace' : 'Save'}
      </button>
      <p className="muted small">
        {isFull
          ? `This browser keeps ${VIEWS_MAX} views. Remove one to save another.`
          : 'This page with its filters, order and range. This browser keeps it.'}
      </p>
    </form>
  );
}

/** Only what the address says: a page's own defaults may change. */
function textsOf(search: object): Record<string, string> {
  return Object.fromEntries(
    Object.entries(search).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function hintOf({ to, search }: SavedView): string {
  const page = KEYED.find((place) => place.to === to)?.label ?? to.slice(1);
  return [page, ...viewWords(search, Date.now(), timeZone.current())].join(' · ');
}
