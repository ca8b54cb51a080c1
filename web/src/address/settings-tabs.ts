/** The settings' tabs: their names as they stand in the address, their labels, and which settings each has. Pure. */
export const SETTINGS_TAB_LABELS = {
  ckpt: 'Checkpoints',
  node: 'Nodes',
  job: 'Jobs',
  server: 'Server',
  log: 'Log',
  security: 'Security',
  identity: 'Identity provider',
  tokens: 'Tokens',
  webhooks: 'Webhooks',
  history: 'History',
  audit: 'Audit log',
  about: 'About',
} as const;
export type SettingsTab = keyof typeof SETTINGS_TAB_LABELS;
/** Of an address that names none. */
export const TAB_DEFAULT: SettingsTab = 'ckpt';
export const SETTINGS_TABS = Object.keys(SETTINGS_TAB_LABELS) as readonly SettingsTab[];

export interface SettingsGroup {
  readonly title: string;
  readonly tabs: readonly SettingsTab[];
}

/** Settings proper, and what they are beside: who may call, and what was done. */
export const SETTINGS_GROUPS: readonly SettingsGroup[] = [
  { title: 'Configuration', tabs: ['ckpt', 'node', 'job', 'server', 'log', 'security'] },
  { title: 'Access and records', tabs: ['identity', 'tokens', 'webhooks', 'history', 'audit', 'about'] },
];

export function isSettingsTab(name: string): name is SettingsTab {
  return Object.hasOwn(SETTINGS_TAB_LABELS, name);
}

/** By the beginning of the setting's path. */
export function settingsTabOf(path: string): SettingsTab {
  const [head = '', ...rest] = path.split('.');
  if (rest.length === 0) return 'server';
  if (path.startsWith('security.idp.')) return 'identity';
  return isSettingsTab(head) ? head : 'server';
}
