/** What the page of a job makes of its events. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ticksOf } from '../../../../web/src/charts/timeline-ticks.ts';
import { countShown, eventRows, eventTone, slowText } from '../../../../web/src/pages/jobs/events/event-rows.ts';
import { marksOf, placesOf } from '../../../../web/src/pages/jobs/timeline/marks.ts';
import { drawnOf, timelineOf } from '../../../../web/src/pages/jobs/timeline/timeline.ts';
import { waitsForVolume } from '../../../../web/src/pages/jobs/volumes.ts';

const event = (eventType: string, second: number, more: object = {}) => ({
  eventType,
  timestamp: new Date(second * 1000).toISOString(),
  ...more,
});
const life = [
  event('Job-Creating', 0, { nodeOid: 'a' }),
  event('Volume-Created', 1, { volumnId: 'v' }),
  event('Job-Running', 2),
  event('Job-Checkpointing', 10),
  event('Job-CheckpointSucceeded', 11),
  event('Job-Checkpointing', 20),
  event('Job-CheckpointSucceeded', 21),
  event('Job-Checkpointing', 30),
  event('Job-CheckpointFailed', 31, { detail: 'no-space' }),
  event('Job-Restoring', 40, { nodeOid: 'b' }),
  event('Job-RestoreSucceeded', 45),
  event('Job-Checkpointing', 50),
  event('Job-CheckpointSucceeded', 51, { detail: 'partial: it took no volume' }),
  event('Job-Failed', 60, { detail: 'copy-gone' }),
];

test('marks tell where a job moved, and what failed, on the node where it was', () => {
  assert.deepEqual(
    marksOf(life).map(({ kind, nodeOid, index, label, why }) => [kind, nodeOid, index, label, why]),
    [
      ['unsaved', 'a', 8, 'Checkpoint failed', 'no-space'],
      ['reclaim', 'a', 9, 'Moved to another node', ''],
      ['end', 'b', 13, 'Job failed', 'copy-gone: the machine on which it ran is gone'],
    ],
  );
});

test('a job that waits for a volume is in its step, and a mark names the volume', () => {
  const waits = [
    event('Job-Creating', 0, { nodeOid: 'a' }),
    event('Volume-Unready', 5, { volumnId: 'v1' }),
    event('Job-Running', 9),
    event('Job-Restoring', 20),
    event('Volume-RestoreUnready', 25, { volumnId: 'v2' }),
  ];
  assert.deepEqual(
    marksOf(waits)
      .filter(({ kind }) => kind === 'waits')
      .map(({ index, label }) => [index, label]),
    [
      [1, 'Volume not ready: v1'],
      [4, 'Volume not ready: v2'],
    ],
  );
  assert.deepEqual(
    timelineOf(waits, 30_000)?.lanes[0]?.spans.map(({ phase, endMs }) => [phase, endMs]),
    [
      ['starting', 9_000],
      ['running', 20_000],
      ['restoring', 30_000],
    ],
  );
});

test('a volume that is not ready ends no run: the job goes on, as its run time does', () => {
  const runs = [
    event('Job-Creating', 0, { nodeOid: 'a' }),
    event('Job-Running', 5),
    event('Volume-Unready', 20, { volumnId: 'v1' }),
    event('Job-Failed', 30),
  ];
  assert.deepEqual(
    timelineOf(runs, 60_000)?.lanes[0]?.spans.map(({ phase, endMs }) => [phase, endMs]),
    [
      ['starting', 5_000],
      ['running', 30_000],
    ],
  );
});

test('a job waits for a volume until that is attached, and for another one all the same', () => {
  const waits = (...more: ReturnType<typeof event>[]): boolean =>
    waitsForVolume({
      volumeIds: ['v1', 'v2'],
      events: [event('Job-Creating', 0), event('Volume-Unready', 5, { volumnId: 'v1' }), ...more],
    });
  const attached = event('Volume-Attached', 9, { volumnId: 'v1' });
  assert.equal(waits(), true);
  assert.equal(waits(attached), false);
  assert.equal(waits(event('Volume-Attached', 9, { volumnId: 'v2' })), true);
  assert.equal(waits(event('Volume-Unready', 8, { volumnId: 'v2' }), attached), true);
  assert.equal(waits(event('Volume-Unready', 8), attached), true, 'nobody says which');
});

test('between two runs a job is drawn as not running, however the first one ended; after the last nothing is', () => {
  const runs = [
    event('Job-Creating', 0, { nodeOid: 'a' }),
    event('Job-Running', 1),
    event('Job-Failed', 5),
    event('Job-Creating', 9, { nodeOid: 'b' }),
    event('Job-Running', 10),
    event('Job-Succeeded', 20),
  ];
  assert.deepEqual(
    timelineOf(runs, 60_000)?.lanes.map(({ spans }) => spans.map(({ phase, endMs }) => [phase, endMs])),
    [
      [
        ['starting', 1_000],
        ['running', 5_000],
        ['stopped', 9_000],
      ],
      [
        ['starting', 10_000],
        ['running', 20_000],
      ],
    ],
  );
});

test('checkpoints that went well are one row; one that failed or says something is not hidden in it', () => {
  const rows = eventRows(life, undefined, true);
  assert.deepEqual(
    rows.map(({ event: { eventType }, checkpoints }) => (checkpoints > 0 ? checkpoints : eventType)),
    [
      'Job-Failed',
      'Job-CheckpointSucceeded',
      'Job-Checkpointing',
      'Job-RestoreSucceeded',
      'Job-Restoring',
      // Its attempt is no row of its own.
      1,
      2,
      'Job-Running',
      'Volume-Created',
      'Job-Creating',
    ],
  );
  assert.equal(rows.find(({ checkpoints }) => checkpoints === 2)?.since, life[3]?.timestamp);
  assert.equal(eventRows(life, undefined, false).length, life.length);
  const kinds = (kind: 'problems' | 'volumes' | 'restores') =>
    eventRows(life, kind, true).map(({ event: { eventType } }) => eventType);
  assert.deepEqual(kinds('problems'), ['Job-Failed', 'Job-CheckpointFailed']);
  assert.deepEqual(kinds('volumes'), ['Volume-Created']);
  assert.deepEqual(kinds('restores'), ['Job-RestoreSucceeded', 'Job-Restoring']);
  const sight = { startMs: 9_000, endMs: 21_000 };
  assert.deepEqual(
    eventRows(life, undefined, false, sight).map(({ index }) => index),
    [6, 5, 4, 3],
  );
  // Where the sight ends within a checkpoint, that is no part of those that went well.
  const cut = { ...sight, endMs: Date.parse(life[5]?.timestamp ?? '') };
  assert.deepEqual(
    eventRows(life, undefined, true, cut).map(({ index, checkpoints }) => [index, checkpoints]),
    [
      [5, 0],
      [4, 1],
    ],
  );
  assert.equal(countShown(life, undefined, sight), 4);
  assert.equal(countShown(life, 'checkpoints', undefined), 8);
  assert.equal(countShown(life, undefined, undefined), life.length);
});

test('each event has the node that the job was on, and what went wrong stands out', () => {
  const rows = eventRows(life, 'checkpoints', false);
  assert.deepEqual(
    rows.map(({ nodeOid, event: { timestamp } }) => [Date.parse(timestamp) / 1_000, nodeOid]),
    [
      [51, 'b'],
      [50, 'b'],
      [31, 'a'],
      [30, 'a'],
      [21, 'a'],
      [20, 'a'],
      [11, 'a'],
      [10, 'a'],
    ],
  );
  const tones = life.map(({ eventType }) => eventTone(eventType));
  assert.equal(tones.at(-1), 'bad', 'the job failed');
  assert.equal(tones[8], 'warn', 'a checkpoint failed');
  assert.equal(eventTone('Volume-RestoreUnready'), 'bad');
  assert.equal(tones.filter((tone) => tone !== undefined).length, 2);
});

test('slow checkpoints are one row with the others, which tells how long they took and how many were slow', () => {
  const slow = { detail: 'slow: the checkpoint took longer than a notice' };
  const saved = (second: number, took: number, more: object = {}) => [
    event('Job-Checkpointing', second, more),
    event('Job-CheckpointSucceeded', second + took, more),
  ];
  const rowsOf = (...checkpoints: object[][]) =>
    eventRows([event('Job-Running', 0), ...checkpoints.flat()] as typeof life, undefined, true);
  const told = (...checkpoints: object[][]): unknown[] =>
    rowsOf(...checkpoints).map((row) => [row.checkpoints, row.slow, slowText(row).replaceAll('\u00a0', ' ')]);
  const running = [0, 0, ''];
  assert.deepEqual(told(saved(10, 128, slow), saved(500, 229, slow)), [
    [2, 2, '2 m 8 s to 3 m 49 s, all slow'],
    running,
  ]);
  assert.deepEqual(told(saved(10, 128, slow), saved(500, 20)), [[2, 1, '20 s to 2 m 8 s, 1 slow'], running]);
  assert.deepEqual(told(saved(10, 15), saved(500, 20)), [[2, 0, ''], running]);
  assert.deepEqual(told([event('Job-CheckpointSucceeded', 9, slow)], saved(20, 60)), [[2, 1, '1 m, 1 slow'], running]);
});

test('ticks are round in the reader’s zone, and not more than asked for', () => {
  const HOUR_MS = 3_600_000;
  const start = Date.UTC(2026, 0, 1, 9, 40);
  const { stepMs, at } = ticksOf(start, start + 9.6 * HOUR_MS, 8, HOUR_MS / 2);
  assert.equal(stepMs, 2 * HOUR_MS);
  // Even hours of a zone that is half an hour ahead.
  assert.deepEqual(
    at.map((ms) => new Date(ms).toISOString().slice(11, 16)),
    ['11:30', '13:30', '15:30', '17:30'],
  );
  assert.ok(ticksOf(start, start, 8, 0).at.length <= 8);
});

test('marks stand at their times, and those that are near each other one above the other', () => {
  const places = placesOf([0.1, 0.3, 0.32, 0.5, 0.51, 0.52, 0.53]);
  assert.deepEqual(
    places.map(({ left, level }) => [left, level]),
    [
      ['10%', 0],
      ['30%', -0.5],
      ['32%', 0.5],
      ['50%', -1],
      ['51%', 0],
      ['52%', 1],
      ['53%', -1],
    ],
  );
});

test('checkpoints of two runs are no group, also where what came between them is not shown', () => {
  const run = (second: number, nodeOid: string) => [
    event('Job-Creating', second, { nodeOid }),
    event('Job-Running', second + 1),
    event('Job-Checkpointing', second + 2),
    event('Job-CheckpointSucceeded', second + 3),
  ];
  const events = [...run(0, 'a'), event('Job-Failed', 5), ...run(10, 'b')];
  const told = eventRows(events, 'checkpoints', true).map(({ nodeOid, checkpoints }) => [nodeOid, checkpoints]);
  assert.deepEqual(told, [
    ['b', 1],
    ['a', 1],
  ]);
});

test('of a job with several runs, the events tell where each begins; of one with a single run none does', () => {
  const run = (second: number) => [event('Job-Creating', second, { nodeOid: 'a' }), event('Job-Failed', second + 1)];
  const runs = (events: ReturnType<typeof run>): (number | null)[] =>
    eventRows(events, undefined, true).map((row) => row.run);
  assert.deepEqual(runs([...run(0), ...run(10)]), [null, 2, null, 1]);
  assert.deepEqual(runs(run(0)), [null, null]);
});

test('checkpoints that failed alike are one row, also among the problems alone; those that failed otherwise are another', () => {
  const failed = (second: number, detail: string) => [
    event('Job-Checkpointing', second),
    event('Job-CheckpointFailed', second + 1, { detail }),
  ];
  const good = [event('Job-Checkpointing', 30), event('Job-CheckpointSucceeded', 31)];
  const events = [
    event('Job-Running', 0, { nodeOid: 'a' }),
    ...failed(10, 'no-space: 3 MiB left'),
    ...failed(20, 'no-space: 1 MiB left'),
    ...good,
    ...failed(40, 'no-space: 1 MiB left'),
    ...failed(50, 'timed-out'),
    ...failed(60, 'timed-out'),
  ];
  const told = (kind: 'problems' | undefined) =>
    eventRows(events, kind, true)
      .filter(({ checkpoints }) => checkpoints > 0)
      .map(({ event: { eventType, detail = '' }, checkpoints, since }) => [
        eventType.slice('Job-Checkpoint'.length),
        checkpoints,
        detail,
        Date.parse(since) / 1_000,
      ]);
  assert.deepEqual(told(undefined), [
    ['Failed', 2, 'timed-out', 50],
    ['Failed', 1, 'no-space: 1 MiB left', 40],
    ['Succeeded', 1, '', 30],
    ['Failed', 2, 'no-space: 1 MiB left', 10],
  ]);
  assert.deepEqual(told('problems'), [
    ['Failed', 2, 'timed-out', 51],
    ['Failed', 1, 'no-space: 1 MiB left', 41],
    ['Failed', 2, 'no-space: 1 MiB left', 11],
  ]);
});

test('of very many checkpoints that are thin as hairlines, a lane shows what runs between, until one zooms in', () => {
  const minutes = 60;
  const events = [event('Job-Running', 0, { nodeOid: 'a' })];
  for (let at = 15; at <= 15 * 100; at += 15)
    events.push(event('Job-Checkpointing', at * minutes), event('Job-CheckpointSucceeded', (at + 1) * minutes));
  // One of them took an hour.
  events.push(event('Job-Checkpointing', 1_520 * minutes), event('Job-CheckpointSucceeded', 1_580 * minutes));
  const timeline = timelineOf(events, 1_600 * minutes * 1_000);
  assert.ok(timeline?.lanes[0]);
  const [{ spans }] = timeline.lanes;
  const phases = (sight: { startMs: number; endMs: number }): string[] =>
    drawnOf(spans, sight).spans.map(({ phase, startMs, endMs }) => `${phase} ${(endMs - startMs) / 60_000}`);
  assert.deepEqual(phases(timeline), ['running 1520', 'checkpointing 60', 'running 20']);
  assert.deepEqual(phases({ startMs: 0, endMs: 31 * 60_000 }), [
    'running 15',
    'checkpointing 1',
    'running 14',
    'checkpointing 1',
  ]);
});

test('how long a checkpoint or a restore took is told with its end, where its beginning was reported', () => {
  const told = eventRows(life, undefined, false)
    .toReversed()
    .flatMap(({ event: { eventType }, afterMs }) => (afterMs === null ? [] : [[eventType, afterMs]]));
  assert.deepEqual(told, [
    ['Job-CheckpointSucceeded', 1_000],
    ['Job-CheckpointSucceeded', 1_000],
    ['Job-CheckpointFailed', 1_000],
    ['Job-RestoreSucceeded', 5_000],
    ['Job-CheckpointSucceeded', 1_000],
  ]);
  const volume = [event('Job-Restoring', 1), event('Volume-Created', 3), event('Job-RestoreFailed', 9)];
  assert.equal(eventRows(volume, undefined, true)[0]?.afterMs, 8_000);
  assert.equal(
    eventRows([event('Job-Running', 1), event('Job-CheckpointSucceeded', 9)], undefined, true)[0]?.afterMs,
    null,
  );
});

test('checkpoints in one row open below it, and stay open when another one joins them', () => {
  const [first] = eventRows(life, undefined, true)
    .filter(({ checkpoints }) => checkpoints > 1)
    .map((row) => row.first);
  assert.equal(first, 3);
  const opened = new Set([3]);
  const shape = (events: typeof life) =>
    eventRows(events, 'checkpoints', true, undefined, opened)
      .filter((row) => row.first >= 3 && row.index <= 7)
      .map(({ index, checkpoints, isMember }) => [index, checkpoints, isMember]);
  // One alone stands for itself.
  assert.deepEqual(shape(life.slice(0, 5)), [[4, 1, false]]);
  assert.deepEqual(shape(life.slice(0, 7)), [
    [6, 2, false],
    [6, 0, true],
    [5, 0, true],
    [4, 0, true],
    [3, 0, true],
  ]);
});
