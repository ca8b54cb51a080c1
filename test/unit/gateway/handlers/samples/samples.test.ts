import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pack } from 'msgpackr';
import { KnownSeries } from '../../../../../src/actors/aggregator/known-series.ts';
import type { Samples } from '../../../../../src/actors/aggregator/messages.ts';
import { doublesOf, visitSamples } from '../../../../../src/actors/aggregator/sample-batch.ts';
import { ObjectList, objectsOf, type SampleTable } from '../../../../../src/actors/aggregator/sample-table.ts';
import type { OutgoingMessage, Write } from '../../../../../src/actors/runtime/behaviour.ts';
import { ManualClock } from '../../../../../src/base/clock.ts';
import { CodedError } from '../../../../../src/base/errors.ts';
import { parseBody } from '../../../../../src/gateway/body/parse-body.ts';
import { readSampleColumns } from '../../../../../src/gateway/body/sample-columns.ts';
import { readSampleLines } from '../../../../../src/gateway/body/sample-lines.ts';
import type { HandlerServices } from '../../../../../src/gateway/handlers/handler.ts';
import { postSamples } from '../../../../../src/gateway/handlers/samples/samples.ts';
import { BUILT_IN_DEFINITIONS, type SampleReply } from '../../../../../src/protocol/metric.ts';
import { MemoryStore } from '../../../../../src/store/kv/memory-store.ts';
import { QUEUE_METRICS, SERIES_LEASE_MS, seriesKey } from '../../../../../src/store/series/series-index.ts';
import { newExchange } from '../../../../support/fake-exchange.ts';
import { turnsDuring } from '../../../../support/turns-during.ts';
import { writeAll } from '../../../../support/write-all.ts';

const TIME = '2026-01-31T12:00:00Z';

class SampleGateway {
  readonly store = new MemoryStore();
  /** Series that may still be made. */
  room = Number.POSITIVE_INFINITY;
  isDiskFull = false;
  readonly taken: string[] = [];
  /** Object, metric, milliseconds, nanoseconds, value. */
  readonly appended: unknown[][] = [];
  tables = 0;
  readonly clock = new ManualClock(Date.parse(TIME));
  readonly #services: HandlerServices;

