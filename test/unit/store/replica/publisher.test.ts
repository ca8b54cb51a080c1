import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ASK_DEADLINE_MS } from '../../../../src/actors/runtime/address.ts';
import { type CodedError, type Failure, failureOf, UNCONFIRMED } from '../../../../src/base/errors.ts';
import { EngineError } from '../../../../src/store/replica/engine.ts';
import { Publisher, type PublisherHost, UNANSWERED_MS } from '../../../../src/store/replica/publisher.ts';
import { Seal } from '../../../../src/store/replica/seal.ts';

/** A leader whose engine takes what it is sent, and answers when the test says so. */
function leading(apply: () => Promise<void> = async () => {}, more: Partial<PublisherHost> = {}) {
  const answers: (() => void)[] = [];
  const reasons: string[] = [];
  const publish = (_: Uint8Array, expectedLast: number): Promise<number> =>
    new Promise((resolve) => answers.push(() => resolve(expectedLast + 1)));
  const publisher = new Publisher(
    {
      engine: { publish, read: async () => null, payloadMax: () => 2_048 },
      seal: new Seal(null, 'test', 'stream'),
      monotonicMs: () => 0,
      wallMs: () => 0,
      after: () => () => {},
      apply,
      ended: (reason) => void reasons.push(reason),
      counted: () => {},
      ...more,
    },
    1,
    { sequence: 0, digest: new Uint8Array(32), unfinished: [] },
  );
  const propose = (): Promise<Failure | number> =>
    publisher
      .propose('writes', Buffer.from('a write'))
      .catch((error: unknown) => failureOf(error as CodedError)) as Promise<Failure | number>;
  return { publisher, propose, answers, reasons };
}

test('a group that was given to the engine may be applied by the next leader, and its end says so; no other one does', async () => {
  const { publisher, propose } = leading();
  const [sent, behind] = [propose(), propose()];
  await publisher.end('the engine is away');
  assert.deepEqual(await sent, UNCONFIRMED);
  assert.deepEqual(await behind, { name: 'notLeader' }, 'the engine has not seen it');
  assert.deepEqual(await propose(), { name: 'notLeader' }, 'it was refused');
});

test('a group that is in the stream and cannot be applied here is applied by the others', async () => {
  const { propose, answers, reasons } = leading(() => Promise.reject(new Error('the disk is full')));
  const group = propose();
  answers[0]?.();
  assert.deepEqual(await group, UNCONFIRMED);
  assert.match(reasons.join(), /the disk is full/);
});

test('a group that is acknowledged and applied has its number', async () => {
  const { propose, answers } = leading();
  const group = propose();
  answers[0]?.();
  assert.equal(await group, 1);
});

test('a write that the engine does not take is answered before its caller has waited for too long', async () => {
  let nowMs = 0;
  const silent = async (): Promise<never> => {
    nowMs += 2_000;
    throw new EngineError('unavailable', 'no answer');
  };
  const { propose } = leading(undefined, {
    engine: { publish: silent, read: silent, payloadMax: () => 2_048 },
    monotonicMs: () => nowMs,
    after: (ms, run) => {
      nowMs += ms;
      run();
      return () => {};
    },
  });
  assert.deepEqual(await propose(), UNCONFIRMED);
  assert.ok(nowMs < UNANSWERED_MS + 2_200, `${nowMs} ms`);
  assert.ok(UNANSWERED_MS + 2_200 < ASK_DEADLINE_MS, 'the engine has 2 s for each answer');
});
