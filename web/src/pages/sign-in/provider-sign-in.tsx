/** Signing in at an OpenID Connect provider: a button that leaves, and the page that the provider sends back to. */
import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import type { OidcPlace } from '../../api/oidc.ts';
import { readProvider } from '../../api/provider.ts';
import { Loading, messageOf } from '../../parts/states.tsx';
import { acceptSession } from './accept-session.ts';

export function ProviderSignIn({ place }: { place: OidcPlace }): ReactNode {
  const [error, setError] = useState<unknown>();
  const leave = async (): Promise<void> => {
    const { leaveForProvider } = await import('../../api/oidc.ts');
    const { pathname, search } = window.location;
    await leaveForProvider(place, pathname + search);
  };
  return (
    <>
      <p>
        You sign in at <strong>{new URL(place.issuer).host}</strong>, which then sends you back here.
      </p>
      {error === undefined ? null : (
        <p className="bad" role="alert">
          {messageOf(error)}
        </p>
      )}
      <div className="form-end">
        <button type="button" className="primary" onClick={() => void leave().catch(setError)}>
          Sign in
        </button>
      </div>
    </>
  );
}

/** Takes up what the provider sent, once, and goes to where the user was. */
export function SignedInPage(): ReactNode {
  const [error, setError] = useState<unknown>();
  const isBegun = useRef(false);
  const navigate = useNavigate();
  useEffect(() => {
    if (isBegun.current) return;
    isBegun.current = true;
    const address = new URL(window.location.href);
    finish(address).then((returnTo) => void navigate({ to: returnTo, replace: true }), setError);
  }, [navigate]);
  if (error === undefined) return <Loading what="your session" />;
  return (
    <section className="panel narrow" aria-label="Sign in">
      <p className="bad" role="alert">
        Sign-in failed: {messageOf(error)}
      </p>
      <a href="/">Try again</a>
    </section>
  );
}

async function finish(address: URL): Promise<string> {
  const { oidc } = await readProvider();
  if (!oidc) throw new Error('the server has no OpenID Connect provider');
  const { comeBack } = await import('../../api/oidc.ts');
  const { accessToken, isRenewable, returnTo } = await comeBack(oidc, address);
  await acceptSession({ accessToken, userName: '', isRenewable });
  // A path of this page and nothing else.
  return returnTo.startsWith('/') && !returnTo.startsWith('//') ? returnTo : '/';
}
