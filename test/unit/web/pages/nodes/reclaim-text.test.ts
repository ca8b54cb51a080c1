/** What the dashboard says of a reclaim. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RECLAIM_OUTCOMES, type ReclaimedJob } from '../../../../../src/protocol/lists/reclaim.ts';
import {
  costText,
  costWords,
  exactCostText,
  headingText,
  idleText,
  isAllAhead,
  isBad,
  jobCostText,
  jobWorkText,
  noticeText,
  outcomeText,
  runningOn,
  timeLeftText,
  warningText,
} from '../../../../../web/src/pages/nodes/reclaim-text.ts';

const plain = (text: string): string => text.replaceAll('\u00a0', ' ');
const JOB: ReclaimedJob = {
  id: 'j',
  queueName: 'q',
  outcome: 'restored',
  nodeOid: 'i-b',
  downSeconds: 42,
  repeatedSeconds: 60,
  cost: 1,
};

test('a notice is told by the time that it left, and one that never came as none', () => {
  const notice = { action: 'terminate', time: '2026-01-31T12:02:00Z' };
  const received = { notice: { ...notice, receivedAt: '2026-01-31T12:00:30Z' } };
  assert.deepEqual(
    [plain(warningText(received)), plain(noticeText(received))],
    ['1 m 30 s before', 'with 1 m 30 s notice'],
  );
  assert.deepEqual([warningText({ notice }), noticeText({ notice })], ['Yes', 'after a notice']);
  assert.deepEqual([warningText({ notice: null }), noticeText({ notice: null })], ['None', 'without notice']);
});

test('beside a node that is reclaimed stands the time left, and afterwards that it is due', () => {
  const left = (seconds: number): string =>
    plain(timeLeftText('2026-01-31T12:02:00Z', Date.UTC(2026, 0, 31, 12, 2) - seconds * 1_000));
  assert.deepEqual([left(90), left(0.4), left(0), left(-60)], ['1 m 30 s left', '1 s left', 'due', 'due']);
});

test('what became of a job says how long it took and that a node follows, where there is one', () => {
  assert.equal(plain(outcomeText(JOB, 'lost')), 'restored in 42 s on');
  assert.equal(outcomeText({ ...JOB, outcome: 'restoring', downSeconds: null }, 'lost'), 'being restored on');
  assert.equal(outcomeText({ ...JOB, outcome: 'stranded', downSeconds: null, nodeOid: null }, 'lost'), 'stranded');
  const bad = RECLAIM_OUTCOMES.filter((outcome) => isBad({ outcome }));
  assert.deepEqual(
    bad,
    ['restoreFailed', 'failed', 'stranded'].sort((a, b) => order(a) - order(b)),
  );
});

function order(outcome: string): number {
  return (RECLAIM_OUTCOMES as readonly string[]).indexOf(outcome);
}

test('work whose price is not known is not told to cost nothing', () => {
  assert.equal(costText({ repeatedSeconds: 60, cost: 0 }), '–');
  assert.equal(costText({ repeatedSeconds: 0, cost: 0 }), '$0.00');
  assert.equal(costText({ repeatedSeconds: 60, cost: 1.5 }), '$1.50');
  // One column has one precision; the exact figure is its tooltip.
  assert.equal(costText({ repeatedSeconds: 60, cost: 0.0024 }), '< $0.01');
  assert.equal(exactCostText({ repeatedSeconds: 60, cost: 0.0024 }), '$0.0024');
  assert.equal(exactCostText({ repeatedSeconds: 60, cost: 0 }), undefined);
});

test('a job that still runs on a node under notice has lost nothing: what it would lose is told, and no cost', () => {
  const runs: ReclaimedJob = {
    ...JOB,
    outcome: 'running',
    nodeOid: null,
    downSeconds: null,
    repeatedSeconds: 0,
    cost: 0,
  };
  assert.equal(outcomeText(runs, 'alive'), 'still runs there');
  assert.equal(outcomeText(runs, 'late'), 'ran there when the node fell silent');
  assert.deepEqual([plain(jobWorkText(runs, 783)), jobCostText(runs)], ['13 m 3 s unsaved', '–']);
  assert.deepEqual([jobWorkText(runs, undefined), jobWorkText(runs, null)], ['–', '–']);
  assert.deepEqual([plain(jobWorkText(JOB, 783)), jobCostText(JOB)], ['1 m', '$1.00']);
});

test('a node that fell silent without a notice was lost: whether the cloud took it nobody knows', () => {
  const notice = { action: 'terminate', time: '2026-01-31T12:02:00Z' };
  assert.equal(headingText({ notice: null, state: 'lost' }), 'Lost');
  assert.equal(headingText({ notice, state: 'lost' }), 'Reclaimed');
  assert.equal(headingText({ notice, state: 'late' }), 'Reclaim');
  assert.equal(costWords({ notice: null, jobs: [JOB] }), 'This loss cost');
  assert.equal(costWords({ notice, jobs: [JOB] }), 'This reclaim cost');
});

test('what is not repeated yet has cost nothing so far', () => {
  const stranded: ReclaimedJob = { ...JOB, outcome: 'stranded', nodeOid: null, downSeconds: null };
  assert.equal(costWords({ notice: null, jobs: [JOB, stranded] }), 'This loss will cost');
  assert.equal(costWords({ notice: null, jobs: [JOB, { ...stranded, repeatedSeconds: 0 }] }), 'This loss cost');
});

test('jobs that still run on a node under notice are told apart from those that a reclaim interrupted', () => {
  const runs: ReclaimedJob = {
    ...JOB,
    outcome: 'running',
    nodeOid: null,
    downSeconds: null,
    repeatedSeconds: 0,
    cost: 0,
  };
  const moved: ReclaimedJob = { ...runs, outcome: 'running', nodeOid: 'i-b' };
  const of = (state: 'alive' | 'lost', jobs: ReclaimedJob[], jobCount = jobs.length): [number, boolean] => [
    runningOn({ state, jobs, jobCount }),
    isAllAhead({ state, jobs, jobCount }),
  ];
  assert.deepEqual(of('alive', [JOB, runs, runs]), [2, false]);
  assert.deepEqual(of('alive', [runs, runs]), [2, true]);
  // Those that are not listed have no more to repeat than the last that is.
  assert.deepEqual(of('alive', [JOB, runs], 12), [11, false]);
  assert.deepEqual(of('alive', [JOB, moved], 12), [0, false]);
  assert.deepEqual(
    [of('lost', [runs]), of('alive', [])],
    [
      [0, false],
      [0, false],
    ],
  );
});

test('a node under notice that is still there has interrupted no job yet, and is counted apart', () => {
  const gone = { notice: null, state: 'lost' } as const;
  const here = { notice: { action: 'terminate', time: '2026-01-31T12:02:00Z' }, state: 'alive' } as const;
  assert.equal(idleText([gone], true), '1 more reclaim interrupted no job');
  assert.equal(idleText([gone, gone], false), '2 reclaims interrupted no job');
  assert.equal(idleText([here], false), '1 node under notice runs no job');
  assert.equal(
    idleText([here, gone, { ...here, state: 'late' }], true),
    '1 more reclaim interrupted no job · 2 nodes under notice run no job',
  );
});
