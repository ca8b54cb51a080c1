/** One step of signing in: a few fields, one action, and what went wrong with it. */
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
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
  /** What the fields hold at first. */
  readonly initial?: Values;
  /** The field at which a failure is told, which then has the focus; absent where it is none of a field. */
  readonly faultAt?: string;
  /** Of a try before this form was shown. */
  readonly fault?: unknown;
  /** Below the action: other ways on. */
  readonly children?: ReactNode;
}

export function CredentialForm(props: CredentialFormProps): ReactNode {
  const { fields, action, onSubmit, initial = {}, faultAt, children } = props;
  const id = useId();
  const form = useRef<HTMLFormElement>(null);
  const [values, setValues] = useState<Values>(initial);
  const submit = useMutation({ mutationFn: onSubmit });
  const fault = submit.isIdle ? props.fault : submit.error;
  useEffect(() => {
    if (fault && faultAt) form.current?.querySelector<HTMLInputElement>(`[name="${faultAt}"]`)?.focus();
  }, [fault, faultAt]);
  const told = fault ? (
    <p className="bad" role="alert" id={`${id}-fault`}>
      {messageOf(fault)}
    </p>
  ) : null;
  const isComplete = fields.every(({ name, isOptional }) => isOptional || (values[name] ?? '') !== '');
  return (
    <form
      ref={form}
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
            aria-invalid={(told !== null && name === faultAt) || undefined}
            aria-describedby={told && name === faultAt ? `${id}-fault` : about ? `${id}-${name}-about` : undefined}
            value={values[name] ?? ''}
            onChange={(event) => setValues({ ...values, [name]: event.target.value })}
          />
          {about ? (
            <p className="muted small" id={`${id}-${name}-about`}>
              {about}
            </p>
          ) : null}
          {name === faultAt ? told : null}
        </div>
      ))}
      {faultAt === undefined ? told : null}
      <div className="form-end">
        <button type="submit" className="primary" disabled={!isComplete || submit.isPending}>
          {submit.isPending ? 'One moment…' : action}
        </button>
        {children}
      </div>
    </form>
  );
}
