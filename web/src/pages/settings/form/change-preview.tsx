/** What will be different, before it is. */
import { useQuery } from '@tanstack/react-query';
import { Fragment, type ReactNode, useState } from 'react';
import { type FlatConfig, unflattenConfig } from '../../../../../src/protocol/config/config.ts';
import { warningsOf } from '../../../../../src/protocol/config/warnings.ts';
import { AWAY_TEXT, useIsAway } from '../../../api/reachability.ts';
import { ApiError } from '../../../api/request.ts';
import { Dialog, DialogEnd } from '../../../controls/dialog.tsx';
import { SETTING_NAMES, settingName } from '../../../names/setting-names.ts';
import { configQuery } from '../../../queries/server.ts';
import { type EntryChange, listChange } from './list-change.ts';
import { asSetting, refusalText, refusedFields } from './refusals.ts';
import { effectsOf, inWords, isMap, lossesOf, settingValue } from './value-text.ts';

interface ChangePreviewProps {
  readonly before: FlatConfig;
  readonly after: FlatConfig;
  readonly paths: readonly string[];
  readonly isApplying: boolean;
  readonly error: Error | null;
  readonly onApply: () => void;
  readonly onClose: () => void;
}

export function ChangePreview(props: ChangePreviewProps): ReactNode {
  const { before, after, paths, isApplying, error, onApply, onClose } = props;
  const isAway = useIsAway();
  const fault = useFault(error, paths.length > 0);
  // The same values would be refused again.
  const isRefused = Object.keys(refusedFields(error, asSetting)).length > 0;
  return (
    <Dialog title="Apply these changes?" onClose={onClose}>
      {paths.length === 0 ? (
        <p>The new values mean the same as the current ones.</p>
      ) : (
        <ul className="rows">
          {paths.map((path) => (
            <li key={path} className="change-row">
              <span>
                {settingName(path)} <code className="field-path">{path}</code>
              </span>
              <Values
                path={path}
                before={settingValue(path, before.get(path))}
                after={settingValue(path, after.get(path))}
              />
            </li>
          ))}
        </ul>
      )}
      {paths.includes('addr') ? (
        <p className="warn">The server stops listening on its current address. This page then opens the new one.</p>
      ) : null}
      {warningsOf(unflattenConfig(after), paths).map((warning) => (
        <p key={warning} className="warn">
          {inWords(warning)}.
        </p>
      ))}
      {lossesOf(before, after, paths).map((loss) => (
        <p key={loss} className="warn">
          {loss}
        </p>
      ))}
      {effectsOf(after, paths).map((effect) => (
        <p key={effect}>{effect}</p>
      ))}
      <DialogEnd fault={fault ?? (isAway ? AWAY_TEXT : undefined)}>
        <button type="button" className="primary" disabled={isApplying || isRefused || isAway} onClick={onApply}>
          {isApplying ? 'Applying…' : 'Apply'}
        </button>
      </DialogEnd>
    </Dialog>
  );
}

/** Why a change was not made; of one whose answer never came, what the settings tell once they are read again. */
function useFault(error: Error | null, isDifferent: boolean): string | undefined {
  const { dataUpdatedAt } = useQuery(configQuery);
  const [failed, setFailed] = useState<{ readonly error: Error; readonly atMs: number }>();
  if (error !== null && error !== failed?.error) setFailed({ error, atMs: Date.now() });
  const isUnknown = error instanceof ApiError && error.status === 0;
  if (!isUnknown || dataUpdatedAt <= (failed?.atMs ?? 0)) return refusalText(error, SETTING_NAMES, asSetting);
  return isDifferent
    ? 'The server is back, and has not made the change'
    : 'The server is back, and has made the change';
}

interface ValuesProps {
  /** Of what is changed. */
  readonly path: string;
  /** As they are shown. */
  readonly before: string;
  readonly after: string;
}

/** The old value, an arrow, the new value. */
export function Values({ path, before, after }: ValuesProps): ReactNode {
  const changes = listChange(before, after, isMap(path));
  if (changes) return <EntryChanges changes={changes} />;
  return (
    <span className="change-values">
      {atCommas(before)} <span aria-hidden="true">→</span> <span className="hidden">becomes</span>{' '}
      <strong>{atCommas(after)}</strong>
    </span>
  );
}

/** Of a list or a map only what is different, a line each. */
function EntryChanges({ changes }: { changes: readonly EntryChange[] }): ReactNode {
  return (
    <span className="change-values">
      {changes.map(({ key, before, after }) => (
        <span key={`${key} ${before} ${after}`} className="change-entry">
          {before === undefined ? '+ ' : after === undefined ? '− ' : null}
          {key === undefined ? null : `${key}: `}
          {before}
          {before !== undefined && after !== undefined ? (
            <>
              {' '}
              <span aria-hidden="true">→</span> <span className="hidden">becomes</span>{' '}
            </>
          ) : null}
          {after === undefined ? null : <strong>{after}</strong>}
          {before === undefined ? <span className="hidden"> is added</span> : null}
          {after === undefined ? <span className="hidden"> is removed</span> : null}
        </span>
      ))}
    </span>
  );
}

/** A list is broken between its values rather than within one. */
function atCommas(text: string): ReactNode {
  return text.split(/(?<=,)(?=\S)/).map((part, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: parts have no names, and do not move
    <Fragment key={i}>
      {i === 0 ? null : <wbr />}
      {part}
    </Fragment>
  ));
}
