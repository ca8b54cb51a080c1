/** Each job metric of contract section 6, held to figures that were computed by hand. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JobSample, samplesOfEvents } from '../../../../src/actors/job/formulas.ts';
import type { Counted } from '../../../../src/actors/job/job-state.ts';
import { mergeEvents } from '../../../../src/actors/job/merge-events.ts';
import { SegmentPrices } from '../../../../src/actors/job/segment-price-table.ts';
import { priceSegments } from '../../../../src/actors/job/segment-prices.ts';
import type { JobEvent } from '../../../../src/protocol/job.ts';
import { JOB_DEFINITIONS } from '../../../../src/protocol/metric.ts';
import type { TimedEvent } from '../../../../src/protocol/run-segments.ts';
import type { NodePrice } from '../../../../src/store/records/node-record.ts';
import { event, eventAt, priceOf, timed } from '../../../support/job-events.ts';

const PRICES: ReadonlyMap<string, NodePrice> = new Map([
  ['i-spot', priceOf('n-1', true, 0.36, 1.2)],
  ['i-cheap', priceOf('n-2', true, 0.9, 1.8)],
  ['i-demand', priceOf('n-3', false, 1.8, 1.8)],
]);

const INPUT = { cpus: 1, prices: new SegmentPrices(), nodePrices: new Map(), counted: null, folded: null };

type Shown = readonly [metric: string, value: number];

/** The samples that each event makes, as it arrives, in the order given. */
function play(events: readonly JobEvent[], cpus = 1): { clock: string; samples: Shown[] }[] {
  let known: readonly TimedEvent[] = [];
  let counted: Counted | null = null;
  let prices = new SegmentPrices();
  return events.map((sent) => {
    const added = timed(sent);
    const merged = mergeEvents(known, [added]);
    known = merged.events;
    prices = priceSegments(known, prices, PRICES);
    const made = samplesOfEvents({ ...merged, cpus, prices, nodePrices: PRICES, counted, folded: null });
    counted = made.counted;
    assert.ok(
      made.samples.every(({ at }) => at === added.at),
      'a sample has the time of the event that makes it',
    );
    return { clock: sent.timestamp.slice(11, 19), samples: made.samples.map(shown) };
  });
}

/** Money to nine decimals: the figures by hand are decimal, the sums are doubles. */
function shown({ metric, value }: JobSample): Shown {
  return [metric, Number(value.toFixed(9))];
}

function samplesOf(events: readonly JobEvent[], cpus = 1): Shown[] {
  return play(events, cpus).flatMap(({ samples }) => samples);
}

function valuesOf(metric: string, events: readonly JobEvent[], cpus = 1): number[] {
  return samplesOf(events, cpus)
    .filter(([name]) => name === metric)
    .map(([, value]) => value);
}

/**
 * A job of 2 cpus. Node i-spot is Spot at 0.36 USD an hour (1.20 on demand), i-demand is on demand at 1.80.
 *
 *   08:02 to 08:32  1800 s on i-spot     one good checkpoint attempted at 08:12, one failed; then a reclaim
 *   08:32 to 08:36  restoring            the first restore fails after 90 s, the second succeeds after 60 s
 *   08:36 to 09:06  1800 s on i-demand   then stopped
 *   10:00 to 10:20  1200 s on i-demand   opened again, then succeeded
 *
 * The restored checkpoint holds 08:02 to 08:12: timeSaved 600 s, coreTimeSaved 600 × 2 = 1200, and, restored on i-demand,
 * spotSavings 600 ÷ 3600 × 1.80 = 0.30.
 * First end: runtime 09:06 − 08:02 = 3840 s; coreTime (1800 + 1800) × 2 = 7200; jobCost 0.5 × 0.36 + 0.5 × 1.80 = 1.08;
 * onDemandSavings 0.5 × (1.20 − 0.36) = 0.42, i-demand adds none.
 * Second end, in all: runtime 10:20 − 08:02 = 8280 s, coreTime (1800 + 1800 + 1200) × 2 = 9600, jobCost 1.08 + 1200 ÷ 3600 ×
 * 1.80 = 1.68. It adds 8280 − 3840 = 4440 s, 9600 − 7200 = 2400 and 1.68 − 1.08 = 0.60, and nothing to onDemandSavings.
 */
