/** A labelled text field, with what it is for and what is wrong with it. */
import { type ReactNode, useId } from 'react';

interface TextFieldProps {
  readonly label: string;
  readonly about: string;
  readonly isSecret?: boolean;
  readonly isDisabled?: boolean;
  readonly value: string;
  readonly fault: string | undefined;
  readonly onChange: (text: string) => void;
}

export function TextField({ label, about, isSecret, isDisabled, value, fault, onChange }: TextFieldProps): ReactNode {
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
          disabled={isDisabled}
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
