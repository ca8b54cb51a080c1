import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BUILT_IN_DEFINITIONS,
  heartbeatDefinition,
  JOB_DEFINITIONS,
  type MetricEntry,
  metricEntrySchema,
} from '../../../src/protocol/metric.ts';
import { MemoryStore } from '../../../src/store/memory-store.ts';
import { leavingKey, leavingValue, seriesRows } from '../../../src/store/series-index.ts';
import { metricList } from '../../../src/workers/metric-list.ts';
import { writeAll } from '../../support/write-all.ts';

const GPU = heartbeatDefinition('gpuPercent');

async function list(store: MemoryStore, definitions = [...BUILT_IN_DEFINITIONS, GPU]): Promise<MetricEntry[]> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of metricList(store, definitions)) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as MetricEntry[];
}

test('every job metric of the whole system is there, also before there is any series', async () => {
  const entries = await list(new MemoryStore());
  assert.deepEqual(
    entries.map(({ id }) => id),
    JOB_DEFINITIONS.map(({ id }) => `${id}.system-total`),
  );
  assert.ok(entries.every((entry) => metricEntrySchema.safeParse(entry).success));
  assert.deepEqual(entries[0]?.levels, [
    { interval: '1m0s', retention: '168h0m0s' },
    { interval: '30m0s', retention: '2160h0m0s' },
    { interval: '24h0m0s', retention: '18000h0m0s' },
  ]);
});

test('every series that exists is there once, with its object', async () => {
  const store = new MemoryStore();
  writeAll(store, [
    ...seriesRows('queue-night/long', ['runtime']),
    ...seriesRows('node-n-1', ['gpuPercent', 'cpuPercent']),
    ...seriesRows('my thing', ['gpuPercent']),
    ...seriesRows('system-total', ['runtime', 'gpuPercent']),
  ]);
  const entries = (await list(store)).slice(JOB_DEFINITIONS.length);
  assert.deepEqual(
    entries.map(({ id, object }) => [id, object.type, object.name]),
    [
      ['metricDef-gpuPercent.my thing', 'custom', 'my thing'],
      ['metricDef-cpuPercent.node-n-1', 'node', 'n-1'],
      ['metricDef-gpuPercent.node-n-1', 'node', 'n-1'],
      ['metricDef-runtime.queue-night/long', 'queue', 'night/long'],
      ['metricDef-gpuPercent.system-total', 'system-total', 'system-total'],
    ],
  );
});

test('more series than are read in one step are all there, in order', async () => {
  const store = new MemoryStore();
  const ids = Array.from({ length: 2_500 }, (_, i) => `node-${String(i).padStart(5, '0')}`);
  writeAll(
    store,
    ids.flatMap((id) => seriesRows(id, ['cpuPercent'])),
  );
  const entries = (await list(store)).slice(JOB_DEFINITIONS.length);
  assert.deepEqual(
    entries.map(({ object }) => object.id),
    ids,
  );
});

test('a series that leaves is listed until it is gone, and once where it has come back', async () => {
  const store = new MemoryStore();
  const leaving = (objectId: string) => ({
    table: 'leaving' as const,
    key: leavingKey(objectId, 'cpuPercent'),
    value: leavingValue(0),
  });
  writeAll(store, [...seriesRows('node-back', ['cpuPercent']), leaving('node-back'), leaving('node-going')]);
  const entries = (await list(store)).slice(JOB_DEFINITIONS.length);
  assert.deepEqual(
    entries.map(({ object }) => object.id),
    ['node-back', 'node-going'],
  );
});