const EXAMPLE: readonly JobEvent[] = [
  event('08:00:00', 'Job-Creating', { nodeOid: 'i-spot', containerId: 'c-1' }),
  event('08:01:00', 'Volume-Created', { volumnId: 'vol-1' }),
  event('08:01:12.5', 'Volume-Attached', { volumnId: 'vol-1' }),
  event('08:01:30', 'Job-Created'),
  event('08:02:00', 'Job-Running'),
  event('08:12:00', 'Job-Checkpointing'),
  event('08:12:20', 'Job-CheckpointSucceeded'),
  event('08:22:00', 'Job-Checkpointing'),
  event('08:22:45', 'Job-CheckpointFailed'),
  event('08:32:00', 'Job-Restoring', { nodeOid: 'i-cheap', containerId: 'c-2' }),
  event('08:33:30', 'Job-RestoreFailed'),
  event('08:35:00', 'Job-Restoring', { nodeOid: 'i-demand', containerId: 'c-3' }),
  event('08:36:00', 'Job-RestoreSucceeded'),
  event('08:36:10', 'Job-Running'),
  event('09:06:00', 'Job-Stopped'),
  event('10:00:00', 'Job-Running'),
  event('10:20:00', 'Job-Succeeded'),
];

test('the worked example gives at each event the figures that were computed by hand', () => {
  const steps = play(EXAMPLE, 2).filter(({ samples }) => samples.length > 0);
  assert.deepEqual(
    steps.map(({ clock, samples }) => [clock, ...samples]),
    [
      ['08:01:12', ['volumeAttachTime', 12.5]],
      ['08:12:00', ['checkpointAttempt', 1]],
      ['08:12:20', ['checkpointSuccess', 1], ['checkpointTime', 20]],
      ['08:22:00', ['checkpointAttempt', 1]],
      ['08:22:45', ['checkpointFailure', 1], ['checkpointTime', 45]],
      ['08:32:00', ['restoreAttempt', 1]],
      ['08:33:30', ['restoreFailure', 1], ['restoreTime', 90]],
      ['08:35:00', ['restoreAttempt', 1]],
      [
        '08:36:00',
        ['restoreSuccess', 1],
        ['restoreTime', 60],
        ['spotProtection', 1],
        ['timeSaved', 600],
        ['coreTimeSaved', 1_200],
        ['spotSavings', 0.3],
      ],
      ['09:06:00', ['runtime', 3_840], ['coreTime', 7_200], ['jobCost', 1.08], ['onDemandSavings', 0.42]],
      ['10:20:00', ['runtime', 4_440], ['coreTime', 2_400], ['jobCost', 0.6]],
    ],
  );
});

test('the example makes every job metric but jobSubmitted, which is made when the first event arrives', () => {
  const made = new Set(samplesOf(EXAMPLE).map(([metric]) => `metricDef-${metric}`));
  const missing = JOB_DEFINITIONS.map(({ id }) => id).filter((id) => !made.has(id));
  assert.deepEqual(missing, ['metricDef-jobSubmitted']);
});

test('events that stand for nothing make no sample', () => {
  for (const type of [
    'Job-Creating',
    'Job-Created',
    'Job-Running',
    'Volume-Created',
    'Volume-Unready',
    'Job-Levitating',
    'constructor',
    '__proto__',
  ])
    assert.deepEqual(samplesOf([event('08:00:00', type)]), [], type);
});

for (const end of ['Job-Succeeded', 'Job-Failed', 'Job-Stopped']) {
  test(`${end} counts what ran`, () => {
    const events = [
      event('08:00:00', 'Job-Creating', { nodeOid: 'i-cheap' }),
      event('08:00:30', 'Job-Running'),
      event('09:00:30', end),
    ];
    // One hour at 0.90, which saves 0.90 against 1.80, on 4 cpus.
    assert.deepEqual(samplesOf(events, 4), [
      ['runtime', 3_600],
      ['coreTime', 14_400],
      ['jobCost', 0.9],
      ['onDemandSavings', 0.9],
    ]);
  });
}

test('a job that never ran makes no sample when it ends', () => {
  assert.deepEqual(samplesOf([event('08:00:00', 'Job-Creating'), event('08:01:00', 'Job-Failed')]), []);
  const runsLater = [event('08:05:00', 'Job-Running'), event('08:01:00', 'Job-Stopped')];
  assert.deepEqual(samplesOf(runsLater), [], 'a Job-Running after the end is none before it');
});

