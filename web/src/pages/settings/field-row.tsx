/** One field: its path, what it means, its bounds, its value. */
import { type ReactNode, useId } from 'react';
import type { ConfigField } from '../../../../src/protocol/config/config-fields.ts';
import { ruleText } from './value-text.ts';

interface FieldRowProps {
  readonly field: ConfigField;
  readonly text: string;
  readonly isChanged: boolean;
  readonly fault: string | undefined;
  readonly onChange: (text: string) => void;
}

export function FieldRow({ field, text, isChanged, fault, onChange }: FieldRowProps): ReactNode {
  const id = useId();
  const rule = ruleText(field);
  return (
    <div className={isChanged ? 'field field-changed' : 'field'}>
      <label htmlFor={id}>{field.path}</label>
      <div className="field-value">
        <Input
          id={id}
          field={field}
          text={text}
          isBad={fault !== undefined}
          describedBy={`${id}-about`}
          onChange={onChange}
        />
        {fault === undefined ? null : (
          <p className="bad" role="alert">
            {field.path} {fault}
          </p>
        )}
        <p className="muted small" id={`${id}-about`}>
          {field.meaning}
          {rule ? ` (${rule})` : ''}
          {field.fixed ? ` It ${field.fixed}.` : ''}
        </p>
      </div>
    </div>
  );
}

interface InputProps {
  readonly id: string;
  readonly field: ConfigField;
  readonly text: string;
  readonly isBad: boolean;
  readonly describedBy: string;
  readonly onChange: (text: string) => void;
}

function Input({ id, field: { kind, fixed }, text, isBad, describedBy, onChange }: InputProps): ReactNode {
  const shared = { id, disabled: fixed !== undefined, 'aria-invalid': isBad, 'aria-describedby': describedBy };
  if (kind.type === 'boolean' || kind.type === 'enum') {
    const values = kind.type === 'boolean' ? ['true', 'false'] : kind.values;
    return (
      <select {...shared} value={text} onChange={(event) => onChange(event.target.value)}>
        {values.map((value) => (
          <option key={value} value={value}>
            {value}
          </option>
        ))}
      </select>
    );
  }
  return (
    <input
      {...shared}
      type="text"
      inputMode={kind.type === 'integer' ? 'numeric' : 'text'}
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
