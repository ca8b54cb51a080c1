/** A new user of the pool: who he is, and the code that the pool sends him. A pool may forbid it; then it says so. */
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { PoolPlace } from '../../api/user-pool.ts';
import { messageOf } from '../../parts/states.tsx';
import { CredentialForm } from './credential-form.tsx';

interface Account {
  readonly userName: string;
  readonly password: string;
}

export function NewAccount(props: {
  place: PoolPlace;
  /** An account that was made before and lacks its confirmation. */
  known: Account | undefined;
  onConfirmed: (userName: string, password: string) => Promise<void>;
  back: ReactNode;
}): ReactNode {
  const { place, known, onConfirmed, back } = props;
  const [account, setAccount] = useState(known);
  if (account)
    return (
      <Confirmation
        place={place}
        userName={account.userName}
        onConfirmed={() => onConfirmed(account.userName, account.password)}
        back={back}
      />
    );
  return (
    <CredentialForm
      key="account"
      fields={[
        { name: 'user', label: 'User name', autoComplete: 'username' },
        { name: 'email', label: 'Email (optional)', type: 'email', autoComplete: 'email', isOptional: true },
        { name: 'password', label: 'Password', type: 'password', autoComplete: 'new-password' },
      ]}
      action="Create account"
      onSubmit={async ({ user = '', email = '', password = '' }) => {
        const { signUpAtPool } = await import('../../api/user-pool.ts');
        const userName = user.trim();
        if (await signUpAtPool(place, userName, password, email.trim())) setAccount({ userName, password });
        else await onConfirmed(userName, password);
      }}
    >
      {back}
    </CredentialForm>
  );
}

function Confirmation(props: {
  place: PoolPlace;
  userName: string;
  onConfirmed: () => Promise<void>;
  back: ReactNode;
}): ReactNode {
  const { place, userName, onConfirmed, back } = props;
  const again = useMutation({
    mutationFn: async () => (await import('../../api/user-pool.ts')).sendCodeAgain(place, userName),
  });
  return (
    <>
      <p>
        The user pool sent a confirmation code for <strong>{userName}</strong>. Enter it to finish.
      </p>
      <CredentialForm
        key="confirmation"
        fields={[{ name: 'code', label: 'Confirmation code', autoComplete: 'one-time-code' }]}
        action="Confirm"
        onSubmit={async ({ code = '' }) => {
          const { confirmSignUp } = await import('../../api/user-pool.ts');
          await confirmSignUp(place, userName, code.trim());
          await onConfirmed();
        }}
      >
        <button type="button" disabled={again.isPending} onClick={() => again.mutate()}>
          Send a new code
        </button>
        {back}
      </CredentialForm>
      <p className={again.error ? 'bad' : 'muted'} role="status">
        {again.error ? messageOf(again.error) : again.isSuccess ? 'A new code is on its way.' : ''}
      </p>
    </>
  );
}
