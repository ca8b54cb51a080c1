/** The frame around every page: name, search, connection, view, navigation. */
import { Link, Outlet, useLocation } from '@tanstack/react-router';
import { type ReactNode, useSyncExternalStore } from 'react';
import { signOut } from '../api/renewal.ts';
import { currentToken, needsSignIn, onTokenChange } from '../api/token.ts';
import { SignInPage } from '../pages/sign-in/sign-in-page.tsx';
import { Icon } from '../parts/icon.tsx';
import { timeZone, usePreference } from '../preferences/preferences.ts';
import { useRole } from '../queries/role.ts';
import { AddressNotice } from './address-notice.tsx';
import { AwayBar, Connection } from './connection.tsx';
import { PLACES } from './places.ts';
import { TopTools } from './top-tools.tsx';

export function Shell(): ReactNode {
  const isRefused = useSyncExternalStore(onTokenChange, needsSignIn);
  const zone = usePreference(timeZone);
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
          <TopTools isSearchable={!isRefused} />
          {isRefused ? null : <SignedIn />}
        </div>
      </header>
      {isRefused ? null : <Navigation />}
      {isRefused ? null : <AwayBar />}
      <main id="content" className="content" tabIndex={-1}>
        {isRefused ? null : <AddressNotice />}
        {/* Drawn again in another zone: charts write their times themselves. */}
        {isRefused && !isReturning ? <SignInPage /> : <Outlet key={zone} />}
      </main>
    </div>
  );
}

function Navigation(): ReactNode {
  const { pathname } = useLocation();
  return (
    <nav className="nav" aria-label="Pages">
      {PLACES.map(({ to, label, icon, below }) => (
        <Link
          key={to}
          to={to}
          className={below?.includes(pathname) ? 'nav-link active' : 'nav-link'}
          activeOptions={{ exact: to === '/', includeSearch: false }}
        >
          <Icon name={icon} />
          <span>{label}</span>
        </Link>
      ))}
    </nav>
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
      <button
        type="button"
        className="compact sign-out"
        title={userName === '' ? undefined : `Sign out ${userName}`}
        onClick={() => void signOut()}
      >
        <Icon name="leave" />
        <span>Sign out</span>
      </button>
    </>
  );
}
