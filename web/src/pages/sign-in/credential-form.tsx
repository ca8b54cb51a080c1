/** One step of signing in: a few fields, one action, and what went wrong with it. */
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useId, useState } from 'react';
import { messageOf } from '../../parts/states.tsx';

export interface CredentialField {
  readonly name: string;
  readonly label: string;
  readonly type?: 'text' | 'password' | 'email';
  /** Tells password managers what the field is. */
  readonly autoComplete: string;
  readonly isOptional?: boolean;
  readonly about?: string;
}

export type Values = Readonly<Record<string, string>>;

interface CredentialFormProps {
  readonly fields: readonly CredentialField[];
  readonly action: string;
  readonly onSubmit: (values: Values) => Promise<unknown>;
  /** Below the action: other ways on. */
  readonly children?: ReactNode;
}

export function CredentialForm({ fields, action, onSubmit, children }: CredentialFormProps): ReactNode {
  const id = useId();
  const [values, setValues] = useState<Values>({});
  const submit = useMutation({ mutationFn: onSubmit });
  const isComplete = fields.every(({ name, isOptional }) => isOptional || (values[name] ?? '') !== '');
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        if (isComplete && !submit.isPending) submit.mutate(values);
      }}
    >
      {fields.map(({ name, label, type = 'text', autoComplete, about }, i) => (
        <div key={name} className="credential">
          <label htmlFor={`${id}-${name}`}>{label}</label>
          <input
            id={`${id}-${name}`}
            name={name}
            type={type}
            autoComplete={autoComplete}
            autoCapitalize="none"
            spellCheck={false}
            // biome-ignore lint/a11y/noAutofocus: the page is this form, and one came to fill it in
            autoFocus={i === 0}
            aria-describedby={about ? `${id}-${name}-about` : undefined}
            value={values[name] ?? ''}
            onChange={(event) => setValues({ ...values, [name]: event.target.value })}
          />
          {about ? (
            <p className="muted small" id={`${id}-${name}-about`}>
              {about}
            </p>
          ) : null}
        </div>
      ))}
      {submit.error ? (
        <p className="bad" role="alert">
          {messageOf(submit.error)}
        </p>
      ) : null}
      <div className="form-end">
        <button type="submit" className="primary" disabled={!isComplete || submit.isPending}>
          {submit.isPending ? 'One moment…' : action}
        </button>
        {children}
      </div>
    </form>
  );
}
