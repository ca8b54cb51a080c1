/** Apps of earlier certificates go on for what is in progress there, and only the oldest of many are cut. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { type Generation, Generations, leave } from '../../../src/gateway/generations.ts';

const DAY_MS = 86_400_000;

function opened(generations: Generations, number: number, inFlight: number): { entry: Generation; isClosed: boolean } {
  const made = { isClosed: false } as { entry: Generation; isClosed: boolean };
  const close = (): void => {
    made.isClosed = true;
  };
  made.entry = {
    app: { close },
    sockets: { restart: () => {}, close: () => {}, announce: () => {}, count: 0 },
    inFlight,
    retired: false,
    headers: {},
    asksCertificate: false,
    onIdle: () => {},
  } as unknown as Generation;
  generations.add(number, made.entry);
  return made;
}

async function turns(): Promise<void> {
  for (let i = 0; i < 10; i++) await Promise.resolve();
}

function timersOf(t: TestContext): (ms: number) => Promise<void> {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  return async (ms) => {
    t.mock.timers.tick(ms);
    await turns();
  };
}

test('a retired app is closed once it is idle, and kept for as long as a log is followed there', async (t) => {
  const pass = timersOf(t);
  const generations = new Generations();
  const [idle, followed] = [opened(generations, 1, 0), opened(generations, 2, 1)];
  void generations.retire(1);
  void generations.retire(2);
  await pass(14_999);
  assert.equal(idle.isClosed, false);
  await pass(1);
  assert.deepEqual([idle.isClosed, followed.isClosed], [true, false]);
  await pass(30 * DAY_MS);
  assert.equal(followed.isClosed, false);
  leave(followed.entry);
  await turns();
  assert.equal(followed.isClosed, true);
});

test('of more retired apps than are kept the oldest is cut', async (t) => {
  const pass = timersOf(t);
  const generations = new Generations();
  const all = Array.from({ length: 10 }, (_, i) => opened(generations, i, 1));
  for (const i of all.keys()) {
    void generations.retire(i);
    await pass(15_000);
  }
  assert.deepEqual(
    all.map(({ isClosed }) => isClosed),
    all.map((_, i) => i < 2),
  );
});
