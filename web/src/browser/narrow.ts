/** Whether the window is too narrow for columns; the style sheets have the same widths. */
import { useSyncExternalStore } from 'react';

/**
 * Pixels; `menu`: for a column of links beside the content; `cost`: for eight columns of figures, `desk` for nine, `table` for ten,
 * `figures` for twelve and `queues` for fifteen, which a sheet of paper shows.
 */
const NARROW = {
  columns: media(620),
  menu: media(700),
  cost: media(759, 'screen and '),
  desk: media(1000, 'screen and '),
  table: media(1220, 'screen and '),
  figures: media(1420, 'screen and '),
  queues: media(1560, 'screen and '),
};

export function useNarrow(what: keyof typeof NARROW = 'columns'): boolean {
  const { subscribe, matches } = NARROW[what];
  return useSyncExternalStore(subscribe, matches);
}

export function isNarrow(): boolean {
  return NARROW.columns.matches();
}

function media(px: number, of = ''): { subscribe: (listener: () => void) => () => void; matches: () => boolean } {
  const query = (): MediaQueryList => window.matchMedia(`${of}(max-width: ${px}px)`);
  return {
    subscribe: (listener) => {
      const list = query();
      list.addEventListener('change', listener);
      return () => list.removeEventListener('change', listener);
    },
    matches: () => query().matches,
  };
}
