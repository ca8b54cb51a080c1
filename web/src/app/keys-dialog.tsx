/** All keys, by what they do. */
import { Fragment, type ReactNode } from 'react';
import { Dialog } from '../controls/dialog.tsx';
import { KEYED } from './places.ts';

const PALETTE_KEY = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘ K' : 'Ctrl K';

const KEYS: readonly (readonly [string, string])[] = [
  [PALETTE_KEY, 'Search jobs, nodes, queues, pages, settings and guides'],
  ['/', 'Search this page; ↓ goes on to its rows'],
  ['j', 'Next row of a list'],
  ['k', 'Previous row of a list'],
  ['Enter', 'Open the row'],
  ...KEYED.map(({ key, label }) => [`g ${key}`, `Go to ${label}`] as const),
  ['+ -', 'Zoom the timeline of a job that has the focus; ← → move it'],
  ['?', 'Show these keys'],
  ['Esc', 'Close what is open; show the whole timeline'],
];

export function KeysDialog({ onClose }: { onClose: () => void }): ReactNode {
  return (
    <Dialog title="Keys" onClose={onClose}>
      <dl className="keys">
        {KEYS.map(([keys, what]) => (
          <Fragment key={keys}>
            <dt>
              {keys.split(' ').map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </Fragment>
        ))}
      </dl>
      <p className="muted small">All but the first can be turned off in the View menu.</p>
    </Dialog>
  );
}
