/** One step of signing in: a few fields, one action, and what went wrong with it. */
import { useMutation } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Icon } from '../../parts/icon.tsx';
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
  // Told once the reader has pressed the button: until then, nothing is wrong with an empty field.
  const [isPressed, setPressed] = useState(false);
  const submit = useMutation({ mutationFn: onSubmit });
  const fault = submit.isIdle ? props.fault : submit.error;
  const focus = (name: string | undefined): void =>
    form.current?.querySelector<HTMLInputElement>(`[name="${name}"]`)?.focus();
  // biome-ignore lint/correctness/useExhaustiveDependencies: at each fault, not at each drawing
  useEffect(() => {
    if (fault && faultAt) focus(faultAt);
  }, [fault, faultAt]);
  const empty = fields.filter(({ name, isOptional }) => !isOptional && (values[name] ?? '') === '');
  const send = (): void => {
    setPressed(true);
    if (empty.length > 0) focus(empty[0]?.name);
    else if (!submit.isPending) submit.mutate(values);
  };
  const told = fault ? messageOf(fault) : undefined;
  return (
    <form
      ref={form}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {fields.map((field, i) => (
        <Field
          key={field.name}
          id={`${id}-${field.name}`}
          field={field}
          isFirst={i === 0}
          value={values[field.name] ?? ''}
          fault={isPressed && empty.includes(field) ? missingOf(field) : field.name === faultAt ? told : undefined}
          onChange={(value) => setValues({ ...values, [field.name]: value })}
        />
      ))}
      {faultAt === undefined && told !== undefined ? (
        <p className="credential-fault" role="alert">
          <Icon name="failed" /> {told}
        </p>
      ) : null}
      <div className="form-end">
        {/* Never greyed out: what is missing is said at its field. */}
        <button type="submit" className="primary" aria-disabled={submit.isPending || undefined}>
          {submit.isPending ? 'One moment…' : action}
        </button>
        {children}
      </div>
    </form>
  );
}

function missingOf({ label }: CredentialField): string {
  return `Enter the ${label.charAt(0).toLowerCase()}${label.slice(1)}.`;
}

interface FieldProps {
  readonly id: string;
  readonly field: CredentialField;
  readonly isFirst: boolean;
  readonly value: string;
  /** What is wrong with it. */
  readonly fault: string | undefined;
  readonly onChange: (value: string) => void;
}

function Field({ id, field, isFirst, value, fault, onChange }: FieldProps): ReactNode {
  const { name, label, type = 'text', autoComplete, about } = field;
  const [isSeen, setSeen] = useState(false);
  const isSecret = type === 'password';
  return (
    <div className="credential">
      <label htmlFor={id}>{label}</label>
      <span className={isSecret ? 'credential-secret' : ''}>
        <input
          id={id}
          name={name}
          type={isSecret && isSeen ? 'text' : type}
          autoComplete={autoComplete}
          autoCapitalize="none"
          spellCheck={false}
          // biome-ignore lint/a11y/noAutofocus: the page is this form, and one came to fill it in
          autoFocus={isFirst}
          aria-invalid={fault !== undefined || undefined}
          aria-describedby={fault !== undefined ? `${id}-fault` : about ? `${id}-about` : undefined}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
        {isSecret ? (
          <button type="button" className="link" aria-pressed={isSeen} onClick={() => setSeen(!isSeen)}>
            {isSeen ? 'Hide' : 'Show'}
          </button>
        ) : null}
      </span>
      {about ? (
        <p className="muted small" id={`${id}-about`}>
          {about}
        </p>
      ) : null}
      {fault === undefined ? null : (
        <p className="credential-fault" role="alert" id={`${id}-fault`}>
          <Icon name="failed" /> {fault}
        </p>
      )}
    </div>
  );
}
