/** The identity provider is on and the server wants to know who asks. */
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { Provider } from '../../api/provider.ts';
import { idpQuery } from '../../api/queries.ts';
import { ask } from '../../api/request.ts';
import { currentToken, type Session, signIn } from '../../api/token.ts';
import { PageHead } from '../../parts/page-head.tsx';
import { Answered } from '../../parts/states.tsx';
import { CredentialForm } from './credential-form.tsx';
import { PoolSignIn } from './pool-sign-in.tsx';

export function SignInPage(): ReactNode {
  const query = useQuery(idpQuery);
  return (
    <div className="narrow">
      <PageHead title="Sign in" />
      <section className="panel" aria-label="Sign in">
        {currentToken() === null ? null : <p>Your session ended, or the server does not accept your token.</p>}
        <Answered query={query} what="the identity provider">
          {(provider) => <Ways provider={provider} />}
        </Answered>
      </section>
    </div>
  );
}

function Ways({ provider }: { provider: Provider }): ReactNode {
  const { userPoolID, clientID, signInEndpoint } = provider;
  const [isByToken, setByToken] = useState(signInEndpoint === null);
  return (
    <>
      {isByToken || signInEndpoint === null ? (
        <TokenForm />
      ) : (
        <PoolSignIn
          place={{ userPoolID, clientID, endpoint: signInEndpoint }}
          onSignedIn={(accessToken, userName) => accept({ accessToken, userName, isRenewable: true })}
        />
      )}
      {signInEndpoint === null ? null : (
        <p className="other-way">
          <button type="button" className="link" onClick={() => setByToken(!isByToken)}>
            {isByToken ? 'Use name and password' : 'Use an access token'}
          </button>
        </p>
      )}
      <p className="muted small">
        User pool <code>{userPoolID}</code>, app client <code>{clientID}</code>. What signs you in ends with the last
        tab of this page.
      </p>
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
          about: 'An access token from the identity provider. It cannot be renewed here.',
        },
      ]}
      action="Sign in"
      onSubmit={({ token = '' }) => accept({ accessToken: token.trim(), userName: '', isRenewable: false })}
    />
  );
}

/** Asks once with the token, so that a wrong one is refused here and not on every page. */
async function accept(session: Session): Promise<void> {
  await ask('/api/v1/config', { headers: { authorization: `bearer ${session.accessToken}` } });
  signIn(session);
}
