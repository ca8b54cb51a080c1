/**
 * What the address of each page may say after the `?`. A value that does not fit is left out, so that the page shows what it
 * shows without it, and the shell names it. Pure.
 */
import { JOB_STATUSES } from '../../../src/protocol/names/job-status.ts';
import { BUCKET_VALUES } from '../../../src/protocol/names/metric-names.ts';
import { NODE_STATES } from '../../../src/protocol/names/node-state.ts';
import { PHASES } from '../../../src/protocol/phase.ts';
import { LEVELS } from '../../../src/protocol/rollup-retention.ts';
import { EVENT_KINDS, EVENT_VIEWS } from '../lists/event-kinds.ts';
import { QUEUE_ORDERS } from '../lists/queue-orders.ts';
import { SAVED } from '../lists/risk-tone.ts';
import { MARKS } from '../lists/shown-state.ts';
import { LAST_RANGES, RANGES, type RangeName, RECORD_RANGES } from '../range/range.ts';
import { isSettingsTab, SETTINGS_TABS, type SettingsTab } from './settings-tabs.ts';

export type Search = Readonly<Record<string, unknown>>;

interface Rule<T extends string> {
  readonly fits: (text: string, all: Search) => text is T;
  /** What is expected, as it follows "expected". */
  readonly expected: string;
}

export interface BadParameter {
  readonly name: string;
  readonly value: string;
  readonly expected: string;
}

/** Levels from which on lines are shown. */
export const LOG_LEVELS_SHOWN = ['debug', 'info', 'warn', 'error'] as const;

/** Longer than any id, name or search that the server takes. */
const TEXT_LENGTH_MAX = 1_024;

const text: Rule<string> = {
  fits: (value): value is string => value.length <= TEXT_LENGTH_MAX,
  expected: `a text of at most ${TEXT_LENGTH_MAX} characters`,
};

const oneOf = <T extends string>(names: readonly T[]): Rule<T> => ({
  fits: (value): value is T => (names as readonly string[]).includes(value),
  expected: names.length === 1 ? String(names[0]) : `one of ${names.join(', ')}`,
});

/** One or more of these, separated by commas. */
const anyOf = (names: readonly string[]): Rule<string> => ({
  fits: (value): value is string => value.split(',').every((name) => names.includes(name)),
  expected: `one of ${names.join(', ')}`,
});

const sortedBy = (...names: readonly string[]): Rule<string> => ({
  fits: (value): value is string => names.includes(value.replace(/^-/, '')),
  expected: `one of ${names.join(', ')}, after a - for descending order`,
});

const isTime = (value: unknown): boolean => typeof value === 'string' && !Number.isNaN(Date.parse(value));

/** Two ends of a range: each is a time, and neither says anything without the other. */
const endOfRange: Rule<string> = {
  fits: (_, { start, end }): _ is string =>
    isTime(start) && isTime(end) && Date.parse(String(start)) < Date.parse(String(end)),
  expected: 'two times such as 2026-01-31T12:00:00Z, start before end',
};

const series: Rule<string> = {
  fits: (value): value is string => value.split(',').every((name) => /^.+\/.+$/.test(name)),
  expected: 'pairs of object and definition, such as system-total/metricDef-runtime',
};

const moment: Rule<string> = {
  fits: (value): value is string => isTime(value),
  expected: 'a time such as 2026-01-31T12:00:00Z',
};

/** As the lists of the server take it: exclusive. */
const utc: Rule<string> = {
  fits: (value): value is string => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?Z$/.test(value) && isTime(value),
  expected: 'a time such as 2026-01-31T12:00:00Z',
};

const byte: Rule<string> = {
  fits: (value): value is string => /^\d{1,15}$/.test(value),
  expected: 'a number of bytes',
};

/** Which lines of a log are shown. */
const logFilter = { q: text, level: oneOf<string>(LOG_LEVELS_SHOWN), from: moment, around: moment, byte } as const;

