/** What the auditor of `npm run proof` demands of the log of a node, shown to find what a server must not do. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { LogFacts } from '../../proof/facts/logs.ts';
import type { Answer, Api } from '../../support/api.ts';

/** A server with one log. With `keepsOnly` it takes so many bytes of a chunk, and breaks the connection. */
class ToyLog {
  stored: Buffer = Buffer.alloc(0);
  keepsOnly: number | undefined;

  get api(): Api {
    return {
      post: async (path: string, body: string | Buffer) => this.#append(Number(path.split('=')[1]), Buffer.from(body)),
      get: async () => this.#answer(200, {}, this.stored),
    } as unknown as Api;
  }

  #append(offset: number, bytes: Buffer): Answer {
    const { length } = this.stored;
    if (offset !== length) return this.#answer(409, { fields: { size: length } });
    this.stored = Buffer.concat([this.stored, bytes.subarray(0, this.keepsOnly)]);
    if (this.keepsOnly !== undefined) throw new Error('the connection broke');
    return this.#answer(200, { size: this.stored.length });
  }

  #answer(status: number, json: object, bytes: Buffer = Buffer.alloc(0)): Answer {
    return { status, json, bytes, text: '', headers: {}, rawHeaders: [] };
  }
}

async function workedOn(): Promise<{ log: ToyLog; facts: LogFacts }> {
  const [log, facts] = [new ToyLog(), new LogFacts(0)];
  for (let i = 0; i < 3; i++) await facts.step(log.api);
  log.keepsOnly = 4_096;
  await assert.rejects(facts.step(log.api));
  log.keepsOnly = undefined;
  return { log, facts };
}

test('part of a chunk that a kill broke off is no fault, and the sender goes on behind it', async () => {
  const { log, facts } = await workedOn();
  assert.deepEqual(await facts.audit(log.api), []);
  assert.equal(facts.acknowledged, 3);
  await facts.step(log.api);
  assert.equal(facts.acknowledged, 4);
  assert.deepEqual(await facts.audit(log.api), []);
});

test('the sender learns from the refusal, too, which part of a chunk is there', async () => {
  const { log, facts } = await workedOn();
  await facts.step(log.api);
  await facts.step(log.api);
  assert.equal(facts.acknowledged, 4);
  assert.deepEqual(await facts.audit(log.api), []);
});

test('an acknowledged byte that is gone, a byte that was not sent and a changed one are faults', async () => {
  for (const spoil of [
    (bytes: Buffer) => bytes.subarray(0, bytes.length - 4_097),
    (bytes: Buffer) => Buffer.concat([bytes, Buffer.alloc(2 ** 21, 10)]),
    (bytes: Buffer) => Buffer.from(bytes).fill('?', 10, 11),
  ]) {
    const { log, facts } = await workedOn();
    log.stored = spoil(log.stored);
    assert.notDeepEqual(await facts.audit(log.api), []);
  }
});
