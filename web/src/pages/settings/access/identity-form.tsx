/** The identity provider: who may sign in, and who is an administrator. The server checks it all with the provider. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import type { IdpEnable, IdpSettings, ProviderEnable } from '../../../../../src/protocol/config/idp.ts';
import { idpQuery } from '../../../api/queries.ts';
import { sendJson } from '../../../api/request.ts';
import { Answered, messageOf } from '../../../parts/states.tsx';
import { TextField } from '../form/text-field.tsx';
import {
  type Faults,
  PROVIDER_FORMS,
  type ProviderKind,
  refusedFields,
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
  const { enabled } = settings;
  const [kind, setKind] = useState<ProviderKind>(settings.issuer ? 'issuer' : 'pool');
  const [values, setValues] = useState(() => valuesOf(settings));
  const [isTouched, setTouched] = useState(false);
  const client = useQueryClient();
  const onSuccess = (): void => {
    setValues(withoutSecrets);
    void client.invalidateQueries();
  };
  const enable = useMutation({
    mutationFn: (body: IdpEnable | ProviderEnable) => sendJson('PUT', '/api/v1/security/idp', body),
    onSuccess,
  });
  const disable = useMutation({ mutationFn: () => sendJson('DELETE', '/api/v1/security/idp'), onSuccess });
  const { faultsOf, bodyOf } = PROVIDER_FORMS[kind];
  const faults = faultsOf(values);
  const error = enable.error ?? disable.error;
  return (
    <form
      className="panel"
      aria-label="Identity provider"
      onSubmit={(event) => {
        event.preventDefault();
        setTouched(true);
        if (Object.keys(faults).length === 0) enable.mutate(bodyOf(values));
      }}
    >
      <p>
        The identity provider is <strong>{enabled ? 'on' : 'off'}</strong>.{' '}
        {enabled ? 'Calls need a token.' : 'Anyone who can reach this address can read and change everything.'}
      </p>
      <KindChoice
        kind={kind}
        onChange={(next) => {
          enable.reset();
          setTouched(false);
          setKind(next);
        }}
      />
      <Fields
        kind={kind}
        values={values}
        faults={isTouched ? { ...refusedFields(enable.error), ...faults } : {}}
        onChange={setValues}
      />
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

function KindChoice({ kind, onChange }: { kind: ProviderKind; onChange: (kind: ProviderKind) => void }): ReactNode {
  return (
    <fieldset className="field bare">
      <legend>Provider</legend>
      <div className="field-value">
        {KINDS.map((one) => (
          <label key={one} className="check">
            <input type="radio" name="provider" checked={one === kind} onChange={() => onChange(one)} />{' '}
            {PROVIDER_FORMS[one].label}
          </label>
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
  return (
    <>
      {kind === 'issuer' ? (
        <p>
          Register <code>{window.location.origin}/signed-in</code> as a redirect address of the client.
        </p>
      ) : null}
      {PROVIDER_FORMS[kind].fields.map(({ name, ...field }) => (
        <TextField
          key={name}
          {...field}
          value={values[name]}
          fault={faults[name]}
          onChange={(text) => onChange({ ...values, [name]: text })}
        />
      ))}
    </>
  );
}
