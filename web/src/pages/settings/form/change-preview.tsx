/** What will be different, before it is. */
import type { ReactNode } from 'react';
import { type FlatConfig, unflattenConfig } from '../../../../../src/protocol/config/config.ts';
import { warningsOf } from '../../../../../src/protocol/config/warnings.ts';
import { Dialog, DialogEnd } from '../../../controls/dialog.tsx';
import { SETTING_NAMES, settingName } from '../../../names/setting-names.ts';
import { asSetting, refusalText, refusedFields } from './refusals.ts';
import { effectsOf, inWords, lossesOf, settingValue } from './value-text.ts';

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
              <Values before={settingValue(path, before.get(path))} after={settingValue(path, after.get(path))} />
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
      <DialogEnd fault={refusalText(error, SETTING_NAMES, asSetting)}>
        <button type="button" className="primary" disabled={isApplying || isRefused} onClick={onApply}>
          {isApplying ? 'Applying…' : 'Apply'}
        </button>
      </DialogEnd>
    </Dialog>
  );
}

/** The old value, an arrow, the new value. */
export function Values({ before, after }: { before: string; after: string }): ReactNode {
  return (
    <span className="change-values">
      {before} <span aria-hidden="true">→</span> <span className="hidden">becomes</span> <strong>{after}</strong>
    </span>
  );
}
