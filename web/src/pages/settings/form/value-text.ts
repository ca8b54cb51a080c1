/** Values in the string form that configKV takes (interface, endpoint 5), and fields in words. Pure. */
import type { FlatConfig } from '../../../../../src/protocol/config/config.ts';
import { CONFIG_FIELDS, type ConfigField, type ConfigValue } from '../../../../../src/protocol/config/config-fields.ts';
import { mustDurationMs, shortDuration } from '../../../../../src/protocol/duration.ts';
import { SETTING_NAMES, settingName } from '../../../names/setting-names.ts';

export function valueText(value: ConfigValue | undefined): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.join(',');
  if (typeof value === 'object')
    return Object.entries(value)
      .map(([name, text]) => `${name}:${text}`)
      .join(',');
  return String(value);
}

/** Durations of the settings as Go prints them, whole hours, minutes and seconds. */
const LONG_DURATION = /\b\d+(h\d+m|m)\d+s\b/g;

/** The text with its durations as fields have them: `1m`, not `1m0s`. */
export function withShortDurations(text: string): string {
  return text.replace(LONG_DURATION, shortDuration);
}

/**
 * What is wrong, as a sentence about the field `name`: of `path` the server may have said the path again, or have begun with
 * another one. Durations are as fields have them; paths of other settings are for `SettingWords`.
 */
export function faultText(name: string, path: string, reason: string): string {
  const text = withShortDurations(reason);
  if (text.startsWith(`${path} `)) return `${name}${text.slice(path.length)}`;
  const [first = ''] = text.split(' ', 1);
  return `${name}${SETTING_NAMES[first] === undefined ? '' : ':'} ${text}`.trim();
}

/** The choice of a setting that nobody has made yet. */
export const UNSET = 'unknown';

/** As the pages show a value: `10m0s` is `10m`. What is typed so is the same to the server. */
export function shownValue(value: unknown): string {
  const text = typeof value === 'object' ? valueText(value as ConfigValue) : String(value ?? '');
  if (text === UNSET) return 'not set';
  return text.replace(LONG_DURATION, shortDuration) || '–';
}

const KINDS = new Map(CONFIG_FIELDS.map(({ path, kind }) => [path, kind]));

/** A value for the form of a setting, as an edit. */
export interface Draft {
  /** Of the setting. */
  readonly path: string;
  /** As its field holds it. */
  readonly text: string;
}

export function isMap(path: string): boolean {
  return KINDS.get(path)?.type === 'map';
}

/** A value of that setting as its field has it: `On`, `10 MB`, `1 file`; a limit of 0 is none. */
export function settingValue(path: string, value: unknown): string {
  const kind = KINDS.get(path);
  const text = shownValue(value);
  if (text === '0' && path.startsWith('security.limits.')) return 'no limit';
  if (kind?.type === 'boolean') return text === 'true' ? 'On' : 'Off';
  if (kind?.type !== 'integer' || text === '–') return text;
  return `${text}\u00a0${text === '1' ? kind.unit.replace(/(?<=[a-z])s\b/, '') : kind.unit}`;
}

/** What a mode of checkpoints means for every job; undefined of the one that saves them. */
export function modeWarning(path: string, text: string): string | undefined {
  if (path !== 'ckpt.ckptMode') return undefined;
  if (text === UNSET) return 'Until it is set, no job is saved by itself.';
  return text === 'none' ? 'No job is saved by itself.' : undefined;
}

/** As it stands in the field of a setting. */
export function fieldText(field: ConfigField, value: ConfigValue | undefined): string {
  return field.kind.type === 'duration' ? shortDuration(valueText(value)) : valueText(value);
}

/** A warning of the server with the setting's name in place of its path: `Checkpoint interval is 1m, below 2m …`. */
export function inWords(warning: string): string {
  const [path = ''] = warning.split(' ', 1);
  return withShortDurations(settingName(path) + warning.slice(path.length));
}

