import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TimingWheel } from '../../../src/base/timing-wheel.ts';

function fired(wheel: TimingWheel<string>, nowMs: number): string[] {
  const payloads: string[] = [];
  const count = wheel.advance(nowMs, (payload) => payloads.push(payload));
  assert.equal(count, payloads.length);
  return payloads;
}

test('an entry fires at its due time and not before, also inside a tick', () => {
  const wheel = new TimingWheel<string>(0, 100);
  wheel.schedule(150, 'a');
  assert.deepEqual(fired(wheel, 149.999), []);
  assert.deepEqual(fired(wheel, 150), ['a']);
  assert.deepEqual(fired(wheel, 1_000_000), []);
});

test('what is due together fires in order of due time', () => {
  const wheel = new TimingWheel<string>(0, 100);
  wheel.schedule(330, 'c');
  wheel.schedule(110, 'a');
  wheel.schedule(120, 'b');
  assert.deepEqual(fired(wheel, 1_000), ['a', 'b', 'c']);
});

test('an entry further away than a turn waits for its own turn', () => {
  const wheel = new TimingWheel<string>(0, 1);
  wheel.schedule(3 * 1024 + 5, 'far');
  for (let now = 0; now < 3 * 1024 + 5; now++) assert.deepEqual(fired(wheel, now), []);
  assert.deepEqual(fired(wheel, 3 * 1024 + 5), ['far']);
});

test('nothing is left behind by a leap over many turns', () => {
  const wheel = new TimingWheel<string>(0, 1);
  for (let due = 0; due < 5_000; due += 100) wheel.schedule(due, String(due));
  assert.equal(fired(wheel, 100_000).length, 50);
  assert.equal(wheel.size, 0);
});

test('a cancelled entry does not fire, and cancelling it again does nothing', () => {
  const wheel = new TimingWheel<string>(0, 100);
  const [a, b, c] = ['a', 'b', 'c'].map((name) => wheel.schedule(100, name));
  if (!a || !b || !c) throw new Error('unreachable');
  wheel.cancel(b);
  wheel.cancel(b);
  assert.equal(wheel.size, 2);
  assert.deepEqual(fired(wheel, 100).sort(), ['a', 'c']);
  wheel.cancel(a);
  assert.equal(wheel.size, 0);
});

test('an entry that is due with another may be cancelled by it', () => {
  const wheel = new TimingWheel<() => void>(0, 100);
  let later = 0;
  const second = wheel.schedule(120, () => later++);
  wheel.schedule(110, () => wheel.cancel(second));
  assert.equal(
    wheel.advance(200, (fire) => fire()),
    1,
  );
  assert.equal(later, 0);
});

test('what is scheduled while firing, and due already, fires with the next advance', () => {
  const wheel = new TimingWheel<() => void>(0, 100);
  let again = 0;
  wheel.schedule(100, () => wheel.schedule(50, () => again++));
  wheel.advance(500, (fire) => fire());
  assert.equal(again, 0);
  wheel.advance(500, (fire) => fire());
  assert.equal(again, 1);
});

test('a due time in the past fires at once', () => {
  const wheel = new TimingWheel<string>(10_000, 100);
  wheel.schedule(3, 'late');
  assert.deepEqual(fired(wheel, 10_000), ['late']);
});

test('a clock that goes back fires nothing and breaks nothing', () => {
  const wheel = new TimingWheel<string>(10_000, 100);
  wheel.schedule(10_500, 'a');
  assert.deepEqual(fired(wheel, 10_400), []);
  assert.deepEqual(fired(wheel, 2_000), []);
  assert.deepEqual(fired(wheel, 10_500), ['a']);
});
