/** Law: a batch hands out what was collected, to each partition its own samples in the order in which they came, and starts over. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Samples } from '../../src/actors/aggregator/messages.ts';
import { SampleBatch, sampleCountOf, visitSamples } from '../../src/actors/aggregator/sample-batch.ts';
import type { OutgoingMessage } from '../../src/actors/runtime/behaviour.ts';
import { partitionOf } from '../../src/store/series/series-layout.ts';
import fc from '../support/laws/fast-check.ts';

type Collected = readonly [objectId: string, metric: string, timeMs: number, subNs: number, value: number];

/** Few and many metrics, which are looked up in different ways; runs of one object, and objects by turns. */
const samples: fc.Arbitrary<readonly Collected[]> = fc.constantFrom(2, 40).chain((metrics) =>
  fc
    .array(
      fc.tuple(
        fc.oneof(
          fc.nat(30).map((i) => `node-${i}`),
          fc.constantFrom('queue-a', 'system-total'),
        ),
        fc.array(
          fc.tuple(
            fc.nat(metrics - 1).map((i) => `metric${i}`),
            fc.nat(2_000_000_000_000),
            fc.nat(999_999),
            fc.double({ noNaN: true }),
          ),
          { minLength: 1, maxLength: 6 },
        ),
      ),
      { maxLength: 60 },
    )
    .map((runs) => runs.flatMap(([objectId, some]) => some.map((sample): Collected => [objectId, ...sample]))),
);

function handedOut(messages: readonly OutgoingMessage[]): Map<string, Collected[]> {
  const partitions = new Map<string, Collected[]>();
  for (const { to, message } of messages) {
    assert.ok(!partitions.has(to.id), 'one message a partition');
    const taken: Collected[] = [];
    let object = '';
    visitSamples(message as Samples, {
      turn: (objectId) => {
        object = objectId;
      },
      take: (...sample) => taken.push([object, ...sample]),
    });
    assert.equal(sampleCountOf(message as Samples), taken.length);
    partitions.set(to.id, taken);
  }
  return partitions;
}

function expected(all: readonly Collected[]): Map<string, Collected[]> {
  const partitions = new Map<string, Collected[]>();
  for (const sample of all) {
    const id = String(partitionOf(sample[0]));
    partitions.set(id, [...(partitions.get(id) ?? []), sample]);
  }
  return new Map([...partitions].sort(([a], [b]) => Number(a) - Number(b)));
}

function hands(batch: SampleBatch, all: readonly Collected[]): OutgoingMessage[] {
  for (const sample of all) batch.add(...sample);
  assert.equal(batch.count, all.length);
  const messages = batch.outgoing();
  assert.equal(batch.count, 0);
  return messages;
}

test('what is collected is handed out by partition and in order, time after time', () => {
  fc.assert(
    fc.property(fc.array(samples, { minLength: 1, maxLength: 3 }), (rounds) => {
      const batch = new SampleBatch();
      const messages = rounds.map((all) => hands(batch, all));
      // Looked at in the end: what was handed out is not touched by what is collected afterwards.
      for (const [i, all] of rounds.entries())
        assert.deepEqual([...handedOut(messages[i] as OutgoingMessage[])], [...expected(all)]);
    }),
    { numRuns: 300 },
  );
});

test('a batch that has grown large starts small again, and loses nothing', () => {
  const batch = new SampleBatch();
  for (const count of [40_000, 3, 20_000]) {
    const all = Array.from({ length: count }, (_, i): Collected => [`node-${i % 7}`, `metric${i % 5}`, i, 0, i / 3]);
    const total = [...handedOut(hands(batch, all)).values()].reduce((sum, taken) => sum + taken.length, 0);
    assert.equal(total, count);
  }
});
