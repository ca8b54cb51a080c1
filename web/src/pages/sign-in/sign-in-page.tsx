/** The identity provider is on and the server wants to know who asks. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Provider } from '../../api/provider.ts';
import { currentToken } from '../../api/token.ts';
import { Icon } from '../../parts/icon.tsx';
import { PageHead } from '../../parts/page-head.tsx';
import { Answered } from '../../parts/states.tsx';
import { idpQuery } from '../../queries/server.ts';
import { acceptSession } from './accept-session.ts';
import { CredentialForm } from './credential-form.tsx';
import { PoolSignIn } from './pool-sign-in.tsx';
import { ProviderSignIn } from './provider-sign-in.tsx';

export function SignInPage(): ReactNode {
  // That a call was refused may mean that the provider was enabled since it was last asked for.
  const query = useQuery({ ...idpQuery, staleTime: 0 });
  return (
    <div className="narrow">
      <section className="panel sign-in" aria-label="Sign in">
        <Icon name="cairn" />
        <PageHead title="Sign in" subtitle={`to the Cairn server ${window.location.host}`} />
        {currentToken() === null ? null : (
          <p className="notice notice-quiet">Your session has ended. Sign in again to go on where you were.</p>
        )}
        <Answered query={query} what="the identity provider">
          {(provider) => <Ways provider={provider} />}
        </Answered>
      </section>
      <p className="sign-in-about">
        Cairn saves the work of batch jobs on spot machines, and continues it elsewhere after a reclaim.
      </p>
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
      <div className="sign-in-end small">
        {hasOther ? (
          <p>
            <button type="button" className="link" onClick={() => setByToken(!isByToken)}>
              {isByToken ? (oidc ? 'Sign in at the provider' : 'Use a user name and password') : 'Use an access token'}
            </button>
          </p>
        ) : null}
        <p className="muted">You stay signed in until you close the last tab of the dashboard.</p>
        <details>
          <summary>{isByToken || oidc ? 'Who checks it' : 'How the password is sent'}</summary>
          {isByToken || oidc ? null : (
            <p>
              With the SRP protocol the password does not leave this browser. If the user pool does not support SRP,
              this page asks before it sends the password.
            </p>
          )}
          <dl className="facts facts-wide">
            <div>
              <dt>{issuer ? 'Provider' : 'User pool'}</dt>
              <dd>
                <code>{issuer ?? userPoolID}</code>
              </dd>
            </div>
            <div>
              <dt>Client</dt>
              <dd>
                <code>{clientID}</code>
              </dd>
            </div>
          </dl>
        </details>
      </div>
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
      faultAt="token"
      onSubmit={({ token = '' }) => acceptSession({ accessToken: token.trim(), userName: '', isRenewable: false })}
    />
  );
}
