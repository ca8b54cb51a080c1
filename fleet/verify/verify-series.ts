/** Every series of the fleet's queues, nodes and objects of its own, point by point: equal as doubles, not nearly. */
import { JOB_METRICS, LEVELS } from '../model/definitions.ts';
import { tell } from '../model/differences.ts';
import type { ExpectedPoint } from '../model/expected-series.ts';
import type { SampleLedger } from '../model/sample-ledger.ts';
import { type Aggregate, aggregateOf } from '../model/tally.ts';
import type { NodeRecord } from '../run/node-record.ts';
import { OWN_METRICS, type SampleLedgers } from '../run/sample-runner.ts';
import { type Comparison, eachOf, type Look } from './comparison.ts';
import { hasSamples, type SeriesByMetric } from './expectation.ts';
import { type AnsweredPoint, iso, type ReadBack } from './read-back.ts';

export interface Range {
  readonly fromMs: number;
  readonly toMs: number;
}

const AT_A_TIME = 8;
const AGGREGATES: readonly Aggregate[] = ['sum', 'count', 'avg', 'min', 'max', 'last'];
/** Nodes whose series are read: the path is the same for each. */
const NODES_MAX = 200;

export async function verifyJobSeries(
  comparison: Comparison,
  readBack: ReadBack,
  objects: ReadonlyMap<string, SeriesByMetric>,
  range: Range,
): Promise<void> {
  const looks = [...objects].flatMap(([objectId, series]) =>
    [...JOB_METRICS].flatMap(([metric, aggregate]) =>
      LEVELS.flatMap((level) => [
        { objectId, series, metric, level, aggregate, asks: undefined },
        // The count also tells a wrong average from a wrong sum.
        { objectId, series, metric, level, aggregate: 'count' as const, asks: 'count' as const },
      ]),
    ),
  );
  await eachOf(looks, AT_A_TIME, ({ objectId, series, metric, level, aggregate, asks }) =>
    comparison.check(objectId.startsWith('queue-') ? 'queue series' : 'system total series', async () => {
      const question = { objectId, metric, interval: level.interval, ...range };
      const answered = await readBack.series(asks ? { ...question, aggregate: asks } : question);
      const place = `${objectId} ${metric} ${level.interval} ${aggregate}`;
      if (!answered) return { compared: 1, differences: hasSamples(series) ? [`${place}: is not known`] : [] };
      const expected = series.get(metric)?.points(level.intervalMs, range.fromMs, range.toMs) ?? [];
      return { compared: answered.length, differences: pointDifferences(place, expected, answered, aggregate) };
    }),
  );
}

function pointDifferences(
  place: string,
  expected: readonly ExpectedPoint[],
  answered: readonly AnsweredPoint[],
  aggregate: Aggregate,
): string[] {
  const differences: string[] = [];
  const values = new Map(answered.map(({ startMs, value }) => [startMs, value]));
  for (const { startMs, tally } of expected) {
    const value = aggregateOf(tally, aggregate);
    if (!Object.is(values.get(startMs), value))
      differences.push(tell(`${place} at ${iso(startMs)}`, value, values.get(startMs)));
    values.delete(startMs);
  }
  for (const [startMs, value] of values) differences.push(tell(`${place} at ${iso(startMs)}`, undefined, value));
  return differences;
}

export async function verifyNodeSeries(
  comparison: Comparison,
  readBack: ReadBack,
  nodes: Iterable<NodeRecord>,
  range: Range,
): Promise<void> {
  const looks = [...nodes]
    .filter(({ ledgers }) => ledgers !== undefined)
    .slice(0, NODES_MAX)
    .flatMap(({ life, ledgers }) =>
      [...(ledgers ?? [])].map(([metric, ledger]) => ({ objectId: `node-${life.id}`, metric, ledger })),
    );
  await eachOf(looks, AT_A_TIME, async ({ objectId, metric, ledger }) => {
    for (const level of [LEVELS[0], LEVELS[2]]) {
      await comparison.check('node series', () =>
        lookAtLedger(readBack, { objectId, metric, ledger, level, aggregates: ['avg'], own: 'avg', range }),
      );
    }
  });
}

export async function verifyOwnSeries(
  comparison: Comparison,
  readBack: ReadBack,
  objects: SampleLedgers,
  range: Range,
): Promise<void> {
  const looks = [...objects].flatMap(([objectId, ledgers]) =>
    [...ledgers].flatMap(([metric, ledger]) => LEVELS.map((level) => ({ objectId, metric, ledger, level }))),
  );
  await eachOf(looks, AT_A_TIME, ({ metric, ...look }) => {
    const own = OWN_METRICS.get(metric) as Aggregate;
    return comparison.check('posted series', () =>
      lookAtLedger(readBack, { ...look, metric, aggregates: AGGREGATES, own, range }),
    );
  });
}

interface LedgerLook {
  readonly objectId: string;
  readonly metric: string;
  readonly ledger: SampleLedger;
  readonly level: (typeof LEVELS)[number];
  readonly aggregates: readonly Aggregate[];
  /** The definition's, asked for by not asking. */
  readonly own: Aggregate;
  readonly range: Range;
}

/** Where the count says which samples were taken, the values must be those; in between, only the count is judged. */
async function lookAtLedger(readBack: ReadBack, look: LedgerLook): Promise<Look> {
  const { objectId, metric, ledger, level, range } = look;
  if (!ledger.isComparable) return { compared: 0, differences: [] };
  const question = { objectId, metric, interval: level.interval, ...range };
  const counts = await readBack.series({ ...question, aggregate: 'count' });
  const place = `${objectId} ${metric} ${level.interval}`;
  if (!counts) return { compared: 1, differences: ledger.certain.isEmpty ? [] : [`${place}: is not known`] };
  const least = byStart(ledger.certain.points(level.intervalMs, range.fromMs, range.toMs));
  const most = byStart(ledger.possible().points(level.intervalMs, range.fromMs, range.toMs));
  const differences: string[] = [];
  const settled: ExpectedPoint[] = [];
  const undecided = new Set<number>();
  const counted = new Map(counts.map(({ startMs, value }) => [startMs, value]));
  for (const startMs of new Set([...counted.keys(), ...most.keys()])) {
    const count = counted.get(startMs) ?? 0;
    const low = least.get(startMs)?.tally.count ?? 0;
    const high = most.get(startMs)?.tally.count ?? 0;
    const decided = count === low ? least.get(startMs) : count === high ? most.get(startMs) : undefined;
    if (decided) settled.push(decided);
    else if (typeof count === 'number' && count > low && count < high) undecided.add(startMs);
    else if (count !== 0 || low !== 0) differences.push(tell(`${place} count at ${iso(startMs)}`, [low, high], count));
  }
  for (const aggregate of look.aggregates) {
    const asks = aggregate === look.own ? {} : { aggregate };
    const answered = ((await readBack.series({ ...question, ...asks })) ?? []).filter(
      ({ startMs }) => !undecided.has(startMs),
    );
    differences.push(...pointDifferences(`${place} ${aggregate}`, settled, answered, aggregate));
  }
  return { compared: counts.length * (1 + look.aggregates.length), differences };
}

function byStart(points: readonly ExpectedPoint[]): Map<number, ExpectedPoint> {
  return new Map(points.map((point) => [point.startMs, point]));
}
