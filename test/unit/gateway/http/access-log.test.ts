import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { AccessLog, BEAT_LINES_MAX } from '../../../../src/gateway/http/access-log.ts';
import { type FakeRequest, newExchange } from '../../../support/fake-exchange.ts';

const NOW_MS = Date.UTC(2026, 0, 31, 12, 0, 0, 7);

interface Written {
  readonly log: AccessLog;
  /** What was handed on, piece by piece. */
  readonly pieces: string[];
}

function newLog(t: TestContext): Written {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const pieces: string[] = [];
  return { log: new AccessLog((lines) => pieces.push(lines)), pieces };
}

/** The one line that the request makes. */
function lineOf(t: TestContext, request: FakeRequest, status = 200): Record<string, unknown> {
  const { log, pieces } = newLog(t);
  log.add(newExchange(request).exchange, { status, bytes: 42 }, NOW_MS, 1.23456);
  log.flush();
  const [line, rest] = (pieces[0] ?? '').split('\n');
  assert.deepEqual([pieces.length, rest], [1, ''], 'one line, ended');
  t.mock.timers.reset();
  return JSON.parse(line ?? '') as Record<string, unknown>;
}

test('a line says who asked when for what, and what came of it', (t) => {
  const request = {
    method: 'PUT',
    path: '/api/v1/x',
    query: 'a=1&b',
    headers: { 'user-agent': 'curl/8' },
    remote: '::1',
  };
  assert.deepEqual(lineOf(t, request, 404), {
    time: '2026-01-31T12:00:00.007Z',
    remote: '::1',
    user: 'anonymous',
    method: 'PUT',
    url: '/api/v1/x?a=1&b',
    status: 404,
    bytes: 42,
    ms: 1.235,
    agent: 'curl/8',
  });
  assert.ok(!('agent' in lineOf(t, {})));
});

test('whatever a client sends, its request is one line of JSON and of bounded length', (t) => {
  const hostile = '"}\n{"status":200}\r\u2028\0\ud800é';
  const line = lineOf(t, { method: hostile, path: `/${hostile}`, query: hostile, headers: { 'user-agent': hostile } });
  assert.equal(line['url'], `/${hostile}?${hostile}`);
  assert.equal(line['agent'], hostile);
  const long = 'x'.repeat(10_000);
  const cut = lineOf(t, { method: long, path: long, query: long, headers: { 'user-agent': long } });
  assert.deepEqual(
    ['method', 'url', 'agent'].map((name) => String(cut[name]).length),
    [16, 1_024, 128],
  );
});

test('credentials are never in a line', (t) => {
  const headers = { authorization: 'Bearer secret-token' };
  assert.doesNotMatch(JSON.stringify(lineOf(t, { headers })), /secret/);
});

test('lines wait a little and go together, or at once when there are many', (t) => {
  const { log, pieces } = newLog(t);
  const { exchange } = newExchange({ path: '/a' });
  for (let i = 0; i < 3; i++) log.add(exchange, { status: 200, bytes: i }, NOW_MS, 1);
  assert.equal(pieces.length, 0);
  t.mock.timers.tick(100);
  assert.equal(pieces.length, 1);
  assert.equal(pieces[0]?.split('\n').length, 4);
  t.mock.timers.tick(1_000);
  assert.equal(pieces.length, 1, 'nothing is handed on where nothing was added');
  for (let i = 0; i < 1_000; i++) log.add(exchange, { status: 200, bytes: i }, NOW_MS, 1);
  assert.ok(pieces.length > 1);
  assert.ok(pieces.every((piece) => piece.length < 70_000 && piece.endsWith('\n')));
  log.flush();
  assert.equal(pieces.join('').split('\n').length - 1, 1_003, 'no line is lost');
});

test('beats beyond the first of a second share one line with their number, slowest time and bytes', (t) => {
  const { log, pieces } = newLog(t);
  const takenOf = (nowMs: number, beats: number): number =>
    Array.from({ length: beats }, () => log.takesBeat(nowMs)).filter(Boolean).length;
  assert.equal(takenOf(5_000, BEAT_LINES_MAX + 20), BEAT_LINES_MAX);
  assert.equal(takenOf(5_999, 1), 0);
  assert.equal(takenOf(6_000, 1), 1, 'the next second has lines again');
  log.foldBeat(30, 0.5);
  log.foldBeat(30, 2.25);
  log.foldRefusal(false, 80);
  log.foldRefusal(true, 70);
  log.writeFolds(NOW_MS);
  log.writeFolds(NOW_MS);
  log.flush();
  const lines = pieces
    .join('')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Record<string, unknown>);
  assert.deepEqual(
    lines.map(({ url, status, count, bytes, ms }) => [url, status, count, bytes, ms]),
    [
      ['/api/v1/node/{id}/heartbeat', 200, 2, 60, 2.25],
      ['/api/v1/node/{id}/heartbeat', 503, 1, 80, 0],
      ['/api/v1/heartbeat', 503, 1, 70, 0],
    ],
  );
});
