/** One setting: its name, its path, its value, what it means and its bounds. */
import { type ReactNode, useId } from 'react';
import type { ConfigField } from '../../../../../src/protocol/config/config-fields.ts';
import { durationMs, tryParseDuration } from '../../../../../src/protocol/duration.ts';
import { Select } from '../../../controls/select.tsx';
import { Switch } from '../../../controls/switch.tsx';
import { settingName } from '../../../names/setting-names.ts';
import { SettingWords } from '../../../names/setting-words.tsx';
import { CopyButton } from '../../../parts/command-line.tsx';
import { spanText } from '../../../parts/format.ts';
import { useAimed } from './aimed.ts';
import { rowId, showField } from './form-end.tsx';
import { rolesOf } from './roles.ts';
import { RolesField } from './roles-field.tsx';
import { faultText, inWords, modeWarning, ruleText, shownValue } from './value-text.ts';

/** Without the rules of a text that nobody types. */
const ROLES_MEANING =
  'What the members of a group may do, everywhere or in the queues that are named, separated by commas. Without a group every signed-in user is a viewer; administrator groups stay administrators.';

interface FieldRowProps {
  readonly field: ConfigField;
  readonly text: string;
  readonly isChanged: boolean;
  readonly fault: string | undefined;
  readonly warnings: readonly string[];
  readonly onChange: (text: string) => void;
}

export function FieldRow({ field, text, isChanged, fault, warnings, onChange }: FieldRowProps): ReactNode {
  const id = useId();
  const name = settingName(field.path);
  // A field that takes nothing cuts what it holds.
  const isFact = field.fixed !== undefined && text !== '' && field.kind.type === 'string';
  // What no row can show is edited as it is.
  const isOfRoles = field.path === 'security.roles' && rolesOf(text) !== undefined;
  const { ref: row } = useAimed<HTMLDivElement>(field.path, showField);
  return (
    <div ref={row} id={rowId(field.path)} className={rowClass({ isChanged, isBad: fault !== undefined, isOfRoles })}>
      <div className="setting-about">
        {isOfRoles ? <span className="setting-name">{name}</span> : <label htmlFor={id}>{name}</label>}{' '}
        <code className="field-path">{field.path}</code>
        <p id={`${id}-about`}>
          {isOfRoles ? ROLES_MEANING : <Meaning text={plainText(field.meaning)} isWarned={warnings.length > 0} />}
          {field.fixed ? ' It cannot be changed here.' : ''}
        </p>
      </div>
      <div className="setting-value">
        {isFact ? (
          <output id={id} className="setting-fact">
            {text} <CopyButton text={text} what={name} />
          </output>
        ) : isOfRoles ? (
          <RolesField text={text} describedBy={`${id}-about`} onChange={onChange} />
        ) : (
          <Input
            id={id}
            name={name}
            field={field}
            text={text}
            isBad={fault !== undefined}
            describedBy={`${id}-about`}
            onChange={onChange}
          />
        )}
        {field.kind.type === 'duration' && fault === undefined ? <InWords text={text} /> : null}
        <ModeWarning path={field.path} text={text} />
        {fault === undefined ? null : (
          <p className="bad" role="alert">
            <SettingWords text={faultText(name, field.path, fault)} />.
          </p>
        )}
        {warnings.map((warning) => (
          <p key={warning} className="warn" role="status">
            {inWords(warning)}.
          </p>
        ))}
      </div>
    </div>
  );
}

function rowClass(is: Readonly<Record<'isChanged' | 'isBad' | 'isOfRoles', boolean>>): string {
  const state = is.isChanged ? (is.isBad ? 'setting-changed setting-bad' : 'setting-changed') : '';
  return ['setting', state, is.isOfRoles ? 'setting-wide' : ''].filter(Boolean).join(' ');
}

function ModeWarning({ path, text }: { path: string; text: string }): ReactNode {
  const warning = modeWarning(path, text);
  return warning === undefined ? null : <p className="warn">{warning}</p>;
}

/** `72h` is `3 d` elsewhere on the pages; `10m` is read as it is. */
function InWords({ text }: { text: string }): ReactNode {
  const ns = tryParseDuration(text);
  const words = ns === undefined ? '' : spanText(durationMs(ns) / 1_000);
  return words === '' || words.replaceAll('\u00a0', '') === text ? null : <p className="muted in-words">= {words}</p>;
}

interface InputProps {
  readonly id: string;
  readonly name: string;
  readonly field: ConfigField;
  readonly text: string;
  readonly isBad: boolean;
  readonly describedBy: string;
  readonly onChange: (text: string) => void;
}

function Input({ id, name, field, text, isBad, describedBy, onChange }: InputProps): ReactNode {
  const { kind, fixed } = field;
  const isFixed = fixed !== undefined;
  if (kind.type === 'boolean')
    return (
      <Switch
        id={id}
        isOn={text === 'true'}
        isDisabled={isFixed}
        describedBy={describedBy}
        onChange={(isOn) => onChange(String(isOn))}
      />
    );
  if (kind.type === 'enum')
    return (
      <Select
        id={id}
        label={name}
        options={kind.values.map((value) => ({ value, label: shownValue(value) }))}
        value={text}
        isDisabled={isFixed}
        isBad={isBad}
        describedBy={describedBy}
        onChange={onChange}
      />
    );
  const input = (
    <input
      id={id}
      type="text"
      className={kind.type === 'integer' || kind.type === 'duration' ? 'input-short' : undefined}
      disabled={isFixed}
      aria-invalid={isBad}
      aria-describedby={describedBy}
      placeholder={ruleText(field)}
      inputMode={kind.type === 'integer' ? 'numeric' : 'text'}
      autoComplete="off"
      spellCheck={false}
      value={text}
      onChange={({ target }) => onChange(kind.type === 'duration' ? durationTyped(target.value) : target.value)}
    />
  );
  if (kind.type !== 'integer') return input;
  return (
    <span className={kind.unit.length > UNIT_LENGTH_SHORT ? 'with-unit with-unit-long' : 'with-unit'}>
      {input} <span className="muted">{kind.unit}</span>
    </span>
  );
}

/** As the pages write it: `1 h 30 m`, and `3 d`, of which the server has hours. */
function durationTyped(text: string): string {
  return text.replaceAll(/\s/g, '').replace(/^(\d{1,6})d/, (_, days: string) => `${24 * Number(days)}h`);
}

/** `MB/s`, not `requests a second`. */
const UNIT_LENGTH_SHORT = 6;

/** Where the warning itself is told, the sentence that announces it is not seen; it keeps its room, so that nothing moves. */
function Meaning({ text, isWarned }: { text: string; isWarned: boolean }): ReactNode {
  const at = isWarned ? text.search(/[^.]*accepted with a warning/) : -1;
  if (at < 0) return <SettingWords text={text} />;
  return (
    <>
      <SettingWords text={text.slice(0, at)} />
      <span className="unseen">{text.slice(at)}</span>
    </>
  );
}

/** The meaning is written for Markdown, where a bar in a table has a backslash. */
function plainText(meaning: string): string {
  return meaning.replaceAll('\\|', '|').replaceAll('`', '');
}