const range = oneOf(Object.keys(RANGES) as RangeName[]);

/** Path of a page → the parameters that it takes. */
export const PARAMETERS = {
  '/': { range, start: endOfRange, end: endOfRange },
  '/jobs': {
    q: text,
    queue: text,
    phase: anyOf(PHASES),
    status: oneOf(JOB_STATUSES),
    node: text,
    range: oneOf(LAST_RANGES),
    updatedAfter: utc,
    updatedBefore: utc,
    saved: oneOf(SAVED),
    reason: text,
    sort: sortedBy(
      'createdAt',
      'updatedAt',
      'id',
      'status',
      'queueName',
      'name',
      'nodeOid',
      'unsaved',
      'restores',
      'duration',
      'lastCheckpoint',
    ),
  },
  '/job': {
    id: text,
    node: text,
    file: text,
    start: endOfRange,
    end: endOfRange,
    events: oneOf(EVENT_KINDS),
    view: oneOf(EVENT_VIEWS),
    ...logFilter,
  },
  '/queues': { q: text, range, start: endOfRange, end: endOfRange, sort: sortedBy(...QUEUE_ORDERS) },
  '/queue': { name: text, range, start: endOfRange, end: endOfRange },
  '/reclaims': { range, start: endOfRange, end: endOfRange },
  '/nodes': {
    q: text,
    zone: text,
    instanceType: text,
    payType: text,
    heartbeatAfter: utc,
    heartbeatBefore: utc,
    state: oneOf([...NODE_STATES, 'all']),
    checkpoints: oneOf(['none']),
    mark: oneOf(MARKS),
    sort: sortedBy(
      'id',
      'state',
      'lastHeartbeat',
      'instanceType',
      'payType',
      'zone',
      'cores',
      'memoryInMB',
      'jobs',
      'unsaved',
    ),
  },
  '/node': { id: text, file: text, range, start: endOfRange, end: endOfRange, ...logFilter },
  '/explore': {
    series,
    range,
    start: endOfRange,
    end: endOfRange,
    interval: oneOf(LEVELS.map(({ name }) => name)),
    agg: oneOf(BUCKET_VALUES),
    compare: oneOf(['before']),
    charts: oneOf(['each']),
    by: text,
  },
  '/logs': { log: oneOf(['access', 'node']), node: text, file: text, ...logFilter },
  '/settings': {
    tab: { fits: isSettingsTab, expected: `one of ${SETTINGS_TABS.join(', ')}` } as Rule<SettingsTab>,
    // Of the audit log.
    q: text,
    range: oneOf(RECORD_RANGES),
    start: endOfRange,
    end: endOfRange,
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, Rule<string>>>>>;

export type PagePath = keyof typeof PARAMETERS;

type Rules = Readonly<Record<string, Rule<string>>>;
type Values<R extends Rules> = { [name in keyof R]?: (R[name] extends Rule<infer T> ? T : never) | undefined };

/**
 * The parameters of a page that fit. The router lays them over what the address says, so the others are there as undefined.
 */
export function fitting<P extends PagePath>(path: P, search: Search): Values<(typeof PARAMETERS)[P]> {
  const rules: Rules = PARAMETERS[path];
  const found: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(search)) {
    const rule = rules[name];
    found[name] = rule && typeof value === 'string' && value !== '' && rule.fits(value, search) ? value : undefined;
  }
  return found as Values<(typeof PARAMETERS)[P]>;
}

/** Those that do not fit. A name that the page does not know is nobody's mistake: links carry marks of other programs. */
export function badParameters(path: string, search: Search): BadParameter[] {
  const rules: Rules = Object.hasOwn(PARAMETERS, path) ? PARAMETERS[path as PagePath] : {};
  return Object.entries(search).flatMap(([name, value]) => {
    const rule = rules[name];
    if (!rule || value === '' || value === undefined) return [];
    return typeof value === 'string' && rule.fits(value, search)
      ? []
      : [{ name, value: String(value), expected: rule.expected }];
  });
}
