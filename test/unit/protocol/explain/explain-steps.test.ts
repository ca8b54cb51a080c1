/** A start or a restore: since when, what it waits for, and of which run that is. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { explainJob } from '../../../../src/protocol/explain/explain-job.ts';
import { reasonText } from '../../../../src/protocol/explain/job-circumstances.ts';
import { event, explained, minutesAgo, nodeOf, world } from '../../../support/job-circumstances.ts';

test('a step began with its own event, and a volume that was attached after all is waited for no longer', () => {
  const attached = event('Volume-Attached', 20, { volumnId: 'vol-7' });
  const starts = [event('Job-Creating', 30), attached];
  assert.match(
    explained(world('Creating', { events: starts, updatedAt: minutesAgo(20) }))[0] ?? '',
    new RegExp(`starting-long: Creating since ${minutesAgo(30)};`),
  );
  const waited = [event('Job-Creating', 30), event('Volume-Unready', 25, { volumnId: 'vol-7' })];
  const of = (status: string, events: object[]): string =>
    explained(world(status, { events, updatedAt: minutesAgo(20) }))[0] ?? '';
  assert.match(
    of('VolumeUnready', [...waited, attached]),
    new RegExp(
      `starting-long: Creating since ${minutesAgo(30)}, its volume attached since ${minutesAgo(20)}; it has not`,
    ),
  );
  const other = event('Volume-Attached', 20, { volumnId: 'vol-8' });
  assert.match(
    of('VolumeUnready', [...waited, other]),
    new RegExp(`volume vol-7 has not been ready since ${minutesAgo(25)}`),
  );
  const restored = [event('Job-Restoring', 40), event('Volume-RestoreUnready', 25, { volumnId: 'vol-7' }), attached];
  assert.match(
    of('RestoreVolumeUnready', restored),
    /restoring-long: Restoring since .* without an outcome, its volume attached since /,
  );
});

test('of a job that ran before, what an earlier run left is nothing to wait for and nothing to go on from', () => {
  const before = [
    event('Volume-Created', 55, { volumnId: 'vol-1' }),
    event('Job-Running', 50),
    event('Job-CheckpointSucceeded', 45),
    event('Job-Failed', 40),
    event('Job-Creating', 30),
  ];
  const again = { events: before, updatedAt: minutesAgo(30) };
  assert.match(explained(world('Creating', again))[0] ?? '', /; this run has not started yet\.$/);
  // Its node is gone: that is all that is to be said.
  const lost = { node: nodeOf('lost') };
  const [only, ...others] = explainJob(world('Creating', again, lost)).findings;
  assert.deepEqual([only?.code, others], ['node-lost', []]);
  assert.match(only?.remedy ?? '', /: it starts from scratch\.$/);
  const succeeded = before.with(3, event('Job-Succeeded', 40));
  const after = world('Creating', { events: succeeded, updatedAt: minutesAgo(30) }, lost);
  assert.match(explainJob(after).findings[0]?.remedy ?? '', /: it starts from scratch\.$/);
  const saved = { events: [...before, event('Job-Running', 29), event('Job-CheckpointSucceeded', 20)] };
  assert.match(
    explainJob(world('CheckpointSucceeded', saved, lost)).findings[0]?.remedy ?? '',
    /: it continues from its/,
  );
});

test('a run that was never saved is told so, whatever an earlier run saved', () => {
  const before = [event('Job-Running', 90), event('Job-CheckpointSucceeded', 80), event('Job-Failed', 70)];
  const events = [...before, event('Job-Creating', 60), event('Job-Running', 50)];
  const told = (settings: object): string =>
    explained(world('Running', { events, workAtRisk: 3_000, spotProtCount: 2 }, settings)).at(-1) ?? '';
  assert.equal(
    told({}),
    `warning never-checkpointed: This run began at ${minutesAgo(50)} and has never been saved: no checkpoint has been tried.`,
  );
  assert.match(told({ intervalMs: null }), /^info never-checkpointed: .*; this run has never been saved\.$/);
});

test('a volume that is not ready is named where its event names it', () => {
  const events = [event('Job-Creating', 5), event('Volume-Unready', 3, { volumnId: 'vol-7' })];
  const told = explained(world('VolumeUnready', { events, updatedAt: minutesAgo(3) }))[0] ?? '';
  assert.equal(told, `critical volume-unready: Its volume vol-7 has not been ready since ${minutesAgo(3)}.`);
});

test('a job of which no start was reported is not said to run normally', () => {
  const events = [event('Job-Creating', 50), event('Job-Checkpointing', 41), event('Job-CheckpointSucceeded', 40)];
  assert.deepEqual(explained(world('CheckpointSucceeded', { events, workAtRisk: 0 })), [
    'warning starting-long: Running, but no event says since when: its unsaved work is not known.',
  ]);
  const restored = [...events, event('Job-RestoreSucceeded', 5)];
  assert.match(
    explained(world('RestoreSucceeded', { events: restored, workAtRisk: 300 }))[0] ?? '',
    /^ok running-normally/,
  );
});

test('a checkpoint of the copy before a move is not in progress', () => {
  const before = [event('Job-Running', 55), event('Job-CheckpointSucceeded', 50), event('Job-Checkpointing', 45)];
  const moved = [...before, event('Job-Restoring', 30), event('Job-RestoreSucceeded', 29)];
  const told = explained(world('RestoreSucceeded', { events: moved, workAtRisk: 3_000 })).join();
  assert.match(told, /checkpoints-ceased: No checkpoint has succeeded since/);
  assert.doesNotMatch(told, /in progress/);
});

test('a code for which the agent stopped a job is told in words wherever it is shown; another reason stays as it is', () => {
  const events = [event('Job-Running', 50), event('Job-Stopped', 5, { detail: 'copy-gone' })];
  assert.match(explained(world('Stopped', { events }))[0] ?? '', /: the machine on which it ran is gone\. It ended/);
  assert.equal(reasonText('copy-gone'), 'copy-gone: the machine on which it ran is gone');
  assert.equal(reasonText('exit 3'), 'exit 3');
});

test('of a job that ran again, the end of the run is told, and not the time since the first one', () => {
  const first = [event('Job-Creating', 90), event('Job-Running', 85)];
  for (const end of ['Job-Failed', 'Job-Stopped']) {
    const again = [...first, event(end, 60), event('Job-Creating', 50), event('Job-Running', 45)];
    const told = (status: string): string =>
      explained(world(status, { createdAt: minutesAgo(90), events: [...again, event(`Job-${status}`, 10)] }))[0] ?? '';
    assert.match(told('Succeeded'), /, 40 m after it was submitted again\.$/, end);
    assert.match(told('Failed'), /, 40 m after it was submitted again\./, end);
  }
  const once = { createdAt: minutesAgo(90), events: [...first, event('Job-Succeeded', 10)] };
  assert.match(explained(world('Succeeded', once))[0] ?? '', /, after 1 h 20 m\.$/);
});

test('a checkpoint that failed long ago, and after which none was tried, is no reason to wait for the next', () => {
  const failed = (minutes: number) => {
    const events = [event('Job-Running', 300), event('Job-CheckpointFailed', minutes, { detail: 'no-space: none' })];
    return world('CheckpointFailed', { events, workAtRisk: 18_000 });
  };
  // It is one trouble.
  const [long, ...others] = explainJob(failed(200)).findings;
  assert.match(
    long?.text ?? '',
    /^Its last checkpoint failed: no-space: none\. That was at 2026[^ ]*Z\. None has been tried since\. The job has run since /,
  );
  assert.match(long?.remedy ?? '', /run cairn agent check .* Free some space on the node/);
  assert.doesNotMatch(long?.remedy ?? '', /the next checkpoint comes/);
  assert.deepEqual(others, []);
  assert.match(explained(failed(5))[0] ?? '', /Its last checkpoint failed: no-space/);
});

test('of a job that was restored less than an interval ago, no agent is blamed for its last checkpoint', () => {
  const events = (restored: number) => [
    event('Job-Running', 300),
    event('Job-Checkpointing', 200),
    event('Job-CheckpointSucceeded', 199),
    event('Job-Restoring', restored + 1),
    event('Job-RestoreSucceeded', restored),
  ];
  const remedyOf = (restored: number): string =>
    explainJob(world('RestoreSucceeded', { events: events(restored), workAtRisk: 12_000 })).findings[0]?.remedy ?? '';
  assert.match(remedyOf(2), /^The first checkpoint after the restore of 2026[^ ]*Z is due after the interval, /);
  assert.match(remedyOf(150), /run cairn agent check/);
});

test('a job that is stranded on a node that the server does not know says so, and what to do', () => {
  const events = [event('Job-Creating', 50), event('Job-Running', 49), event('Job-CheckpointSucceeded', 40)];
  const told = (phase: string): ReturnType<typeof explainJob> =>
    explainJob(world('CheckpointSucceeded', { events, phase, workAtRisk: 2_400 }, { node: null, intervalMs: null }));
  const { summary, findings } = told('stranded');
  assert.match(summary, /^Stranded: the server does not know its node i-1\. The last event of the job was at 2026/);
  assert.deepEqual(
    findings.map(({ code, severity }) => `${severity} ${code}`),
    ['critical node-lost'],
    'nothing is said of checkpoints that cannot come',
  );
  assert.match(findings[0]?.remedy ?? '', /continues from its last checkpoint\.$/);
  assert.doesNotMatch(told('running').summary, /Stranded/);
});
