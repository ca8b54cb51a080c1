/** The worked example of docs/reference/metrics.md, computed by hand, and the rules around it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JobModel } from '../../../../fleet/model/job-model.ts';
import type { ModelSample } from '../../../../fleet/model/job-samples.ts';
import type { NodePrice } from '../../../../fleet/plan/node-plan.ts';
import type { JobEvent } from '../../../../src/protocol/job.ts';
import { mustParseTimestamp } from '../../../../src/protocol/timestamp.ts';

const PRICES: ReadonlyMap<string, NodePrice> = new Map([
  ['i-a', { spot: true, price: 0.36, onDemandPrice: 1.2 }],
  ['i-b', { spot: true, price: 0.72, onDemandPrice: 1.8 }],
  ['i-c', { spot: false, price: 2, onDemandPrice: 2 }],
]);

function event(clock: string, eventType: string, fields: Partial<JobEvent> = {}): JobEvent {
  return { timestamp: `2026-01-31T${clock}Z`, eventType, ...fields };
}

const EXAMPLE: readonly JobEvent[] = [
  event('08:00:00', 'Job-Creating', { nodeOid: 'i-a', containerId: 'c-1', batchJobId: 'b-1' }),
  event('08:00:10', 'Volume-Created', { volumnId: 'vol-1' }),
  event('08:00:25.5', 'Volume-Attached', { volumnId: 'vol-1' }),
  event('08:01:00', 'Job-Created'),
  event('08:02:00', 'Job-Running'),
  event('08:12:00', 'Job-Checkpointing'),
  event('08:12:30', 'Job-CheckpointSucceeded'),
  event('08:22:00', 'Job-Checkpointing'),
  event('08:27:00', 'Job-Restoring', { nodeOid: 'i-b', containerId: 'c-2' }),
  event('08:28:30', 'Job-RestoreSucceeded'),
  event('08:28:40', 'Job-Running'),
  event('09:08:30', 'Job-Succeeded'),
];

function modelOf(cpus?: number): JobModel {
  const model = new JobModel('job', 'queue', PRICES);
  if (cpus !== undefined) model.apply({ cpus }, []);
  return model;
}

function shown(samples: readonly ModelSample[]): [string, number][] {
  return samples.map(({ metric, value }): [string, number] => [metric, value]);
}

test('the worked example gives the figures that were computed by hand', () => {
  const samples = modelOf(4).apply({}, EXAMPLE);
  assert.deepEqual(shown(samples), [
    ['jobSubmitted', 1],
    ['volumeAttachTime', 15.5],
    ['checkpointAttempt', 1],
    ['checkpointSuccess', 1],
    ['checkpointTime', 30],
    ['checkpointAttempt', 1],
    ['restoreAttempt', 1],
    ['restoreSuccess', 1],
    ['spotProtection', 1],
    ['restoreTime', 90],
    ['timeSaved', 600],
    ['coreTimeSaved', 2_400],
    ['spotSavings', 0.12],
    ['runtime', 3_990],
    ['coreTime', 15_600],
    ['jobCost', 0.63],
    // 0.35 + 0.72, each a double, and so is their sum.
    ['onDemandSavings', 1.0699999999999998],
  ]);
  const restoredNs = mustParseTimestamp('2026-01-31T08:28:30Z');
  assert.deepEqual(
    samples.filter(({ atNs }) => atNs === restoredNs).map(({ metric }) => metric),
    ['restoreSuccess', 'spotProtection', 'restoreTime', 'timeSaved', 'coreTimeSaved', 'spotSavings'],
  );
});

test('money is the sum over segments in time order, each divided before it is multiplied', () => {
  const cost = modelOf()
    .apply({}, EXAMPLE)
    .find(({ metric }) => metric === 'jobCost')?.value;
  assert.equal(cost, (1_500e9 / 3.6e12) * 0.36 + (2_400e9 / 3.6e12) * 0.72);
});

test('times are summed as whole nanoseconds and divided once', () => {
  const samples = modelOf(0.5).apply({}, [
    event('08:00:00.100000001', 'Job-Running'),
    event('08:00:00.200000002', 'Job-Stopped'),
    event('08:00:00.300000003', 'Job-Running'),
    event('08:00:00.600000007', 'Job-Succeeded'),
  ]);
  const coreTimes = samples.filter(({ metric }) => metric === 'coreTime').map(({ value }) => value);
  assert.deepEqual(coreTimes, [(100_000_001 / 1e9) * 0.5, (300_000_004 / 1e9) * 0.5]);
});

test('a job without cpus counts one core', () => {
  const samples = shown(modelOf().apply({}, EXAMPLE));
  assert.deepEqual(
    samples.find(([metric]) => metric === 'coreTime'),
    ['coreTime', 3_900],
  );
});

test('a re-opened job adds at its second end what the first did not count', () => {
  const model = modelOf();
  const place = { nodeOid: 'i-c' };
  const first = model.apply({}, [
    event('08:00:00', 'Job-Creating', place),
    event('08:00:00.5', 'Job-Running'),
    event('09:00:00.5', 'Job-Stopped'),
  ]);
  assert.deepEqual(shown(first.slice(1)), [
    ['runtime', 3_600],
    ['coreTime', 3_600],
    ['jobCost', 2],
    ['onDemandSavings', 0],
  ]);
  const second = model.apply({}, [event('10:00:00.5', 'Job-Running'), event('10:30:00.5', 'Job-Succeeded')]);
  assert.deepEqual(shown(second), [
    ['runtime', 5_400],
    ['coreTime', 1_800],
    ['jobCost', 1],
  ]);
});

test('a job that never ran makes no samples of an end', () => {
  const samples = modelOf().apply({}, [event('08:00:00', 'Job-Creating'), event('08:00:05', 'Job-Failed')]);
  assert.deepEqual(shown(samples), [['jobSubmitted', 1]]);
});

test('a job of which only the restore is known has core time and cost, and no run time', () => {
  const samples = modelOf().apply({}, [
    event('08:00:00', 'Job-Restoring', { nodeOid: 'i-c' }),
    event('08:00:01', 'Job-RestoreSucceeded'),
    event('09:00:01', 'Job-Succeeded'),
  ]);
  const ofTheEnd = shown(samples).slice(-3);
  assert.deepEqual(ofTheEnd, [
    ['coreTime', 3_600],
    ['jobCost', 2],
    ['onDemandSavings', 0],
  ]);
  assert.ok(!samples.some(({ metric }) => metric === 'runtime' || metric === 'timeSaved'));
});

test('a sample is made from what is known when its event arrives, and never again', () => {
  const model = modelOf();
  const [creating, running, ended] = [
    event('08:00:00', 'Job-Creating', { nodeOid: 'i-c' }),
    event('08:00:01', 'Job-Running'),
    event('09:00:01', 'Job-Succeeded'),
  ];
  assert.deepEqual(shown(model.apply({}, [creating, ended])), [['jobSubmitted', 1]]);
  assert.deepEqual(shown(model.apply({}, [running])), [], 'the end is not counted afterwards');
  assert.deepEqual(shown(model.apply({}, [creating, running, ended])), [], 'duplicates make nothing');
});

test('an outcome counts its time from the attempt that has no outcome yet', () => {
  const samples = modelOf().apply({}, [
    event('08:00:00', 'Job-Restoring', { nodeOid: 'i-a' }),
    event('08:00:10', 'Job-RestoreFailed'),
    event('08:00:20', 'Job-RestoreFailed'),
    event('08:00:30', 'Job-Restoring', { nodeOid: 'i-b' }),
    event('08:00:40', 'Job-Restoring', { nodeOid: 'i-b' }),
    event('08:00:45', 'Job-RestoreFailed'),
  ]);
  assert.deepEqual(
    shown(samples).filter(([metric]) => metric === 'restoreTime'),
    [
      ['restoreTime', 10],
      ['restoreTime', 5],
    ],
  );
});

test('a node whose price nobody told costs nothing', () => {
  const samples = modelOf().apply({}, [
    event('08:00:00', 'Job-Creating', { nodeOid: 'i-unknown' }),
    event('08:00:01', 'Job-Running'),
    event('09:00:01', 'Job-Failed'),
  ]);
  assert.deepEqual(shown(samples).slice(-2), [
    ['jobCost', 0],
    ['onDemandSavings', 0],
  ]);
});
