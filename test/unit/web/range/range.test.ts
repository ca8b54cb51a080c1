/** Ranges of time: by name, between two moments, in the zone that the reader chose. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { barsOf } from '../../../../web/src/charts/buckets.ts';
import { momentMs, momentText } from '../../../../web/src/range/moment-text.ts';
import {
  beforeText,
  boundsBefore,
  boundsOf,
  keyOf,
  rangeOf,
  searchOf,
  shortWhenText,
  whenText,
} from '../../../../web/src/range/range.ts';
import { faultOf, fieldMs, fieldText, leadTo, spanLabel } from '../../../../web/src/range/range-text.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.UTC(2026, 2, 15, 12, 30, 20);

test('two moments of an address win over a name, and go back into the address as they came', () => {
  const search = { start: '2026-03-01T08:00:00.000Z', end: '2026-03-02T09:00:00.000Z' };
  const range = rangeOf({ ...search, range: '7d' }, '24h');
  assert.deepEqual(range, { startMs: Date.UTC(2026, 2, 1, 8), endMs: Date.UTC(2026, 2, 2, 9) });
  assert.deepEqual(searchOf(range), { range: undefined, ...search });
  assert.equal(rangeOf({ range: '7d' }, '24h'), '7d');
  assert.equal(rangeOf({}, '24h'), '24h');
  assert.deepEqual(searchOf('7d'), { range: '7d', start: undefined, end: undefined });
});

test('a custom range is compared with as much time just before', () => {
  const range = { startMs: NOW - 3 * HOUR_MS, endMs: NOW - HOUR_MS };
  assert.deepEqual(boundsOf(range, NOW), range);
  assert.deepEqual(boundsBefore(range, NOW), { startMs: NOW - 5 * HOUR_MS, endMs: NOW - 3 * HOUR_MS });
});

test('the last month begins and ends where the reader chose that days begin', (t) => {
  const machine = process.env['TZ'];
  process.env['TZ'] = 'Asia/Kolkata';
  t.after(() => {
    if (machine === undefined) delete process.env['TZ'];
    else process.env['TZ'] = machine;
  });
  const utc = { startMs: Date.UTC(2026, 1, 1), endMs: Date.UTC(2026, 2, 1) };
  assert.deepEqual(boundsOf('month', NOW, 'utc'), utc);
  assert.deepEqual(boundsBefore('month', NOW, 'utc'), { startMs: Date.UTC(2026, 0, 1), endMs: utc.startMs });
  assert.deepEqual(boundsOf('month', NOW, 'local'), {
    startMs: new Date(2026, 1, 1).getTime(),
    endMs: new Date(2026, 2, 1).getTime(),
  });
  assert.notDeepEqual(boundsOf('month', NOW, 'local'), utc);
  assert.notEqual(keyOf('month', 'utc'), keyOf('month', 'local'));
  // So far, against as much of the month before.
  const soFar = boundsOf('this-month', NOW, 'utc');
  assert.deepEqual([soFar.startMs, soFar.endMs >= NOW], [utc.endMs, true]);
  assert.deepEqual(boundsBefore('this-month', NOW, 'utc'), {
    startMs: utc.startMs,
    endMs: utc.startMs + (soFar.endMs - soFar.startMs),
  });
  const lateMs = Date.UTC(2026, 2, 31, 12);
  assert.equal(boundsBefore('this-month', lateMs, 'utc').endMs, utc.endMs, 'February ends before the 31st');
  assert.notEqual(keyOf('this-month', 'utc'), keyOf('this-month', 'local'));
  assert.deepEqual([whenText('this-month'), whenText('7d')], ['this month', 'in the last 7 days']);
  assert.equal(keyOf('7d', 'utc'), keyOf('7d', 'local'));
});

test('today goes on with the clock, and is compared with yesterday as far as today has come', (t) => {
  const machine = process.env['TZ'];
  process.env['TZ'] = 'Asia/Kolkata';
  t.after(() => {
    if (machine === undefined) delete process.env['TZ'];
    else process.env['TZ'] = machine;
  });
  const midnight = Date.UTC(2026, 2, 15);
  const end = Date.UTC(2026, 2, 15, 12, 31);
  assert.deepEqual(boundsOf('today', NOW, 'utc'), { startMs: midnight, endMs: end });
  assert.deepEqual(boundsBefore('today', NOW, 'utc'), { startMs: midnight - DAY_MS, endMs: end - DAY_MS });
  assert.equal(boundsOf('today', NOW, 'local').startMs, midnight - 5.5 * HOUR_MS);
  assert.notEqual(keyOf('today', 'utc'), keyOf('today', 'local'));
  assert.deepEqual([whenText('today'), beforeText('today')], ['today', 'the same hours of yesterday']);
});

test('yesterday is over: it ends where today begins, and is compared with the whole day before', () => {
  const midnight = Date.UTC(2026, 2, 15);
  assert.deepEqual(boundsOf('yesterday', NOW, 'utc'), { startMs: midnight - DAY_MS, endMs: midnight });
  assert.deepEqual(boundsBefore('yesterday', NOW, 'utc'), {
    startMs: midnight - 2 * DAY_MS,
    endMs: midnight - DAY_MS,
  });
  assert.deepEqual([whenText('yesterday'), beforeText('yesterday')], ['yesterday', 'the day before']);
});

test('fields hold times in the zone that the reader chose', () => {
  const at = Date.UTC(2026, 2, 1, 8, 5);
  assert.equal(fieldText(at, 'utc'), '2026-03-01T08:05');
  for (const zone of ['utc', 'local'] as const) assert.equal(fieldMs(fieldText(at, zone), zone), at);
  assert.equal(
    spanLabel({ startMs: at, endMs: at + DAY_MS }, NOW, 'utc').replaceAll(/\s/g, ' '),
    'Mar 1, 08:05 – Mar 2, 08:05',
  );
  assert.match(spanLabel({ startMs: at, endMs: at + DAY_MS }, NOW + 366 * DAY_MS, 'utc'), /2026/);
});

test('a custom range that cannot be is named before it is asked for', () => {
  assert.equal(faultOf({ startMs: NOW - 2, endMs: NOW - 1 }, NOW), undefined);
  assert.match(faultOf({ startMs: Number.NaN, endMs: NOW }, NOW) ?? '', /both fields/);
  assert.match(faultOf({ startMs: NOW, endMs: NOW }, NOW) ?? '', /before the end/);
  assert.match(faultOf({ startMs: NOW + 1, endMs: NOW + 2 }, NOW) ?? '', /future/);
});

test('a small chart gets at most 62 bars, of a level that still holds the range', () => {
  const of = (startMs: number, endMs: number) => barsOf({ startMs, endMs }, NOW);
  assert.deepEqual(of(NOW - HOUR_MS, NOW + 60_000), { interval: '1m', stepMs: 60_000 });
  assert.deepEqual(of(NOW - DAY_MS, NOW), { interval: '30m', stepMs: 30 * 60_000 });
  assert.deepEqual(of(NOW - 7 * DAY_MS - 1, NOW), { interval: '30m', stepMs: 4 * HOUR_MS });
  assert.deepEqual(of(NOW - 365 * DAY_MS, NOW), { interval: '24h', stepMs: 7 * DAY_MS });
  // An hour of two weeks ago: minutes are gone.
  assert.deepEqual(of(NOW - 14 * DAY_MS, NOW - 14 * DAY_MS + HOUR_MS), { interval: '30m', stepMs: 30 * 60_000 });
  // An hour of half a year ago: only days are left.
  assert.deepEqual(of(NOW - 180 * DAY_MS, NOW - 180 * DAY_MS + HOUR_MS), { interval: '24h', stepMs: DAY_MS });
});

test('a figure says what it is compared with', () => {
  assert.deepEqual(
    [
      beforeText('1h'),
      beforeText('24h'),
      beforeText('month'),
      beforeText('this-month'),
      beforeText({ startMs: 0, endMs: 26 * HOUR_MS }),
    ],
    ['the hour before', 'the 24 hours before', 'the month before', 'the same days of last month', 'the 26 h before'],
  );
});

test('a moment is typed as pages write it, or by what it is ago; what is no time is none', (t) => {
  const machine = process.env['TZ'];
  process.env['TZ'] = 'Asia/Kolkata';
  t.after(() => {
    if (machine === undefined) delete process.env['TZ'];
    else process.env['TZ'] = machine;
  });
  const utc = (text: string): string => new Date(momentMs(text, NOW, 'utc')).toISOString();
  assert.equal(utc('2026-03-14 05:17'), '2026-03-14T05:17:00.000Z');
  assert.equal(utc(' 2026-03-14T05:17:06.250 '), '2026-03-14T05:17:06.250Z');
  assert.equal(utc('2026-03-14'), '2026-03-14T00:00:00.000Z');
  assert.equal(utc('5:17'), '2026-03-15T05:17:00.000Z');
  assert.equal(utc('2026-03-14 05:17:06 GMT+1'), '2026-03-14T04:17:06.000Z');
  assert.equal(utc('2026-03-14T05:17+0530'), '2026-03-13T23:47:00.000Z');
  assert.equal(utc('2026-03-14 05:17 UTC'), '2026-03-14T05:17:00.000Z');
  assert.equal(utc('Today'), '2026-03-15T00:00:00.000Z');
  assert.equal(utc('yesterday'), '2026-03-14T00:00:00.000Z');
  assert.equal(momentMs('now', NOW, 'utc'), NOW);
  assert.equal(momentMs('15 m ago', NOW, 'utc'), NOW - 900_000);
  assert.equal(momentMs('1.5h', NOW, 'utc'), NOW - 1.5 * HOUR_MS);
  assert.equal(momentMs('2\u00a0d ago', NOW, 'utc'), NOW - 2 * DAY_MS);
  assert.equal(momentMs('2026-03-14 05:17', NOW, 'local'), Date.UTC(2026, 2, 13, 23, 47));
  for (const text of ['', 'half past nine', '2026-13-40', '25:61', '5', 'Z', 'ago'])
    assert.ok(Number.isNaN(momentMs(text, NOW, 'utc')), text);
  for (const zone of ['utc', 'local'] as const) assert.equal(momentMs(momentText(NOW, zone), NOW, zone), NOW);
  assert.equal(momentText(Date.UTC(2026, 2, 15, 12, 30), 'utc'), '2026-03-15 12:30');
});

test('a sentence leads to a time of today by "at", and to one of another day by "on"', () => {
  assert.equal(leadTo('Failed at ', NOW - HOUR_MS, NOW, 'utc'), 'Failed at ');
  assert.equal(leadTo('Failed at ', NOW - DAY_MS, NOW, 'utc'), 'Failed on ');
  assert.equal(leadTo('It waits since ', NOW - DAY_MS, NOW, 'utc'), 'It waits since ');
});

test('beside a figure with little room a range is short', () => {
  assert.equal(shortWhenText('24h'), 'in 24\u00a0h');
  assert.equal(shortWhenText('this-month'), 'this month');
  assert.equal(shortWhenText({ startMs: NOW - DAY_MS, endMs: NOW }), 'in the range');
});
