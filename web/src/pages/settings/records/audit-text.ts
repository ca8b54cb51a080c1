/** A record of the audit log in words. Pure. */
import { eventTypeName } from '../../../names/event-type-names.ts';
import { settingName } from '../../../names/setting-names.ts';
import { eventText, wordsOf } from '../../../parts/format.ts';
import { settingValue } from '../form/value-text.ts';

type Detail = Readonly<Record<string, unknown>>;

interface Done {
  readonly action: string;
  readonly target: string;
  readonly detail: Detail;
}

/** `config.changed` → `Settings changed`, `nodeToken.made` → `Node token made`, of no node → `Join token made`. */
export function actionText({ action, target, detail }: Pick<Done, 'action' | 'target'> & Partial<Done>): string {
  // What became of it, where the record tells that.
  if (action === 'webhook.set' && typeof detail?.['change'] === 'string') return `Webhook ${detail['change']}`;
  const named = isOfJoining({ action, target })
    ? action.replace(/^node/, 'join')
    : action.replace(/^config\b/, 'settings').replace(/^idp\b/, 'identityProvider');
  return wordsOf(named.replace(/\.(\w)/g, (_, first: string) => first.toUpperCase()));
}

/** A token with which any node may join names none. */
function isOfJoining({ action, target }: Pick<Done, 'action' | 'target'>): boolean {
  return action.startsWith('nodeToken.') && target === 'join';
}

/** Of tokens for nodes no list has the name of one: a new one is told by who may join with it, and one is not revoked alone. */
function tokensText({ action, target }: Pick<Done, 'action' | 'target'>): string {
  const isAny = target === 'join';
  if (action === 'nodeToken.made') return isAny ? 'For any new node' : `For ${target}`;
  return isAny ? 'All that were made before' : `All of ${target} that were made before`;
}

export interface Place {
  readonly to: '/settings' | '/node';
  readonly search: { readonly tab: 'webhooks' | 'tokens' } | { readonly id: string };
  readonly hash?: string;
}

interface Existing {
  /** By id. */
  readonly webhooks: { readonly has: (id: string) => boolean };
  readonly tokens: { readonly has: (id: string) => boolean };
  readonly nodes: { readonly has: (id: string) => boolean };
}

/** Where the target of a record is seen; undefined of what is gone, and of settings, which lead to their fields one by one. */
export function placeOf({ action, target }: Pick<Done, 'action' | 'target'>, existing: Existing): Place | undefined {
  const kind = action.replace(/\..*/, '');
  const id = target.replace(/^(webhook|service token) /, '');
  if (kind === 'nodeToken') return { to: '/settings', search: { tab: 'tokens' }, hash: JOIN_TOKENS };
  if (kind === 'webhook' && existing.webhooks.has(id))
    return { to: '/settings', search: { tab: 'webhooks' }, hash: id };
  if (kind === 'serviceToken' && existing.tokens.has(id))
    return { to: '/settings', search: { tab: 'tokens' }, hash: id };
  return kind === 'node' && existing.nodes.has(id) ? { to: '/node', search: { id } } : undefined;
}

/** The place on the page of tokens that makes such for nodes; it lists none. */
const JOIN_TOKENS = 'join-tokens';

/** A service token by its name, a webhook by its id. Empty where the detail names each changed setting, with its values. */
export function targetText({ action, target, detail }: Done): string {
  if (action.startsWith('webhook.')) return target.replace(/^webhook /, '');
  if (isChanges(detail['changes'])) return '';
  if (action.startsWith('nodeToken.')) return tokensText({ action, target });
  const { name } = detail;
  if (action.startsWith('serviceToken.') && typeof name === 'string') return name;
  return target.split(',').map(settingName).join(', ');
}

/** Told in another column, or with the kinds of events. */
const ELSEWHERE: ReadonlySet<string> = new Set(['name', 'change', 'eventTypes']);

/** Of what may be a secret, the record has only that it is another one. */
const HIDDEN: Readonly<Record<string, string>> = { path: 'path of the URL changed', secret: 'secret changed' };

/** `role: viewer`; what is null says nothing, and the name of a token stands by itself. */
export function detailParts(detail: Detail): string[] {
  return Object.entries(detail)
    .filter(([name, value]) => value !== null && value !== undefined && !ELSEWHERE.has(name))
    .map(([name, value]) => {
      if (name === 'types') return `events: ${typesText(value, detail['eventTypes'])}`;
      return (
        (value === 'another' ? HIDDEN[name] : undefined) ?? `${name === 'target' ? 'URL' : name}: ${valueText(value)}`
      );
    });
}

/** Fields of a webhook as its form calls them. */
const WEBHOOK_FIELDS: Readonly<Record<string, string>> = {
  target: 'URL',
  types: 'Events',
  queue: 'Queue',
  job: 'Job',
  node: 'Node',
  eventTypes: 'Job events',
  format: 'Format',
};

/** What was changed, and from what to what: a setting, or a field of a webhook. */
export function changeText(path: string, { old, new: next }: Changes[string]): readonly [string, string, string] {
  const name = WEBHOOK_FIELDS[path];
  if (name === undefined) return [settingName(path), settingValue(path, old), settingValue(path, next)];
  const text = (value: unknown): string =>
    value === ''
      ? '–'
      : path === 'types'
        ? typesText(value)
        : path === 'eventTypes'
          ? kindsText(value)
          : valueText(value);
  return [name, text(old), text(next)];
}

/** Kinds of events as the form of a webhook calls them; of job events also which: `Job event: Failed or Stopped, Node lost`. */
function typesText(value: unknown, kinds: unknown = undefined): string {
  const named = (type: string): string =>
    type === 'job.event' && kinds !== undefined ? `${eventTypeName(type)}: ${kindsText(kinds)}` : eventTypeName(type);
  return valueText(value).split(' ').map(named).join(', ');
}

function kindsText(value: unknown): string {
  return valueText(value).split(' ').map(eventText).join(' or ');
}

function valueText(value: unknown): string {
  if (Array.isArray(value)) return value.map(valueText).join(' ');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

interface Known extends Done {
  readonly who: string;
  readonly from: string;
}

/** Whether each of the words is anywhere in the record, as it is shown or as it was recorded. `time`: as it is shown. */
export function hasWords(record: Known, words: string, time: string): boolean {
  const { who, from, action, target, detail } = record;
  const changes = isChanges(detail['changes']) ? Object.entries(detail['changes']) : [];
  const changed = changes.flatMap(([path, change]) => changeText(path, change));
  const texts = [
    time,
    who,
    from,
    action,
    actionText(record),
    target,
    targetText(record),
    ...changed,
    ...detailParts(detail),
    JSON.stringify(detail),
  ];
  return hasAllWords(texts, words);
}

/** Marks of a change as it is shown, and so as it is copied. */
const MARKS: ReadonlySet<string> = new Set(['→', '+', '−']);

/** Whether each of the words is anywhere in the texts, in any order and case. */
export function hasAllWords(texts: readonly string[], words: string): boolean {
  const text = texts.join('\n').toLowerCase();
  return words
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => !MARKS.has(word))
    .every((word) => text.includes(word));
}

type Changes = Readonly<Record<string, { readonly old: unknown; readonly new: unknown }>>;

export function isChanges(value: unknown): value is Changes {
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.values(value).every((change) => typeof change === 'object' && change !== null && 'new' in change)
  );
}
