/**
 * Laws: a table read in one pass is what the decoder of all bodies makes of the same bytes, whatever was read before, and
 * whatever is damaged; what is not read without it is left to it. And a table is folded in as the same samples one by one.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { pack } from 'msgpackr';
import { type AggregatorState, aggregatorBehaviour } from '../../src/actors/aggregator/behaviour.ts';
import type { OpenPart } from '../../src/actors/aggregator/messages.ts';
import { SampleBatch } from '../../src/actors/aggregator/sample-batch.ts';
import { ObjectList, type Table, tableMessages } from '../../src/actors/aggregator/sample-table.ts';
import type { OutgoingMessage } from '../../src/actors/runtime/behaviour.ts';
import { packMessages, unpackMessages } from '../../src/actors/shard/wire/message-codec.ts';
import { parseBody } from '../../src/gateway/body/parse-body.ts';
import { columnsOf, isColumns, readSampleColumns, type SampleColumns } from '../../src/gateway/body/sample-columns.ts';
import { SAMPLES_PER_CALL_MAX } from '../../src/protocol/metric.ts';
import { MemoryStore } from '../../src/store/kv/memory-store.ts';
import { PARTITIONS } from '../../src/store/series/series-layout.ts';
import fc from '../support/laws/fast-check.ts';

/** As it should be, but for one in sixty. */
function mostly<T>(good: fc.Arbitrary<T>, odd: fc.Arbitrary<T>): fc.Arbitrary<T> {
  return fc.oneof({ weight: 60, arbitrary: good }, { weight: 1, arbitrary: odd });
}

const id: fc.Arbitrary<string> = mostly(
  fc.constantFrom('node-1', 'node-2', 'node-3', 'queue-q', 'system-total'),
  fc.constantFrom('nöde', 'a\nb', '', 'x'.repeat(300)),
);
const metric: fc.Arbitrary<string> = mostly(
  fc.constantFrom('cpuPercent', 'metricDef-cpuPercent', 'memoryUsedMB', 'gpu'),
  fc.constantFrom('g\tu', '__proto__', 'gpü'),
);
const time = fc.constantFrom('2026-05-01T08:15:00Z', '2026-05-01T08:15:00.000000007Z', 'noon', '');
const number: fc.Arbitrary<number> = mostly(
  fc.oneof(
    fc.integer(),
    fc.integer({ min: -200, max: 300 }),
    fc.double({ min: -1e9, max: 1e9, noNaN: true }),
    fc.constantFrom(-0, 1e290, -1e290, 65_535, 65_536, -(2 ** 31), 2 ** 32 - 1),
  ),
  fc.oneof(fc.double(), fc.constantFrom(1e291, 2 ** 32, -(2 ** 31) - 1, Number.MAX_SAFE_INTEGER)),
);
const value: fc.Arbitrary<unknown> = mostly(
  fc.oneof({ weight: 4, arbitrary: number as fc.Arbitrary<unknown> }, fc.constant(null)),
  fc.constantFrom('1', true, {}, [1]),
);

/** Mostly a table as it should be. */
const body = fc.integer({ min: 0, max: 20 }).chain((rows) => {
  const list = <T>(of: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(of, { minLength: rows, maxLength: rows });
  const table = { objectIds: list(id), values: fc.dictionary(metric, list(value), { maxKeys: 4 }) };
  return fc.oneof(
    { weight: 4, arbitrary: fc.record({ ...table, time }) },
    { weight: 4, arbitrary: fc.record({ ...table, times: list(time) }) },
    { weight: 1, arbitrary: fc.record({ ...table, time, times: list(time) }, { requiredKeys: [] }) },
    { weight: 1, arbitrary: fc.record({ ...table, time, more: fc.anything() }) },
    { weight: 1, arbitrary: fc.record({ ...table, times: fc.array(time) }) },
    { weight: 1, arbitrary: fc.record({ ...table, objectIds: fc.array(fc.oneof(id, fc.integer())), time }) },
  );
});

interface Outcome {
  readonly refused?: unknown;
  readonly told?: unknown;
}

function told({ list, times, columns, count }: SampleColumns): Outcome {
  const cells = columns.map(({ definitionId, metric: short, values, others }) => [
    definitionId,
    short,
    Array.from(values, (cell, row) => (others.has(row) ? others.get(row) : cell)),
  ]);
  return { told: [list.ids, list.groups, times, cells, count] };
}

function generic(bytes: Buffer): Outcome {
  try {
    const parsed = parseBody('msgpack', bytes);
    return isColumns(parsed) ? told(columnsOf(parsed)) : { refused: 'no table' };
  } catch (error) {
    const { name, fields } = error as { readonly name: string; readonly fields?: unknown };
    return { refused: [name, fields] };
  }
}

/** How often the bytes were read in one pass. */
function mustAgree(bytes: Buffer): number {
  let read = 0;
  for (let times = 0; times < 2; times++) {
    const columns = readSampleColumns(bytes);
    if (!columns) continue;
    read++;
    assert.deepEqual(told(columns), generic(bytes));
  }
  return read;
}

test('a table read in one pass is what the decoder makes of it', () => {
  let read = 0;
  fc.assert(
    fc.property(body, (sent) => {
      read += mustAgree(Buffer.from(pack(sent)));
    }),
  );
  assert.ok(read > 0, 'nothing was read in one pass');
});

test('of two columns with one name the second counts, as in any other body', () => {
  const column = (of: number): Buffer => Buffer.concat([pack('gpu'), pack([of])]);
  const values = Buffer.concat([Buffer.of(0x82), column(1), column(2)]);
  const parts = [pack('objectIds'), pack(['a']), pack('time'), pack('noon'), pack('values'), values];
  const bytes = Buffer.concat([Buffer.of(0x83), ...parts]);
  mustAgree(bytes);
  assert.deepEqual(generic(bytes).told, told(columnsOf({ objectIds: ['a'], time: 'noon', values: { gpu: [2] } })).told);
});

test('more rows than a call may have are refused, also without a column', () => {
  const table = (rows: number): Buffer =>
    Buffer.from(pack({ objectIds: new Array(rows).fill('a'), time: 'noon', values: {} }));
  assert.equal(mustAgree(table(SAMPLES_PER_CALL_MAX)), 2);
  assert.equal(readSampleColumns(table(SAMPLES_PER_CALL_MAX + 1)), undefined);
  assert.deepEqual((generic(table(SAMPLES_PER_CALL_MAX + 1)).refused as unknown[])[0], 'invalid');
});

test('a damaged table is read as the decoder reads it, or left to it', () => {
  fc.assert(
    fc.property(body, fc.nat(), fc.integer({ min: 0, max: 255 }), fc.boolean(), (sent, place, byte, isCut) => {
      const bytes = Buffer.from(pack(sent));
      const at = place % bytes.byteLength;
      if (!isCut) bytes[at] = byte;
      mustAgree(isCut ? bytes.subarray(0, at) : bytes);
    }),
  );
});

const NOW = { wallMs: 0, monotonicMs: 0 } as never;

/** Aggregators of all partitions, each with what was delivered to it. */
class Aggregators {
  readonly #states: AggregatorState[];
  #seq = 0;

  constructor() {
    const store = new MemoryStore();
    this.#states = Array.from({ length: PARTITIONS }, (_, i) => aggregatorBehaviour.hydrate(String(i), store, NOW, {}));
  }

  deliver(outgoing: readonly OutgoingMessage[]): void {
    this.#seq++;
    for (const { to, message } of outgoing)
      this.#receive(Number(to.id), { type: 'delivery', seq: this.#seq, messages: [message] } as never);
  }

  open(objectId: string, name: string): unknown {
    return this.#states.flatMap((_, i) => {
      const parts = this.#receive(i, { type: 'open', objectId, metric: name } as never) as readonly OpenPart[];
      return parts.map(({ buckets }) => buckets);
    });
  }

  #receive(partition: number, message: never): unknown {
    return aggregatorBehaviour.receive(this.#states[partition] as AggregatorState, message, NOW, {}).reply;
  }
}

