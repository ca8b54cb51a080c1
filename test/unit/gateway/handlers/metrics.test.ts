/** What may be asked of a series, and what the answer is made of; the pool's task runs here, on a store in memory. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../../../../src/base/clock.ts';
import { CodedError, type ErrorName } from '../../../../src/base/errors.ts';
import type { HandlerServices } from '../../../../src/gateway/handler.ts';
import { getSeries, getSummary } from '../../../../src/gateway/handlers/metrics.ts';
import { BUILT_IN_DEFINITIONS, type Series, type Summary } from '../../../../src/protocol/metric.ts';
import { MemoryStore } from '../../../../src/store/memory-store.ts';
import { seriesAnswer } from '../../../../src/workers/series-read.ts';
import { summaryAnswer } from '../../../../src/workers/summary.ts';
import type { SeriesTask, SummaryTask } from '../../../../src/workers/task.ts';
import { newExchange } from '../../../support/fake-exchange.ts';
import { storeSeries } from '../../../support/stored-series.ts';

const NOW_MS = Date.UTC(2026, 0, 31, 12);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

class MetricGateway {
  readonly store = new MemoryStore();
  readonly tasks: (SeriesTask | SummaryTask)[] = [];
  readonly #services: HandlerServices;

  constructor() {
    storeSeries(
      this.store,
      'queue-q',
      'runtime',
      [
        [NOW_MS - HOUR_MS, 5],
        [NOW_MS - HOUR_MS + 1, 7],
      ],
      NOW_MS,
    );
    const host = {
      reader: this.store,
      clock: new ManualClock(NOW_MS),
      shared: { definitions: BUILT_IN_DEFINITIONS },
      ask: async () => [],
    };
    const main = {
      answer: async (task: SeriesTask | SummaryTask) => {
        this.tasks.push(task);
        const value = task.type === 'series' ? seriesAnswer(this.store, task) : summaryAnswer(this.store, task);
        return Buffer.from(JSON.stringify(value));
      },
    };
    this.#services = { host, main } as unknown as HandlerServices;
  }

  async series(query: string, objectId = 'queue-q', definitionId = 'metricDef-runtime'): Promise<Series> {
    const { call, response } = newExchange({ query });
    await getSeries({ call, params: { objectId, definitionId }, body: undefined }, this.#services);
    return response.json as Series;
  }

  async summary(query: string): Promise<Summary> {
    const { call, response } = newExchange({ query });
    await getSummary({ call, params: {}, body: undefined }, this.#services);
    return response.json as Summary;
  }
}

function isCoded(name: ErrorName, ...fields: readonly string[]): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof CodedError, String(error));
    assert.equal(error.name, name);
    assert.deepEqual(Object.keys(error.fields ?? {}).sort(), [...fields].sort());
    return true;
  };
}

const ago = (ms: number): string => new Date(NOW_MS - ms).toISOString();

async function levelOf(query: string): Promise<unknown> {
  return (await new MetricGateway().series(query)).metaData['interval'];
}

test('without parameters the last 24 hours are answered, at the finest level', async () => {
  const gateway = new MetricGateway();
  const series = await gateway.series('');
  assert.deepEqual(series.points, [{ time: '2026-01-31T11:00:00Z', value: 12 }]);
  const [task] = gateway.tasks as SeriesTask[];
  assert.deepEqual([task?.level, task?.fromMs, task?.toMs], ['1m', NOW_MS - DAY_MS, NOW_MS]);
});

test('the start is 24 hours before the end where only the end is given', async () => {
  const gateway = new MetricGateway();
  await gateway.series(`end=${ago(3 * DAY_MS)}`);
  assert.equal(gateway.tasks[0]?.fromMs, NOW_MS - 4 * DAY_MS);
});

test('an interval is compared as a duration, in every form that Go reads', async () => {
  for (const [text, level] of [
    ['1m', '1m0s'],
    ['60s', '1m0s'],
    ['1m0s', '1m0s'],
    ['60000ms', '1m0s'],
    ['0.5h', '30m0s'],
    ['1800s', '30m0s'],
    ['24h', '24h0m0s'],
    ['1440m', '24h0m0s'],
    ['23h60m', '24h0m0s'],
  ] as const)
    assert.equal(await levelOf(`interval=${text}`), level, text);
});

test('an interval that is no level, a turned range, an unreadable time or aggregation are told, all of them', async () => {
  const gateway = new MetricGateway();
  const invalid = (query: string, ...fields: readonly string[]) =>
    assert.rejects(gateway.series(query), isCoded('invalid', ...fields), query);
  for (const text of ['', '2m', '1d', '60', '-1m', '0s', 'soon', '1m ']) await invalid(`interval=${text}`, 'interval');
  for (const text of ['', 'now', '2026-01-31', '2026-02-30T00:00:00Z', '2026-01-31T08:00:00%2B01:00'])
    await invalid(`start=${text}`, 'start');
  await invalid('end=yesterday&agg=median&interval=1y', 'end', 'agg', 'interval');
  await invalid(`start=${ago(0)}&end=${ago(1)}`, 'start');
  assert.deepEqual(gateway.tasks, [], 'nothing was read');
});

test('another aggregation may be asked for', async () => {
  const valueBy = async (agg: string) => (await new MetricGateway().series(`agg=${agg}`)).points[0]?.value;
  assert.deepEqual(await Promise.all(['sum', 'count', 'avg', 'min', 'max', 'last'].map(valueBy)), [12, 2, 6, 5, 7, 7]);
});

test('without an interval the finest level is taken that still holds the start and yields at most 2,000 points', async () => {
  const cases: readonly (readonly [startAgoMs: number, endAgoMs: number, level: string])[] = [
    [2_000 * MINUTE_MS, 0, '1m0s'],
    [2_001 * MINUTE_MS, 0, '30m0s'],
    [168 * HOUR_MS, 168 * HOUR_MS - 2_000 * MINUTE_MS, '1m0s'],
    [168 * HOUR_MS + 1, 168 * HOUR_MS - 10, '30m0s'],
    [1_000 * HOUR_MS, 0, '30m0s'],
    [1_000 * HOUR_MS + 30 * MINUTE_MS, 0, '24h0m0s'],
    [2_160 * HOUR_MS, 2_000 * HOUR_MS, '30m0s'],
    [2_161 * HOUR_MS, 2_160 * HOUR_MS, '24h0m0s'],
    [90_000 * HOUR_MS, 0, '24h0m0s'],
  ];
  for (const [start, end, level] of cases)
    assert.equal(
      await levelOf(`start=${ago(start)}&end=${ago(end)}`),
      level,
      `${start / HOUR_MS} h to ${end / HOUR_MS} h ago`,
    );
});

test('times between two milliseconds move no bucket out of the range', async () => {
  const gateway = new MetricGateway();
  await gateway.series('start=2026-01-31T08:00:00.0009Z&end=2026-01-31T11:00:00.000000001Z');
  const [task] = gateway.tasks as SeriesTask[];
  assert.deepEqual([task?.fromMs, task?.toMs], [Date.UTC(2026, 0, 31, 8), Date.UTC(2026, 0, 31, 11) + 1]);
});

test('a range from the beginning of years to their end holds everything', async () => {
  const everything = 'start=0000-01-01T00:00:00Z&end=9999-12-31T23:59:59.999999999Z';
  for (const interval of ['', '&interval=1m', '&interval=30m', '&interval=24h']) {
    const { points } = await new MetricGateway().series(`${everything}${interval}`);
    assert.deepEqual(
      points.map(({ value }) => value),
      [12],
      interval,
    );
  }
  const { items } = await new MetricGateway().summary(everything);
  assert.equal(items['runtime']?.[0]?.point.value, 12);
});

test('ranges wholly before or after all that can be have no points', async () => {
  for (const query of [
    'start=0000-01-01T00:00:00Z&end=0001-01-01T00:00:00Z',
    'start=9998-01-01T00:00:00Z&end=9999-12-31T23:59:59Z',
    `start=${ago(HOUR_MS)}&end=${ago(HOUR_MS)}`,
  ])
    assert.deepEqual((await new MetricGateway().series(query)).points, [], query);
});

test('a series that does not exist is not found; one that is known may be empty', async () => {
  const gateway = new MetricGateway();
  for (const [objectId, definitionId] of [
    ['queue-none', 'runtime'],
    ['queue-q', 'jobCost'],
    ['queue-q', 'nothing'],
    ['system-total', 'cpuPercent'],
    ['', 'runtime'],
    ['queue-q\0', 'runtime'],
    ['queue-q', '__proto__'],
  ] as const)
    await assert.rejects(
      gateway.series('', objectId, definitionId),
      isCoded('notFound'),
      `${objectId} ${definitionId}`,
    );
  assert.deepEqual((await gateway.series('', 'system-total', 'runtime')).points, []);
  assert.equal((await gateway.series('', 'queue-q', 'runtime')).id, 'metricDef-runtime.queue-q');
});

test('a summary of a turned or unreadable range is refused, one without a range is of everything', async () => {
  const gateway = new MetricGateway();
  await assert.rejects(gateway.summary(`start=${ago(0)}&end=${ago(1)}`), isCoded('invalid', 'start'));
  await assert.rejects(gateway.summary('start=a&end=b'), isCoded('invalid', 'start', 'end'));
  assert.equal((await gateway.summary('')).items['metricDef-runtime']?.[0]?.point.value, 12);
  assert.deepEqual((await gateway.summary(`end=${ago(HOUR_MS)}`)).items['runtime'], []);
});
