/** What the address of a page chooses, in the words of that page. Pure. */
import { SETTINGS_TAB_LABELS } from '../address/settings-tabs.ts';
import { OTHERS, reasonIn } from '../pages/reasons.ts';
import { lastEventText, wordsOf } from '../parts/format.ts';
import { labelOf, RANGES, type RangeName, type Zone } from '../range/range.ts';
import { spanLabel } from '../range/range-text.ts';

type Search = Readonly<Record<string, string>>;

/** Columns that a list is sorted by; another one is called as the address calls it. */
const ORDERS: Readonly<Record<string, string>> = {
  id: 'id',
  createdAt: 'submission',
  updatedAt: 'time of the last change',
  queueName: 'queue',
  nodeOid: 'node',
  unsaved: 'unsaved work',
  lastCheckpoint: 'last checkpoint',
  lastHeartbeat: 'last heartbeat',
  instanceType: 'type',
  payType: 'pay type',
  memoryInMB: 'memory',
};

const SAVED: Readonly<Record<string, string>> = { never: 'never saved', late: 'checkpoint overdue' };

const WORDS: Readonly<Record<string, (value: string) => string>> = {
  q: (value) => `“${value}”`,
  phase: (value) => value.split(',').map(wordsOf).join(' or ').toLowerCase(),
  status: (value) => lastEventText(value).toLowerCase(),
  state: (value) => wordsOf(value).toLowerCase(),
  payType: (value) => wordsOf(value).toLowerCase(),
  saved: (value) => SAVED[value] ?? value,
  reason: (value) => {
    const reason = reasonIn(value);
    return reason === OTHERS ? 'other reasons' : reason || 'no reason given';
  },
  checkpoints: () => 'no checkpoints',
  mark: (value) => wordsOf(value).toLowerCase(),
  level: (value) => `${value} and above`,
  range: (value) => (Object.hasOwn(RANGES, value) ? labelOf(value as RangeName) : value),
  tab: (value) => (SETTINGS_TAB_LABELS as Search)[value] ?? value,
  series: (value) => (value.includes(',') ? `${value.split(',').length} series` : '1 series'),
  sort: (value) => {
    const name = value.replace(/^-/, '');
    const order = ORDERS[name] ?? wordsOf(name).toLowerCase();
    return `by ${order} ${value.startsWith('-') ? '↓' : '↑'}`;
  },
};

/** The pairs of moments that an address may have, and what they are of. */
const MOMENTS = [
  ['start', 'end', ''],
  ['updatedAfter', 'updatedBefore', 'changed '],
  ['heartbeatAfter', 'heartbeatBefore', 'last heartbeat '],
] as const;

/** In the order of the address, its moments last. */
export function viewWords(search: Search, nowMs: number, zone: Zone): string[] {
  const ofMoments: readonly string[] = MOMENTS.flat();
  const words = Object.entries(search)
    .filter(([name]) => !ofMoments.includes(name))
    .map(([name, value]) => WORDS[name]?.(value) ?? value);
  const moments = MOMENTS.flatMap(([from, to, what]) => {
    const label = (at: string): string => spanLabel({ startMs: Date.parse(at), endMs: Date.parse(at) }, nowMs, zone);
    const [after, before] = [search[from], search[to]];
    if (after !== undefined && before !== undefined)
      return [what + spanLabel({ startMs: Date.parse(after), endMs: Date.parse(before) }, nowMs, zone)];
    if (after !== undefined) return [`${what}since ${label(after)}`];
    return before === undefined ? [] : [`${what}before ${label(before)}`];
  });
  return [...words, ...moments];
}
