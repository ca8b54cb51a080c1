/** Names of the settings' tabs, as they stand in the address. */
export const SETTINGS_TABS = [
  'ckpt',
  'node',
  'job',
  'server',
  'log',
  'security',
  'identity',
  'tokens',
  'webhooks',
  'history',
] as const;
export type SettingsTab = (typeof SETTINGS_TABS)[number];

export function isSettingsTab(name: string): name is SettingsTab {
  return (SETTINGS_TABS as readonly string[]).includes(name);
}
