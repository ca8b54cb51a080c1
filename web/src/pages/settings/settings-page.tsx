/** Every configuration field, the history of changes, the identity provider, tokens, webhooks. */
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { SETTINGS_TABS, type SettingsTab } from '../../address/settings-tabs.ts';
import { configQuery } from '../../api/queries.ts';
import { useRole } from '../../api/role.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Answered, Empty } from '../../parts/states.tsx';
import { ConfigForm } from './config-form.tsx';
import { HistoryTable } from './history-table.tsx';
import { IdentityForm } from './identity-form.tsx';
import { NodeTokens } from './node-tokens.tsx';
import { ServiceTokens } from './service-tokens.tsx';
import { Webhooks } from './webhooks.tsx';

/** Name in the address → label, and the fields of the tab by the beginning of their paths. */
const TABS: Readonly<Record<SettingsTab, { label: string; fields?: (path: string) => boolean }>> = {
  ckpt: { label: 'Checkpoints', fields: (path) => path.startsWith('ckpt.') },
  node: { label: 'Nodes', fields: (path) => path.startsWith('node.') },
  job: { label: 'Jobs', fields: (path) => path.startsWith('job.') },
  server: { label: 'Server', fields: (path) => !path.includes('.') },
  log: { label: 'Log', fields: (path) => path.startsWith('log.') },
  security: {
    label: 'Security',
    fields: (path) => path.startsWith('security.') && !path.startsWith('security.idp.'),
  },
  identity: { label: 'Identity provider' },
  tokens: { label: 'Tokens' },
  webhooks: { label: 'Webhooks' },
  history: { label: 'History' },
};

const TAB_DEFAULT: SettingsTab = 'ckpt';

export function SettingsPage(): ReactNode {
  const { tab = TAB_DEFAULT } = useSearch({ from: '/settings' });
  return (
    <>
      <PageHead title="Settings" />
      <nav className="tabs" aria-label="Settings">
        {SETTINGS_TABS.map((name) => (
          <Link
            key={name}
            to="/settings"
            search={{ tab: name }}
            className={name === tab ? 'active' : ''}
            aria-current={name === tab ? 'page' : undefined}
          >
            {TABS[name].label}
          </Link>
        ))}
      </nav>
      <ReadOnly>
        <Tab tab={tab} />
      </ReadOnly>
    </>
  );
}

/** Who may not change anything sees everything, and why he cannot. */
function ReadOnly({ children }: { children: ReactNode }): ReactNode {
  const { mayChange, userName, adminGroups } = useRole();
  if (mayChange) return children;
  return (
    <>
      <p className="notice" role="note">
        You are signed in as <strong>{userName}</strong> and may read the settings. Only an administrator may change
        them: a member of {adminGroups.split(',').join(' or ')}.
      </p>
      <fieldset className="bare" disabled>
        {children}
      </fieldset>
    </>
  );
}

function Tab({ tab }: { tab: SettingsTab }): ReactNode {
  const { mayChange } = useRole();
  const query = useQuery(configQuery);
  const fits = TABS[tab].fields;
  if (fits)
    return (
      <Answered query={query} what="the configuration">
        {(config) => <ConfigForm key={tab} config={config} fits={fits} />}
      </Answered>
    );
  if (tab === 'identity') return <IdentityForm />;
  if (tab === 'tokens')
    return (
      <>
        <NodeTokens />
        <ServiceTokens />
      </>
    );
  if (tab === 'webhooks') return <Webhooks />;
  if (!mayChange) return <Empty title="Only an administrator may see who changed what" />;
  return <HistoryTable />;
}
