/** A labelled text field, with what it is for and what is wrong with it. */
import { type ReactNode, useId } from 'react';
import { SettingWords } from '../../../names/setting-words.tsx';

interface TextFieldProps {
  readonly label: string;
  readonly about?: string;
  /** The form of what is to be entered, as it stands in the empty field. */
  readonly example?: string;
  readonly isSecret?: boolean;
  readonly isDisabled?: boolean;
  readonly isShort?: boolean;
  /** To choose from; others are taken, too. */
  readonly choices?: readonly string[];
  readonly value: string;
  readonly fault?: string | undefined;
  readonly onChange: (text: string) => void;
}

export function TextField(props: TextFieldProps): ReactNode {
  const { label, about, example, isSecret, isDisabled, isShort, choices, value, fault, onChange } = props;
  const id = useId();
  const describedBy = [about === undefined ? '' : `${id}-about`, fault === undefined ? '' : `${id}-fault`];
  return (
    <div className={fault === undefined ? 'setting' : 'setting setting-bad'}>
      <div className="setting-about">
        <label htmlFor={id}>{label}</label>
        {about === undefined ? null : <p id={`${id}-about`}>{about}</p>}
      </div>
      <div className="setting-value">
        <input
          id={id}
          type={isSecret ? 'password' : 'text'}
          className={isShort ? 'input-short' : undefined}
          autoComplete="off"
          spellCheck={false}
          disabled={isDisabled}
          placeholder={example}
          list={choices === undefined ? undefined : `${id}-choices`}
          aria-invalid={fault !== undefined}
          aria-describedby={describedBy.filter(Boolean).join(' ') || undefined}
          value={value}
          onChange={(event) => onChange(event.target.value)}
        />
        {choices === undefined ? null : (
          <datalist id={`${id}-choices`}>
            {choices.map((one) => (
              <option key={one} value={one} />
            ))}
          </datalist>
        )}
        {fault === undefined ? null : (
          <p id={`${id}-fault`} className="bad" role="alert">
            {label} <SettingWords text={fault} />
          </p>
        )}
      </div>
    </div>
  );
}
