import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ExpectedSeries } from '../../../../fleet/model/expected-series.ts';
import { SampleLedger } from '../../../../fleet/model/sample-ledger.ts';
import { type Aggregate, aggregateOf } from '../../../../fleet/model/tally.ts';
import { seededRandom } from '../../../../src/base/random.ts';
import { mustParseTimestamp } from '../../../../src/protocol/timestamp.ts';

const at = (clock: string): bigint => mustParseTimestamp(`2026-01-31T${clock}Z`);
const ms = (clock: string): number => Number(at(clock) / 1_000_000n);

function seriesOf(samples: readonly (readonly [string, number])[]): ExpectedSeries {
  const series = new ExpectedSeries();
  for (const [clock, value] of samples) series.add(at(clock), value);
  return series;
}

function values(series: ExpectedSeries, minutes: number, aggregate: Aggregate): [string, number][] {
  return series
    .points(minutes * 60_000, 0, Number.MAX_SAFE_INTEGER)
    .map(({ startMs, tally }) => [new Date(startMs).toISOString().slice(11, 16), aggregateOf(tally, aggregate)]);
}

test('samples fall into minutes of UTC, also those a nanosecond before the next', () => {
  const series = seriesOf([
    ['08:00:59.999999999', 1],
    ['08:01:00', 2],
    ['08:29:00', 4],
    ['08:30:00', 8],
  ]);
  assert.deepEqual(values(series, 1, 'sum'), [
    ['08:00', 1],
    ['08:01', 2],
    ['08:29', 4],
    ['08:30', 8],
  ]);
  assert.deepEqual(values(series, 30, 'sum'), [
    ['08:00', 7],
    ['08:30', 8],
  ]);
  assert.deepEqual(values(series, 1_440, 'count'), [['00:00', 4]]);
});

test('a sum does not depend on the order of its samples, at any level', () => {
  const random = seededRandom(7);
  const samples = Array.from({ length: 500 }, (): [string, number] => [
    `08:${String(random.int(60)).padStart(2, '0')}:30`,
    random.between(-1, 1) * 10 ** random.int(18),
  ]);
  const forwards = seriesOf(samples);
  const backwards = seriesOf(samples.toReversed());
  for (const minutes of [1, 30, 1_440])
    assert.deepEqual(values(forwards, minutes, 'sum'), values(backwards, minutes, 'sum'));
  assert.deepEqual(
    values(
      seriesOf([
        ['08:00:00', 1e16],
        ['08:00:01', 1],
        ['08:00:02', -1e16],
      ]),
      1,
      'sum',
    ),
    [['08:00', 1]],
  );
});

test('the last value is that of the latest time; of equal times, the one that arrived later', () => {
  const series = seriesOf([
    ['08:00:05.000000002', 1],
    ['08:00:05.000000001', 2],
    ['08:00:05.000000002', 3],
    ['08:00:04', 4],
  ]);
  assert.deepEqual(values(series, 1, 'last'), [['08:00', 3]]);
  assert.deepEqual(values(series, 1, 'min'), [['08:00', 1]]);
  assert.deepEqual(values(series, 1, 'max'), [['08:00', 4]]);
  assert.deepEqual(values(series, 1, 'avg'), [['08:00', 2.5]]);
});

test('a range takes its start floored to the level and leaves out what begins at its end', () => {
  const series = seriesOf([
    ['08:00:10', 1],
    ['08:01:10', 2],
    ['08:02:10', 4],
  ]);
  assert.deepEqual(series.total('sum', ms('08:00:59'), ms('08:02:00')), { timeMs: ms('08:01:00'), value: 3 });
  assert.deepEqual(series.total('sum', ms('08:01:00'), ms('08:02:00.001')), { timeMs: ms('08:02:00'), value: 6 });
  assert.equal(series.total('sum', ms('08:03:00'), ms('09:00:00')), undefined);
});

test('a ledger keeps what is certain apart from what may have been taken', () => {
  const ledger = new SampleLedger();
  ledger.acknowledge({ atNs: at('08:00:01'), value: 1 });
  ledger.doubt({ atNs: at('08:00:02'), value: 2 });
  assert.deepEqual(values(ledger.certain, 1, 'sum'), [['08:00', 1]]);
  assert.deepEqual(values(ledger.possible(), 1, 'sum'), [['08:00', 3]]);
  assert.deepEqual(values(ledger.certain, 1, 'sum'), [['08:00', 1]], 'asking for one does not change the other');
});
