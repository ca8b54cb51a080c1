import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  BUILT_IN_DEFINITIONS,
  heartbeatDefinition,
  JOB_DEFINITIONS,
  type MetricEntry,
  metricEntryOf,
  metricEntrySchema,
} from '../../../../src/protocol/metric.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { expiryKey, expiryValue, seriesKey, seriesRows } from '../../../../src/store/series/series-index.ts';
import { type MetricListHead, metricList } from '../../../../src/workers/series/metric-list.ts';
import type { MetricFilter, MetricListTask } from '../../../../src/workers/task/task.ts';
import { writeAll } from '../../../support/write-all.ts';

const GPU = heartbeatDefinition('gpuPercent');

interface Page {
  readonly entries: readonly MetricEntry[];
  readonly next: Uint8Array | null;
}

async function page(store: MemoryStore, asked: Partial<MetricListTask> = {}): Promise<Page> {
  const definitions = [...BUILT_IN_DEFINITIONS, GPU];
  const all = {
    type: 'metricList',
    definitions,
    filter: { words: [] },
    queues: null,
    after: null,
    limit: null,
  } as const;
  const chunks: Uint8Array[] = [];
  for await (const chunk of metricList(store, { ...all, ...asked })) chunks.push(chunk);
  const { next } = JSON.parse(Buffer.from(chunks.shift() as Uint8Array).toString('utf8')) as MetricListHead;
  const entries = JSON.parse(Buffer.concat(chunks).toString('utf8')) as MetricEntry[];
  return { entries, next: next === null ? null : Uint8Array.from(Buffer.from(next, 'base64url')) };
}

async function list(store: MemoryStore): Promise<readonly MetricEntry[]> {
  return (await page(store)).entries;
}

function idsOf(entries: readonly MetricEntry[]): string[] {
  return entries.map(({ id }) => id);
}

/** More than any of these lists has. */
const PAGES_MAX = 200;

/** Ids of all pages, each followed by the position that it names. */
async function allPages(
  store: MemoryStore,
  filter: MetricFilter,
  limit: number,
  between: () => void = () => {},
): Promise<string[]> {
  const ids: string[] = [];
  let after: Uint8Array | null = null;
  for (let pages = 0; pages < PAGES_MAX; pages++) {
    const { entries, next }: Page = await page(store, { filter, limit, after });
    assert.ok(entries.length <= limit);
    ids.push(...idsOf(entries));
    if (next === null) return ids;
    after = next;
    between();
  }
  assert.fail(`the walk has not ended after ${PAGES_MAX} pages`);
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
    key: expiryKey(objectId, 'cpuPercent'),
    value: expiryValue(0),
  });
  writeAll(store, [...seriesRows('node-back', ['cpuPercent']), leaving('node-back'), leaving('node-going')]);
  const entries = (await list(store)).slice(JOB_DEFINITIONS.length);
  assert.deepEqual(
    entries.map(({ object }) => object.id),
    ['node-back', 'node-going'],
  );
});

function leavingRow(objectId: string, metric: string) {
  return { table: 'leaving' as const, key: expiryKey(objectId, metric), value: expiryValue(0) };
}

/** Series of every part of the list, some of which begin like others. */
function variedStore(): MemoryStore {
  const store = new MemoryStore();
  writeAll(store, [
    ...seriesRows('queue-night', ['runtime', 'jobSubmitted']),
    ...seriesRows('queue-night run', ['runtime']),
    ...seriesRows('node-n', ['cpuPercent', 'gpuPercent']),
    ...seriesRows('node-n-1', ['cpuPercent', 'undefined']),
    ...seriesRows('system-total', ['runtime', 'gpuPercent']),
    leavingRow('node-gone', 'cpuPercent'),
    leavingRow('node-n', 'memoryUsedMB'),
    leavingRow('node-n', 'cpuPercent'),
  ]);
  return store;
}

const FILTERS: readonly (readonly [MetricFilter, (entry: MetricEntry) => boolean])[] = [
  [{ words: [] }, () => true],
  [{ words: [], objectId: 'node-n' }, ({ object }) => object.id === 'node-n'],
  [{ words: [], objectId: 'system' }, () => false],
  [{ words: [], objectId: 'system-total' }, ({ object }) => object.id === 'system-total'],
  [{ words: [], metric: 'cpuPercent' }, ({ definition }) => definition.id === 'metricDef-cpuPercent'],
  [{ words: [], metric: 'runtime', objectId: 'queue-night' }, ({ id }) => id === 'metricDef-runtime.queue-night'],
  [{ words: [], metric: 'memoryUsedMB', objectId: 'node-n' }, ({ id }) => id === 'metricDef-memoryUsedMB.node-n'],
  [{ words: ['night', 'run time'] }, ({ name }) => /Run time.*night/.test(name)],
  [{ words: ['metricdef-gpu'] }, ({ id }) => id.startsWith('metricDef-gpu')],
  [{ words: ['nothing has this'] }, () => false],
];

test('a filter leaves what it names, and pages put together are the list, whatever their size', async () => {
  const store = variedStore();
  const all = await list(store);
  for (const entry of all) {
    const definition = [...BUILT_IN_DEFINITIONS, GPU].find(({ id }) => id === entry.definition.id);
    assert.ok(definition);
    assert.deepEqual(entry, metricEntryOf(definition, entry.object.id));
  }
  for (const [filter, isWanted] of FILTERS) {
    const expected = idsOf(all.filter(isWanted));
    assert.deepEqual(idsOf((await page(store, { filter })).entries), expected, JSON.stringify(filter));
    for (const limit of [1, 2, 7, 1_000])
      assert.deepEqual(await allPages(store, filter, limit), expected, `${JSON.stringify(filter)} by ${limit}`);
  }
});

test('only a page behind which there is another entry names a next one', async () => {
  assert.equal((await page(variedStore(), { filter: { words: ['night'] }, limit: 3 })).next, null);
  const filter = { words: [], objectId: 'node-n' };
  assert.equal((await page(variedStore(), { filter, limit: 3 })).next, null);
  assert.notEqual((await page(variedStore(), { filter, limit: 2 })).next, null);
});

test('a walk over pages meets every series that stays once, while others come and go', async () => {
  const store = variedStore();
  const before = idsOf(await list(store));
  let round = 0;
  const ids = await allPages(store, { words: [] }, 2, () => {
    writeAll(store, seriesRows(`node-new-${round}`, ['cpuPercent']));
    if (round === 3) writeAll(store, [{ table: 'series', key: seriesKey('node-n', 'gpuPercent'), value: null }]);
    round++;
  });
  const still = (id: string): boolean => !id.includes('node-new') && id !== 'metricDef-gpuPercent.node-n';
  assert.deepEqual(ids.filter(still), before.filter(still));
  assert.equal(new Set(ids).size, ids.length);
});

test('a page of a filter that fits little ends after a bounded search, and the next one goes on', async () => {
  const store = new MemoryStore();
  const rows = Array.from({ length: 30_000 }, (_, i) =>
    seriesRows(`node-${String(i).padStart(6, '0')}`, ['cpuPercent']),
  );
  writeAll(store, [...rows.flat(), ...seriesRows('zebra', ['cpuPercent'])]);
  const filter = { words: ['zebra'] };
  const first = await page(store, { filter, limit: 10 });
  assert.deepEqual(first.entries, []);
  const second = await page(store, { filter, limit: 10, after: first.next });
  assert.deepEqual([idsOf(second.entries), second.next], [['metricDef-cpuPercent.zebra'], null]);
});
