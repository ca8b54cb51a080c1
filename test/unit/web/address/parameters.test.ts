import assert from 'node:assert/strict';
import { test } from 'node:test';
import { badParameters, fitting, PARAMETERS, type PagePath } from '../../../../web/src/address/parameters.ts';

const TEXT = 'a text';
const ENDS = { start: '2026-01-01T00:00:00Z', end: '2026-01-02T00:00:00Z' };
const LINES = { q: TEXT, level: 'warn', from: '2026-01-01T00:00:00Z', around: '2026-01-01T00:00:00Z', byte: '131072' };
const RIGHT: Readonly<Record<PagePath, Readonly<Record<string, string>>>> = {
  '/': { range: '7d', ...ENDS },
  '/jobs': {
    q: TEXT,
    queue: TEXT,
    phase: 'running,failed',
    status: 'Failed',
    node: TEXT,
    range: '24h',
    updatedAfter: '2026-01-01T00:00:00Z',
    updatedBefore: '2026-01-01T00:00:00.5Z',
    saved: 'never',
    reason: 'out of memory',
    sort: '-updatedAt',
  },
  '/job': { id: '1e5', node: 'n.1', file: '/var/log/a.log', ...ENDS, events: 'problems', view: 'raw', ...LINES },
  '/queues': { q: TEXT, range: '7d', ...ENDS, sort: '-most-unsaved' },
  '/queue': { name: TEXT, range: '7d', ...ENDS },
  '/reclaims': { range: '30d', ...ENDS },
  '/nodes': {
    q: TEXT,
    zone: TEXT,
    instanceType: TEXT,
    payType: TEXT,
    heartbeatAfter: '2026-01-01T00:00:00Z',
    heartbeatBefore: '2026-01-02T00:00:00Z',
    state: 'all',
    checkpoints: 'none',
    mark: 'reclaiming',
    sort: 'cores',
  },
  '/node': { id: 'n.1', file: '/var/log/a.log', range: '1h', ...ENDS, ...LINES },
  '/explore': {
    series: 'system-total/metricDef-runtime,queue-a/b/metricDef-runtime',
    range: 'month',
    ...ENDS,
    interval: '30m',
    agg: 'max',
    compare: 'before',
    charts: 'each',
    by: 'checkpointFailure',
  },
  '/logs': { log: 'node', node: 'n.1', file: '/nodes/n.1/a.log', ...LINES },
  '/settings': { tab: 'tokens', q: TEXT, range: '7d', ...ENDS },
};
const WRONG: Readonly<Record<string, string>> = {
  range: 'banana',
  phase: 'running,new',
  status: 'Dancing',
  sort: '--id',
  state: 'asleep',
  checkpoints: 'some',
  mark: 'switched-off',
  events: 'all',
  view: 'table',
  series: 'runtime',
  start: 'xx',
  end: '2025-01-01T00:00:00Z',
  interval: '5m',
  agg: 'median',
  compare: 'after',
  charts: 'both',
  saved: 'often',
  log: 'error',
  level: 'loud',
  from: 'noon',
  around: 'noon',
  byte: '-1',
  // The server takes no other zone.
  updatedAfter: '2026-01-01T01:00:00+01:00',
  updatedBefore: '2026-01-01',
  heartbeatAfter: '2026-02-31T25:00:00Z',
  heartbeatBefore: 'noon',
  tab: 'foo',
};

test('every parameter of every page takes what it is for', () => {
  for (const path of Object.keys(PARAMETERS) as PagePath[]) {
    const search = RIGHT[path];
    assert.deepEqual(Object.keys(search), Object.keys(PARAMETERS[path]), path);
    assert.deepEqual(fitting(path, search), search);
    assert.deepEqual(badParameters(path, search), []);
  }
});

test('a value that does not fit is undefined, and named with what was expected', () => {
  for (const path of Object.keys(PARAMETERS) as PagePath[])
    for (const name of Object.keys(PARAMETERS[path])) {
      const value = WRONG[name] ?? 'x'.repeat(2_000);
      const search = { ...RIGHT[path], [name]: value };
      assert.equal((fitting(path, search) as Record<string, unknown>)[name], undefined, `${path} ${name}`);
      const bad = badParameters(path, search).find((one) => one.name === name);
      assert.equal(bad?.value, value, `${path} ${name}`);
      assert.notEqual(bad?.expected, '');
    }
});

test('an unknown or empty parameter is left out and not complained of', () => {
  const search = { utm_source: 'mail', q: '', sort: 'id' };
  assert.deepEqual(fitting('/nodes', search), { utm_source: undefined, q: undefined, sort: 'id' });
  assert.deepEqual(badParameters('/nodes', search), []);
  assert.deepEqual(badParameters('/nowhere', { a: 'b' }), []);
});

test('the ends of a range stand and fall together', () => {
  const end = RIGHT['/explore']['end'] as string;
  for (const search of [{ end }, { start: end, end }, { start: 'xx', end }])
    assert.deepEqual(
      badParameters('/explore', search).map(({ name }) => name),
      Object.keys(search),
    );
});
