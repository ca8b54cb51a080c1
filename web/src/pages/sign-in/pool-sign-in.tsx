/** Signs in at a Cognito user pool: name and password, and whatever the pool wants to know besides. */
import { type ReactNode, useState } from 'react';
import type { Flow, PoolPlace, Step } from '../../api/user-pool.ts';
import { CredentialForm } from './credential-form.tsx';
import { NewAccount } from './new-account.tsx';

type View =
  | { readonly name: 'new-account' }
  /** `fault`: what came of the last try. */
  | { readonly name: 'password'; readonly userName?: string; readonly fault?: unknown }
  | { readonly name: 'plain' | 'confirm'; readonly userName: string; readonly password: string }
  | {
      readonly name: 'step';
      readonly userName: string;
      readonly step: Extract<Step, { kind: 'new-password' | 'code' }>;
    };

const PASSWORD: View = { name: 'password' };

export function PoolSignIn(props: {
  place: PoolPlace;
  onSignedIn: (accessToken: string, userName: string) => Promise<void>;
}): ReactNode {
  const { place, onSignedIn } = props;
  const [view, setView] = useState<View>(PASSWORD);
  // Once asked is enough.
  const [isPlainAllowed, setPlainAllowed] = useState(false);
  const back = <Way name="Back" onClick={() => setView(PASSWORD)} />;
  const take = async (step: Step, userName: string, password: string): Promise<void> => {
    if (step.kind === 'signed-in') await onSignedIn(step.accessToken, userName);
    else if (step.kind === 'no-srp') setView({ name: 'plain', userName, password });
    else if (step.kind === 'unconfirmed') setView({ name: 'confirm', userName, password });
    else setView({ name: 'step', step, userName });
  };
  const signIn = async (userName: string, password: string, flow: Flow): Promise<void> => {
    const { signInToPool } = await import('../../api/user-pool.ts');
    await take(await signInToPool(place, userName, password, flow), userName, password);
  };
  switch (view.name) {
    case 'password':
      return (
        <PasswordStep
          key={view.fault === undefined ? 'first' : 'again'}
          userName={view.userName}
          fault={view.fault}
          onSubmit={(userName, password) =>
            signIn(userName, password, isPlainAllowed ? 'USER_PASSWORD_AUTH' : 'USER_SRP_AUTH')
          }
        >
          <Way name="Create an account" isLink onClick={() => setView({ name: 'new-account' })} />
        </PasswordStep>
      );
    case 'plain':
      return (
        <PlainPassword
          endpoint={place.endpoint}
          onConsent={async () => {
            setPlainAllowed(true);
            try {
              await signIn(view.userName, view.password, 'USER_PASSWORD_AUTH');
            } catch (fault) {
              // The fields are where the next try begins.
              setView({ name: 'password', userName: view.userName, fault });
            }
          }}
          back={back}
        />
      );
    case 'step':
      return view.step.kind === 'code' ? (
        <CodeStep answer={view.step.answer} onStep={(step) => take(step, view.userName, '')} back={back} />
      ) : (
        <NewPasswordStep step={view.step} onStep={(step) => take(step, view.userName, '')} back={back} />
      );
    default:
      return (
        <NewAccount
          place={place}
          known={view.name === 'confirm' ? view : undefined}
          onConfirmed={(userName, password) => signIn(userName, password, 'USER_SRP_AUTH')}
          back={back}
        />
      );
  }
}

/** `isLink`: what most never need looks less. */
function Way({ name, isLink, onClick }: { name: string; isLink?: boolean; onClick: () => void }): ReactNode {
  return (
    <button type="button" className={isLink ? 'link' : undefined} onClick={onClick}>
      {name}
    </button>
  );
}

function PasswordStep(props: {
  userName: string | undefined;
  /** What came of the last try. */
  fault: unknown;
  onSubmit: (userName: string, password: string) => Promise<void>;
  children: ReactNode;
}): ReactNode {
  const { userName, fault, onSubmit, children } = props;
  return (
    <CredentialForm
      fields={[
        { name: 'user', label: 'User name', autoComplete: 'username' },
        { name: 'password', label: 'Password', type: 'password', autoComplete: 'current-password' },
      ]}
      action="Sign in"
      initial={userName === undefined ? {} : { user: userName }}
      faultAt="password"
      fault={fault}
      onSubmit={({ user = '', password = '' }) => onSubmit(user.trim(), password)}
    >
      {children}
    </CredentialForm>
  );
}

/** The password leaves the browser only after this. */
function PlainPassword(props: { endpoint: string; onConsent: () => Promise<void>; back: ReactNode }): ReactNode {
  const { endpoint, onConsent, back } = props;
  return (
    <>
      <p className="warn">
        This user pool does not support SRP, which keeps your password in this browser. To sign in, the password itself
        must be sent to <code>{endpoint}</code>
        {endpoint.startsWith('https:') ? ', protected only by TLS.' : ', unencrypted.'}
      </p>
      <CredentialForm key="plain" fields={[]} action="Send password" onSubmit={onConsent}>
        {back}
      </CredentialForm>
    </>
  );
}

interface StepProps {
  readonly onStep: (step: Step) => Promise<void>;
  readonly back: ReactNode;
}

function CodeStep(props: StepProps & { answer: (code: string) => Promise<Step> }): ReactNode {
  return (
    <CredentialForm
      key="code"
      fields={[
        { name: 'code', label: 'Code from your authenticator app or text message', autoComplete: 'one-time-code' },
      ]}
      action="Continue"
      onSubmit={async ({ code = '' }) => props.onStep(await props.answer(code.trim()))}
    >
      {props.back}
    </CredentialForm>
  );
}

function NewPasswordStep(props: StepProps & { step: Extract<Step, { kind: 'new-password' }> }): ReactNode {
  const { step, onStep, back } = props;
  return (
    <>
      <p>Your password is temporary. Choose a new one.</p>
      <CredentialForm
        key="new-password"
        fields={[
          { name: 'password', label: 'New password', type: 'password', autoComplete: 'new-password' },
          ...step.attributes.map((name) => ({ name: `attribute ${name}`, label: name, autoComplete: name })),
        ]}
        action="Set password"
        onSubmit={async (values) => {
          const attributes = Object.fromEntries(
            step.attributes.map((name) => [name, values[`attribute ${name}`] ?? '']),
          );
          await onStep(await step.answer(values['password'] ?? '', attributes));
        }}
      >
        {back}
      </CredentialForm>
    </>
  );
}
