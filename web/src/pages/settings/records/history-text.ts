/** A change of a setting in words, and the value before it as its form takes it. Pure. */

import type { FlatConfig } from '../../../../../src/protocol/config/config.ts';
import { CONFIG_FIELD_BY_PATH } from '../../../../../src/protocol/config/config-fields.ts';
import { settingsTabOf } from '../../../address/settings-tabs.ts';
import { settingName } from '../../../names/setting-names.ts';
import { fieldGroupsOf } from '../form/field-groups.ts';
import { type Draft, fieldText, settingValue, UNSET, valueText } from '../form/value-text.ts';
import { hasAllWords } from './audit-text.ts';

interface Changed {
  readonly who: string;
  readonly key: string;
  readonly old: unknown;
  readonly new: unknown;
}

/** Longer values are not read in a button. */
const VALUE_LENGTH_MAX = 16;

/** What puts the value before a change back. Undefined where it is the present one, and where no form has the setting. */
export function earlierOf({ key, old }: Changed, current: FlatConfig): Draft | undefined {
  const field = CONFIG_FIELD_BY_PATH.get(key);
  const isEdited = fieldGroupsOf(settingsTabOf(key)).some(({ fields }) => fields.some(({ path }) => path === key));
  // A value that was not recorded is not known.
  if (!field || field.fixed !== undefined || !isEdited || old === undefined) return undefined;
  const text = fieldText(field, old as NonNullable<typeof field>['default']);
  return text === fieldText(field, current.get(key)) ? undefined : { path: key, text };
}

/** `Put 15m back…`, `Turn on again…`. */
export function putBackText({ key, old }: Changed): string {
  const kind = CONFIG_FIELD_BY_PATH.get(key)?.kind;
  if (kind?.type === 'boolean') return `Turn ${old === true ? 'on' : 'off'} again…`;
  const value = settingValue(key, old);
  const isRead = old !== UNSET && value !== '–' && value.length <= VALUE_LENGTH_MAX;
  return isRead ? `Put ${value} back…` : 'Put the earlier value back…';
}

/** The history has both in one: `anna (10.0.0.7)`. */
export function whoOf(text: string): { readonly who: string; readonly from: string | undefined } {
  const [, who = text, from] = /^(.+) \(([^()]*)\)$/.exec(text) ?? [];
  return { who, from };
}

/** Whether each of the words is anywhere in the row, as it is shown or as it was recorded. `time`: as it is shown. */
export function isFound({ who, key, old, new: next }: Changed, words: string, time: string): boolean {
  const values = [old, next].flatMap((value) => [settingValue(key, value), valueText(value as never)]);
  return hasAllWords([time, who, key, settingName(key), ...values], words);
}
