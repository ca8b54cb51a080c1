/** The identity provider is on and the server wants to know who asks. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Provider } from '../../api/provider.ts';
import { idpQuery } from '../../api/queries.ts';
import { currentToken } from '../../api/token.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Answered } from '../../parts/states.tsx';
import { acceptSession } from './accept-session.ts';
import { CredentialForm } from './credential-form.tsx';
import { PoolSignIn } from './pool-sign-in.tsx';
import { ProviderSignIn } from './provider-sign-in.tsx';

export function SignInPage(): ReactNode {
  const query = useQuery(idpQuery);
  return (
    <div className="narrow">
      <PageHead title="Sign in" />
      <p className="muted">
        To the Cairn server <strong>{window.location.host}</strong>.
      </p>
      <section className="panel" aria-label="Sign in">
        {currentToken() === null ? null : <p>Your session has ended. Sign in again.</p>}
        <Answered query={query} what="the identity provider">
          {(provider) => <Ways provider={provider} />}
        </Answered>
      </section>
    </div>
  );
}

function Ways({ provider }: { provider: Provider }): ReactNode {
  const { userPoolID, clientID, signInEndpoint, oidc, issuer } = provider;
  const hasOther = signInEndpoint !== null || oidc !== null;
  // Until the user chooses: what is known of the provider may be of the time before it was enabled.
  const [chosen, setByToken] = useState<boolean>();
  const isByToken = chosen ?? !hasOther;
  return (
    <>
      {isByToken ? (
        <TokenForm />
      ) : oidc ? (
        <ProviderSignIn place={oidc} />
      ) : (
        <PoolSignIn
          place={{ userPoolID, clientID, endpoint: signInEndpoint ?? '' }}
          onSignedIn={(accessToken, userName) => acceptSession({ accessToken, userName, isRenewable: true })}
        />
      )}
      {hasOther ? (
        <p className="other-way">
          <button type="button" className="link" onClick={() => setByToken(!isByToken)}>
            {isByToken ? (oidc ? 'Sign in at the provider' : 'Use a user name and password') : 'Use an access token'}
          </button>
        </p>
      ) : null}
      <p className="muted small">You stay signed in until you close the last tab of the dashboard.</p>
      <details className="small">
        <summary>Details</summary>
        <p>
          {issuer ? 'Provider' : 'User pool'}: <code>{issuer ?? userPoolID}</code>. Client: <code>{clientID}</code>.
        </p>
      </details>
    </>
  );
}

function TokenForm(): ReactNode {
  return (
    <CredentialForm
      key="token"
      fields={[
        {
          name: 'token',
          label: 'Access token',
          type: 'password',
          autoComplete: 'off',
          about: 'From the identity provider. When it expires, you need a new one.',
        },
      ]}
      action="Sign in"
      onSubmit={({ token = '' }) => acceptSession({ accessToken: token.trim(), userName: '', isRenewable: false })}
    />
  );
}
