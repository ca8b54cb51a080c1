/** The foot of a form of settings: what is to be put right, reviewed or discarded, and that a change was applied. */
import { Link } from '@tanstack/react-router';
import { Fragment, type ReactNode, useEffect } from 'react';
import { settingsTabOf } from '../../../address/settings-tabs.ts';
import { settingName } from '../../../names/setting-names.ts';
import { inWords } from './value-text.ts';

export interface Marked {
  /** Of the setting. */
  readonly path: string;
  /** Whether this form has it. */
  readonly isHere: boolean;
}

interface FormEndProps {
  readonly count: number;
  readonly isValid: boolean;
  readonly isApplied: boolean;
  /** What something is wrong with. */
  readonly marked: readonly Marked[];
  /** What the server said of the change that it accepted. */
  readonly warnings: readonly string[];
  readonly onUndo: () => void;
}

/** Stays in sight, so that a change at the top of a long tab is not forgotten. */
export function FormEnd({ count, isValid, isApplied, marked, warnings, onUndo }: FormEndProps): ReactNode {
  const isAmiss = count > 0 && marked.length > 0;
  const foot = isAmiss ? 'amiss' : count > 0 ? 'shown' : undefined;
  // It would lie over the setting that is typed into, and over what is wrong with that.
  useEffect(() => {
    if (foot) document.activeElement?.closest('.setting')?.scrollIntoView({ block: 'nearest' });
  }, [foot]);
  return (
    <div className="form-end form-end-sticky">
      {count === 0 ? null : (
        <>
          <button type="submit" className="primary" disabled={!isValid}>
            {`Review ${count} ${count === 1 ? 'change' : 'changes'}`}
          </button>
          <button type="button" onClick={onUndo}>
            Discard changes
          </button>
        </>
      )}
      {isAmiss ? (
        <span className="bad form-marked">
          {isValid ? 'The server refused ' : 'Correct first: '}
          {marked.map(({ path, isHere }, i) => (
            <Fragment key={path}>
              {i === 0 ? '' : ', '}
              <ToField path={path} isHere={isHere} />
            </Fragment>
          ))}
          .
        </span>
      ) : null}
      {isApplied ? (
        <output>
          <span className="good">Applied.</span>{' '}
          {warnings.map((warning) => (
            <span key={warning} className="warn">
              {inWords(warning)}.{' '}
            </span>
          ))}
        </output>
      ) : null}
    </div>
  );
}

/** Leads to the field of a setting, also where it was led to before; of another tab, which asks about the edits first. */
function ToField({ path, isHere }: Marked): ReactNode {
  const name = settingName(path);
  if (!isHere)
    return (
      <Link to="/settings" search={{ tab: settingsTabOf(path) }} hash={path}>
        {name}
      </Link>
    );
  return (
    <button type="button" className="link" onClick={() => showField(document.getElementById(rowId(path)))}>
      {name}
    </button>
  );
}

/** Of the row that has the field of a setting. */
export function rowId(path: string): string {
  return `row-${path}`;
}

/** Brings the row into sight, and the keyboard into its field. */
export function showField(row: HTMLElement | null): void {
  row?.scrollIntoView({ block: 'center' });
  row?.querySelector<HTMLElement>('input, textarea, button')?.focus({ preventScroll: true });
}