function throughTheJournal(outgoing: readonly OutgoingMessage[]): OutgoingMessage[] {
  const batches = outgoing.map(({ to, message }) => ({ to, messages: [message] }));
  return packMessages(batches, 1)
    .flatMap(({ bytes }) => unpackMessages(bytes))
    .flatMap(({ to, messages }) => messages.map((message) => ({ to, message, byteLength: 0 }) as OutgoingMessage));
}

function batchOf({ list, metrics, columns, times }: Table): OutgoingMessage[] {
  const batch = new SampleBatch();
  list.ids.forEach((objectId, row) => {
    const at = times.length === 2 ? 0 : 2 * row;
    metrics.forEach((name, i) => {
      const cell = (columns[i] as Float64Array)[row] as number;
      if (!Number.isNaN(cell)) batch.add(objectId, name, times[at] as number, times[at + 1] as number, cell);
    });
  });
  return batch.outgoing();
}

test('a table is folded in as the same samples one by one, also behind the journal and when its list comes again', () => {
  const objects = fc.uniqueArray(fc.integer({ min: 0, max: 40 }), { minLength: 1, maxLength: 12 });
  const cell = fc.oneof({ weight: 4, arbitrary: fc.integer({ min: -9, max: 9 }) }, fc.constant(Number.NaN));
  const metricNames = ['cpuPercent', 'memoryUsedMB', 'gpu'];
  const call = fc.record({
    list: fc.nat(1),
    metrics: fc.shuffledSubarray(metricNames, { minLength: 1 }),
    cells: fc.array(cell, { minLength: 36, maxLength: 36 }),
    minutes: fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 12, maxLength: 12 }),
    isOneTime: fc.boolean(),
    isReplayed: fc.boolean(),
  });
  fc.assert(
    fc.property(objects, objects, fc.array(call, { minLength: 1, maxLength: 6 }), (some, others, calls) => {
      const lists = [some, others].map((numbers) => new ObjectList(numbers.map((number_) => `node-${number_}`)));
      const [tables, batches] = [new Aggregators(), new Aggregators()];
      for (const { list: place, metrics, cells, minutes, isOneTime, isReplayed } of calls) {
        const list = lists[place] as ObjectList;
        const rows = list.ids.length;
        const times = Float64Array.from({ length: isOneTime ? 2 : 2 * rows }, (_, i) =>
          i % 2 === 0 ? (minutes[i >> 1] as number) * 40_000 : (minutes[i >> 1] as number),
        );
        const columns = metrics.map((_, i) =>
          Float64Array.from({ length: rows }, (__, row) => cells[3 * row + i] as number),
        );
        const table = { list, metrics, columns, times };
        const outgoing = tableMessages(table);
        tables.deliver(isReplayed ? throughTheJournal(outgoing) : outgoing);
        batches.deliver(batchOf(table));
      }
      for (const objectId of lists.flatMap(({ ids }) => ids))
        for (const name of metricNames)
          assert.deepEqual(tables.open(objectId, name), batches.open(objectId, name), `${objectId} ${name}`);
    }),
  );
});
