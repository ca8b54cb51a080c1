import assert from 'node:assert/strict';
import { test } from 'node:test';
import { samplesOfEvents } from '../../../../src/actors/job/formulas.ts';
import type { Folded } from '../../../../src/actors/job/job-state.ts';
import { foldOldestPairs, mergeEvents, union, wasFolded } from '../../../../src/actors/job/merge-events.ts';
import { SegmentPrices } from '../../../../src/actors/job/segment-price-table.ts';
import { EVENTS_PER_JOB_MAX, type JobEvent } from '../../../../src/protocol/job.ts';
import type { TimedEvent } from '../../../../src/protocol/run-segments.ts';
import { event, eventAt, timed } from '../../../support/job-events.ts';

/** Where one event would stand, or -1 where the list has it. */
function placeFor(list: readonly TimedEvent[], added: TimedEvent): number {
  const { events, arrived } = mergeEvents(list, [added]);
  if (arrived.length === 0) assert.equal(events, list, 'the same list where nothing is new');
  return arrived[0] ?? -1;
}

const LIST = ['08:00:00', '08:00:01', '08:00:01', '08:00:02'].map((clock, i) => timed(event(clock, `T-${i}`)));

test('an event stands behind all of its own time, and before all that are later', () => {
  const places = ['07:59:59', '08:00:00', '08:00:00.5', '08:00:01', '08:00:02', '08:00:03'].map((clock) =>
    placeFor(LIST, timed(event(clock, 'New'))),
  );
  assert.deepEqual(places, [0, 1, 1, 3, 4, 4]);
  assert.equal(placeFor([], timed(event('08:00:00', 'New'))), 0);
});

test('times are compared digit by digit of nine, as numbers and not as text', () => {
  const list = [
    timed(event('08:00:00.000000001', 'A')),
    timed(event('08:00:00.000000003', 'B')),
    timed(event('08:00:00.1', 'C')),
  ];
  assert.equal(placeFor(list, timed(event('08:00:00', 'New'))), 0);
  assert.equal(placeFor(list, timed(event('08:00:00.000000002', 'New'))), 1);
  assert.equal(placeFor(list, timed(event('08:00:00.09', 'New'))), 2);
  // As text, `.10` would come after `.1` and `.1Z`.
  assert.equal(placeFor(list, timed(event('08:00:00.099999999', 'New'))), 2);
  assert.equal(placeFor(list, timed(event('08:00:00.10', 'New'))), 3);
});

test('an identical event is found among those of its time', () => {
  const full = { nodeOid: 'i-1', containerId: 'c-1', batchJobId: 'b-1', volumnId: 'v-1' };
  const list = [timed(event('08:00:00', 'A', full)), timed(event('08:00:00', 'B')), timed(event('08:00:00', 'C'))];
  for (const { event: known } of list) {
    assert.equal(placeFor(list, timed({ ...known })), -1);
    for (const timestamp of ['2026-01-31T08:00:00.0Z', '2026-01-31T08:00:00.000000000+00:00', '2026-01-31t08:00:00z'])
      assert.equal(placeFor(list, timed({ ...known, timestamp })), -1, timestamp);
  }
});

test('events that were stored as two for the digits of their time stay two, and neither is taken again', () => {
  const stored = [timed(event('08:00:00.0', 'A')), timed(event('08:00:00', 'A'))];
  for (const { event: known } of stored) assert.equal(placeFor(stored, timed(known)), -1);
  const { events } = mergeEvents(stored, [timed(event('08:00:00', 'B'))]);
  assert.deepEqual(
    events.map((one) => `${one.event.eventType} ${one.event.timestamp.slice(11)}`),
    ['A 08:00:00.0Z', 'A 08:00:00Z', 'B 08:00:00Z'],
  );
});

test('an event that differs in one field is another event', () => {
  const ids = { nodeOid: 'i', containerId: 'c', batchJobId: 'b', volumnId: 'v' };
  const known: JobEvent = { ...event('08:00:00', 'A'), ...ids, detail: 'd', stdoutBytes: 1, stderrBytes: 1 };
  const list = [timed(known)];
  for (const field of [
    'eventType',
    ...Object.keys(ids),
    'detail',
    'stdoutBytes',
    'stderrBytes',
  ] as (keyof JobEvent)[]) {
    assert.equal(placeFor(list, timed({ ...known, [field]: field.endsWith('Bytes') ? 2 : 'other' })), 1, field);
    const { [field]: _, ...without } = known;
    assert.equal(placeFor(list, timed(without as JobEvent)), 1, `no ${field}`);
  }
  assert.equal(placeFor(list, timed({ ...known, timestamp: '2026-01-31T08:00:00.000000001Z' })), 1, 'a later time');
});

