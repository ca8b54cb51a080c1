/** The identity provider: who may sign in, and who is an administrator. The server checks it all with the provider. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { type IdpEnable, type IdpSettings, idpFaults } from '../../../../src/protocol/config/idp.ts';
import { idpQuery } from '../../api/queries.ts';
import { ApiError, sendJson } from '../../api/request.ts';
import { Answered, messageOf } from '../../parts/states.tsx';

type Name = keyof IdpEnable;

const FIELDS: readonly { name: Name; label: string; about: string; isSecret?: boolean }[] = [
  { name: 'region', label: 'Region', about: 'such as us-east-1' },
  { name: 'userPoolID', label: 'User pool', about: '<region>_<id>' },
  { name: 'clientID', label: 'App client', about: 'a single page application' },
  { name: 'identityPoolID', label: 'Identity pool', about: '<region>:<uuid>' },
  { name: 'adminGroups', label: 'Administrator groups', about: 'separated by commas' },
  { name: 'accessKey', label: 'Access key', about: 'optional; used once to look the pool up, never stored' },
  { name: 'secretKey', label: 'Secret key', about: 'with the access key', isSecret: true },
  {
    name: 'token',
    label: 'Your access token',
    about: 'optional; proves that you will be an administrator, so that you do not lock yourself out',
    isSecret: true,
  },
];

export function IdentityForm(): ReactNode {
  const query = useQuery(idpQuery);
  return (
    <Answered query={query} what="the settings">
      {(settings) => <Form key={String(settings.enabled)} settings={settings} />}
    </Answered>
  );
}

function Form({ settings }: { settings: IdpSettings }): ReactNode {
  const { enabled, ...known } = settings;
  const [values, setValues] = useState<IdpEnable>({ ...known, accessKey: '', secretKey: '', token: '' });
  const [isTouched, setTouched] = useState(false);
  const client = useQueryClient();
  const onSuccess = (): void => void client.invalidateQueries();
  const enable = useMutation({
    mutationFn: (body: IdpEnable) => sendJson('PUT', '/api/v1/security/idp', body),
    onSuccess,
  });
  const disable = useMutation({ mutationFn: () => sendJson('DELETE', '/api/v1/security/idp'), onSuccess });
  const faults = idpFaults(values);
  const refused = enable.error instanceof ApiError ? enable.error.fields : {};
  const error = enable.error ?? disable.error;
  return (
    <form
      className="panel"
      onSubmit={(event) => {
        event.preventDefault();
        setTouched(true);
        if (Object.keys(faults).length === 0) enable.mutate(values);
      }}
    >
      <p>
        The identity provider is <strong>{enabled ? 'on' : 'off'}</strong>.{' '}
        {enabled ? 'Calls need a token.' : 'Anyone who can reach this address can read and change everything.'}
      </p>
      {FIELDS.map(({ name, ...field }) => (
        <TextField
          key={name}
          {...field}
          value={values[name] ?? ''}
          fault={
            isTouched ? (faults[name] ?? (refused[name] === undefined ? undefined : String(refused[name]))) : undefined
          }
          onChange={(text) => setValues({ ...values, [name]: text })}
        />
      ))}
      {error ? (
        <p className="bad" role="alert">
          {messageOf(error)}
        </p>
      ) : null}
      <div className="form-end">
        <button type="submit" className="primary" disabled={enable.isPending}>
          {enabled ? 'Change' : 'Enable'}
        </button>
        {enabled ? (
          <button type="button" className="danger" disabled={disable.isPending} onClick={() => disable.mutate()}>
            Disable
          </button>
        ) : null}
      </div>
    </form>
  );
}

interface TextFieldProps {
  readonly label: string;
  readonly about: string;
  readonly isSecret?: boolean;
  readonly value: string;
  readonly fault: string | undefined;
  readonly onChange: (text: string) => void;
}

function TextField({ label, about, isSecret, value, fault, onChange }: TextFieldProps): ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id}>{label}</label>
      <div className="field-value">
        <input
          id={id}
          type={isSecret ? 'password' : 'text'}
          autoComplete="off"
          spellCheck={false}
          aria-invalid={fault !== undefined}
          aria-describedby={`${id}-about`}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
        {fault === undefined ? null : (
          <p className="bad" role="alert">
            {label} {fault}
          </p>
        )}
        <p className="muted small" id={`${id}-about`}>
          {about}
        </p>
      </div>
    </div>
  );
}
