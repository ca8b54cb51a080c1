/** What the strip above a log is drawn from. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { countsOf, courseOf, isAtLeast, markOf } from '../../../../web/src/logs/line-marks.ts';

const START_MS = Date.parse('2026-01-01T00:00:00Z');
const line = (second: number, level: string): string =>
  JSON.stringify({ time: new Date(START_MS + second * 1_000).toISOString(), level, message: 'm' });
const request = (status: number): string =>
  JSON.stringify({ time: '2026-01-01T00:00:00Z', method: 'GET', url: '/', status, ms: 1 });

test('errors and requests that failed are bad, warnings and refused requests are not as bad', () => {
  const tones = [
    ...['fatal', 'error', 'warn', 'info'].map((level) => line(0, level)),
    ...[500, 404, 200, 499].map(request),
  ];
  assert.deepEqual(
    tones.map((text) => markOf(text).tone),
    ['bad', 'bad', 'warn', 'plain', 'bad', 'warn', 'plain', 'plain'],
  );
  assert.deepEqual(countsOf(tones.map(markOf)), { bad: 3, warn: 2, plain: 3 });
});

test('a line is at least of a level by the order of levels; one without a level is of none', () => {
  const marks = [line(0, 'error'), line(0, 'info'), 'at frame (file.js:1)'].map(markOf);
  assert.deepEqual(
    marks.map((mark) => isAtLeast(mark, 'warn')),
    [true, false, false],
  );
  assert.ok(marks.every((mark) => isAtLeast(mark, undefined)));
});

test('each line stands in the bar of its time, and one without a time with the line before', () => {
  const marks = [line(0, 'info'), line(45, 'error'), '    at frame (file.js:1)', line(90, 'warn')].map(markOf);
  const course = courseOf(marks);
  assert.ok(course);
  assert.deepEqual([course.startMs, course.endMs], [START_MS, START_MS + 90_000]);
  const told = course.bars.flatMap(({ startMs, ...counts }, i) =>
    counts.bad + counts.warn + counts.plain > 0 ? [[i, (startMs - START_MS) / 1_000, counts]] : [],
  );
  assert.deepEqual(told, [
    [0, 0, { bad: 0, warn: 0, plain: 1 }],
    [45, 45, { bad: 1, warn: 0, plain: 1 }],
    // The last moment is part of the last bar.
    [89, 89, { bad: 0, warn: 1, plain: 0 }],
  ]);
});

test('a time in another form than that of Cairn is one, too', () => {
  assert.equal(markOf('2026-01-01 00:00:45,500 step done').ms, START_MS + 45_500);
});

test('lines of one moment, or without times, have no course', () => {
  assert.equal(courseOf([line(1, 'info'), line(1, 'info')].map(markOf)), undefined);
  assert.equal(courseOf(['hello', 'world'].map(markOf)), undefined);
  assert.equal(courseOf([]), undefined);
});