test('the run time counts pauses between segments, the core time does not', () => {
  const events = [
    event('08:00:00', 'Job-Running'),
    event('08:10:00', 'Job-Restoring'),
    event('08:25:00', 'Job-RestoreSucceeded'),
    event('08:30:00', 'Job-Succeeded'),
  ];
  // 600 s + 300 s ran, 900 s were spent restoring.
  assert.deepEqual(valuesOf('runtime', events), [1_800]);
  assert.deepEqual(valuesOf('coreTime', events), [900]);
});

test('times are whole nanoseconds until they are divided once', () => {
  const events = [event('08:00:00.000000001', 'Job-Running'), event('08:00:00.300000002', 'Job-Stopped')];
  const samples: JobSample[] = [];
  const known = events.map(timed);
  samples.push(...samplesOfEvents({ ...INPUT, events: known, arrived: [1], cpus: 0.1 }).samples);
  assert.equal(samples.find(({ metric }) => metric === 'runtime')?.value, 300_000_001 / 1e9);
  assert.equal(samples.find(({ metric }) => metric === 'coreTime')?.value, (300_000_001 / 1e9) * 0.1);
});

test('a node without a known price costs nothing and saves nothing', () => {
  const events = [
    event('08:00:00', 'Job-Creating', { nodeOid: 'i-nobody' }),
    event('08:00:30', 'Job-Running'),
    event('09:00:30', 'Job-Succeeded'),
  ];
  assert.deepEqual(valuesOf('jobCost', events), [0]);
  assert.deepEqual(valuesOf('onDemandSavings', events), [0]);
});

test('each segment costs what its own node costs', () => {
  const events = [
    event('08:00:00', 'Job-Creating', { nodeOid: 'i-spot' }),
    event('08:00:00', 'Job-Running'),
    event('09:00:00', 'Job-Restoring', { nodeOid: 'i-cheap' }),
    event('09:00:00', 'Job-RestoreSucceeded'),
    event('11:00:00', 'Job-Succeeded'),
  ];
  // 1 h × 0.36 + 2 h × 0.90; savings 1 h × 0.84 + 2 h × 0.90.
  assert.deepEqual(valuesOf('jobCost', events), [2.16]);
  assert.deepEqual(valuesOf('onDemandSavings', events), [2.64]);
});

test('a restore without a good checkpoint protects, but saves no time', () => {
  for (const before of [[], [event('08:10:00', 'Job-Checkpointing'), event('08:11:00', 'Job-CheckpointFailed')]]) {
    const events = [
      event('08:00:00', 'Job-Running'),
      ...before,
      event('08:20:00', 'Job-Restoring', { nodeOid: 'i-spot' }),
      event('08:21:00', 'Job-RestoreSucceeded'),
    ];
    assert.deepEqual(samplesOf(events).slice(-3), [
      ['restoreSuccess', 1],
      ['restoreTime', 60],
      ['spotProtection', 1],
    ]);
  }
});

test('a restore that failed saves nothing and protects nothing', () => {
  const events = [
    event('08:00:00', 'Job-Running'),
    event('08:10:00', 'Job-Checkpointing'),
    event('08:11:00', 'Job-CheckpointSucceeded'),
    event('08:20:00', 'Job-Restoring'),
    event('08:21:00', 'Job-RestoreFailed'),
  ];
  assert.deepEqual(samplesOf(events).slice(-2), [
    ['restoreFailure', 1],
    ['restoreTime', 60],
  ]);
});

/** `[timeSaved, coreTimeSaved, spotSavings]` of each restore, on 2 cpus. */
function savings(events: readonly JobEvent[]): number[][] {
  return play(events, 2).flatMap(({ samples }) => {
    const values = samples.filter(([name]) => /^timeSaved|^coreTimeSaved|^spotSavings/.test(name));
    return values.length === 0 ? [] : [values.map(([, value]) => value)];
  });
}

