/** Every setting, the identity provider, tokens, webhooks, the history of changes, the audit log, and what runs here. */
import { useQuery } from '@tanstack/react-query';
import { Link, useSearch } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef } from 'react';
import { SETTINGS_TAB_LABELS, SETTINGS_TABS, type SettingsTab } from '../../address/settings-tabs.ts';
import { configQuery } from '../../api/queries.ts';
import { useRole } from '../../api/role.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Answered, Empty } from '../../parts/states.tsx';
import { About } from './about.tsx';
import { IdentityForm } from './access/identity-form.tsx';
import { Tokens } from './access/service-tokens.tsx';
import { Webhooks } from './access/webhooks.tsx';
import { ConfigForm } from './form/config-form.tsx';
import { fieldGroupsOf } from './form/field-groups.ts';
import { AuditTable } from './records/audit-table.tsx';
import { HistoryTable } from './records/history-table.tsx';

const TAB_DEFAULT: SettingsTab = 'ckpt';

export function SettingsPage(): ReactNode {
  const { tab = TAB_DEFAULT } = useSearch({ from: '/settings' });
  const tabs = useRef<HTMLElement>(null);
  // On a phone the tabs are one line, which scrolls.
  useEffect(() => {
    tabs.current?.querySelector(`[href*="tab=${tab}"]`)?.scrollIntoView({ inline: 'center', block: 'nearest' });
  }, [tab]);
  return (
    <>
      <PageHead title="Settings" />
      <nav ref={tabs} className="tabs tabs-strip" aria-label="Settings">
        {SETTINGS_TABS.map((name) => (
          <Link
            key={name}
            to="/settings"
            search={{ tab: name }}
            className={name === tab ? 'active' : ''}
            aria-current={name === tab ? 'page' : undefined}
          >
            {SETTINGS_TAB_LABELS[name]}
          </Link>
        ))}
      </nav>
      <Tab tab={tab} />
    </>
  );
}

function Tab({ tab }: { tab: SettingsTab }): ReactNode {
  const { mayChange, mayOperate } = useRole();
  switch (tab) {
    case 'identity':
      return (
        <Allowed isAllowed={mayChange}>
          <IdentityForm />
        </Allowed>
      );
    case 'tokens':
      return <Tokens />;
    case 'webhooks':
      return mayOperate ? <Webhooks /> : <Empty title="Only operators and administrators can see webhooks" />;
    case 'history':
      return mayChange ? <HistoryTable /> : <Empty title="Only administrators can see who changed what" />;
    case 'audit':
      return mayChange ? <AuditTable /> : <Empty title="Only administrators can read the audit log" />;
    case 'about':
      return <About />;
    default:
      return (
        <Allowed isAllowed={mayChange}>
          <Fields tab={tab} />
        </Allowed>
      );
  }
}

function Fields({ tab }: { tab: SettingsTab }): ReactNode {
  const query = useQuery(configQuery);
  return (
    <Answered query={query} what="the settings">
      {(config) => <ConfigForm key={tab} config={config} groups={fieldGroupsOf(tab)} />}
    </Answered>
  );
}

/** Readers who cannot change anything here see everything, and why they cannot. */
function Allowed({ isAllowed, children }: { isAllowed: boolean; children: ReactNode }): ReactNode {
  const { userName, adminGroups } = useRole();
  if (isAllowed) return children;
  return (
    <>
      <p className="notice notice-quiet" role="note">
        You are signed in as <strong>{userName}</strong>, and can read the settings. Changes need an administrator: a
        member of {adminGroups.split(',').join(' or ')}.
      </p>
      <fieldset className="bare" disabled>
        {children}
      </fieldset>
    </>
  );
}