test('two lists are merged in one pass: known ones first of a time, new ones in the order of their arrival', () => {
  const list = (...named: (readonly [second: number, name: string])[]): TimedEvent[] =>
    named.map(([second, name]) => timed(eventAt(second, name)));
  const known = list([1, 'a'], [3, 'b'], [3, 'c'], [5, 'd']);
  const { events, arrived } = mergeEvents(
    known,
    list([0, 'e'], [1, 'a'], [3, 'f'], [3, 'b'], [3, 'f'], [4, 'g'], [9, 'h']),
  );
  assert.deepEqual(typesOf(events), ['e', 'a', 'b', 'c', 'f', 'g', 'd', 'h']);
  assert.deepEqual(arrived, [0, 4, 5, 7]);
});

test('what folded checkpoints told of the progress is kept, so that a later restore saves the same', () => {
  const events = [
    eventAt(0, 'Job-Running'),
    eventAt(100, 'Job-Checkpointing'),
    eventAt(101, 'Job-CheckpointSucceeded'),
    eventAt(150, 'Job-Restoring'),
    eventAt(160, 'Job-RestoreSucceeded'),
    eventAt(200, 'Job-Checkpointing'),
    eventAt(201, 'Job-CheckpointSucceeded'),
    eventAt(300, 'Job-Checkpointing'),
    eventAt(301, 'Job-CheckpointSucceeded'),
    eventAt(400, 'Job-Restoring'),
    eventAt(410, 'Job-RestoreSucceeded'),
  ].map(timed);
  const savedBy = (list: readonly TimedEvent[], folded: Folded | null): number | undefined =>
    samplesOfEvents({
      events: list,
      arrived: [list.length - 1],
      cpus: 1,
      prices: new SegmentPrices(),
      nodePrices: new Map(),
      counted: null,
      folded,
    }).samples.find(({ metric }) => metric === 'timeSaved')?.value;
  assert.equal(savedBy(events, null), 240, '100 s that the first restore brought back, and 160 to 300');
  const [once, before] = [foldOldestPairs(events, null, 9), events.slice(0, -2)];
  assert.equal(savedBy(once.events, once.folded), 240);
  assert.equal(once.folded?.pairs, 1);
  const twice = foldOldestPairs(foldOldestPairs(before, null, 7).events, foldOldestPairs(before, null, 7).folded, 5);
  assert.equal(twice.folded?.pairs, 2);
  assert.equal(savedBy([...twice.events, ...events.slice(-2)], twice.folded), 240);
});

test('a union keeps the order of first sight, takes each once, and leaves out the empty', () => {
  assert.deepEqual(union(['b', 'a'], ['c', 'a', '', 'd', 'c']), ['b', 'a', 'c', 'd']);
  const known = ['a', 'b'];
  assert.equal(union(known, ['b', '', 'a']), known, 'the same list where nothing is new');
});

/** `Running`, then pairs of one second each, then whatever else. */
function life(pairs: number, ...more: readonly JobEvent[]): TimedEvent[] {
  const events = [eventAt(0, 'Job-Running')];
  for (let i = 0; i < pairs; i++) {
    events.push(eventAt(10 + 2 * i, 'Job-Checkpointing'), eventAt(11 + 2 * i, 'Job-CheckpointSucceeded'));
  }
  return [...events, ...more].map(timed);
}

const typesOf = (events: readonly TimedEvent[]): string[] => events.map(({ event: { eventType } }) => eventType);

test('a list that fits is left alone', () => {
  const events = life(4);
  const same = foldOldestPairs(events, null, 9);
  assert.equal(same.events, events);
  assert.equal(same.folded, null);
});

test('the oldest pairs are folded until the list fits, no more, and the rest stays', () => {
  const events = life(5);
  assert.equal(events.length, 11);
  const one = foldOldestPairs(events, null, 10);
  assert.deepEqual([one.folded?.pairs, one.folded?.through], [1, timed(eventAt(11, 'x')).at]);
  assert.deepEqual(one.events, [events[0], ...events.slice(3)]);
  const two = foldOldestPairs(events, null, 8);
  assert.deepEqual([two.folded?.pairs, two.folded?.through], [2, timed(eventAt(13, 'x')).at]);
  assert.deepEqual(two.events, [events[0], ...events.slice(5)]);
});

test('folding again adds to what was folded before', () => {
  const first = foldOldestPairs(life(5), null, 9);
  const again = foldOldestPairs(first.events, first.folded, 7);
  assert.equal(first.folded?.pairs, 1);
  assert.equal(again.folded?.pairs, 2);
  assert.equal(again.events.length, 7);
});

