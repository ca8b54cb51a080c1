import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Logger } from '../../../src/base/log.ts';
import type { HttpExchange } from '../../../src/gateway/http/exchange.ts';
import { SlowRequests } from '../../../src/gateway/slow-requests.ts';

function world(): {
  readonly note: (exchange: object, status: number, nowMs: number) => void;
  readonly lines: object[];
} {
  const lines: object[] = [];
  const log = { warn: (fields: object, text: string) => lines.push({ ...fields, text }) } as unknown as Logger;
  const slow = new SlowRequests(log);
  return {
    lines,
    note: (exchange, status, nowMs) =>
      slow.note(
        { method: 'GET', path: '/api/v1/job', rawQuery: '', readMs: null, startedMs: 0, ...exchange } as HttpExchange,
        { status, bytes: 7 },
        nowMs,
      ),
  };
}

test('a slow request is told with where its time went, a quick one is not', () => {
  const { note, lines } = world();
  note({}, 200, 999);
  note({ method: 'POST', readMs: 800 }, 200, 1_500.4);
  assert.deepEqual(lines, [
    {
      method: 'POST',
      path: '/api/v1/job',
      status: 200,
      bytes: 7,
      ms: 1_500,
      readMs: 800,
      answerMs: 700,
      text: 'slow request',
    },
  ]);
});

test('an answer that is meant to go on is not slow', () => {
  const { note, lines } = world();
  note({ path: '/api/v1/event' }, 200, 90_000);
  note({ path: '/api/v1/event', rawQuery: 'queue=night' }, 499, 90_000);
  note({ path: '/nodes/n/x.log', rawQuery: 'tail=1&follow=true' }, 200, 90_000);
  note({ path: '/api/v1/heartbeat' }, 101, 90_000);
  assert.deepEqual(lines, []);
  note({ path: '/api/v1/event', rawQuery: 'follow=false' }, 200, 90_000);
  assert.equal(lines.length, 1, 'an answer that ends may be');
});

test('of many in a second one has a line, and the next line counts the others', () => {
  const { note, lines } = world();
  for (let i = 0; i < 5; i++) note({}, 200, 2_000 + i);
  note({}, 200, 3_000);
  assert.deepEqual(
    lines.map((line) => (line as { readonly others?: number }).others),
    [undefined, 4],
  );
});
