/** The frame around every page: name, navigation, connection, theme. */
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { type ReactNode, useSyncExternalStore } from 'react';
import { eventFeed } from '../api/event-feed.ts';
import { signOut } from '../api/renewal.ts';
import { useRole } from '../api/role.ts';
import { currentToken, needsSignIn, onTokenChange } from '../api/token.ts';
import { SignInPage } from '../pages/sign-in/sign-in-page.tsx';
import { Icon, type IconName } from '../parts/icon.tsx';
import { currentTheme, onThemeChange, setTheme, THEMES, type Theme } from '../parts/theme.ts';
import { Age, LocalTime } from '../parts/time.tsx';
import { AddressNotice } from './address-notice.tsx';

const PLACES: readonly { to: string; label: string; icon: IconName }[] = [
  { to: '/', label: 'Overview', icon: 'overview' },
  { to: '/jobs', label: 'Jobs', icon: 'jobs' },
  { to: '/nodes', label: 'Nodes', icon: 'nodes' },
  { to: '/explore', label: 'Metrics', icon: 'metrics' },
  { to: '/logs', label: 'Logs', icon: 'logs' },
  { to: '/health', label: 'Health', icon: 'health' },
  { to: '/settings', label: 'Settings', icon: 'settings' },
];

export function Shell(): ReactNode {
  const isRefused = useSyncExternalStore(onTokenChange, needsSignIn);
  // A page that the provider has sent back is not signed in yet.
  const isReturning = useLocation().pathname === '/signed-in';
  return (
    <div className={isRefused ? 'shell shell-bare' : 'shell'}>
      <a className="skip" href="#content">
        Skip to content
      </a>
      <header className="top">
        <Link to="/" className="brand">
          <Icon name="cairn" /> Cairn
        </Link>
        <div className="top-tools">
          {isRefused ? null : <Connection />}
          <ThemeSwitch />
          {isRefused ? null : <SignedIn />}
        </div>
      </header>
      {isRefused ? null : <Navigation />}
      {isRefused ? null : <AwayBar />}
      <main id="content" className="content" tabIndex={-1}>
        {isRefused ? null : <AddressNotice />}
        {isRefused && !isReturning ? <SignInPage /> : <Outlet />}
      </main>
    </div>
  );
}

function Navigation(): ReactNode {
  return (
    <nav className="nav" aria-label="Pages">
      {PLACES.map(({ to, label, icon }) => (
        <Link key={to} to={to} className="nav-link" activeOptions={{ exact: to === '/', includeSearch: false }}>
          <Icon name={icon} />
          <span>{label}</span>
        </Link>
      ))}
    </nav>
  );
}

const CONNECTION = {
  connecting: { label: 'Connecting', title: 'Opening the stream of events' },
  live: { label: 'Live', title: 'The page follows the server’s events' },
  refused: {
    label: 'Not live',
    title: 'The server answers, but refuses the stream of events. The page keeps trying to open it.',
  },
  away: {
    label: 'Offline',
    title: 'The server cannot be reached. The page keeps what it has, and keeps trying to connect.',
  },
} as const;

function Connection(): ReactNode {
  const { state, isAnswering } = useSyncExternalStore(eventFeed.subscribe, eventFeed.snapshot);
  const shown = state === 'away' && isAnswering ? 'refused' : state;
  const { label, title } = CONNECTION[shown];
  return (
    <span className={`connection connection-${shown}`} role="status" title={title}>
      <span className="dot" aria-hidden="true" />
      {label}
    </span>
  );
}

/** Says how old the page is while the server cannot be reached. What it shows stays. */
function AwayBar(): ReactNode {
  const { awaySinceMs, isAnswering } = useSyncExternalStore(eventFeed.subscribe, eventFeed.snapshot);
  if (awaySinceMs === undefined || isAnswering) return null;
  const at = new Date(awaySinceMs).toISOString();
  return (
    <p className="away">
      The server cannot be reached. You see data from <LocalTime at={at} /> (<Age of={at} />
      ). The page reconnects by itself.
    </p>
  );
}

function ThemeSwitch(): ReactNode {
  const theme = useSyncExternalStore(onThemeChange, currentTheme);
  return (
    <select
      className="compact"
      aria-label="Theme"
      value={theme}
      onChange={(event) => setTheme(event.target.value as Theme)}
    >
      {THEMES.map((name) => (
        <option key={name} value={name}>
          {name === 'system' ? 'System' : name === 'light' ? 'Light' : 'Dark'}
        </option>
      ))}
    </select>
  );
}

function SignedIn(): ReactNode {
  const token = useSyncExternalStore(onTokenChange, currentToken);
  const { userName, mayChange } = useRole();
  if (token === null) return null;
  return (
    <>
      {userName === '' ? null : (
        <span className="user" title={mayChange ? `${userName}, an administrator` : `${userName} may read, not change`}>
          {userName}
          {mayChange ? null : <span className="badge">read only</span>}
        </span>
      )}
      <button type="button" className="compact" onClick={() => void signOut()}>
        Sign out
      </button>
    </>
  );
}
