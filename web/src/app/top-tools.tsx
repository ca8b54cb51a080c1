/** The tools of the top bar: search over everything, saved views, the View menu, and the keys that open them. */
import { type ComponentType, type ReactNode, useCallback, useState } from 'react';
import { fetchedAhead } from '../chunks/fetch-ahead.ts';
import { Icon } from '../parts/icon.tsx';
import { useKeys } from './keys.ts';

/** They are fetched after the first page: nobody needs them before. */
const LOADS = {
  palette: fetchedAhead(async () => (await import('./palette.tsx')).Palette),
  keys: fetchedAhead(async () => (await import('./keys-dialog.tsx')).KeysDialog),
  views: fetchedAhead(async () => (await import('./views-dialog.tsx')).ViewsDialog),
  view: fetchedAhead(async () => (await import('./view-menu.tsx')).ViewMenu),
};

type Parts = { [name in keyof typeof LOADS]?: Awaited<ReturnType<(typeof LOADS)[name]>> };

/** What opens over the page. */
type Shown = 'palette' | 'keys' | 'views';

const PALETTE_KEY = /Mac|iPhone|iPad/.test(navigator.userAgent) ? '⌘K' : 'Ctrl K';

export function TopTools({ isSearchable }: { isSearchable: boolean }): ReactNode {
  const [parts, setParts] = useState<Parts>({});
  const [shown, setShown] = useState<Shown>();
  const [isViewOpen, setViewOpen] = useState(false);
  const get = useCallback(async (name: keyof typeof LOADS): Promise<void> => {
    // Without the server a part that was not fetched yet does not open; the shell says why.
    const part = await LOADS[name]().catch(() => undefined);
    if (part) setParts((before) => ({ ...before, [name]: part }));
  }, []);
  const show = useCallback(
    (name: Shown) => {
      setShown(name);
      void get(name);
    },
    [get],
  );
  const onPalette = useCallback(() => {
    if (isSearchable) show('palette');
  }, [isSearchable, show]);
  const onHelp = useCallback(() => show('keys'), [show]);
  useKeys({ onPalette, onHelp });
  const Part: ComponentType<{ onClose: () => void }> | undefined = shown && parts[shown];
  const View = parts.view;
  return (
    <>
      {isSearchable ? (
        <button type="button" className="compact search-button" onClick={onPalette}>
          <Icon name="search" />
          <span>Search</span>
          <kbd>{PALETTE_KEY}</kbd>
        </button>
      ) : null}
      {isSearchable ? (
        <button
          type="button"
          className="compact icon-button"
          aria-label="Saved views"
          title="Saved views"
          aria-haspopup="dialog"
          onClick={() => show('views')}
        >
          <Icon name="bookmark" />
        </button>
      ) : null}
      {View ? (
        <View isOpenAtOnce={isViewOpen} onKeys={onHelp} />
      ) : (
        <button
          type="button"
          className="compact icon-button"
          aria-label="View"
          title="View"
          aria-haspopup="menu"
          onClick={() => {
            setViewOpen(true);
            void get('view');
          }}
        >
          <Icon name="view" />
        </button>
      )}
      {Part ? <Part onClose={() => setShown(undefined)} /> : null}
    </>
  );
}
