import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KnownSeries } from '../../../../src/actors/aggregator/known-series.ts';
import type { Samples } from '../../../../src/actors/aggregator/messages.ts';
import { visitSamples } from '../../../../src/actors/aggregator/sample-batch.ts';
import type { OutgoingMessage, Write } from '../../../../src/actors/runtime/behaviour.ts';
import { ManualClock } from '../../../../src/base/clock.ts';
import { CodedError } from '../../../../src/base/errors.ts';
import { parseBody } from '../../../../src/gateway/body/parse-body.ts';
import { readSampleLines } from '../../../../src/gateway/body/sample-lines.ts';
import type { HandlerServices } from '../../../../src/gateway/handlers/handler.ts';
import { postSamples } from '../../../../src/gateway/handlers/samples.ts';
import { BUILT_IN_DEFINITIONS, type SampleReply } from '../../../../src/protocol/metric.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { QUEUE_METRICS, seriesKey } from '../../../../src/store/series/series-index.ts';
import { newExchange } from '../../../support/fake-exchange.ts';
import { writeAll } from '../../../support/write-all.ts';

const TIME = '2026-01-31T12:00:00Z';

class SampleGateway {
  readonly store = new MemoryStore();
  /** Series that may still be made. */
  room = Number.POSITIVE_INFINITY;
  isDiskFull = false;
  readonly taken: string[] = [];
  /** Object, metric, milliseconds, nanoseconds, value. */
  readonly appended: unknown[][] = [];
  readonly #services: HandlerServices;

  constructor() {
    const host = {
      clock: new ManualClock(Date.parse(TIME)),
      knownSeries: new KnownSeries(),
      reader: this.store,
      shared: { definitions: BUILT_IN_DEFINITIONS },
      takeSeries: (objectId: string, metrics: readonly string[]): boolean => {
        if (metrics.length > this.room) return false;
        this.room -= metrics.length;
        this.taken.push(...metrics.map((metric) => `${objectId} ${metric}`));
        return true;
      },
      appendSamples: async (outgoing: readonly OutgoingMessage[], rows: readonly Write[]): Promise<void> => {
        if (this.isDiskFull) throw new CodedError('storageFull');
        for (const { message } of outgoing) this.appended.push(...samplesIn(message as Samples));
        writeAll(this.store, rows);
      },
    };
    this.#services = { host } as unknown as HandlerServices;
  }

  async post(...samples: readonly (readonly [objectId: string, metric: string])[]): Promise<SampleReply> {
    return this.take(samples.map(([objectId, definitionId]) => ({ objectId, definitionId, time: TIME, value: 1 })));
  }

  async take(body: unknown): Promise<SampleReply> {
    const { exchange, response } = newExchange({ method: 'POST' });
    await postSamples({ exchange, params: {}, body }, this.#services);
    return response.json as SampleReply;
  }
}

/** In order, of one partition. */
function samplesIn(message: Samples): unknown[][] {
  const samples: unknown[][] = [];
  let objectId = '';
  visitSamples(message, {
    turn: (next) => {
      objectId = next;
    },
    take: (metric, timeMs, subNs, value) => samples.push([objectId, metric, timeMs, subNs, value]),
  });
  return samples;
}

test('a new series that a call names many times takes its room once', async () => {
  const gateway = new SampleGateway();
  assert.equal(
    (await gateway.post(['o', 'cpuPercent'], ['o', 'metricDef-cpuPercent'], ['o', 'cpuPercent'])).accepted,
    3,
  );
  assert.deepEqual(gateway.taken, ['o cpuPercent']);
  await gateway.post(['o', 'cpuPercent']);
  assert.equal(gateway.taken.length, 1, 'it is stored');
});

test('the first job metric of a queue brings all of them, as a job does, and a custom one only itself', async () => {
  const gateway = new SampleGateway();
  await gateway.post(['queue-q', 'runtime'], ['queue-q', 'cpuPercent'], ['queue-q', 'jobSubmitted']);
  assert.equal(gateway.store.count('series'), QUEUE_METRICS.length + 1);
  assert.equal(gateway.taken.length, QUEUE_METRICS.length + 1);
});

test('a series without room is rejected beside those that fit', async () => {
  const gateway = new SampleGateway();
  gateway.room = 1;
  const { accepted, rejected } = await gateway.post(['a', 'cpuPercent'], ['b', 'cpuPercent'], ['a', 'cpuPercent']);
  assert.deepEqual([accepted, rejected.map(({ index, errorCode }) => [index, errorCode])], [2, [[1, 3002]]]);
});

test('what failed to be written is not taken as known', async () => {
  const gateway = new SampleGateway();
  gateway.isDiskFull = true;
  await assert.rejects(gateway.post(['o', 'cpuPercent']), CodedError);
  gateway.isDiskFull = false;
  await gateway.post(['o', 'cpuPercent']);
  assert.ok(gateway.store.get('series', seriesKey('o', 'cpuPercent')));
});

test('lines are taken, refused and stored as an array of the same values is, in the same order, also when they are known', async () => {
  const sample = { objectId: 'a', definitionId: 'cpuPercent', time: TIME, value: 1 };
  const sent = [
    sample,
    { ...sample, objectId: 'b', definitionId: 'metricDef-cpuPercent' },
    { ...sample, definitionId: 'unheardOf' },
    { ...sample, time: 'noon' },
    { ...sample, time: '2020-01-31T12:00:00Z', value: 2.5 },
    { ...sample, value: 1e300 },
    { ...sample, value: '1' },
    { value: 1, objectId: 'a', definitionId: 'cpuPercent', time: TIME },
    7,
    { ...sample, objectId: '..' },
    { ...sample, time: '2026-01-31T11:59:59.000000007Z', value: -4 },
    sample,
  ];
  const text = sent.map((one) => JSON.stringify(one)).join('\n');
  const [array, lines] = [new SampleGateway(), new SampleGateway()];
  for (let times = 0; times < 3; times++) {
    const expected = await array.take(parseBody('ndjson', Buffer.from(text)));
    const actual = await lines.take(await readSampleLines(Buffer.from(text)));
    assert.equal(expected.accepted, 5);
    assert.deepEqual(actual, expected);
    assert.deepEqual(lines.appended, array.appended);
    assert.deepEqual(lines.taken, array.taken);
  }
});

test('more lines than a call may have are refused', async () => {
  const line = `${JSON.stringify({ objectId: 'a', definitionId: 'cpuPercent', time: TIME, value: 1 })}\n`;
  const gateway = new SampleGateway();
  assert.equal((await gateway.take(await readSampleLines(Buffer.from(line.repeat(10_000))))).accepted, 10_000);
  await assert.rejects(gateway.take(await readSampleLines(Buffer.from(line.repeat(10_001)))), { name: 'invalid' });
});
