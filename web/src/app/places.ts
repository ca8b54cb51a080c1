/** The pages of the navigation, in its order; the key after `g` opens one. */
import type { IconName } from '../parts/icon.tsx';

export interface Place {
  readonly to: string;
  readonly label: string;
  readonly icon: IconName;
  readonly key: string;
  /** Pages of one of its things, which have no place of their own. */
  readonly below?: readonly string[];
}

export const PLACES: readonly Place[] = [
  { to: '/', label: 'Overview', icon: 'overview', key: 'o' },
  { to: '/jobs', label: 'Jobs', icon: 'jobs', key: 'j', below: ['/job', '/queues', '/queue'] },
  { to: '/nodes', label: 'Nodes', icon: 'nodes', key: 'n', below: ['/node', '/reclaims'] },
  { to: '/explore', label: 'Metrics', icon: 'metrics', key: 'm' },
  { to: '/logs', label: 'Logs', icon: 'logs', key: 'l' },
  { to: '/health', label: 'Health', icon: 'health', key: 'h' },
  { to: '/settings', label: 'Settings', icon: 'settings', key: 's' },
];

/** All pages that keys open: with those that stand below one of the navigation. */
export const KEYED: readonly Pick<Place, 'to' | 'label' | 'key'>[] = [
  ...PLACES,
  { to: '/queues', label: 'Queues', key: 'q' },
  { to: '/reclaims', label: 'Spot reclaims', key: 'r' },
];
