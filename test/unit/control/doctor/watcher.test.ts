import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Clock, Now } from '../../../../src/base/clock.ts';
import { Watcher } from '../../../../src/control/doctor/watcher.ts';

class TwoClocks implements Clock {
  monotonic = 0;
  wall = Date.UTC(2026, 0, 31);
  now = (): Now => ({ monotonicMs: this.monotonic, wallMs: this.wall });
  monotonicMs = (): number => this.monotonic;
  wallMs = (): number => this.wall;
}

function watched() {
  const clock = new TwoClocks();
  const journal = { entries: 0, first: undefined as number | undefined };
  const watcher = new Watcher({ clock, every: () => () => {}, journal: () => journal });
  const pass = (ms: number, wallMs = ms): void => {
    clock.monotonic += ms;
    clock.wall += wallMs;
    watcher.tick();
  };
  const quietly = (ms: number): void => {
    for (let passed = 0; passed < ms; passed += 250) pass(250);
  };
  return { watcher, journal, pass, quietly };
}

test('time in which nobody ticked is a stall, for five minutes', () => {
  const { watcher, pass, quietly } = watched();
  pass(450);
  assert.equal(watcher.facts.stalls?.seconds, 0);
  pass(3_250);
  pass(2_250);
  assert.equal(watcher.facts.stalls?.seconds, 5);
  quietly(299_000);
  assert.equal(watcher.facts.stalls?.seconds, 2);
  quietly(2_000);
  assert.equal(watcher.facts.stalls?.seconds, 0);
});

test('a step of the wall clock is kept with its size; a stall and a slow drift are none', () => {
  const { watcher, pass, quietly } = watched();
  pass(60_000);
  for (let i = 0; i < 100; i++) pass(250, 249);
  assert.equal(watcher.facts.clockJump, undefined);
  pass(250, -59_750);
  quietly(1_000);
  assert.deepEqual(watcher.facts.clockJump, { seconds: -60, agoMs: 1_000 });
});

test('a journal settles while its oldest entry changes, and is stuck while it does not', () => {
  const { watcher, journal, quietly } = watched();
  Object.assign(journal, { entries: 5, first: 1 });
  quietly(20_000);
  Object.assign(journal, { entries: 9, first: 4 });
  quietly(30_000);
  const { entries, stuckMs = 0 } = watcher.facts.journal ?? {};
  assert.equal(entries, 9);
  assert.ok(stuckMs >= 20_000 && stuckMs <= 30_000, `${stuckMs}`);
  Object.assign(journal, { entries: 0, first: undefined });
  quietly(10_000);
  assert.deepEqual(watcher.facts.journal, { entries: 0, stuckMs: 0 });
});
