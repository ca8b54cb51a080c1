import assert from 'node:assert/strict';
import { test } from 'node:test';
import { persistenceOf } from '../../../../fleet/run/run-context.ts';
import { RunStats } from '../../../../fleet/run/run-stats.ts';
import { type Reply, WireError } from '../../../../fleet/wire/client.ts';
import { jsonElements } from '../../../../fleet/wire/json-elements.ts';
import { LatencyHistogram } from '../../../../fleet/wire/latency.ts';
import { GaveUp, persist, Refused } from '../../../../fleet/wire/persist.ts';

const replyOf = (status: number): Reply => ({ status, body: Buffer.from('{}'), retryAfterMs: undefined });

/** Answers one after the other; an error is thrown. */
function script(...answers: readonly (Reply | Error)[]): { send: () => Promise<Reply>; sent: () => number } {
  let next = 0;
  const send = async (): Promise<Reply> => {
    const answer = answers[next++] ?? replyOf(200);
    if (answer instanceof Error) throw answer;
    return answer;
  };
  return { send, sent: () => next };
}

test('a call is sent again after a lost connection and after "later", until it is acknowledged', async () => {
  const stats = new RunStats();
  const { send, sent } = script(new WireError('reset', true), replyOf(503), replyOf(507), replyOf(200));
  const reply = await persist('a call', send, persistenceOf(stats, new AbortController().signal));
  assert.equal(reply.status, 200);
  assert.equal(sent(), 4);
  assert.equal(stats.wire.failures, 3);
  assert.equal(stats.wire.retries, 3);
});

test('a call that is refused is not sent again', async () => {
  const { send, sent } = script(replyOf(422));
  await assert.rejects(persist('a call', send, persistenceOf(new RunStats(), new AbortController().signal)), Refused);
  assert.equal(sent(), 1);
});

test('a status that the caller expects is an answer', async () => {
  const { send } = script(replyOf(409));
  const reply = await persist('a call', send, persistenceOf(new RunStats(), new AbortController().signal), [200, 409]);
  assert.equal(reply.status, 409);
});

test('at the end of the run a call that waits for its next try is given up at once', async () => {
  const abort = new AbortController();
  const send = async (): Promise<Reply> => {
    setImmediate(() => abort.abort());
    throw new WireError('refused', false);
  };
  await assert.rejects(persist('a call', send, persistenceOf(new RunStats(), abort.signal)), GaveUp);
});

async function elementsOf(...chunks: readonly Buffer[]): Promise<unknown[]> {
  async function* stream(): AsyncGenerator<Buffer> {
    yield* chunks;
  }
  const elements: unknown[] = [];
  for await (const element of jsonElements(stream())) elements.push(element);
  return elements;
}

test('a list is read element by element wherever its bytes are cut', async () => {
  const list = [{ a: '],[}{"\\', b: [1, [2]], é: 'µ→' }, [], 'x,"y', -1.5e3, null, { deep: { er: ['\\"'] } }];
  const bytes = Buffer.from(JSON.stringify(list, null, 1));
  for (let at = 0; at <= bytes.length; at++) {
    assert.deepEqual(await elementsOf(bytes.subarray(0, at), bytes.subarray(at)), list, `cut at ${at}`);
  }
  assert.deepEqual(await elementsOf(...[...bytes].map((byte) => Buffer.of(byte))), list);
  assert.deepEqual(await elementsOf(Buffer.from(' [ ]\n')), []);
});

test('a list that ends early, or is none, is an error', async () => {
  await assert.rejects(elementsOf(Buffer.from('[{"a":1},')), SyntaxError);
  await assert.rejects(elementsOf(Buffer.from('{"a":[1]}')), SyntaxError);
  await assert.rejects(elementsOf(Buffer.from('[1][2]')), SyntaxError);
  await assert.rejects(elementsOf(), SyntaxError);
});

test('quantiles are right to within a twentieth', () => {
  const latency = new LatencyHistogram();
  assert.equal(latency.quantileMs(0.5), 0);
  for (let i = 1; i <= 1_000; i++) latency.observe(i / 10);
  for (const [quantile, exact] of [
    [0.5, 50],
    [0.99, 99],
  ] as const) {
    const told = latency.quantileMs(quantile);
    assert.ok(told >= exact && told <= exact * 1.05, `${quantile}: ${told}`);
  }
  assert.equal(latency.quantileMs(1), 100);
});
