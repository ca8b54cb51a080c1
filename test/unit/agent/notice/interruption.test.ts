import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import type { Outcome, Reply } from '../../../../agent/link/outcome.ts';
import { Interruption } from '../../../../agent/notice/interruption.ts';
import type { Look } from '../../../../agent/notice/notices.ts';
import { seededRandom } from '../../../../src/base/random.ts';
import { ManualTimers } from '../manual-timers.ts';

const NOTICE_MS = 90_000;

let stop = (): void => {};

afterEach(() => stop());

/** An agent without jobs, at a server that is away until a test says otherwise. */
function agent() {
  const timers = new ManualTimers();
  const startMs = timers.clock.monotonicMs();
  const world = {
    timers,
    look: { kind: 'nothing' } as Look,
    outcome: { type: 'later', reason: 'away', retryAfterMs: null } as Outcome,
    reply: { kind: 'unreachable', reason: 'away' } as Reply,
    /** What was called, with the milliseconds since the start. */
    calls: [] as { readonly what: string; readonly atMs: number; readonly deadlineMs: number }[],
    refusals: [] as (string | null)[],
    saves: 0,
    notice: (): void => {
      world.look = { kind: 'notice', notice: { action: 'terminate', timeMs: timers.clock.wallMs() + NOTICE_MS } };
    },
    count: (what: string): number => world.calls.filter((call) => call.what === what).length,
    /** Time goes by, and everything that is due happens. */
    pass: async (ms: number): Promise<void> => {
      for (let passed = 0; passed < ms; passed += 100) {
        timers.advance(100);
        for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve));
      }
    },
  };
  const called = (what: string, deadlineMs: number): void =>
    void world.calls.push({ what, atMs: timers.clock.monotonicMs() - startMs, deadlineMs });
  const interruption = new Interruption({
    nodeId: 'n',
    sources: [{ name: 'AWS', look: async () => world.look }],
    jobs: {
      settings: { cloudMonitorMode: true } as never,
      refuse: (why) => void world.refusals.push(why),
      reclaim: async () => {},
      saveAll: () => void world.saves++,
    },
    call: async ({ deadlineMs }) => {
      called('report', deadlineMs);
      return world.reply;
    },
    fallSilent: async () => called('silence', 0),
    deregister: async (deadlineMs) => {
      called('deregister', deadlineMs);
      return world.outcome;
    },
    rejoin: () => called('rejoin', 0),
    timers,
    random: seededRandom(1),
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
  });
  interruption.start();
  stop = () => interruption.stop();
  return world;
}

const taken: Reply = { kind: 'answer', status: 200, json: {}, retryAfterMs: null };

test('a server that is away for some seconds hears of the notice, and then of the leaving', async () => {
  const world = agent();
  world.notice();
  await world.pass(10_000);
  const tried = world.count('report');
  assert.ok(tried >= 8 && tried <= 20, `${tried} reports in 10 s`);
  assert.equal(world.count('silence'), 0, 'the node stays until the server has heard why it leaves');
  world.reply = taken;
  await world.pass(1_500);
  assert.equal(world.count('report'), tried + 1);
  assert.equal(world.count('silence'), 1);
  await world.pass(10_000);
  assert.ok(world.count('deregister') >= 8, `${world.count('deregister')} attempts to deregister`);
  world.outcome = { type: 'accepted', json: null };
  await world.pass(1_500);
  const left = world.count('deregister');
  await world.pass(10_000);
  assert.equal(world.count('deregister'), left);
  assert.ok(world.calls.every(({ what, deadlineMs }) => deadlineMs >= 2_000 || what === 'silence'));
});

test('nothing is tried any more when the time of the notice has come', async () => {
  const world = agent();
  world.notice();
  await world.pass(NOTICE_MS + 20_000);
  const ofReports = world.calls.filter(({ what }) => what === 'report');
  const ofLeaving = world.calls.filter(({ what }) => what === 'deregister');
  assert.ok(ofReports.length > 80 && ofLeaving.length >= 1);
  assert.ok((ofReports.at(-1)?.atMs ?? 0) < NOTICE_MS - 1_000, 'the rest of the time is for leaving');
  assert.ok((world.calls.at(-1)?.atMs ?? 0) <= NOTICE_MS);
});

test('a withdrawn notice ends the attempts, and the node is back', async () => {
  const world = agent();
  world.notice();
  await world.pass(10_000);
  const tried = world.count('report');
  world.look = { kind: 'nothing' };
  await world.pass(5_000);
  assert.ok(world.count('report') <= tried + 3);
  assert.deepEqual(
    world.calls.slice(-3).map(({ what }) => what),
    ['silence', 'deregister', 'rejoin'],
  );
  assert.equal(world.refusals.at(-1), null);
  const calls = world.calls.length;
  await world.pass(10_000);
  assert.equal(world.calls.length, calls);
});

test('a server that does not know the node is not asked again', async () => {
  const world = agent();
  world.reply = { kind: 'answer', status: 404, json: { errorCode: 1004 }, retryAfterMs: null };
  world.outcome = { type: 'unregistered' };
  world.notice();
  await world.pass(10_000);
  assert.deepEqual(
    world.calls.map(({ what }) => what),
    ['report', 'silence', 'deregister'],
  );
});

test('a notice is withdrawn also where a recommendation to leave still stands', async () => {
  const world = agent();
  world.reply = taken;
  world.outcome = { type: 'accepted', json: null };
  world.look = { kind: 'rebalance', id: 'r' };
  await world.pass(3_000);
  world.notice();
  await world.pass(5_000);
  assert.equal(world.count('rejoin'), 0);
  world.look = { kind: 'silence' };
  await world.pass(5_000);
  assert.equal(world.count('rejoin'), 0, 'a service that does not answer withdraws nothing');
  world.look = { kind: 'rebalance', id: 'r' };
  await world.pass(5_000);
  assert.equal(world.count('rejoin'), 1);
  assert.equal(world.refusals.at(-1), null);
  assert.equal(world.saves, 1, 'each recommendation saves once');
});
