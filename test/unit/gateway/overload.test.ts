import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BACKLOG_MAX_MS,
  CROWDED_TURN_MAX_MS,
  LONG_TURNS_MS,
  Overload,
  QUEUE_BEATS_MIN,
  QUEUE_MAX_MS,
  TURN_BEATS_MIN,
  TURN_MAX_MS,
} from '../../../src/gateway/overload.ts';

interface World {
  readonly overload: Overload;
  backlogMs: number;
  unanswered: number;
  active: number;
  idle: number;
  endTurn(): void;
}

function newWorld(): World {
  const turns: (() => void)[] = [];
  const world = { backlogMs: 0, unanswered: 0, active: 0, idle: 0 };
  const overload = new Overload({
    backlogMs: () => world.backlogMs,
    unanswered: () => world.unanswered,
    utilization: () => ({ active: world.active, idle: world.idle, utilization: 0 }),
    afterTurn: (run) => turns.push(run),
  });
  const endTurn = (): void => {
    for (const run of turns.splice(0)) run();
  };
  return Object.assign(world, { overload, endTurn });
}

test('a turn takes beats for its share of time and refuses the rest, and the next turn begins anew', () => {
  const { overload, endTurn } = newWorld();
  assert.equal(overload.refuses(1_000, TURN_BEATS_MIN), false);
  assert.equal(overload.refuses(1_000 + TURN_MAX_MS), false);
  assert.equal(overload.refuses(1_001 + TURN_MAX_MS, 10), true);
  endTurn();
  assert.equal(overload.refuses(1_002 + TURN_MAX_MS), false);
  assert.equal(overload.refused, 10);
});

test('when long turns go on, each has a smaller share, until one is short or nothing comes for a while', () => {
  const { overload, endTurn } = newWorld();
  /** Whether the last beat of a turn of this length was refused. */
  const turn = (beganMs: number, lengthMs: number): boolean => {
    overload.refuses(beganMs, TURN_BEATS_MIN);
    const isRefused = overload.refuses(beganMs + lengthMs);
    endTurn();
    return isRefused;
  };
  const long = CROWDED_TURN_MAX_MS + 1;
  let nowMs = 1_000;
  for (; nowMs + long <= 1_000 + LONG_TURNS_MS; nowMs += 10) assert.equal(turn(nowMs, long), false, 'a burst');
  nowMs = 1_001 + LONG_TURNS_MS;
  assert.equal(turn(nowMs, long), true, 'they go on');
  assert.equal(turn(nowMs + 10, CROWDED_TURN_MAX_MS), false, 'a short one');
  assert.equal(turn(nowMs + 20, long), false);
  for (let i = 3; i < 20; i++) turn(nowMs + 10 * i, long);
  assert.equal(turn(nowMs + 200, long), true);
  assert.equal(turn(nowMs + 207 + TURN_MAX_MS, long), false, 'a burst after a pause');
});

test('a call is refused unread where one more would be, and counts for nothing where it is let pass', () => {
  const world = newWorld();
  assert.equal(world.overload.refusesUnread(1_000), false);
  world.overload.refuses(1_000, TURN_BEATS_MIN);
  assert.equal(world.overload.refusesUnread(1_000 + TURN_MAX_MS), false);
  assert.equal(world.overload.refusesUnread(1_001 + TURN_MAX_MS), true);
  world.endTurn();
  assert.equal(world.overload.refusesUnread(1_002 + TURN_MAX_MS), false);
  world.backlogMs = BACKLOG_MAX_MS + 1;
  assert.equal(world.overload.refusesUnread(1_003 + TURN_MAX_MS), true);
  assert.equal(world.overload.refused, 2);
});

test('a turn that is long with few beats is not overloaded: the machine is busy with something else', () => {
  const { overload } = newWorld();
  assert.equal(overload.refuses(1_000), false);
  assert.equal(overload.refuses(90_000, TURN_BEATS_MIN - 1), false);
  assert.equal(overload.refuses(90_001), true);
});

test('while the disk is a second behind, beats are refused', () => {
  const world = newWorld();
  world.backlogMs = BACKLOG_MAX_MS;
  assert.equal(world.overload.refuses(1), false);
  world.backlogMs = BACKLOG_MAX_MS + 1;
  assert.equal(world.overload.refuses(1), true);
});

test('a queue for the disk that is long and old is overload; a short one is a slow disk', () => {
  const world = newWorld();
  world.backlogMs = QUEUE_MAX_MS + 1;
  world.unanswered = QUEUE_BEATS_MIN - 1;
  assert.equal(world.overload.refuses(1), false);
  world.unanswered = QUEUE_BEATS_MIN;
  assert.equal(world.overload.refuses(1), true);
  world.backlogMs = QUEUE_MAX_MS;
  assert.equal(world.overload.refuses(1), false);
});

test('intervals stretch while beats are refused, and are back to normal within five seconds', () => {
  const world = newWorld();
  world.backlogMs = BACKLOG_MAX_MS + 1;
  for (let second = 0; second < 30; second++) {
    world.overload.refuses(second * 1_000);
    world.idle += 1_000;
    world.overload.measure();
  }
  assert.equal(world.overload.stretch, 16);
  for (let second = 0; second < 5; second++) {
    world.idle += 1_000;
    world.overload.measure();
  }
  assert.equal(world.overload.stretch, 1);
});

test('a loop without idle time stretches intervals before anything is refused; a busy one leaves them', () => {
  const world = newWorld();
  world.active += 990;
  world.idle += 10;
  world.overload.measure();
  assert.equal(world.overload.stretch, 1.25);
  world.active += 900;
  world.idle += 100;
  world.overload.measure();
  assert.equal(world.overload.stretch, 1.25);
});
