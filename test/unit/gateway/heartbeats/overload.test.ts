import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  CALLS_MIN,
  LOOK_MS,
  Overload,
  STANDING_MS,
  TURN_MAX_MS,
  WAITING_MIN,
} from '../../../../src/gateway/heartbeats/overload.ts';

/** An event loop in virtual time: turns that are as long as what is taken in them, and idle time between them. */
class Loop {
  nowMs = 0;
  active = 0;
  idle = 0;
  backlogMs = 0;
  waitingCalls = 0;
  readonly #turns: (() => void)[] = [];
  readonly overload = new Overload(
    {
      backlogMs: () => this.backlogMs,
      waitingCalls: () => this.waitingCalls,
      utilization: () => ({ active: this.active, idle: this.idle, utilization: 0 }),
      afterTurn: (run) => this.#turns.push(run),
    },
    0,
  );

  /** One turn in which so many calls wait, each of which takes so long; how many of them were refused. */
  turn(calls: number, costMs: number): number {
    const before = this.overload.refused;
    for (let i = 0; i < calls; i++) if (!this.overload.refuses(this.nowMs)) this.#pass(costMs);
    this.#pass(0.001);
    for (const run of this.#turns.splice(0)) run();
    return this.overload.refused - before;
  }

  rest(ms: number): void {
    this.nowMs += ms;
    this.idle += ms;
  }

  /** Turns with so much to do in each, one behind the other, for so long. */
  busyFor(ms: number, calls: number, costMs: number): number {
    let refused = 0;
    for (const end = this.nowMs + ms; this.nowMs < end; ) refused += this.turn(calls, costMs);
    return refused;
  }

  #pass(ms: number): void {
    this.nowMs += ms;
    this.active += ms;
  }
}

test('clients that wait for each answer are never refused, however many beats each sends, and for however long', () => {
  for (const clients of [1, 4, 64, CALLS_MIN]) {
    for (const costMs of [0.01, 0.1, 5, 50]) {
      const loop = new Loop();
      loop.waitingCalls = clients;
      assert.equal(loop.busyFor(20 * STANDING_MS, clients, costMs), 0, `${clients} clients, ${costMs} ms a call`);
    }
  }
});

test('a disk that stalls is no reason to refuse the few clients that wait for it', () => {
  const loop = new Loop();
  loop.backlogMs = 60_000;
  loop.waitingCalls = CALLS_MIN;
  assert.equal(loop.turn(CALLS_MIN, 1), 0);
});

test('a burst of many clients is taken, and so is one after another, as long as the loop is done with each', () => {
  const loop = new Loop();
  for (let burst = 0; burst < 50; burst++) {
    assert.equal(loop.turn(20_000, 0.04), 0);
    loop.rest(200);
  }
});

test('where more than few clients wait and no moment is idle for a second, a turn takes its share and refuses the rest', () => {
  const loop = new Loop();
  const calls = 2_000;
  assert.equal(loop.busyFor(STANDING_MS - LOOK_MS, calls, 0.1), 0, 'it may yet be worked off');
  loop.busyFor(4 * LOOK_MS, calls, 0.1);
  const refused = loop.turn(calls, 0.1);
  const taken = calls - refused;
  assert.ok(taken >= WAITING_MIN && taken * 0.1 <= WAITING_MIN * 0.1 + TURN_MAX_MS, `${taken} were taken`);
});

test('each client above the few takes the place of one that may wait, until nobody has been refused for a while', () => {
  const loop = new Loop();
  const clients = CALLS_MIN + 44;
  loop.busyFor(STANDING_MS + LOOK_MS - 20, CALLS_MIN, 0.1);
  assert.equal(loop.turn(clients, 0.1), 44);
  loop.overload.measure();
  assert.equal(loop.turn(CALLS_MIN, 0.1), 22, 'they come again');
  loop.overload.measure();
  loop.overload.measure();
  assert.equal(loop.turn(CALLS_MIN, 0.1), 0);
});

test('an idle moment ends it: what comes then is taken again', () => {
  const loop = new Loop();
  loop.busyFor(3 * STANDING_MS, 2_000, 0.1);
  assert.ok(loop.turn(2_000, 0.1) > 0);
  loop.rest(LOOK_MS);
  assert.equal(loop.turn(2_000, 0.1), 0);
});

test('idle time that refusing has won does not end it, as long as it is little', () => {
  const loop = new Loop();
  loop.busyFor(3 * STANDING_MS, 2_000, 0.1);
  for (let look = 0; look < 30; look++) {
    assert.ok(loop.busyFor(0.9 * LOOK_MS, 2_000, 0.1) > 0, `overload is over after ${look} looks`);
    loop.rest(0.15 * LOOK_MS);
  }
  assert.ok(loop.turn(2_000, 0.1) > 0);
  loop.busyFor(0.5 * LOOK_MS, 2_000, 0.1);
  loop.rest(0.5 * LOOK_MS);
  loop.turn(1, 0.1);
  assert.equal(loop.turn(2_000, 0.1), 0, 'a fifth of idle time is no relief');
});

test('little idle time ends it when nobody was refused since the last look', () => {
  const loop = new Loop();
  loop.busyFor(3 * STANDING_MS, 2_000, 0.1);
  for (let look = 0; look < 3; look++) {
    loop.busyFor(0.9 * LOOK_MS, CALLS_MIN, 0.01);
    loop.rest(0.15 * LOOK_MS);
  }
  assert.equal(loop.turn(2_000, 0.1), 0);
});

test('many clients that wait for a write of more than a second are too many, and the next are refused', () => {
  const loop = new Loop();
  loop.waitingCalls = CALLS_MIN + 1;
  loop.backlogMs = STANDING_MS;
  assert.equal(loop.overload.refuses(1), false);
  loop.backlogMs = STANDING_MS + 1;
  assert.equal(loop.overload.refuses(1), true);
});

test('intervals stretch while beats are refused, and are back to normal within five seconds', () => {
  const loop = new Loop();
  loop.backlogMs = STANDING_MS + 1;
  loop.waitingCalls = CALLS_MIN + 1;
  for (let second = 0; second < 30; second++) {
    loop.overload.refuses(loop.nowMs);
    loop.rest(1_000);
    loop.overload.measure();
  }
  assert.equal(loop.overload.intervalMultiplier, 16);
  for (let second = 0; second < 5; second++) {
    loop.rest(1_000);
    loop.overload.measure();
  }
  assert.equal(loop.overload.intervalMultiplier, 1);
});

test('a loop without idle time stretches intervals before anything is refused; a busy one leaves them', () => {
  const loop = new Loop();
  loop.active += 990;
  loop.idle += 10;
  loop.overload.measure();
  assert.equal(loop.overload.intervalMultiplier, 1.25);
  loop.active += 900;
  loop.idle += 100;
  loop.overload.measure();
  assert.equal(loop.overload.intervalMultiplier, 1.25);
});
