/** Every setting, the identity provider, tokens, webhooks, the history of changes, the audit log, and what runs here. */
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { Fragment, type ReactNode } from 'react';
import { SETTINGS_GROUPS, SETTINGS_TAB_LABELS, type SettingsTab, TAB_DEFAULT } from '../../address/settings-tabs.ts';
import { useIsAway } from '../../api/reachability.ts';
import { useNarrow } from '../../browser/narrow.ts';
import { Select } from '../../controls/select.tsx';
import { Icon } from '../../parts/icon.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Answered, OnlyFor, SignedInAs } from '../../parts/states.tsx';
import { type Role, useRole } from '../../queries/role.ts';
import { configQuery } from '../../queries/server.ts';
import '../../styles/settings.css';
import { About } from './about.tsx';
import { IdentityForm } from './access/identity-form.tsx';
import { Tokens } from './access/service-tokens.tsx';
import { Webhooks } from './access/webhooks.tsx';
import { ConfigForm } from './form/config-form.tsx';
import { fieldGroupsOf } from './form/field-groups.ts';
import { SettingsHead } from './form/settings-head.tsx';
import { AuditTable } from './records/audit-table.tsx';
import { HistoryTable } from './records/history-table.tsx';

export function SettingsPage(): ReactNode {
  const { tab = TAB_DEFAULT } = useSearch({ from: '/settings' });
  const isNarrow = useNarrow('menu');
  return (
    <>
      <PageHead title="Settings" />
      <div className="settings">
        {isNarrow ? <TabSelect tab={tab} /> : <TabLinks tab={tab} />}
        <div className="settings-body">
          <Tab tab={tab} />
        </div>
      </div>
    </>
  );
}

/** What a reader without the role does not even see. */
function isLocked(tab: SettingsTab, { mayChange, mayOperate }: Role): boolean {
  if (tab === 'history' || tab === 'audit') return !mayChange;
  return (tab === 'tokens' || tab === 'webhooks') && !mayOperate;
}

function Lock(): ReactNode {
  return (
    <span className="settings-lock" title="You have no access to it">
      <Icon name="denied" />
      <span className="hidden">, no access</span>
    </span>
  );
}

function TabLinks({ tab }: { tab: SettingsTab }): ReactNode {
  const role = useRole();
  return (
    <nav className="settings-nav" aria-label="Settings">
      {SETTINGS_GROUPS.map(({ title, tabs }) => (
        <Fragment key={title}>
          <p className="settings-group">{title}</p>
          {tabs.map((name) => (
            <Link
              key={name}
              to="/settings"
              search={{ tab: name }}
              className={name === tab ? 'settings-link active' : 'settings-link'}
              aria-current={name === tab ? 'page' : undefined}
            >
              {SETTINGS_TAB_LABELS[name]}
              {isLocked(name, role) ? <Lock /> : null}
            </Link>
          ))}
        </Fragment>
      ))}
    </nav>
  );
}

/** On a phone, where twelve links would take three lines of each page. */
function TabSelect({ tab }: { tab: SettingsTab }): ReactNode {
  const navigate = useNavigate();
  return (
    <div className="settings-select">
      <Select
        label="Settings"
        options={SETTINGS_GROUPS.flatMap(({ tabs }) =>
          tabs.map((name) => ({ value: name, label: SETTINGS_TAB_LABELS[name] })),
        )}
        value={tab}
        onChange={(name) => void navigate({ to: '/settings', search: { tab: name as SettingsTab } })}
      />
    </div>
  );
}

function Tab({ tab }: { tab: SettingsTab }): ReactNode {
  const { mayChange, mayOperate } = useRole();
  switch (tab) {
    case 'identity':
      return (
        <WithHead tab={tab}>
          <Allowed isAllowed={mayChange}>
            <IdentityForm />
          </Allowed>
        </WithHead>
      );
    case 'tokens':
      return <WithHead tab={tab}>{mayOperate ? <Tokens /> : <OnlyFor who="operators" what="tokens" />}</WithHead>;
    case 'webhooks':
      if (mayOperate) return <Webhooks />;
      return (
        <WithHead tab={tab}>
          <OnlyFor who="operators" what="webhooks" />
        </WithHead>
      );
    case 'history':
      return <WithHead tab={tab}>{mayChange ? <HistoryTable /> : <OnlyFor what="who changed what" />}</WithHead>;
    case 'audit':
      return <WithHead tab={tab}>{mayChange ? <AuditTable /> : <OnlyFor what="the audit log" />}</WithHead>;
    case 'about':
      return (
        <WithHead tab={tab}>
          <About />
        </WithHead>
      );
    default:
      return (
        <WithHead tab={tab}>
          <Allowed isAllowed={mayChange}>
            <Fields tab={tab} />
          </Allowed>
        </WithHead>
      );
  }
}

function WithHead({ tab, children }: { tab: SettingsTab; children: ReactNode }): ReactNode {
  return (
    <>
      <SettingsHead tab={tab} />
      {children}
    </>
  );
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
  const { administrator } = useRole();
  const isAway = useIsAway();
  if (isAllowed)
    return (
      <fieldset className="bare" disabled={isAway}>
        {isAway ? (
          <p className="notice notice-quiet" role="note">
            Nothing can be changed until the server is back.
          </p>
        ) : null}
        {children}
      </fieldset>
    );
  return (
    <>
      <p className="notice notice-quiet" role="note">
        <SignedInAs /> You can read the settings. Changes need {administrator}.
      </p>
      <fieldset className="bare" disabled>
        {children}
      </fieldset>
    </>
  );
}