test('the last pair stays, because a restore would use it; what cannot be folded makes the list too long', () => {
  const tail = Array.from({ length: 6 }, (_, i) => eventAt(100 + i, 'Job-Running'));
  const { events, folded } = foldOldestPairs(life(3, ...tail), null, 5);
  assert.equal(folded?.pairs, 2);
  assert.deepEqual(typesOf(events).slice(0, 3), ['Job-Running', 'Job-Checkpointing', 'Job-CheckpointSucceeded']);
  assert.equal(events.length, 9, 'still longer than five, and nothing else was dropped');
});

test('the first event stays, because it is when the job began', () => {
  const events = [
    eventAt(0, 'Job-Checkpointing'),
    eventAt(1, 'Job-CheckpointSucceeded'),
    eventAt(2, 'Job-Checkpointing'),
    eventAt(3, 'Job-CheckpointSucceeded'),
    eventAt(4, 'Job-Checkpointing'),
    eventAt(5, 'Job-CheckpointSucceeded'),
  ].map(timed);
  const { events: left, folded } = foldOldestPairs(events, null, 3);
  assert.equal(folded?.pairs, 1);
  assert.deepEqual(left, [...events.slice(0, 2), ...events.slice(4)]);
});

test('failed and unfinished checkpoints are no pairs', () => {
  const types = [
    'Job-Running',
    'Job-Checkpointing', // failed
    'Job-CheckpointFailed',
    'Job-Checkpointing', // cut off by a reclaim
    'Job-Restoring',
    'Job-RestoreSucceeded',
    'Job-Checkpointing', // the pair
    'Job-CheckpointSucceeded',
    'Job-CheckpointSucceeded', // without an attempt
    'Job-Checkpointing', // the last pair
    'Job-CheckpointSucceeded',
  ];
  const { events, folded } = foldOldestPairs(
    types.map((type, i) => timed(eventAt(i, type))),
    null,
    1,
  );
  assert.equal(folded?.pairs, 1);
  assert.deepEqual(
    events.map(({ at }) => at),
    [0, 1, 2, 3, 4, 5, 8, 9, 10].map((second) => timed(eventAt(second, 'x')).at),
  );
});

test('where no pair is left to fold, list and count stay as they are', () => {
  const events = Array.from({ length: 20 }, (_, i) => timed(eventAt(i, 'Job-Running')));
  const folded = { pairs: 3, through: 5n };
  const same = foldOldestPairs(events, folded, 10);
  assert.equal(same.events, events);
  assert.equal(same.folded, folded);
});

test('by itself the bound is the contract’s ten thousand', () => {
  assert.equal(EVENTS_PER_JOB_MAX, 10_000);
  assert.equal(foldOldestPairs(life(4_999), null).folded, null);
  const { events, folded } = foldOldestPairs(life(5_000), null);
  assert.deepEqual([events.length, folded?.pairs], [9_999, 1]);
});

test('a folded checkpoint event that comes again is known, all others are not', () => {
  const folded = { pairs: 2, through: timed(eventAt(100, 'x')).at };
  for (const type of ['Job-Checkpointing', 'Job-CheckpointSucceeded']) {
    assert.ok(wasFolded(folded, timed(eventAt(100, type))));
    assert.ok(wasFolded(folded, timed(eventAt(99, type))));
    assert.ok(!wasFolded(folded, timed(eventAt(101, type))));
    assert.ok(!wasFolded(null, timed(eventAt(99, type))));
  }
  for (const type of ['Job-CheckpointFailed', 'Job-Running', 'Job-Restoring', 'Volume-Created'])
    assert.ok(!wasFolded(folded, timed(eventAt(99, type))));
});

test('merging and sampling look at each event a few times, however the new ones lie between the known ones', () => {
  const type = ['Job-Restoring', 'Job-RestoreSucceeded', 'Job-Checkpointing', 'Job-CheckpointSucceeded', 'Job-Stopped'];
  const all = Array.from({ length: 4_000 }, (_, i) => timed(eventAt(i, type[Math.floor(i / 2) % 5] as string)));
  let looks = 0;
  const watched = (list: readonly TimedEvent[]): readonly TimedEvent[] =>
    new Proxy(list, {
      get: (target, name) => {
        looks++;
        return Reflect.get(target, name) as unknown;
      },
    });
  const { events, arrived } = mergeEvents(
    watched(all.filter((_, i) => i % 2 === 0)),
    watched(all.filter((_, i) => i % 2 === 1)),
  );
  const input = { cpus: 1, prices: new SegmentPrices(), nodePrices: new Map(), counted: null, folded: null };
  const { samples } = samplesOfEvents({ ...input, events: watched(events), arrived });
  assert.equal(arrived.length, 2_000);
  assert.ok(samples.length > 2_000);
  assert.ok(looks < 10 * all.length, `${looks} looks at ${all.length} events`);
});