/** Runs from 08:00 on i-spot, saved at 08:10, restored at 08:22 (10 minutes lost), saved at 08:32, restored on i-demand. */
const TWICE: readonly JobEvent[] = [
  event('08:00:00', 'Job-Creating', { nodeOid: 'i-spot' }),
  event('08:00:00', 'Job-Running'),
  event('08:10:00', 'Job-Checkpointing'),
  event('08:10:10', 'Job-CheckpointSucceeded'),
  event('08:20:00', 'Job-Restoring', { nodeOid: 'i-spot' }),
  event('08:22:00', 'Job-RestoreSucceeded'),
  event('08:32:00', 'Job-Checkpointing'),
  event('08:32:10', 'Job-CheckpointSucceeded'),
  event('08:40:00', 'Job-Restoring', { nodeOid: 'i-demand' }),
  event('08:42:00', 'Job-RestoreSucceeded'),
];

test('a second restore saves what the first brought back and what ran from then to the attempt', () => {
  // First 600 s; then 600 s that the first brought back and 08:22 to 08:32. The run from 08:10 to 08:20 was thrown away.
  // 600 × 2, 600 ÷ 3600 × 0.36; 1200 × 2, 1200 ÷ 3600 × 1.80.
  assert.deepEqual(savings(TWICE), [
    [600, 1_200, 0.06],
    [1_200, 2_400, 0.6],
  ]);
});

test('restored at 160 s from a checkpoint at 110 s, checkpointed at 260 s, restored again: 160 s are saved', () => {
  const events = [
    eventAt(50, 'Job-Running'),
    eventAt(110, 'Job-Checkpointing'),
    eventAt(112, 'Job-CheckpointSucceeded'),
    eventAt(160, 'Job-Restoring'),
    eventAt(160, 'Job-RestoreSucceeded'),
    eventAt(260, 'Job-Checkpointing'),
    eventAt(265, 'Job-CheckpointSucceeded'),
    eventAt(300, 'Job-Restoring'),
    eventAt(310, 'Job-RestoreSucceeded'),
  ];
  assert.deepEqual(valuesOf('timeSaved', events), [60, 160]);
});

test('a job restored twice from one checkpoint saves the same twice', () => {
  const again = [event('08:50:00', 'Job-Restoring', { nodeOid: 'i-spot' }), event('08:52:00', 'Job-RestoreSucceeded')];
  // The last one on i-spot: 1200 ÷ 3600 × 0.36.
  assert.deepEqual(savings([...TWICE, ...again]).slice(1), [
    [1_200, 2_400, 0.6],
    [1_200, 2_400, 0.12],
  ]);
});

test('a restore without a checkpoint begins from nothing: what ran before it is in no later checkpoint', () => {
  const events = [
    event('08:00:00', 'Job-Running'),
    event('08:20:00', 'Job-Restoring'),
    event('08:21:00', 'Job-RestoreSucceeded'),
    event('08:31:00', 'Job-Checkpointing'),
    event('08:31:10', 'Job-CheckpointSucceeded'),
    event('08:40:00', 'Job-Restoring', { nodeOid: 'i-cheap' }),
    event('08:41:00', 'Job-RestoreSucceeded'),
  ];
  // 08:21 to 08:31: 600 × 2, 600 ÷ 3600 × 0.90.
  assert.deepEqual(savings(events), [[600, 1_200, 0.15]]);
});

test('a pause without a restore loses nothing', () => {
  const events = [
    event('08:00:00', 'Job-Running'),
    event('08:10:00', 'Job-Stopped'),
    event('08:30:00', 'Job-Running'),
    event('08:40:00', 'Job-Checkpointing'),
    event('08:40:10', 'Job-CheckpointSucceeded'),
    event('08:50:00', 'Job-Restoring', { nodeOid: 'i-demand' }),
    event('08:51:00', 'Job-RestoreSucceeded'),
  ];
  // 600 + 600, × 2, 1200 ÷ 3600 × 1.80.
  assert.deepEqual(savings(events), [[1_200, 2_400, 0.6]]);
});

test('a restore that arrives late saves what the checkpoint before it held, not what a later one held', () => {
  const late = TWICE[5] as JobEvent;
  const events = [...TWICE.filter((one) => one !== late), late];
  // By 08:42 the restore at 08:22 is not known, so the job did not run from 08:20 to 08:32, and the checkpoint of 08:32 holds
  // 1200 s. The late restore saves the 600 s of 08:10: 600 × 2, 600 ÷ 3600 × 0.36.
  assert.deepEqual(savings(events), [
    [1_200, 2_400, 0.6],
    [600, 1_200, 0.06],
  ]);
});