/** Settings of checkpoints that mean something only while jobs are saved at intervals. */
const NEED_INTERVALS: ReadonlySet<string> = new Set(['ckpt.ckptInterval']);

/** When a change takes effect, and what it waits for: sentences for the person who makes it. `after`: the settings by path. */
export function effectsOf(after: ReadonlyMap<string, unknown>, paths: readonly string[]): string[] {
  const mode = 'ckpt.ckptMode';
  const isSaving = after.get(mode) === 'iterative';
  const idle = isSaving ? [] : paths.filter((path) => NEED_INTERVALS.has(path));
  const live = paths.filter((path) => path.startsWith('ckpt.') && !idle.includes(path));
  return [
    ...idle.map(
      (path) => `${settingName(path)} has no effect while ${settingName(mode)} is ${shownValue(after.get(mode))}.`,
    ),
    ...(live.length > 0
      ? ['Jobs take it with the next heartbeat of their node, including those that already run.']
      : []),
    ...paths.flatMap((path) => EFFECTS[path]?.(after.get(path)) ?? []),
  ];
}

/** What a new value of it means; undefined of one that means nothing more. */
const EFFECTS: Readonly<Record<string, (value: unknown) => string | undefined>> = {
  'node.heartbeat': (value) => `Nodes send a heartbeat every ${shownValue(value)}, from their next one on.`,
  'node.ttl': (value) =>
    `A node that is silent for ${shownValue(value)} counts as lost, and its jobs as stranded: other nodes may restore them.`,
  'security.webhooks.privateTargets': (value) =>
    value === true
      ? 'Who may add webhooks can then have the server call this machine, private networks and metadata services.'
      : undefined,
};

/** What a smaller value of it removes, as it follows the name of the setting. */
const REMOVED: Readonly<Record<string, string>> = {
  'job.successTTL': 'succeeded jobs that ended longer ago are removed at the next check',
  'job.failureTTL': 'failed and stopped jobs that ended longer ago are removed at the next check',
  'node.maxPerLogSizeMB': 'the oldest lines of larger log files are removed',
  'node.maxNodeLogTotalMB': 'the oldest lines of nodes with larger logs are removed',
};

/** What a change takes away for good: sentences for the person who makes it. */
export function lossesOf(before: FlatConfig, after: FlatConfig, paths: readonly string[]): string[] {
  const isLess = (path: string): boolean => amountOf(after.get(path)) < amountOf(before.get(path));
  const removed = paths.flatMap((path) =>
    REMOVED[path] !== undefined && isLess(path)
      ? [`${settingName(path)}: ${REMOVED[path]}. They cannot be brought back.`]
      : [],
  );
  const mode = 'ckpt.ckptMode';
  const stops = paths.includes(mode) && before.get(mode) === 'iterative';
  return [
    ...removed,
    ...(stops
      ? ['Jobs are no longer saved by themselves: a job whose node goes loses the work since its last checkpoint.']
      : []),
  ];
}

/** Of a size or a duration. */
function amountOf(value: ConfigValue | undefined): number {
  return typeof value === 'number' ? value : typeof value === 'string' ? mustDurationMs(value) : Number.NaN;
}

/** What may be entered, as it stands in an empty field. */
export function ruleText({ kind }: ConfigField): string {
  switch (kind.type) {
    case 'integer':
      return `${kind.min} to ${kind.max}`;
    case 'duration':
      return '30s, 5m, 1h30m';
    case 'list':
      // The form alone: the whole rule has no room, and is told where it is broken.
      return kind.rule ? `${kind.rule.replace(/ .*/, '')},…` : 'Separated by commas';
    case 'map':
      return 'key:value,key:value';
    case 'address':
      return 'https://0.0.0.0:443';
    case 'string':
      return kind.rule ? `${kind.rule.charAt(0).toUpperCase()}${kind.rule.slice(1)}` : '';
    default:
      return '';
  }
}