  constructor() {
    const host = {
      clock: this.clock,
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
        for (const { message } of outgoing) {
          const isTable = message.type === 'sampleTable';
          if (isTable) this.tables++;
          this.appended.push(...(isTable ? cellsOf(message as SampleTable) : samplesIn(message as Samples)));
        }
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

/** The same of a table. */
function cellsOf(message: SampleTable): unknown[][] {
  const cells: unknown[][] = [];
  const times = doublesOf(message.times);
  const values = doublesOf(message.values);
  objectsOf(message).forEach((objectId, row) => {
    const timeAt = times.length === 2 ? 0 : 2 * row;
    message.metrics.forEach((metric, column) => {
      const value = values[row * message.metrics.length + column] as number;
      if (!Number.isNaN(value)) cells.push([objectId, metric, times[timeAt], times[timeAt + 1], value]);
    });
  });
  return cells;
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

test('what is rejected is told in the order in which it was sent, in every form', async () => {
  for (const form of ['list', 'lines', 'columns']) {
    const gateway = new SampleGateway();
    gateway.room = 0;
    const objectIds = ['a', '..', 'b', 'c'];
    const list = objectIds.map((objectId) => ({ objectId, definitionId: 'cpuPercent', time: TIME, value: 1 }));
    const lines = Buffer.from(list.map((one) => JSON.stringify(one)).join('\n'));
    const columns = { objectIds, time: TIME, values: { cpuPercent: [1, 1, 1, 1] } };
    const body = form === 'list' ? list : form === 'lines' ? await readSampleLines(lines) : columns;
    const { rejected } = await gateway.take(body);
    const told = rejected.map(({ index, objectId, errorCode }) => [index, objectId, errorCode]);
    const [noRoom, invalid] = [3002, 1003];
    assert.deepEqual(
      told,
      [
        [0, 'a', noRoom],
        [1, '..', invalid],
        [2, 'b', noRoom],
        [3, 'c', noRoom],
      ],
      form,
    );
  }
});

test('samples that are wrong or new are looked at in slices, and calls that bring the same series take its room once', async () => {
  const gateway = new SampleGateway();
  const series = Array.from({ length: 1_000 }, (_, i) => [`o-${i}`, 'cpuPercent'] as const);
  const wrong = Array.from({ length: 1_000 }, (_, i) => [`o-${i}`, 'unheardOf'] as const);
  const { value: replies, turns } = await turnsDuring(() =>
    Promise.all([gateway.post(...series), gateway.post(...series), gateway.post(...wrong)]),
  );
  assert.deepEqual(
    replies.map(({ accepted }) => accepted),
    [1_000, 1_000, 0],
  );
  assert.equal(gateway.taken.length, 1_000);
  assert.ok(turns >= 4, `${turns} turns`);
  const ofWrong = await turnsDuring(() => gateway.post(...wrong));
  assert.ok(ofWrong.turns >= 3, `${ofWrong.turns} turns for what is wrong`);
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

interface Table {
  readonly objectIds: readonly string[];
  readonly times: readonly string[];
  readonly values: Readonly<Record<string, readonly unknown[]>>;
}

/** The samples of a table, row by row. */
function listOf({ objectIds, times, values }: Table): unknown[] {
  return objectIds.flatMap((objectId, row) =>
    Object.entries(values)
      .map(([definitionId, column]) => ({ objectId, definitionId, time: times[row], value: column[row] }))
      .filter(({ value }) => value !== null),
  );
}

const ODD_TABLE: Table = {
  objectIds: ['a', 'b', '..', 'a', 'c', 'd'],
  times: [TIME, '2026-01-31T11:59:59.000000007Z', TIME, 'noon', '2020-01-31T12:00:00Z', TIME],
  values: {
    cpuPercent: [1, 2.5, 3, 4, 5, null],
    'metricDef-memoryUsedMB': [null, -7, 1, 1, 1, 1e300],
    unheardOf: [null, 1, null, null, null, null],
    diskUsedMB: ['1', 2, 3, 4, 5, null],
  },
};

test('columns are taken, refused and stored as a list of the same samples is, also when their series are known', async () => {
  const [list, json, packed] = [new SampleGateway(), new SampleGateway(), new SampleGateway()];
  const plain = { ...ODD_TABLE, values: { cpuPercent: [1, 2, 3, 4, 5, 6], memoryUsedMB: [1, null, 3, 4, 5, 6] } };
  for (const table of [ODD_TABLE, plain, ODD_TABLE, plain]) {
    const expected = await list.take(listOf(table));
    const rows = ({ accepted, rejected }: SampleReply) => ({
      accepted,
      rejected: rejected.map(({ objectId, definitionId, errorCode, message }) => [
        objectId,
        definitionId,
        errorCode,
        message,
      ]),
    });
    const bytes = Buffer.from(pack(table));
    for (const [gateway, body] of [
      [json, JSON.parse(JSON.stringify(table))],
      [packed, readSampleColumns(bytes) ?? parseBody('msgpack', bytes)],
    ] as const) {
      const reply = await gateway.take(body);
      assert.deepEqual(rows(reply), rows(expected));
      assert.ok(reply.rejected.length > 0);
      for (const { index, objectId } of reply.rejected)
        assert.equal(table.objectIds[index], objectId, 'index is the row');
      assert.deepEqual(sorted(gateway.appended), sorted(list.appended));
      assert.deepEqual(gateway.taken, list.taken);
    }
  }
  assert.ok(json.tables > 0 && packed.tables > 0, 'no series was known');
});

test('a table without a sample writes nothing, and what is no id of an object is not written down', async () => {
  const gateway = new SampleGateway();
  const table = { objectIds: ['a', 'b'], time: TIME, values: { cpuPercent: [1, 2] } };
  await gateway.take(table);
  for (const values of [{}, { cpuPercent: [null, null] }])
    assert.deepEqual(await gateway.take({ ...table, values }), { accepted: 0, rejected: [] });
  assert.equal(gateway.tables, 0);
  for (const id of ['a'.repeat(161), '.', '..', 'a,b', 'a\nb', 'ä'])
    assert.deepEqual(
      new ObjectList([id]).groups.map(({ objects }) => objects.byteLength),
      [0],
      id,
    );
  assert.equal(new ObjectList(['a'.repeat(160)]).groups[0]?.objects.byteLength, 160);
});

function sorted(samples: readonly unknown[][]): string[] {
  return samples.map((sample) => JSON.stringify(sample)).sort();
}

test('a table of known series is stored as a table, and as samples again once they may have been forgotten', async () => {
  const gateway = new SampleGateway();
  const table = { objectIds: ['a', 'b'], time: TIME, values: { cpuPercent: [1, 2] } };
  await gateway.take(table);
  assert.equal(gateway.tables, 0, 'the series are new');
  await gateway.take(table);
  const before = gateway.tables;
  assert.ok(before > 0);
  gateway.clock.advance(2 * SERIES_LEASE_MS);
  const time = new Date(gateway.clock.wallMs()).toISOString();
  assert.equal((await gateway.take({ ...table, time })).accepted, 2);
  assert.equal(gateway.tables, before, 'nothing is known for longer than its lease');
});

test('what is no table is refused as a whole, with the field that is wrong', async () => {
  const good = { objectIds: ['a', 'b'], time: TIME, values: { cpuPercent: [1, 2] } };
  const wide = Object.fromEntries(Array.from({ length: 257 }, (_, i) => [`m${i}`, [1, 2]]));
  const faults: readonly (readonly [field: string, body: object])[] = [
    ['objectIds', { ...good, objectIds: 'a' }],
    ['objectIds', { ...good, objectIds: ['a', 7] }],
    ['time', { ...good, time: undefined }],
    ['time', { ...good, times: [TIME, TIME] }],
    ['time', { ...good, time: 7 }],
    ['times', { ...good, time: undefined, times: TIME }],
    ['times', { ...good, time: undefined, times: [TIME] }],
    ['values', { ...good, values: [1, 2] }],
    ['values.cpuPercent', { ...good, values: { cpuPercent: 1 } }],
    ['values.cpuPercent', { ...good, values: { cpuPercent: [1] } }],
    ['values', { ...good, values: wide }],
    ['objectIds', { objectIds: new Array(10_001).fill('a'), time: TIME, values: {} }],
    ['times', { ...good, time: undefined, times: new Array(10_001).fill(TIME) }],
    ['values', { objectIds: new Array(5_001).fill('a'), time: TIME, values: { a: [], b: [] } }],
  ];
  for (const [field, body] of faults) {
    const gateway = new SampleGateway();
    await assert.rejects(gateway.take(JSON.parse(JSON.stringify(body))), (error: CodedError) => {
      assert.deepEqual([error.name, Object.keys(error.fields ?? {})], ['invalid', [field]]);
      return true;
    });
    assert.deepEqual(gateway.appended, []);
  }
});
