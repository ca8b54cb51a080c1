/** The identity provider is on and the server wants a token: the one that the provider gave is pasted here. */
import { useMutation, useQuery } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { idpQuery } from '../../api/queries.ts';
import { ask } from '../../api/request.ts';
import { currentToken, signIn } from '../../api/token.ts';
import { PageHead } from '../../app/shell.tsx';
import { messageOf } from '../../parts/states.tsx';

export function SignInPage(): ReactNode {
  const { data } = useQuery(idpQuery);
  const id = useId();
  const [token, setToken] = useState('');
  const check = useMutation({ mutationFn: mustBeAccepted, onSuccess: () => signIn(token.trim()) });
  return (
    <div className="narrow">
      <PageHead title="Sign in" />
      <form
        className="panel"
        onSubmit={(event) => {
          event.preventDefault();
          check.mutate(token.trim());
        }}
      >
        <p>
          {currentToken() === null
            ? 'This server wants to know who you are.'
            : 'Your session ended, or the server does not accept your token.'}
          {data?.userPoolID ? (
            <>
              {' '}
              Its user pool is <code>{data.userPoolID}</code>, its app client <code>{data.clientID}</code>.
            </>
          ) : null}
        </p>
        <label htmlFor={id}>Access token</label>
        <textarea
          id={id}
          rows={6}
          autoComplete="off"
          spellCheck={false}
          value={token}
          onChange={(event) => setToken(event.target.value)}
        />
        <p className="muted small">
          The <code>AccessToken</code> that the identity provider gives. It is kept in this tab only.
        </p>
        {check.error ? (
          <p className="bad" role="alert">
            {messageOf(check.error)}
          </p>
        ) : null}
        <div className="form-end">
          <button type="submit" className="primary" disabled={token.trim() === '' || check.isPending}>
            Sign in
          </button>
        </div>
      </form>
    </div>
  );
}

/** Asks once with the token, so that a wrong one is refused here and not on every page. */
async function mustBeAccepted(token: string): Promise<void> {
  await ask('/api/v1/config', { headers: { authorization: `bearer ${token}` } });
}
