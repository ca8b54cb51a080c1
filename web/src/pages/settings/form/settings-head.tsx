/** The head of a tab of the settings: its name, what it is for in a line, and its main action. */
import type { ReactNode } from 'react';
import { SETTINGS_TAB_LABELS, type SettingsTab } from '../../../address/settings-tabs.ts';

const ABOUT: Readonly<Record<SettingsTab, string>> = {
  ckpt: 'When jobs are saved, and what is saved of them.',
  node: 'When a node counts as lost, and how much of its logs is kept.',
  job: 'How long ended jobs are kept, and the volumes that jobs get.',
  server: 'Where the server listens.',
  log: 'What the server logs, and how much of it is kept.',
  security: 'Certificates, roles, limits of calls, and where webhooks may lead.',
  identity: 'Who may sign in, and who is an administrator.',
  tokens: 'Keys for programs and new workers.',
  webhooks: 'Sends events of jobs and nodes, as they happen, to an address or to Slack.',
  history: 'The last changes of the settings, newest first.',
  audit: 'Every change that somebody made, newest first.',
  about: 'What runs here, and where to read about it.',
};

export function SettingsHead({ tab, children }: { tab: SettingsTab; children?: ReactNode }): ReactNode {
  return (
    <div className="settings-head">
      <div>
        <h2>{SETTINGS_TAB_LABELS[tab]}</h2>
        <p>{ABOUT[tab]}</p>
      </div>
      {children}
    </div>
  );
}
