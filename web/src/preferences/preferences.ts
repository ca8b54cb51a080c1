/** The preferences of the View menu, beside the theme. */
import { useSyncExternalStore } from 'react';
import { type Kept, Preference } from './preference.ts';

/** The zone in which times are shown. */
export const timeZone = new Preference('zone', ['local', 'utc']);
export const density = new Preference('density', ['comfortable', 'compact']);
/** Whether long lines of logs go on below; in a narrow window they always do. */
export const wrapping = new Preference('wrapping', ['off', 'on']);
/** Keys such as `/` and `g j`; who dictates or uses other aids may need them off. */
export const shortcuts = new Preference('shortcuts', ['on', 'off']);

export function usePreference<T>(preference: Kept<T>): T {
  return useSyncExternalStore(preference.subscribe, preference.current);
}

/** Lets the style sheets see the density. */
export function applyDensity(): void {
  const apply = (): void => {
    document.documentElement.dataset['density'] = density.current();
  };
  density.subscribe(apply);
  apply();
}
