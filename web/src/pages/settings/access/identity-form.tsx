/** The identity provider: who may sign in, and who is an administrator. The server checks it all with the provider. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useRef, useState } from 'react';
import type { IdpEnable, IdpSettings, ProviderEnable } from '../../../../../src/protocol/config/idp.ts';
import { sendJson } from '../../../api/request.ts';
import { ConfirmButton } from '../../../controls/confirm-button.tsx';
import { Answered, messageOf } from '../../../parts/states.tsx';
import { idpQuery } from '../../../queries/server.ts';
import { LeaveGuard } from '../form/leave-guard.tsx';
import { refusedFields } from '../form/refusals.ts';
import { TextField } from '../form/text-field.tsx';
import {
  type Faults,
  type Field,
  faultsIn,
  PROVIDER_FORMS,
  type ProviderKind,
  type Values,
  valuesOf,
  withoutSecrets,
} from './identity-fields.ts';

const KINDS: readonly ProviderKind[] = ['pool', 'issuer'];

export function IdentityForm(): ReactNode {
  const query = useQuery(idpQuery);
  return (
    <Answered query={query} what="the settings">
      {(settings) => <Form key={String(settings.enabled)} settings={settings} />}
    </Answered>
  );
}

function Form({ settings }: { settings: IdpSettings }): ReactNode {
  const [kind, setKind] = useState<ProviderKind | undefined>(() => kindOf(settings));
  const [values, setValues] = useState(() => valuesOf(settings));
  const [isTouched, setTouched] = useState(false);
  const [isEdited, setEdited] = useState(false);
  const first = useRef<HTMLFormElement>(null);
  const client = useQueryClient();
  const onSuccess = (): void => {
    setValues(withoutSecrets);
    setEdited(false);
    void client.invalidateQueries();
  };
  const enable = useMutation({
    mutationFn: (body: IdpEnable | ProviderEnable) => sendJson('PUT', '/api/v1/security/idp', body),
    onSuccess,
  });
  const disable = useMutation({ mutationFn: () => sendJson('DELETE', '/api/v1/security/idp'), onSuccess });
  const form = kind && PROVIDER_FORMS[kind];
  const faults = form ? faultsIn(form, values) : {};
  const error = enable.error ?? disable.error;
  const refused = Object.keys(refusedFields(enable.error));
  const isMarked = refused.length > 0 && refused.every((name) => form?.fields.some((field) => field.name === name));
  return (
    <form
      ref={first}
      aria-label="Identity provider"
      onSubmit={(event) => {
        event.preventDefault();
        setTouched(true);
        if (!form) return;
        if (Object.keys(faults).length === 0) enable.mutate(form.bodyOf(values));
        // What is wrong may be out of sight.
        else requestAnimationFrame(() => first.current?.querySelector<HTMLElement>('[aria-invalid=true]')?.focus());
      }}
    >
      <LeaveGuard count={isEdited ? 1 : 0} isApplying={enable.isPending || disable.isPending} />
      <Banner isOn={settings.enabled} />
      <div className="panel setting-list identity-form">
        <KindChoice
          kind={kind}
          onChange={(next) => {
            enable.reset();
            setTouched(false);
            setEdited(true);
            setKind(next);
          }}
        />
        {kind ? (
          <Fields
            kind={kind}
            values={values}
            faults={isTouched ? { ...refusedFields(enable.error), ...faults } : {}}
            onChange={(next) => {
              setEdited(true);
              setValues(next);
            }}
          />
        ) : null}
      </div>
      {kind && !settings.enabled ? <WhatFollows kind={kind} isChecked={values.token !== ''} /> : null}
      {error ? (
        <p className="bad" role="alert">
          {isMarked ? 'Nothing was changed: see what is marked above.' : messageOf(error)}
        </p>
      ) : null}
      {kind ? <FormEnd isOn={settings.enabled} {...{ enable, disable }} /> : null}
    </form>
  );
}

/** Said before it is turned on: it cannot be tried without consequences. */
function WhatFollows({ kind, isChecked }: { kind: ProviderKind; isChecked: boolean }): ReactNode {
  return (
    <p className="notice notice-quiet identity-follows">
      Turning it on signs you out: sign in again {kind === 'issuer' ? 'at the provider' : 'with name and password'} as a
      member of an administrator group. From then on programs and workers need tokens.
      {isChecked ? '' : ' Without your access token, nothing checks beforehand that you will be an administrator.'}
    </p>
  );
}

interface FormEndProps {
  readonly isOn: boolean;
  readonly enable: { readonly isPending: boolean };
  readonly disable: { readonly isPending: boolean; readonly mutate: () => void };
}

function FormEnd({ isOn, enable, disable }: FormEndProps): ReactNode {
  return (
    <div className="form-end">
      <button type="submit" className="primary" disabled={enable.isPending}>
        {isOn ? 'Save' : 'Turn on'}
      </button>
      {isOn ? (
        <ConfirmButton
          action="Turn off"
          question="Turn the identity provider off?"
          consequence="Anyone who can reach this address can then read and change everything."
          isDisabled={disable.isPending}
          isLarge
          onConfirm={() => disable.mutate()}
        />
      ) : null}
    </div>
  );
}

function Banner({ isOn }: { isOn: boolean }): ReactNode {
  if (isOn) return <p className="notice notice-quiet">The identity provider is on: calls need a token.</p>;
  return (
    <p className="notice notice-warn">
      <strong>The identity provider is off.</strong> Anyone who can reach this address can read and change everything.
    </p>
  );
}

/** Undefined until one is chosen. */
function kindOf({ enabled, issuer, userPoolID }: IdpSettings): ProviderKind | undefined {
  if (issuer) return 'issuer';
  return enabled || userPoolID ? 'pool' : undefined;
}

function KindChoice(props: { kind: ProviderKind | undefined; onChange: (kind: ProviderKind) => void }): ReactNode {
  const { kind, onChange } = props;
  return (
    <fieldset className="setting bare">
      <legend>Provider</legend>
      <div className="setting-choices">
        {KINDS.map((one) => (
          <div key={one}>
            <label className="check">
              <input
                type="radio"
                name="provider"
                aria-describedby={`about-${one}`}
                checked={one === kind}
                onChange={() => onChange(one)}
              />{' '}
              {PROVIDER_FORMS[one].label}
            </label>
            <p id={`about-${one}`} className="choice-about">
              {PROVIDER_FORMS[one].about}
            </p>
          </div>
        ))}
      </div>
    </fieldset>
  );
}

function Fields(props: {
  kind: ProviderKind;
  values: Values;
  faults: Faults;
  onChange: (values: Values) => void;
}): ReactNode {
  const { kind, values, faults, onChange } = props;
  const { fields, check } = PROVIDER_FORMS[kind];
  const shown = ({ name, ...field }: Field): ReactNode => (
    <TextField
      key={name}
      {...field}
      value={values[name]}
      fault={faults[name]}
      onChange={(text) => onChange({ ...values, [name]: text })}
    />
  );
  return (
    <>
      {kind === 'issuer' ? (
        <p className="setting-note">
          Register <code>{window.location.origin}/signed-in</code> as a redirect address of the client.
        </p>
      ) : null}
      {fields.map(shown)}
      {check === undefined ? null : (
        <details className="setting-more">
          <summary>{check.label}</summary>
          {check.fields.map(shown)}
        </details>
      )}
    </>
  );
}
