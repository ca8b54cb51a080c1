import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Outbox } from '../../../../src/control/webhooks/outbox.ts';

const positionsOf = (outbox: Outbox, nowMs: number): number[] => {
  const positions: number[] = [];
  for (let next = outbox.next(nowMs); next; next = outbox.next(nowMs)) positions.push(next.position);
  return positions;
};

test('events of one key go one after the other, those of others beside them', () => {
  const outbox = new Outbox();
  for (const [position, key] of [
    [1, 'a'],
    [2, 'a'],
    [3, 'b'],
  ] as const)
    outbox.add(position, key, 0);
  assert.deepEqual(positionsOf(outbox, 0), [1, 3]);
  outbox.add(4, 'a', 0);
  assert.deepEqual(positionsOf(outbox, 0), [], 'while one of its key is on its way');
  outbox.succeeded(1);
  assert.deepEqual(positionsOf(outbox, 0), [2]);
  outbox.succeeded(2);
  assert.deepEqual(positionsOf(outbox, 0), [4]);
  outbox.succeeded(4);
  outbox.succeeded(3);
  assert.equal(outbox.waiting, 0);
});

test('a failure backs off from 5 s, doubling to an hour, and holds up its own key only', () => {
  const outbox = new Outbox();
  outbox.add(1, 'a', 0);
  outbox.add(2, 'a', 0);
  let nowMs = 0;
  for (const seconds of [5, 10, 20, 40, 80, 160, 320, 640, 1_280, 2_560, 3_600, 3_600]) {
    assert.deepEqual(positionsOf(outbox, nowMs), [1]);
    outbox.failed(1, nowMs, null);
    // Others succeed meanwhile, so that the fault is this event's and not the receiver's.
    outbox.add(1_000 + seconds, 'b', nowMs);
    assert.deepEqual(positionsOf(outbox, nowMs), [1_000 + seconds]);
    outbox.succeeded(1_000 + seconds);
    assert.deepEqual(positionsOf(outbox, nowMs + 1_000 * seconds - 1), []);
    assert.equal(outbox.nextAttemptMs, nowMs + 1_000 * seconds);
    nowMs += 1_000 * seconds;
  }
});

test('Retry-After is honoured when it is later, and no longer than a day', () => {
  const outbox = new Outbox();
  outbox.add(1, 'a', 0);
  outbox.next(0);
  outbox.failed(1, 0, 60_000);
  assert.equal(outbox.nextAttemptMs, 60_000);
  assert.deepEqual(positionsOf(outbox, 60_000), [1]);
  outbox.failed(1, 60_000, 1_000);
  assert.equal(outbox.nextAttemptMs, 70_000);
  outbox.next(70_000);
  outbox.failed(1, 70_000, 1e12);
  assert.equal(outbox.nextAttemptMs, 70_000 + 86_400_000);
});

test('a receiver that is away is probed by one event at a time, and gets everything once it is back', () => {
  const outbox = new Outbox();
  for (let i = 0; i < 100; i++) outbox.add(i, `key ${i}`, 0);
  const first = positionsOf(outbox, 0);
  assert.equal(first.length, 8);
  for (const position of first) outbox.failed(position, 0, null);
  let sent = 0;
  for (let nowMs = 0; nowMs < 3_600_000; nowMs += 1_000) {
    for (const position of positionsOf(outbox, nowMs)) {
      sent++;
      outbox.failed(position, nowMs, null);
    }
  }
  assert.ok(sent >= 100 && sent <= 125, `${sent} attempts in an hour`);
  let nowMs = 3_600_000;
  for (; outbox.waiting > 0 && nowMs < 4_000_000; nowMs += 1_000)
    for (const position of positionsOf(outbox, nowMs)) outbox.succeeded(position);
  assert.ok(nowMs <= 3_660_000, `${(nowMs - 3_600_000) / 1_000} s to drain`);
});

test('a receiver that does not listen gets the only job’s events soon after it is back, in order', () => {
  const outbox = new Outbox();
  for (let i = 0; i < 100; i++) outbox.add(i, 'one job', 0);
  const attempts: number[] = [];
  const checks: number[] = [];
  let nowMs = 0;
  for (; nowMs < 3_600_000; nowMs += 200) {
    for (const position of positionsOf(outbox, nowMs)) {
      attempts.push(nowMs / 1_000);
      outbox.failed(position, nowMs, null, true);
    }
    if (outbox.mustCheckConnection(nowMs)) checks.push(nowMs);
  }
  assert.deepEqual(attempts, [0, 5, 15, 35, 75, 155, 315, 635, 1_275, 2_555], 'back-off as ever');
  assert.ok(checks.length >= 100 && checks.length <= 120, `${checks.length} checks in an hour`);
  const delivered: number[] = [];
  for (const backMs = nowMs; outbox.waiting > 0 && nowMs < backMs + 60_000; nowMs += 200) {
    if (outbox.mustCheckConnection(nowMs)) outbox.release();
    for (let next = outbox.next(nowMs); next; next = outbox.next(nowMs)) {
      delivered.push(next.position);
      outbox.succeeded(next.position);
    }
  }
  assert.deepEqual(
    delivered,
    Array.from({ length: 100 }, (_, i) => i),
  );
});

test('one that listens and fails is left to the back-off: no connection tells that it is well again', () => {
  const outbox = new Outbox();
  outbox.add(1, 'a', 0);
  for (let nowMs = 0; nowMs < 3_600_000; nowMs += 200) {
    for (const position of positionsOf(outbox, nowMs)) outbox.failed(position, nowMs, null, nowMs < 60_000);
    assert.equal(outbox.mustCheckConnection(nowMs), false, `at ${nowMs / 1_000} s`);
  }
});

test('beyond the bound the oldest are set aside; what is given up too, but never what is on its way', () => {
  const outbox = new Outbox(3, 2);
  outbox.add(1, 'a', 10);
  outbox.next(10);
  outbox.add(2, 'b', 20);
  outbox.add(3, 'c', 30);
  assert.deepEqual(outbox.add(4, 'd', 40), [2]);
  assert.deepEqual(outbox.noteAside(2), []);
  assert.deepEqual(outbox.expire(35), [3]);
  assert.deepEqual(outbox.noteAside(3), []);
  outbox.failed(1, 40, null);
  assert.deepEqual(outbox.expire(35), [1]);
  assert.deepEqual(outbox.noteAside(1), [2]);
  assert.deepEqual([outbox.waiting, outbox.setAside], [1, 2]);
  assert.deepEqual(outbox.takeAside(), [1, 3]);
});

test('what was held up by an event that is given up may go on', () => {
  const outbox = new Outbox();
  outbox.add(1, 'a', 0);
  outbox.add(2, 'a', 100);
  outbox.next(0);
  outbox.failed(1, 0, null);
  assert.deepEqual(outbox.expire(50), [1]);
  assert.deepEqual(positionsOf(outbox, 60), [2]);
});
