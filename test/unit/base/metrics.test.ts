import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MetricRegistry, mergeSnapshots, renderPrometheus } from '../../../src/base/metrics.ts';

test('an instrument is looked up once and kept: the same name and labels give the same one', () => {
  const registry = new MetricRegistry();
  const counter = registry.counter('requests_total', 'Requests', { route: 'job' });
  counter.add();
  registry.counter('requests_total', 'Requests', { route: 'job' }).add(2);
  registry.counter('requests_total', 'Requests', { route: 'node' }).add(5);
  assert.deepEqual(
    registry.snapshot().map(({ labels, value }) => [labels, value]),
    [
      ['route="job"', 3],
      ['route="node"', 5],
    ],
  );
});

test('a value on a bound belongs to its bucket, one above all bounds to the last', () => {
  const histogram = new MetricRegistry().histogram('seconds', 'Time', [0.1, 1]);
  for (const value of [0.05, 0.1, 0.5, 1, 7]) histogram.observe(value);
  assert.deepEqual(histogram.buckets, [2, 2, 1]);
  assert.equal(histogram.count, 5);
  assert.equal(histogram.sum, 8.65);
});

test('gauges that are set when somebody looks are set before each snapshot', () => {
  const registry = new MetricRegistry();
  const gauge = registry.gauge('nodes', 'Nodes');
  let nodes = 1;
  registry.onCollect(() => gauge.set(nodes++));
  assert.equal(registry.snapshot()[0]?.value, 1);
  assert.equal(registry.snapshot()[0]?.value, 2);
});

test('a snapshot does not change afterwards', () => {
  const registry = new MetricRegistry();
  const histogram = registry.histogram('seconds', 'Time', [1]);
  const before = registry.snapshot();
  histogram.observe(0.5);
  assert.deepEqual(before[0]?.buckets, [0, 0]);
});

test('a registry holds a bounded number of series', () => {
  const registry = new MetricRegistry();
  for (let i = 0; i < 2_000; i++) registry.counter('c', 'C', { i: String(i) });
  assert.throws(() => registry.counter('c', 'C', { i: 'one more' }), RangeError);
  registry.counter('c', 'C', { i: '7' }).add();
});

test('the threads’ snapshots are added up series by series', () => {
  const threads = [1, 10].map((factor) => {
    const registry = new MetricRegistry();
    registry.counter('total', 'Total').add(factor);
    registry.gauge('level', 'Level', { thread: String(factor) }).set(factor);
    const histogram = registry.histogram('seconds', 'Time', [1, 2]);
    for (let i = 0; i < factor; i++) histogram.observe(1.5);
    return registry.snapshot();
  });
  const merged = mergeSnapshots(threads);
  assert.equal(merged.length, 4);
  assert.equal(merged.find(({ name }) => name === 'total')?.value, 11);
  const histogram = merged.find(({ name }) => name === 'seconds');
  assert.deepEqual(histogram?.buckets, [0, 11, 0]);
  assert.equal(histogram?.count, 11);
  assert.equal(histogram?.value, 16.5);
});

test('the text is Prometheus’s: help and type once a name, cumulative buckets, escaped labels', () => {
  const registry = new MetricRegistry();
  registry.counter('b_total', 'B', { path: 'a"b\\c\nd' }).add(3);
  registry.counter('b_total', 'B', { path: 'plain', method: 'GET' }).add(4);
  registry.gauge('a', 'A').set(-1.5);
  const histogram = registry.histogram('c_seconds', 'C', [0.5, 1], { shard: '0' });
  for (const value of [0.25, 0.75, 0.75, 9]) histogram.observe(value);
  assert.equal(
    renderPrometheus(registry.snapshot()),
    `# HELP a A
# TYPE a gauge
a -1.5
# HELP b_total B
# TYPE b_total counter
b_total{path="a\\"b\\\\c\\nd"} 3
b_total{path="plain",method="GET"} 4
# HELP c_seconds C
# TYPE c_seconds histogram
c_seconds_bucket{shard="0",le="0.5"} 1
c_seconds_bucket{shard="0",le="1"} 3
c_seconds_bucket{shard="0",le="+Inf"} 4
c_seconds_sum{shard="0"} 10.75
c_seconds_count{shard="0"} 4
`,
  );
});
