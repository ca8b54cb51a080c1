import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobEvent } from '../../../src/protocol/job.ts';
import { runSegments, totalNs } from '../../../src/protocol/run-segments.ts';
import { mustParseTimestamp } from '../../../src/protocol/timestamp.ts';
import { event, timed } from '../../support/job-events.ts';

const SECOND = 1_000_000_000n;
const EIGHT = mustParseTimestamp('2026-01-31T08:00:00Z');

/** Segments as `[first second after 08:00, last, node]`. */
function segmentsOf(events: readonly JobEvent[], count = events.length, until = '09:00:00'): (number | string)[][] {
  const end = mustParseTimestamp(`2026-01-31T${until}Z`);
  return runSegments(events.map(timed), count, end).map(({ start, end: to, nodeOid }) => [
    Number(start - EIGHT) / 1e9,
    Number(to - EIGHT) / 1e9,
    nodeOid,
  ]);
}

const place = (nodeOid: string): Partial<JobEvent> => ({ nodeOid });

for (const ending of ['Job-Stopped', 'Job-Failed', 'Job-Succeeded', 'Job-Restoring']) {
  test(`a segment ends at ${ending}`, () => {
    const events = [event('08:00:10', 'Job-Running'), event('08:00:40', ending)];
    assert.deepEqual(segmentsOf(events), [[10, 40, '']]);
  });
}

for (const between of [
  'Job-Checkpointing',
  'Job-CheckpointSucceeded',
  'Job-CheckpointFailed',
  'Job-Created',
  'Job-Running',
  'Volume-Unready',
  'Job-Levitating',
]) {
  test(`a segment goes on through ${between}`, () => {
    const events = [event('08:00:10', 'Job-Running'), event('08:00:20', between), event('08:00:40', 'Job-Stopped')];
    assert.deepEqual(segmentsOf(events), [[10, 40, '']]);
  });
}

test('a restore that succeeded begins a segment, and the Job-Running after it does not begin another', () => {
  const events = [
    event('08:00:00', 'Job-Restoring', place('i-b')),
    event('08:00:05', 'Job-RestoreSucceeded'),
    event('08:00:06', 'Job-Running'),
    event('08:00:30', 'Job-Succeeded'),
  ];
  assert.deepEqual(segmentsOf(events), [[5, 30, 'i-b']]);
});

test('each segment belongs to the node of the latest Job-Creating or Job-Restoring before it', () => {
  const events = [
    event('08:00:00', 'Job-Creating', place('i-a')),
    event('08:00:05', 'Job-Running', place('i-x')),
    event('08:00:15', 'Job-Restoring', place('i-b')),
    event('08:00:20', 'Job-RestoreFailed'),
    event('08:00:25', 'Job-Restoring', place('i-c')),
    event('08:00:30', 'Job-RestoreSucceeded'),
    event('08:00:50', 'Job-Failed'),
  ];
  assert.deepEqual(segmentsOf(events), [
    [5, 15, 'i-a'],
    [30, 50, 'i-c'],
  ]);
});

test('a Job-Creating without a node forgets the one before it', () => {
  const events = [
    event('08:00:00', 'Job-Creating', place('i-a')),
    event('08:00:01', 'Job-Stopped'),
    event('08:00:02', 'Job-Creating'),
    event('08:00:05', 'Job-Running'),
  ];
  assert.deepEqual(segmentsOf(events, events.length, '08:00:09'), [[5, 9, '']]);
});

test('an open segment ends at the given time, unless that is not after its start', () => {
  const events = [event('08:00:10', 'Job-Running')];
  assert.deepEqual(segmentsOf(events, 1, '08:00:25'), [[10, 25, '']]);
  assert.deepEqual(segmentsOf(events, 1, '08:00:10'), []);
  assert.deepEqual(segmentsOf(events, 1, '08:00:00'), []);
});

test('only the first `count` events are looked at', () => {
  const events = [event('08:00:10', 'Job-Running'), event('08:00:20', 'Job-Stopped'), event('08:00:30', 'Job-Running')];
  assert.deepEqual(segmentsOf(events, 0), []);
  assert.deepEqual(segmentsOf(events, 1, '08:00:12'), [[10, 12, '']]);
  assert.deepEqual(segmentsOf(events, 2), [[10, 20, '']]);
});

test('lengths add up as whole nanoseconds', () => {
  const segment = (ns: bigint) => ({ start: EIGHT, end: EIGHT + ns, nodeOid: '' });
  assert.equal(totalNs([]), 0n);
  assert.equal(totalNs([segment(1n), segment(9_007_199_254_740_993n), segment(SECOND)]), 9_007_200_254_740_994n);
});
