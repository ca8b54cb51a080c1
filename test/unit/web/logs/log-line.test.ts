import assert from 'node:assert/strict';
import { test } from 'node:test';
import { factsWith, NO_FACTS } from '../../../../web/src/logs/log-facts.ts';
import { readLogLine } from '../../../../web/src/logs/log-line.ts';

test('a line of a log tells its level as JSON and as a word near its beginning; what is broken is shown as it is', () => {
  assert.deepEqual(readLogLine('{"level":"warn","time":"T","message":"m","node":"n","n":1}'), {
    time: 'T',
    level: 'warn',
    text: 'm',
    detail: '',
    fields: [
      ['node', 'n'],
      ['n', '1'],
    ],
    rest: [],
  });
  assert.equal(readLogLine('12:00 WARNING disk is nearly full').level, 'warn');
  assert.deepEqual(readLogLine('{"level":'), {
    time: '',
    level: '',
    text: '{"level":',
    detail: '',
    fields: [],
    rest: [],
  });
});

test('the time and the level that a line begins with are told as those of every other line, once', () => {
  const time = '2026-01-01T08:00:00.588Z';
  const told = { time, level: 'error', text: 'heap space', detail: '', fields: [], rest: [] };
  for (const begin of ['ERROR ', 'ERROR: ', '[ERROR]  '])
    assert.deepEqual(readLogLine(`${time} ${begin}heap space`), told);
  const local = '2026-01-01T08:00:00 local';
  assert.deepEqual(readLogLine(local), { time: '', level: '', text: local, detail: '', fields: [], rest: [] });
  // The name of an error, and a level that is all of a line, stay.
  assert.equal(readLogLine('Error: no such file').text, 'Error: no such file');
  assert.equal(readLogLine('ERROR').text, 'ERROR');
});

test('a level is a word of its own, not a part of a name; what ends a process is fatal', () => {
  const levels = (lines: readonly string[]): string[] => [...new Set(lines.map((line) => readLogLine(line).level))];
  assert.deepEqual(
    levels([
      'ERROR:root:x',
      'make: *** [all] Error 2',
      'cc1: fatal error: x',
      'level=error x',
      '<error> x',
      'x: error',
    ]),
    ['error', 'fatal'],
  );
  assert.deepEqual(
    levels([
      '#0  Foam::error::printStack(Foam::Ostream&)',
      'at log.error(a.js:1)',
      '/var/log/error.log',
      'in Foam::error of x',
    ]),
    [''],
  );
  const ends = ['Segmentation fault (core dumped)', 'Killed', 'Aborted (core dumped)', 'panic: runtime error: index'];
  const more = ['run.sh: line 3: 12345 Killed                  ./solver', 'java.lang.OutOfMemoryError: Out of memory'];
  assert.deepEqual(levels([...ends, ...more]), ['fatal']);
  assert.deepEqual(levels(['Killed time with a loop', 'no panic: all is well', 'terminated workers: 0']), ['']);
});

test('a line tells what happened apart from what went wrong, and its job first; its thread and its hash only where it is unfolded', () => {
  const line = '{"thread":"shard-0","event":"e","queue":"q","hash":"h","at":"T","job":"j","detail":"d","message":"m"}';
  const { text, detail, fields, rest } = readLogLine(line);
  assert.deepEqual([text, detail], ['m', 'd']);
  const names = (all: typeof fields): string => all.map(([name]) => name).join();
  assert.equal(names(fields), 'job,queue,event');
  assert.equal(names(rest), 'thread,hash,at');
});

test('what pino, bunyan, slog and zap call msg is the message, with their levels and times', () => {
  const told = (line: object): unknown[] => {
    const { time, level, text, fields } = readLogLine(JSON.stringify(line));
    return [time, level, text, Object.fromEntries(fields)];
  };
  const time = '2026-01-01T08:00:00.000Z';
  for (const line of [
    { level: 50, time: Date.UTC(2026, 0, 1, 8), msg: 'no route', job: 'a' },
    { level: 'ERROR', time, msg: 'no route', job: 'a' },
    { level: 'error', time, message: 'no route', job: 'a' },
  ])
    assert.deepEqual(told(line), [time, 'error', 'no route', { job: 'a' }]);
  assert.equal(told({ level: 'WARNING', msg: 'm' })[1], 'warn');
  // Beside a message, and where it is no text, it is a field like any other.
  assert.deepEqual(told({ message: 'm', msg: 'n' }), ['', '', 'm', { msg: 'n' }]);
  assert.deepEqual(told({ level: 7e9, time: 1e300, msg: 1 }), ['', '', '', { msg: '1' }]);
});

test('a line of the access log is a request and how it ended', () => {
  const sent = { time: 'T', remote: '::1', user: 'anonymous', method: 'GET', url: '/livez', status: 503, bytes: 2 };
  assert.deepEqual(readLogLine(JSON.stringify({ ...sent, ms: 1.94, agent: 'curl' })), {
    ...{ time: 'T', level: '', text: 'GET /livez', request: { status: 503, took: '1.9 ms' }, detail: '', fields: [] },
    rest: [
      ['remote', '::1'],
      ['user', 'anonymous'],
      ['status', '503'],
      ['bytes', '2'],
      ['ms', '1.94'],
      ['agent', 'curl'],
    ],
  });
  const many = readLogLine(JSON.stringify({ ...sent, user: 'ann', count: 7, ms: 1_250 }));
  assert.equal(many.request?.took, '1.3 s');
  assert.deepEqual(many.fields, [
    ['user', 'ann'],
    ['count', '7'],
  ]);
});

test('milliseconds are told from the first line on that has them, so that columns stay', () => {
  const line = (time: string): string => `${time} step`;
  const whole = factsWith(NO_FACTS, ['2026-01-01T08:00:00Z', '2026-01-01T08:00:00Z'].map(line));
  assert.deepEqual([whole.hasTimes, whole.hasLevels, whole.hasMs], [true, false, false]);
  const parts = factsWith(whole, ['a line between', line('2026-01-01T08:00:01.2Z')]);
  assert.equal(parts.hasMs, true);
  assert.equal(factsWith(parts, [line('2026-01-01T09:00:00Z')]).hasMs, true);
  assert.equal(factsWith(NO_FACTS, ['WARN low']).hasLevels, true);
});
