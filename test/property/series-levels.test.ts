/**
 * Law: whatever the order of samples, late samples, flushes, merges, rollups, kills and restarts, every level and every summary
 * gives what a model over all acknowledged samples gives, to the last digit; and removal takes nothing that a level still holds.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BUCKET_VALUES } from '../../src/protocol/metric.ts';
import { LEVELS } from '../../src/protocol/rollup-retention.ts';
import { DAY_MS } from '../../src/store/series/series-layout.ts';
import fc from '../support/laws/fast-check.ts';
import { measure } from '../support/series-content.ts';
import { Killed, SeriesWorld, type TakenSample } from '../support/series-world.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 3_600_000;

type Command =
  | { readonly type: 'send'; readonly samples: readonly SentAgo[] }
  /** Not committed yet when the next command comes: a kill loses them. */
  | { readonly type: 'sendOnly'; readonly samples: readonly SentAgo[] }
  | { readonly type: 'pass'; readonly ms: number }
  | { readonly type: 'flush' }
  | { readonly type: 'keep'; readonly killAt: number | null; readonly late: readonly SentAgo[] }
  | { readonly type: 'restart' };

interface SentAgo {
  readonly objectId: string;
  readonly metric: string;
  readonly agoMs: number;
  readonly subNs: number;
  readonly value: number;
}

const sample: fc.Arbitrary<SentAgo> = fc
  .constantFrom(
    ['queue-a', 'jobSubmitted'] as const,
    ['queue-a', 'runtime'] as const,
    ['queue-a', 'volumeAttachTime'] as const,
    ['queue-b', 'runtime'] as const,
    ['system-total', 'runtime'] as const,
    ['node-1', 'cpuPercent'] as const,
  )
  .chain(([objectId, metric]) =>
    fc.record({
      objectId: fc.constant(objectId),
      metric: fc.constant(metric),
      agoMs: fc.oneof(
        fc.nat(3 * MINUTE_MS),
        fc.nat(26 * HOUR_MS),
        fc.nat(168 * HOUR_MS),
        fc.nat(3 * HOUR_MS).map((ms) => -ms),
      ),
      subNs: fc.constantFrom(0, 0, 1, 999_999),
      value: measure,
    }),
  );
const samples = fc.array(sample, { minLength: 1, maxLength: 8 });

const command: fc.Arbitrary<Command> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ type: fc.constant('send' as const), samples }) },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('sendOnly' as const), samples }) },
  {
    weight: 3,
    arbitrary: fc.record({
      type: fc.constant('pass' as const),
      ms: fc.oneof(
        fc.nat(10 * MINUTE_MS),
        fc.nat(26 * HOUR_MS),
        fc.nat(9 * DAY_MS),
        fc.constantFrom(30 * DAY_MS, 70 * DAY_MS),
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('flush' as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      type: fc.constant('keep' as const),
      killAt: fc.option(fc.nat(12)),
      late: fc.oneof(fc.constant([]), samples),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant('restart' as const) }) },
);

async function carryOut(series: SeriesWorld, command: Command): Promise<void> {
  const at = (sent: readonly SentAgo[]): TakenSample[] =>
    sent.map(({ agoMs, ...rest }) => ({ ...rest, timeMs: series.nowMs - agoMs }));
  switch (command.type) {
    case 'send':
      series.send(at(command.samples));
      series.world.settle();
      return;
    case 'sendOnly':
      series.send(at(command.samples));
      series.world.turn();
      return;
    case 'pass':
      series.pass(command.ms, 3);
      return;
    case 'flush':
      series.flushAll();
      return;
    case 'keep': {
      let commits = 0;
      series.beforeCommit = () => {
        if (commits === 1 && command.late.length > 0) {
          // Between what the pool has read and what main commits, a late block is written.
          series.send(at(command.late));
          series.flushAll();
        }
        if (commits++ === command.killAt) throw new Killed();
      };
      const ended = await series.keep();
      if (!ended) series.restart();
      return;
    }
    case 'restart':
      series.restart();
      return;
  }
}

function check(series: SeriesWorld, question: Question): void {
  const { nowMs } = series;
  for (const { objectId, metric } of question.asked) {
    for (const level of LEVELS) {
      const oldestMs = nowMs - level.retentionMs;
      const fromMs = Math.max(oldestMs, nowMs - question.fromAgoMs * (level.retentionMs / LEVELS[0].retentionMs));
      const toMs = question.toAgoMs === null ? nowMs + 2 * DAY_MS : nowMs - question.toAgoMs;
      const range = [objectId, metric, level, fromMs, toMs, question.value] as const;
      assert.deepEqual(series.points(...range), series.expectedPoints(...range), `${objectId} ${metric} ${level.name}`);
    }
  }
  const minute = (ms: number): number => Math.floor(ms / MINUTE_MS) * MINUTE_MS;
  const inFine = minute(nowMs - Math.min(question.fromAgoMs, 167 * HOUR_MS));
  const wholeDay = Math.floor((nowMs - 200 * DAY_MS) / DAY_MS) * DAY_MS;
  const toMs = minute(nowMs - (question.toAgoMs ?? -2 * DAY_MS));
  for (const fromMs of [inFine, wholeDay]) {
    if (fromMs > toMs) continue;
    const found = series.summary(fromMs, toMs);
    assert.deepEqual(found, series.expectedSummary(fromMs, toMs), `summary of ${fromMs} to ${toMs} at ${nowMs}`);
  }
}

interface Question {
  readonly asked: readonly { readonly objectId: string; readonly metric: string }[];
  readonly fromAgoMs: number;
  readonly toAgoMs: number | null;
  readonly value: (typeof BUCKET_VALUES)[number];
}

const question: fc.Arbitrary<Question> = fc.record({
  asked: fc.array(
    sample.map(({ objectId, metric }) => ({ objectId, metric })),
    { minLength: 1, maxLength: 2 },
  ),
  fromAgoMs: fc.oneof(fc.nat(2 * HOUR_MS), fc.nat(168 * HOUR_MS), fc.constant(168 * HOUR_MS)),
  toAgoMs: fc.option(fc.oneof(fc.nat(HOUR_MS), fc.nat(160 * HOUR_MS)), { freq: 2 }),
  value: fc.constantFrom(...BUCKET_VALUES),
});

test('every level and every summary gives what all acknowledged samples give, whatever happens in between', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(command, fc.option(question)), { minLength: 1, maxLength: 16 }),
      question,
      async (steps, last) => {
        const series = new SeriesWorld();
        for (const [step, asked] of steps) {
          await carryOut(series, step);
          if (asked && series.world.inFlight === 0) check(series, asked);
        }
        series.world.settle();
        check(series, last);
        await series.keep();
        check(series, last);
        assert.deepEqual(series.world.crashes, []);
      },
    ),
    { numRuns: Number(process.env['CAIRN_PROPERTY_RUNS'] ?? 40), includeErrorInReport: true },
  );
});
