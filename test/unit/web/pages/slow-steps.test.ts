/** What of the list of what needs attention takes longer than it should. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { slowSteps } from '../../../../web/src/pages/overview/attention/slow-steps.ts';

const MINUTE_MS = 60_000;
const NOW = Date.UTC(2026, 0, 31, 12);
const ago = (minutes: number): string => new Date(NOW - minutes * MINUTE_MS).toISOString();
const calm = {
  checkpoints: undefined,
  starts: undefined,
  restores: undefined,
  statuses: {},
  unsaved: [],
  isUnsavedPart: false,
  intervalSeconds: 900,
  nowMs: NOW,
};
const stepsOf = (status: string, ...minutes: number[]) => ({
  jobs: minutes.map((m) => ({ id: `j-${m}`, updatedAt: ago(m), status })),
  before: ago(15),
});
const textsOf = (circumstances: Partial<Parameters<typeof slowSteps>[0]>) =>
  slowSteps({ ...calm, ...circumstances }).map(({ text, link }) => [text, link.search]);

test('a checkpoint that takes long leads to its job, several lead to their list', () => {
  const texts = (checkpointing: number, ...minutes: number[]) =>
    textsOf({ statuses: { Checkpointing: checkpointing }, checkpoints: stepsOf('Checkpointing', ...minutes) });
  assert.deepEqual(texts(2), []);
  assert.deepEqual(texts(2, 20), [['A checkpoint of j-20 has taken 20 m so far.', { id: 'j-20' }]]);
  const list = { phase: 'running', status: 'Checkpointing', updatedBefore: ago(15), sort: 'updatedAt' };
  assert.deepEqual(texts(2, 90, 20), [['All 2 checkpoints in progress have taken more than 15 m.', list]]);
  assert.deepEqual(texts(3, 90, 20), [['2 of 3 checkpoints in progress have taken more than 15 m.', list]]);
});

test('jobs that hang while they start or are restored are told; those that wait for a volume have a row of their own', () => {
  const statuses = { Creating: 1, Created: 1, VolumeUnready: 1, Restoring: 2 };
  assert.deepEqual(textsOf({ statuses, starts: stepsOf('VolumeUnready', 30) }), []);
  assert.deepEqual(textsOf({ statuses, restores: stepsOf('RestoreVolumeUnready', 30) }), []);
  assert.deepEqual(textsOf({ statuses, starts: stepsOf('Created', 130) }), [
    ['j-130 has been starting for 2 h 10 m.', { id: 'j-130' }],
  ]);
  const mixed = {
    ...stepsOf('Created', 130),
    jobs: [...stepsOf('Created', 130).jobs, ...stepsOf('VolumeUnready', 20).jobs],
  };
  assert.deepEqual(textsOf({ statuses, starts: mixed, restores: stepsOf('Restoring', 40, 30) }), [
    [
      'All 2 restores in progress have taken more than 15 m.',
      { phase: 'restoring', updatedBefore: ago(15), sort: 'updatedAt' },
    ],
    [
      '2 of 3 starting jobs have waited for more than 15 m.',
      { phase: 'starting', updatedBefore: ago(15), sort: 'updatedAt' },
    ],
  ]);
});

test('jobs whose checkpoint is overdue are told, where jobs are saved by themselves', () => {
  const unsaved = [2_000, 1_801, 1_800].map((unsavedSeconds, i) => ({
    id: `j-${i}`,
    queueName: 'q',
    unsavedSeconds,
    isNeverSaved: false,
  }));
  assert.deepEqual(textsOf({ unsaved, intervalSeconds: undefined }), []);
  assert.deepEqual(textsOf({ unsaved: unsaved.slice(2) }), []);
  assert.deepEqual(textsOf({ unsaved: unsaved.slice(1) }), [
    ['j-1 was not saved in time: checkpoints are due every 15 m.', { id: 'j-1' }],
  ]);
  assert.deepEqual(textsOf({ unsaved }), [
    [
      '2 of 3 running jobs have more than 30 m of unsaved work: checkpoints are due every 15 m.',
      { phase: 'running', sort: '-unsaved', saved: 'late' },
    ],
  ]);
  const list = { phase: 'running', sort: '-unsaved', saved: 'late' };
  const more = (count: string): unknown[] => [
    [`At least ${count} more than 30 m of unsaved work: checkpoints are due every 15 m.`, list],
  ];
  assert.deepEqual(textsOf({ unsaved, isUnsavedPart: true }), more('2 running jobs have'));
  // Which one it is may change with those that are not read.
  assert.deepEqual(textsOf({ unsaved: unsaved.slice(1), isUnsavedPart: true }), more('1 running job has'));
});