test('a checkpoint that arrives after the restore that used it is not in that restore, but in the next', () => {
  const late = TWICE[3] as JobEvent;
  const events = [...TWICE.slice(0, 3), ...TWICE.slice(4, 6), late, ...TWICE.slice(6)];
  // The first restore makes no sample of time: no good checkpoint is known. The second has 600 + 600.
  assert.deepEqual(savings(events), [[1_200, 2_400, 0.6]]);
});

test('where the job was restored to arrives late: the price of the node that is known by then counts', () => {
  const late = TWICE[4] as JobEvent;
  const moved = { ...late, nodeOid: 'i-cheap' };
  const events = [...TWICE.slice(0, 4), TWICE[5] as JobEvent, moved];
  // Restored on i-spot as far as is known: 600 ÷ 3600 × 0.36. What comes later changes no sample that was made.
  assert.deepEqual(savings(events), [[600, 1_200, 0.06]]);
});

test('an outcome without an attempt of its own has no time', () => {
  const events = [
    event('08:00:00', 'Job-CheckpointSucceeded'),
    event('08:00:10', 'Job-Checkpointing'),
    event('08:00:25', 'Job-CheckpointFailed'),
    event('08:00:30', 'Job-CheckpointSucceeded'),
    event('08:01:00', 'Job-RestoreFailed'),
    event('08:01:10', 'Job-Restoring'),
    event('08:01:12', 'Job-Restoring'),
    event('08:01:15', 'Job-RestoreFailed'),
    event('08:01:20', 'Job-RestoreSucceeded'),
  ];
  assert.deepEqual(valuesOf('checkpointTime', events), [15]);
  assert.deepEqual(valuesOf('restoreTime', events), [3], 'from the latest of two attempts');
});

test('a volume’s attach time is counted from the creation of the same volume', () => {
  const events = [
    event('08:00:00', 'Volume-Created', { volumnId: 'vol-1' }),
    event('08:00:05', 'Volume-Created', { volumnId: 'vol-2' }),
    event('08:00:08', 'Volume-Attached', { volumnId: 'vol-1' }),
    event('08:00:09', 'Volume-Attached', { volumnId: 'vol-3' }),
    event('08:00:10', 'Volume-Attached'),
    event('08:00:15', 'Volume-Attached', { volumnId: 'vol-2' }),
  ];
  assert.deepEqual(samplesOf(events), [
    ['volumeAttachTime', 8],
    ['volumeAttachTime', 10],
  ]);
});

test('a sample is made from the events that are known when its event arrives', () => {
  const [running, attempt, success, end] = [
    event('08:00:00', 'Job-Running'),
    event('08:10:00', 'Job-Checkpointing'),
    event('08:11:00', 'Job-CheckpointSucceeded'),
    event('08:20:00', 'Job-Succeeded'),
  ] as const;
  assert.deepEqual(samplesOf([running, success, attempt, end]), [
    ['checkpointSuccess', 1],
    ['checkpointAttempt', 1],
    ['runtime', 1_200],
    ['coreTime', 1_200],
    ['jobCost', 0],
    ['onDemandSavings', 0],
  ]);
});

test('what comes later than the arriving event does not count for it', () => {
  const events = [
    event('08:00:00', 'Job-Running'),
    event('08:30:00', 'Job-Running'),
    event('08:40:00', 'Job-Succeeded'),
    event('08:10:00', 'Job-Stopped'),
  ];
  // The end at 08:40 counted 2400 s; the earlier one, which came late, would count 600 s: it adds nothing.
  assert.deepEqual(valuesOf('runtime', events), [2_400]);
  assert.deepEqual(valuesOf('coreTime', events), [2_400]);
});

test('ends that add nothing make nothing, however many come', () => {
  const events = [
    event('08:00:00', 'Job-Running'),
    event('08:10:00', 'Job-Stopped'),
    event('08:10:00', 'Job-Failed'),
    event('08:09:00', 'Job-Stopped'),
  ];
  assert.deepEqual(
    samplesOf(events).map(([metric]) => metric),
    ['runtime', 'coreTime', 'jobCost', 'onDemandSavings'],
  );
});
