/** What the overview makes of the server's answers. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { valuesOf } from '../../../../web/src/api/metrics-text.ts';
import { bucketTimes, isCounted, levelOf, merged, stepOf, valuesAt } from '../../../../web/src/charts/buckets.ts';
import { riskTone } from '../../../../web/src/lists/risk-tone.ts';
import {
  ANY,
  goodbyes,
  grouped,
  noticesText,
  reclaimRows,
  reclaimsPerDay,
} from '../../../../web/src/pages/nodes/reclaims.ts';
import { attentionRows } from '../../../../web/src/pages/overview/attention/attention.ts';
import type { Circumstances } from '../../../../web/src/pages/overview/attention/attention-row.ts';
import { changeText } from '../../../../web/src/pages/overview/change-text.ts';
import { queueRows, sumOfRows } from '../../../../web/src/pages/overview/queue-rows.ts';
import { costUsd, savedUsd, sumsOf } from '../../../../web/src/pages/overview/totals.ts';
import { boundsBefore, boundsOf } from '../../../../web/src/range/range.ts';
import { calm, NOW } from './calm.ts';

const MINUTE_MS = 60_000;
const ago = (minutes: number): string => new Date(NOW - minutes * MINUTE_MS).toISOString();
const SINCE = ago(60);
const nodesOf = (count: number): Circumstances['late'] =>
  Array.from({ length: count }, (_, i) => ({ id: `n-${i}`, lastHeartbeat: ago(i) }));
const lostOf = (count: number): Circumstances['lost'] => ({
  nodes: nodesOf(count).map((node, i) => ({ ...node, lastHeartbeat: ago(i + 5), endedAt: ago(i) })),
  since: SINCE,
});
const failedIn = (...queues: string[]): NonNullable<Circumstances['failed']> => ({
  total: queues.length,
  byQueue: Object.fromEntries(queues.map((name) => [name, queues.filter((one) => one === name).length])),
  newest: queues.map((queueName, i) => ({ id: `j-${i}`, queueName, failedAt: ago(i) })),
  since: SINCE,
});
const savedFor = (...minutes: number[]): Circumstances['checkpoints'] => ({
  jobs: minutes.map((m) => ({ id: `j-${m}`, updatedAt: ago(m), status: 'Checkpointing' })),
  before: ago(15),
});

test('nodes that are silent need attention, the more the more', () => {
  const of = (late: number, lost: number, stranded = 0): string[] =>
    attentionRows({ ...calm, late: nodesOf(late), lost: lostOf(lost), stranded }).map(
      ({ severity, text }) => `${severity} ${text}`,
    );
  assert.deepEqual(of(1, 0), ['warning 1 node is late with heartbeats.']);
  assert.deepEqual(of(2, 0), ['warning 2 of 20 nodes are late with heartbeats.']);
  assert.deepEqual(of(3, 0), ['critical 3 of 20 nodes are late with heartbeats.']);
  assert.deepEqual(of(0, 205), ['warning 205 nodes were lost in the last hour and have not come back.']);
  const [gone] = attentionRows({ ...calm, lost: lostOf(2) });
  assert.deepEqual(gone?.link.search, { state: 'lost', heartbeatAfter: SINCE, sort: '-lastHeartbeat' });
  assert.equal(gone?.latest, ago(0), 'when it was declared lost, as what changed has it');
  assert.match(of(0, 1, 1).join(), /warning 1 node was lost in the last hour and has not come back/);
});

test('a reclaim that is to come stands before all but the state of the server, with what it would take', () => {
  const load = { jobs: 2, unsavedSeconds: 783 };
  const node = { id: 'n-1', time: ago(-2), load };
  const rowsOf = (...reclaiming: Circumstances['reclaiming'][number][]) =>
    attentionRows({ ...calm, reasons: ['12 of 12 nodes fell silent at once'], stranded: 1, reclaiming });
  const [, row] = rowsOf(node);
  assert.equal(row?.text, `1 node is being reclaimed at ${ago(-2)}.`);
  assert.equal(row?.stake, '2 jobs, 13 m 3 s unsaved');
  assert.deepEqual(row?.link, { to: '/node', search: { id: 'n-1' } });
  // What has not come is not told as coming.
  const [, due] = rowsOf({ ...node, time: ago(9) });
  assert.equal(due?.text, `1 node is being reclaimed: it was announced for ${ago(9)}, and is still there.`);
  const [, first] = rowsOf({ ...node, time: ago(9) }, node);
  assert.equal(first?.text, `2 nodes are being reclaimed: the first was announced for ${ago(9)}, and is still there.`);
  const [, many] = rowsOf(node, { ...node, id: 'n-2', time: ago(-3), load: { jobs: 1, unsavedSeconds: 60 } });
  assert.equal(many?.text, `2 nodes are being reclaimed, the first at ${ago(-2)}.`);
  assert.equal(many?.stake, '3 jobs, 14 m 3 s unsaved');
  assert.deepEqual(many?.link, { to: '/nodes', search: { mark: 'reclaiming' } });
  // While it is not known what runs on one of them, no sum is told.
  assert.equal(rowsOf(node, { ...node, load: undefined })[1]?.stake, undefined);
  assert.equal(rowsOf({ ...node, load: { jobs: 0, unsavedSeconds: 0 } })[1]?.stake, 'no job');
});

test('jobs that failed within the hour need attention, and the queue of most of them is named', () => {
  const of = (...queues: string[]): unknown[] =>
    attentionRows({ ...calm, failed: failedIn(...queues) }).map(({ text, link }) => [text, link.to, link.search]);
  const list = { phase: 'failed', updatedAfter: SINCE, sort: '-updatedAt' };
  assert.deepEqual(of(), []);
  assert.deepEqual(of('day'), [['j-0 failed in the last hour, in day.', '/job', { id: 'j-0' }]]);
  assert.deepEqual(of('day', 'night', 'night'), [
    ['3 jobs failed in the last hour: 2 in night, 1 in day.', '/jobs', list],
  ]);
  assert.deepEqual(of('day', 'day'), [['2 jobs failed in the last hour, all in day.', '/jobs', list]]);
  const many = { ...failedIn('day'), total: 1_200, byQueue: { day: 1_100, night: 100 } };
  assert.deepEqual(
    attentionRows({ ...calm, failed: many }).map(({ text }) => text),
    ['1,200 jobs failed in the last hour: 1,100 in day, 100 in night.'],
  );
  assert.match(String(of('a', 'b', 'b', 'c')), /4 jobs failed in the last hour: 2 in b, 2 in 2 other queues\./);
});

test('nodes whose silence makes the server doubt itself are told of in one row', () => {
  const reasons = ['12 of 20 nodes fell silent at once'];
  const told = attentionRows({ ...calm, reasons, late: nodesOf(14) }).map(({ key, stake }) => [key, stake]);
  assert.deepEqual(told, [[' of  nodes fell silent at once', '14 late']]);
  const other = attentionRows({ ...calm, reasons: ['the disk is full'], late: nodesOf(14) });
  assert.deepEqual(
    other.map(({ key }) => key),
    ['the disk is full', 'late'],
  );
});

test('that most nodes are silent comes first; that a few are comes after what is lost', () => {
  const keysOf = (late: number): string[] =>
    attentionRows({
      ...calm,
      reasons: [`${late} of 100 nodes fell silent at once`],
      stranded: 3,
    }).map(({ key }) => key);
  const doubt = ' of  nodes fell silent at once';
  assert.deepEqual(keysOf(60), [doubt, 'stranded']);
  assert.deepEqual(keysOf(7), ['stranded', doubt]);
});

test('unsaved work of more than two intervals is too much, and worse in a job that was never saved', () => {
  const of = (unsavedSeconds: number, isNeverSaved: boolean, interval?: number): string =>
    riskTone({ unsavedSeconds, isNeverSaved }, interval);
  assert.deepEqual([of(1_200, false, 600), of(1_201, false, 600), of(1_201, true, 600)], ['', 'warn', 'bad']);
  assert.deepEqual([of(60, true, 600), of(86_400, false), of(86_400, true)], ['', '', '']);
});

test('webhooks that fail need attention, with what waits for them', () => {
  const of = (...waiting: number[]): unknown[] =>
    attentionRows({
      ...calm,
      webhooks: waiting.map((count, i) => ({ id: `on-call-${i}`, waiting: count, lastDelivery: null })),
    }).map(({ severity, text, link }) => [severity, text, link.to, link.search]);
  const rest = ['/settings', { tab: 'webhooks' }];
  assert.deepEqual(of(), []);
  assert.deepEqual(of(0), [['warning', 'Webhook on-call-0 is failing.', ...rest]]);
  assert.deepEqual(of(1), [['warning', 'Webhook on-call-0 is failing: 1 event waits.', ...rest]]);
  assert.deepEqual(of(4, 1_000), [['warning', '2 webhooks are failing: 1,004 events wait.', ...rest]]);
  const tried = [ago(9), ago(2), undefined].map((time, i) => ({
    id: `on-call-${i}`,
    waiting: 1,
    lastDelivery: time === undefined ? null : { time },
  }));
  assert.equal(attentionRows({ ...calm, webhooks: tried })[0]?.latest, ago(2));
});

test('a job that is alone in its trouble is named with the reason, and its row leads to it', () => {
  const oldest = {
    RestoreFailed: { id: 'j-1', reason: 'the image is gone', since: ago(3) },
    VolumeUnready: { id: 'j-2', reason: '', since: ago(4) },
    RestoreVolumeUnready: { id: 'j-3', reason: 'volume vol-3 is not ready', since: ago(5) },
  };
  const of = (statuses: Record<string, number>): unknown[] =>
    attentionRows({ ...calm, statuses, oldest }).map(({ text, link }) => [text, link.search]);
  assert.deepEqual(of({ RestoreFailed: 1, VolumeUnready: 1 }), [
    ['j-1 could not be restored: the image is gone', { id: 'j-1' }],
    ['j-2 cannot start: the volume is not ready.', { id: 'j-2' }],
  ]);
  assert.deepEqual(of({ RestoreVolumeUnready: 1 }), [
    ['j-3 cannot be restored: volume vol-3 is not ready', { id: 'j-3' }],
  ]);
  assert.deepEqual(of({ RestoreVolumeUnready: 2 }), [
    ['2 jobs cannot be restored: the volume is not ready.', { phase: 'restoring', status: 'RestoreVolumeUnready' }],
  ]);
  assert.deepEqual(of({ RestoreFailed: 2 }), [
    ['2 jobs could not be restored.', { phase: 'restoring', status: 'RestoreFailed' }],
  ]);
});

test('what needs attention tells what is at stake, since when, or when it happened last', () => {
  const rows = attentionRows({
    ...calm,
    ...{ stranded: 2, strandedSeconds: 7_200, late: nodesOf(1), lost: lostOf(2) },
    ...{ failed: failedIn('day', 'day'), checkpoints: savedFor(90, 20), statuses: { CheckpointFailed: 2 } },
    oldest: { CheckpointFailed: { id: 'j', reason: '', since: ago(7) } },
  });
  assert.deepEqual(
    rows.map(({ key, stake, since, latest }) => [key, stake ?? (since && `since ${since}`) ?? `latest ${latest}`]),
    [
      ['stranded', '2 h unsaved'],
      ['CheckpointFailed', `since ${ago(7)}`],
      ['failed', `latest ${ago(0)}`],
      ['long-checkpoints', `since ${ago(90)}`],
      ['lost', `latest ${ago(0)}`],
      ['late', `since ${ago(0)}`],
    ],
  );
});

test('stranded jobs tell since when they are, or their last event where nobody knows their nodes', () => {
  const of = (more: object) => attentionRows({ ...calm, stranded: 1, strandedHeard: ago(90), ...more })[0];
  const known = of({ strandedSince: ago(4) });
  assert.deepEqual([known?.since, known?.heard], [ago(4), undefined]);
  const unknown = of({});
  assert.deepEqual([unknown?.since, unknown?.heard], [undefined, ago(90)]);
});

test('nothing needs attention where all is well', () => {
  assert.deepEqual(attentionRows(calm), []);
});

test('each circumstance is one row, the critical ones first, with the list that it is about', () => {
  const rows = attentionRows({
    ...calm,
    reasons: ['the disk is almost full'],
    stranded: 2,
    late: nodesOf(1),
    statuses: { CheckpointFailed: 1, RestoreFailed: 3, Running: 9 },
    findings: [{ id: 'backup-age', severity: 'warning', what: 'The last backup is 9 days old.', remedy: 'Run it.' }],
  });
  assert.deepEqual(
    rows.map(({ severity, text, link }) => [severity, text, link.to, link.search]),
    [
      ['critical', 'The disk is almost full.', '/health', {}],
      ['critical', '2 jobs are stranded: their nodes are gone.', '/jobs', { phase: 'stranded' }],
      ['critical', '3 jobs could not be restored.', '/jobs', { phase: 'restoring', status: 'RestoreFailed' }],
      [
        'warning',
        '1 job could not be saved at the last attempt.',
        '/jobs',
        { phase: 'running', status: 'CheckpointFailed' },
      ],
      ['warning', '1 node is late with heartbeats.', '/nodes', { state: 'late' }],
      ['warning', 'The last backup is 9 days old.', '/health', {}],
    ],
  );
});

test('what is counted is 0 in a bucket without a sample, what is measured has a gap there', () => {
  const times = bucketTimes(Date.UTC(2026, 0, 1, 10, 0, 30), Date.UTC(2026, 0, 1, 10, 3), MINUTE_MS);
  assert.deepEqual(
    times.map((seconds) => new Date(seconds * 1000).getUTCMinutes()),
    [0, 1, 2],
  );
  const points = [{ time: '2026-01-01T10:01:00Z', value: 7 }];
  assert.deepEqual(valuesAt(times, points, 0), [0, 7, 0]);
  assert.deepEqual(valuesAt(times, points, null), [null, 7, null]);
  assert.deepEqual(
    [isCounted('sum', undefined), isCounted('avg', undefined), isCounted('avg', 'count'), isCounted('sum', 'max')],
    [true, false, true, false],
  );
});

test('bars are sums of whole buckets', () => {
  const at = (minute: number, value: number) => ({
    time: new Date(Date.UTC(2026, 0, 1, 10, minute)).toISOString(),
    value,
  });
  assert.deepEqual(merged([at(1, 1), at(9, 2), at(10, 4)], 10 * MINUTE_MS), [at(0, 3), at(10, 4)]);
});

test('a chart asks for the finest level that still holds its range', () => {
  const level = (hours: number, interval?: string): string =>
    levelOf(interval, NOW - hours * 60 * MINUTE_MS, NOW, NOW).name;
  assert.deepEqual([level(24), level(168), level(24 * 365), level(24, '30m')], ['1m', '30m', '24h', '30m']);
});

test('what is counted is summed until a chart is legible, in whole buckets of its level', () => {
  const minutes = (hours: number, interval?: string): number => {
    const startMs = NOW - hours * 60 * MINUTE_MS;
    return stepOf(levelOf(interval, startMs, NOW, NOW), startMs, NOW) / MINUTE_MS;
  };
  assert.deepEqual(
    [1, 6, 24, 168, 24 * 30, 24 * 365].map((hours) => minutes(hours)),
    [1, 1, 10, 30, 240, 1_440],
  );
  // A sum of ten minutes cannot be made of half hours.
  assert.equal(minutes(24, '30m'), 30);
});

test('a figure is read out of the server’s metrics, over all labels and no other name', () => {
  const text = [
    '# HELP cairn_risk Seconds',
    'cairn_risk{queue="a b"} 1.5',
    'cairn_risk{queue="c} 9"} 2',
    'cairn_risk_max 7',
    'cairn_plain 3',
  ].join('\n');
  assert.deepEqual(valuesOf(text, 'cairn_risk'), [1.5, 2]);
  assert.deepEqual(valuesOf(text, 'cairn_plain'), [3]);
});

test('money that nobody told is unknown, not nothing', () => {
  const summary = (values: Record<string, number>) => ({
    items: Object.fromEntries(
      Object.entries(values).map(([name, value]) => [
        `metricDef-${name}`,
        [{ id: name, point: { time: ago(0), value }, metaData: { queueName: 'q' } }],
      ]),
    ),
  });
  assert.equal(costUsd(sumsOf(summary({ jobCost: 0, coreTime: 60 }))), undefined);
  assert.equal(costUsd(sumsOf(summary({ jobCost: 0, coreTime: 0 }))), 0);
  assert.equal(savedUsd(sumsOf(summary({ coreTime: 60, timeSaved: 5 }))), undefined);
  assert.equal(savedUsd(sumsOf(summary({ jobCost: 2, coreTime: 60 }))), 0);
  assert.equal(savedUsd(sumsOf(summary({ onDemandSavings: 2, spotSavings: 1 }))), 3);
});

test('a figure is compared with that of as much time before', () => {
  assert.deepEqual(
    [
      [12, 10],
      [8, 10],
      [10, 10],
      [0, 0],
      [5, 0],
      [0, 5],
      [23, 1],
      [500, 1],
    ].map(([now = 0, before = 0]) => changeText(now, before, String)),
    ['+20 %', '−20 %', 'no change', 'no change', 'was 0', 'was 5', 'was 1', 'was 1'],
  );
  const { startMs } = boundsOf('24h', NOW);
  assert.deepEqual(boundsBefore('24h', NOW), { startMs: startMs - 86_400_000, endMs: startMs });
  const before = boundsBefore('month', NOW);
  assert.deepEqual([new Date(before.startMs).getMonth(), new Date(before.endMs).getMonth()], [2, 3]);
});

test('reclaims are counted by zone and type, with and without notice, of the range alone; the worst first', () => {
  const machine = (state: string, zone: string, minutes: number, more: object = {}) =>
    ({ state, lastHeartbeat: ago(minutes), instance: { zone, instanceType: 'm5' }, ...more }) as never;
  const notice = { interruption: { action: 'terminate', time: ago(5) } };
  const machines = [
    machine('alive', 'a', 0),
    machine('lost', 'b', 20, notice),
    machine('lost', 'b', 30),
    machine('deregistered', 'b', 10),
    machine('late', 'b', 1, notice),
    machine('lost', 'a', 500),
    machine('lost', 'c', 500),
  ];
  const rows = reclaimRows(machines, { startMs: NOW - 60 * MINUTE_MS, endMs: NOW + MINUTE_MS, nowMs: NOW });
  assert.deepEqual(rows, [
    { zone: 'b', instanceType: 'm5', running: 1, noticed: 1, ahead: 1, silent: 1, nodeDays: undefined },
    { zone: 'a', instanceType: 'm5', running: 1, noticed: 0, ahead: 0, silent: 0, nodeDays: undefined },
  ]);
  assert.equal(goodbyes(machines, NOW - 60 * MINUTE_MS, NOW), 1, 'gone by itself');
  assert.equal(goodbyes(machines, NOW - 5 * MINUTE_MS, NOW), 0, 'before the range');
  assert.equal(goodbyes([machine('deregistered', 'b', 10, notice)], 0, NOW), 0, 'taken by the cloud');
  const [over] = reclaimRows(machines, { startMs: NOW - 60 * MINUTE_MS, endMs: NOW - MINUTE_MS, nowMs: NOW });
  assert.deepEqual(
    [over?.noticed, over?.silent, over?.ahead],
    [1, 1, 0],
    'a notice of now is not of a range that is over',
  );
});

test('reclaims of all instance types of a zone are added up, and those of a type in all zones', () => {
  const counts = { running: 1, ahead: 0, silent: 1, nodeDays: 2 };
  const rows = [
    { zone: 'a', instanceType: 'm5', noticed: 3, ...counts },
    { zone: 'b', instanceType: 'm5', noticed: 2, ...counts },
    { zone: 'b', instanceType: 'c5', noticed: 2, ...counts, nodeDays: undefined },
  ];
  const sums = { running: 2, ahead: 0, silent: 2 };
  assert.deepEqual(grouped(rows, 'both'), rows);
  assert.deepEqual(grouped(rows, 'zone'), [
    { zone: 'b', instanceType: ANY, noticed: 4, ...sums, nodeDays: undefined },
    { zone: 'a', instanceType: ANY, noticed: 3, ...counts },
  ]);
  assert.deepEqual(grouped(rows, 'instanceType'), [
    { zone: ANY, instanceType: 'm5', noticed: 5, ...sums, nodeDays: 4 },
    { zone: ANY, instanceType: 'c5', noticed: 2, ...counts, nodeDays: undefined },
  ]);
});

test('a node under notice takes nothing away from what is told of the others', () => {
  assert.equal(noticesText({ noticed: 2, silent: 1, ahead: 1 }), '2 with notice, 1 without, 1 more under notice');
  assert.equal(noticesText({ noticed: 2, silent: 0, ahead: 0 }), '2 with notice, 0 without');
  assert.equal(noticesText({ noticed: 0, silent: 0, ahead: 1 }), '1 under notice');
  assert.equal(noticesText({ noticed: 0, silent: 0, ahead: 0 }), undefined);
});

test('reclaims are told for each day that a machine ran in the range', () => {
  const day = 1_440;
  const machine = (state: string, seen: number, created: number | undefined) =>
    ({
      state,
      lastHeartbeat: ago(seen),
      instance: { zone: 'a', instanceType: 'm5', ...(created !== undefined && { createTime: ago(created) }) },
    }) as never;
  const rateOf = (...machines: never[]): number | undefined => {
    const [row] = reclaimRows(machines, { startMs: NOW - 2 * day * MINUTE_MS, endMs: NOW, nowMs: NOW });
    return row && reclaimsPerDay(row);
  };
  // Two days, one day (lost after it), half a day; what was lost before the range counts for nothing.
  const known = [machine('alive', 0, 9 * day), machine('lost', day, 5 * day), machine('late', 1, day / 2)];
  assert.equal(rateOf(...known, machine('lost', 3 * day, undefined)), 1 / 3.5);
  assert.equal(rateOf(...known, machine('alive', 0, undefined)), undefined);
});

test('jobs that nobody saves need attention; where another engine saves some, until the reader knows', () => {
  const unsaved = (...seconds: number[]) =>
    seconds.map((unsavedSeconds, i) => ({ id: `j-${i}`, queueName: 'q', unsavedSeconds, isNeverSaved: true }));
  const textsOf = (more: Partial<Circumstances>): string[] =>
    attentionRows({ ...calm, isSaving: false, ...more }).map(({ text, stake = '' }) => `${text} ${stake}`);
  assert.deepEqual(textsOf({ unsaved: unsaved(900) }), [
    'Checkpoints are not switched on: the running job was never saved. 15 m unsaved',
  ]);
  assert.deepEqual(textsOf({ unsaved: unsaved(3_600, 60) }), [
    'Checkpoints are not switched on: none of 2 running jobs was ever saved. 1 h 1 m unsaved',
  ]);
  assert.deepEqual(textsOf({ unsaved: unsaved(3_600, 60), isUnsavedPart: true }), [
    'Checkpoints are not switched on: none of the 2 running jobs that were created first was ever saved. ',
  ]);
  assert.deepEqual(textsOf({ unsaved: unsaved(899) }), [], 'it has just begun');
  assert.deepEqual(textsOf({ unsaved: unsaved(900), isSaving: true }), []);
  assert.deepEqual(textsOf({ unsaved: unsaved(900), isSaving: undefined }), [], 'not known');
  const [first, ...others] = unsaved(900, 900);
  const bySome = [...others, { ...(first as (typeof others)[0]), isNeverSaved: false }];
  assert.deepEqual(textsOf({ unsaved: bySome }), [
    'Checkpoints are not switched on: agents save no job by themselves. 30 m unsaved',
  ]);
  assert.deepEqual(textsOf({ unsaved: bySome, isUnsavingKnown: true }), []);
  assert.equal(textsOf({ unsaved: unsaved(900), isUnsavingKnown: true }).length, 1, 'that nobody saves it stays');
});

test('queues in trouble come first, each with the running or stranded job that would lose most, and their sum has all of them', () => {
  const none = { starting: 0, running: 0, restoring: 0, stranded: 0, succeeded: 0, failed: 0, stopped: 0 };
  const queue = (name: string, phases: Partial<typeof none>) => ({
    ...{ name, total: 1, updatedAt: ago(0) },
    phases: { ...none, ...phases },
  });
  const job = (id: string, queueName: string, unsavedSeconds: number) => ({
    ...{ id, queueName, unsavedSeconds, isNeverSaved: false },
  });
  const answers = {
    queues: [queue('calm', { running: 2 }), queue('failing', {}), queue('stranded', { stranded: 1, running: 1 })],
    totals: [{ queue: 'gone', values: new Map([['coreTime', 60]]) }],
    failed: { failing: 3 },
    ended: { failing: 9 },
    unrestored: { calm: 0, stranded: 1 },
    unready: {} as Record<string, number>,
    unstarted: {} as Record<string, number>,
    running: [job('c-9', 'calm', 9), job('s-5', 'stranded', 5), job('c-1', 'calm', 1)],
    stranded: [job('s-7', 'stranded', 7), job('s-6', 'stranded', 6)],
    intervalSeconds: undefined,
  };
  const rows = queueRows(answers);
  assert.deepEqual(
    rows.map(({ name, atRisk }) => `${name} ${atRisk?.id ?? ''}`),
    ['stranded s-7', 'failing ', 'calm c-9', 'gone '],
  );
  // What stands to be lost comes after what is stuck, and before what is over; most of all where it was never saved.
  const namesOf = (more: Partial<typeof answers>): string[] =>
    queueRows({ ...answers, intervalSeconds: 4, ...more }).map(({ name }) => name);
  assert.deepEqual(namesOf({}), ['stranded', 'calm', 'failing', 'gone']);
  // A job whose volume is not ready is stuck as one whose restore failed.
  assert.deepEqual(namesOf({ unready: { failing: 3 } }), ['failing', 'stranded', 'calm', 'gone']);
  assert.deepEqual(namesOf({ unstarted: { failing: 3 } }), ['failing', 'stranded', 'calm', 'gone']);
  const never = { ...job('n-9', 'gone', 9), isNeverSaved: true };
  assert.deepEqual(namesOf({ running: [...answers.running, never] }), ['stranded', 'gone', 'calm', 'failing']);
  // One that has only just begun changes nothing.
  const fresh = { ...job('f-1', 'gone', 1), isNeverSaved: true };
  assert.deepEqual(namesOf({ running: [...answers.running, fresh] }), ['stranded', 'calm', 'failing', 'gone']);
  // Also where another job of the queue has more unsaved work.
  const more = { ...job('n-99', 'gone', 99), isNeverSaved: false };
  assert.deepEqual(namesOf({ running: [...answers.running, never, more] }), ['stranded', 'gone', 'calm', 'failing']);
  // As many as are in trouble: of jobs never saved, then of all that are overdue, then of those that failed.
  const lost = (queueName: string, count: number, isNeverSaved: boolean) =>
    Array.from({ length: count }, (_, i) => ({ ...job(`${queueName}-${i}`, queueName, 9), isNeverSaved }));
  const some = [...lost('calm', 3, false), ...lost('gone', 2, false)];
  const late = [...some, ...lost('failing', 2, true), ...lost('gone', 1, true)];
  assert.deepEqual(namesOf({ running: late }), ['stranded', 'failing', 'gone', 'calm']);
  const even = [...late, ...lost('gone', 1, true), ...lost('gone', 1, false)];
  assert.deepEqual(namesOf({ running: even }), ['stranded', 'gone', 'failing', 'calm']);
  const alike = [...lost('calm', 1, false), ...lost('gone', 1, false), ...lost('failing', 1, false)];
  assert.deepEqual(namesOf({ running: alike }), ['stranded', 'failing', 'calm', 'gone']);
  // Then by what they would lose, and by name.
  const most = [...alike, job('g-10', 'gone', 10), job('c-9', 'calm', 9)];
  assert.deepEqual(namesOf({ running: most }), ['stranded', 'gone', 'calm', 'failing']);
  const sum = sumOfRows(rows);
  assert.deepEqual(
    [sum.phases?.running, sum.phases?.stranded, sum.unrestored, sum.failed, sum.values.get('coreTime'), sum.atRisk?.id],
    [3, 1, 1, 3, 60, 'c-9'],
  );
});
