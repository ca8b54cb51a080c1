/** The list of what changed, of events as the stream tells them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FeedEvent } from '../../../../web/src/api/feed-event.ts';
import {
  isOnTime,
  recentFirst,
  recentRows,
  withFailed,
  withLate,
  withLost,
  withNotable,
  withNotableJobs,
} from '../../../../web/src/pages/overview/recent-rows.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 4, 15) + second * 1_000).toISOString();
let position = 0;
const event = (name: string, second: number, data: FeedEvent['data']): FeedEvent => ({
  position: String(position++),
  name,
  data: { time: at(second), ...data },
});
const ofJob = (job: string, second: number, happened: number): FeedEvent =>
  event('job.event', second, { job, event: { eventType: 'Job-Failed', timestamp: at(happened) } });
const told = (events: readonly FeedEvent[]): unknown[] =>
  recentRows(events, () => false).map(({ event: { name, data }, count }) => [
    data['job'] ?? data['node'] ?? '',
    name,
    count,
  ]);

test('nodes that came are counted whatever became of them, as the log has them', () => {
  const came = ['a', 'b', 'c', 'd', 'e'].map((node, i) => event('node.registered', 10 + i, { node }));
  const rows = recentRows(
    [event('node.lost', 60, { node: 'a' }), event('node.late', 50, { node: 'b' }), ...came],
    () => false,
  );
  assert.deepEqual(
    rows.map(({ event: { name }, count, spanSeconds }) => [name, count, spanSeconds]),
    [
      ['node.lost', 1, 0],
      ['node.late', 1, 0],
      ['node.registered', 5, 4],
    ],
  );
});

test('all kinds have what is notable, also where that is older than the latest events', () => {
  const told = (...positions: string[]): FeedEvent[] =>
    positions.map((position) => ({ position, name: 'node.lost', data: { node: position, time: at(1) } }));
  assert.deepEqual(
    withNotable(told('9', '8'), told('8', '3')).map(({ position }) => position),
    ['9', '8', '3'],
  );
});

test('a job’s event counts from when it happened, not from when the server heard of it', () => {
  assert.deepEqual(told([ofJob('late', 100, 10), event('config.changed', 90, {}), ofJob('soon', 80, 79)]), [
    ['', 'config.changed', 1],
    ['soon', 'job.event', 1],
    ['late', 'job.event', 1],
  ]);
});

test('jobs that failed are in the list, also those of which the stream no longer tells', () => {
  const failed = ['told', 'untold'].map((id, i) => ({ id, queueName: 'day', failedAt: at(30 + i) }));
  assert.deepEqual(told(withFailed([ofJob('told', 50, 30)], failed)), [
    ['untold', 'job.event', 1],
    ['told', 'job.event', 1],
  ]);
});

test('nodes that are lost are in the list as such, also those of which the stream tells no more, or only that they were late', () => {
  const lost = ['told', 'late', 'untold'].map((id, i) => ({ id, lastHeartbeat: at(i), endedAt: at(20 + i) }));
  const events = [event('node.lost', 50, { node: 'told' }), event('node.late', 40, { node: 'late' })];
  assert.deepEqual(told(withLost(events, lost)), [['told', 'node.lost', 3]]);
  assert.deepEqual(withLost(events, lost).at(-1)?.data, { node: 'untold', time: at(22) });
  // As many as are counted elsewhere on the page: what the stream told since comes with the next count.
  assert.deepEqual(told(withLost(events, [])), [['late', 'node.late', 1]]);
});

test('a job or node has one row, of its latest change; nodes that did the same are one row', () => {
  const late = (node: string, second: number): FeedEvent => event('node.late', second, { node });
  assert.deepEqual(
    told([
      late('n1', 60),
      event('node.alive', 55, { node: 'n1' }),
      late('n1', 50),
      late('n2', 40),
      late('n3', 30),
      ofJob('j', 20, 20),
      event('node.lost', 10, { node: 'n9' }),
    ]),
    [
      ['n1', 'node.late', 3],
      ['j', 'job.event', 1],
      ['n9', 'node.lost', 1],
    ],
  );
});

test('nodes that are late no more, as after a restart of the server, are a row of their own', () => {
  const events = ['n1', 'n2', 'n3', 'n4', 'n5', 'n6'].map((node, i) => event('node.late', 60 - i, { node }));
  const isOver = (of: FeedEvent): boolean => isOnTime(of, ['n4', 'n5', 'n6'], Date.parse(at(70)));
  const rows = (isEnded: (of: FeedEvent) => boolean): unknown[] =>
    recentRows(events, isEnded).map(({ count, isOver }) => [count, isOver]);
  assert.deepEqual(rows(isOver), [
    [3, true],
    [3, false],
  ]);
  // What was read before the event says nothing of it.
  assert.deepEqual(
    rows((of) => isOnTime(of, [], Date.parse(at(50)))),
    [[6, false]],
  );
});

test('a node that is late only since the late ones were read is not told before the other figures count it', () => {
  const events = ['n1', 'n2', 'n3'].map((node, i) => event('node.late', 60 - i, { node }));
  const of = (late: readonly string[], second: number): unknown[] =>
    told(withLate(events, late, Date.parse(at(second))));
  assert.deepEqual(of(['n1'], 50), [['n1', 'node.late', 1]]);
  assert.deepEqual(of(['n1', 'n2', 'n3'], 50), [['n1', 'node.late', 3]]);
  // Read after the events: those that are not among the late ones are on time since.
  assert.deepEqual(of([], 70), [['n1', 'node.late', 3]]);
});

test('what happened before follows what is recent, but for jobs and nodes that have changed since', () => {
  const registered = (node: string, second: number): FeedEvent => event('node.registered', second, { node });
  const events = [
    ofJob('now', 100, 100),
    ...['a', 'b', 'c'].map((node) => registered(node, 90)),
    ofJob('now', 40, 40),
    ofJob('then', 60, 10),
    ...['a', 'd', 'e', 'f'].map((node) => registered(node, 20)),
  ];
  const rows = recentFirst(events, Date.parse(at(80)), () => false);
  assert.deepEqual(
    rows.map(({ event: { data }, count }) => [data['job'] ?? data['node'], count]),
    [
      ['now', 1],
      ['a', 3],
      ['d', 3],
      ['then', 1],
    ],
  );
});

test('many nodes tell within which time they did the same', () => {
  const lost = [0, 40, 600].map((second, i) => event('node.lost', second, { node: `n${i}` }));
  assert.deepEqual(
    recentRows(lost, () => false).map(({ count, spanSeconds }) => [count, spanSeconds]),
    [[3, 600]],
  );
  assert.equal(recentRows(lost.slice(0, 1), () => false)[0]?.spanSeconds, 0);
});

test('nodes that are lost at once are told apart from those that were lost in the hour before', () => {
  const lost = [3_000, 3_001, 3_002, 3_004, 3_006, 2_400, 1_200, 60].map((second, i) =>
    event('node.lost', second, { node: `n${i}` }),
  );
  assert.deepEqual(
    recentRows(lost, () => false).map(({ count, spanSeconds }) => [count, spanSeconds]),
    [
      [5, 6],
      [3, 2_340],
    ],
  );
});

test('what happened last to a job is told once, also where the stream does not reach so far back', () => {
  const jobs = [
    { id: 'a', status: 'Failed', since: at(100) },
    { id: 'b', status: 'RestoreVolumeUnready', since: at(50) },
  ];
  assert.deepEqual(
    recentRows(withNotableJobs([ofJob('a', 100, 100)], jobs), () => false).map(({ event: { data } }) => [
      data['job'],
      (data['event'] as { eventType: string }).eventType,
    ]),
    [
      ['a', 'Job-Failed'],
      ['b', 'Volume-RestoreUnready'],
    ],
  );
});
