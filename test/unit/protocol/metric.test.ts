import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatDuration, tryParseDuration } from '../../../src/protocol/duration.ts';
import {
  BUILT_IN_DEFINITIONS,
  definitionBodySchema,
  definitionIdOf,
  heartbeatDefinition,
  JOB_DEFINITIONS,
  metricEntryOf,
  metricObjectOf,
  nodeObjectId,
  queueObjectId,
  sampleSchema,
  sampleTimeFault,
  shortNameOf,
} from '../../../src/protocol/metric.ts';
import { LEVELS } from '../../../src/protocol/rollup-retention.ts';

/** The table of contract section 6, by hand. */
const CONTRACT = `jobSubmitted count sum
runtime seconds sum
coreTime core-seconds sum
spotProtection count sum
timeSaved seconds sum
coreTimeSaved core-seconds sum
jobCost USD sum
onDemandSavings USD sum
spotSavings USD sum
volumeAttachTime seconds avg
checkpointAttempt count sum
checkpointSuccess count sum
checkpointFailure count sum
restoreAttempt count sum
restoreSuccess count sum
restoreFailure count sum
checkpointTime seconds avg
restoreTime seconds avg`;

test('the job metrics are those of the contract, with its units and aggregations', () => {
  const ours = JOB_DEFINITIONS.map(({ id, unit, aggregation }) => `${shortNameOf(id)} ${unit} ${aggregation}`);
  assert.deepEqual(ours, CONTRACT.split('\n'));
});

test('ids carry the prefix once, whether it was given or not', () => {
  assert.equal(definitionIdOf('runtime'), 'metricDef-runtime');
  assert.equal(definitionIdOf('metricDef-runtime'), 'metricDef-runtime');
  assert.equal(shortNameOf('metricDef-runtime'), 'runtime');
  assert.equal(new Set(BUILT_IN_DEFINITIONS.map(({ id }) => id)).size, BUILT_IN_DEFINITIONS.length);
  assert.equal(heartbeatDefinition('gpuPercent').aggregation, 'avg');
});

test('the levels are those of the interface, as Go prints them', () => {
  assert.deepEqual(
    LEVELS.map(({ name, interval, retention }) => [name, interval, retention]),
    [
      ['1m', '1m0s', '168h0m0s'],
      ['30m', '30m0s', '2160h0m0s'],
      ['24h', '24h0m0s', '18000h0m0s'],
    ],
  );
  for (const { interval, intervalMs, retention, retentionMs } of LEVELS) {
    assert.equal(formatDuration(BigInt(intervalMs) * 1_000_000n), interval);
    assert.equal(tryParseDuration(retention), BigInt(retentionMs) * 1_000_000n);
  }
});

test('an object tells its type and name', () => {
  assert.deepEqual(metricObjectOf('system-total'), { id: 'system-total', type: 'system-total', name: 'system-total' });
  assert.deepEqual(metricObjectOf(queueObjectId('a-b')), { id: 'queue-a-b', type: 'queue', name: 'a-b' });
  assert.deepEqual(metricObjectOf(nodeObjectId('queue-x')), { id: 'node-queue-x', type: 'node', name: 'queue-x' });
  assert.deepEqual(metricObjectOf('rack 7'), { id: 'rack 7', type: 'custom', name: 'rack 7' });
});

test('a metric’s entry has the interface’s form', () => {
  const [definition] = JOB_DEFINITIONS;
  assert.ok(definition);
  const entry = metricEntryOf(definition, 'queue-night');
  assert.equal(entry.id, 'metricDef-jobSubmitted.queue-night');
  assert.deepEqual(entry.object, { id: 'queue-night', type: 'queue', name: 'night' });
  assert.deepEqual(entry.levels, [
    { interval: '1m0s', retention: '168h0m0s' },
    { interval: '30m0s', retention: '2160h0m0s' },
    { interval: '24h0m0s', retention: '18000h0m0s' },
  ]);
});

const SAMPLE = { objectId: 'rack 7', definitionId: 'power', time: '2026-01-31T08:15:00Z', value: -1.5 };

test('a sample is a finite number at a time', () => {
  assert.ok(sampleSchema.safeParse(SAMPLE).success);
  for (const change of [
    { value: '1' },
    { value: Number.NaN },
    { value: Number.NEGATIVE_INFINITY },
    { value: -1e291 },
    { value: null },
    { time: '2026-01-31' },
    { objectId: '' },
    { objectId: 'a\nb' },
    { definitionId: 'a b' },
  ]) {
    assert.ok(!sampleSchema.safeParse({ ...SAMPLE, ...change }).success, JSON.stringify(change));
  }
});

test('a sample is taken up to the finest retention, to the millisecond, and up to a day ahead', () => {
  const now = Date.UTC(2026, 0, 31, 8, 15, 0);
  const hour = 3_600_000;
  assert.equal(sampleTimeFault(now, now), undefined);
  assert.equal(sampleTimeFault(now + 24 * hour, now), undefined);
  assert.match(sampleTimeFault(now + 24 * hour + 1, now) ?? '', /24h ahead/);
  const oldest = now - 168 * hour;
  assert.equal(sampleTimeFault(oldest, now), undefined);
  assert.match(sampleTimeFault(oldest - 1, now) ?? '', /older than/);
});

test('a definition needs one of the five aggregations', () => {
  for (const aggregation of ['sum', 'avg', 'min', 'max', 'last'])
    assert.ok(definitionBodySchema.safeParse({ aggregation }).success);
  for (const bad of [
    {},
    { aggregation: 'median' },
    { aggregation: 'sum', labels: 'a' },
    { aggregation: 'sum', name: 7 },
  ])
    assert.ok(!definitionBodySchema.safeParse(bad).success);
});
