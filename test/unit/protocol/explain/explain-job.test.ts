/** One world for each rule: what the events, the node and the settings say, and what is made of it. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { DETAIL_CODES } from '../../../../agent/base/detail-codes.ts';
import { codeRemedy } from '../../../../src/protocol/explain/code-remedies.ts';
import { explainJob } from '../../../../src/protocol/explain/explain-job.ts';
import { JOB_FINDING_CODES } from '../../../../src/protocol/explain/finding.ts';
import type { WorkerNode } from '../../../../src/protocol/node.ts';
import { event, explained, MINUTE_MS, minutesAgo, nodeOf, seen, world } from '../../../support/job-circumstances.ts';

test('a job that runs and is saved in time runs normally', () => {
  const events = [event('Job-Running', 50), event('Job-CheckpointSucceeded', 5)];
  assert.deepEqual(explained(world('CheckpointSucceeded', { events, workAtRisk: 600 })), [
    'ok running-normally: Running normally.',
  ]);
  assert.equal(explainJob(world('Creating')).summary, `Creating since ${minutesAgo(1)}.`);
  assert.deepEqual(explained(world('Creating')), []);
});

test('a job that ended before its last checkpoint was reported is not told to run again, nor that it runs normally', () => {
  const ended = [event('Job-Running', 50), event('Job-Succeeded', 20)];
  const text = `warning checkpoints-ceased: Succeeded at ${minutesAgo(20)}. A checkpoint was reported after that, at ${minutesAgo(19)}, so the job counts as running.`;
  const late = {
    events: [...ended, event('Job-CheckpointSucceeded', 19), event('Job-Checkpointing', 4)],
    workAtRisk: 60,
  };
  for (const node of [nodeOf('alive'), nodeOf('lost')])
    assert.deepEqual(explained(world('CheckpointSucceeded', late, { node })), [text]);
  const events = [...ended, event('Job-Running', 10), event('Job-CheckpointSucceeded', 5)];
  assert.deepEqual(explained(world('CheckpointSucceeded', { events, workAtRisk: 60 })), [
    'ok running-normally: Running normally.',
  ]);
});

test('of a job that was restored it is never said that nothing was saved, and it counts from its start', () => {
  const events = [
    event('Job-Running', 50),
    event('Job-Stopped', 30),
    event('Job-Restoring', 29),
    event('Job-RestoreSucceeded', 28),
  ];
  const restored = { events, spotProtCount: 1, workAtRisk: 2_880 };
  assert.deepEqual(explained(world('RestoreSucceeded', restored)), [
    `warning checkpoints-ceased: No successful checkpoint was reported since the job started at ${minutesAgo(50)}, although it was restored.`,
  ]);
  // Also where the event itself is no longer among those that are kept.
  assert.match(explained(world('Running', { ...restored, events: events.slice(0, 1) }))[0] ?? '', /was restored\.$/);
  const lost = explainJob(world('RestoreSucceeded', restored, { node: nodeOf('lost') }));
  assert.match(lost.findings[0]?.remedy ?? '', /it continues from the checkpoint of its last restore\.$/);
  const off = explained(world('RestoreSucceeded', restored, { intervalMs: null }));
  assert.deepEqual(off.slice(1), [
    'info checkpoints-ceased: Checkpoints are switched off; none was reported of this job.',
  ]);
});

test('what to do about a failed checkpoint is said by the code of its reason, once', () => {
  const remedies = (detail: string): (string | null)[] => {
    const events = [event('Job-Running', 50), event('Job-CheckpointFailed', 5, { detail })];
    return explainJob(world('CheckpointFailed', { events, workAtRisk: 3_000 })).findings.map(({ remedy }) => remedy);
  };
  assert.match(
    remedies('no-time: 93 s are needed, 60 s are left')[0] ?? '',
    /use faster storage or a shorter ckpt\.ckpt/,
  );
  assert.deepEqual(remedies('no-time: 93 s are needed, 60 s are left').slice(1), [null]);
  // While checkpoints are switched off, none is promised.
  const full = [event('Job-Running', 50), event('Job-CheckpointFailed', 5, { detail: 'no-space: 1 MiB free' })];
  const off = explainJob(world('CheckpointFailed', { events: full, workAtRisk: 3_000 }, { intervalMs: null }));
  assert.match(off.findings[0]?.remedy ?? '', /^Free some space on the node, [^:]*folder\. See also/);
  assert.match(remedies('the disk said no')[0] ?? '', /^On node n1, run cairn agent check/);
});

test('each code that an agent gives a failed checkpoint has a remedy, and the guide names it', async () => {
  const guide = await readFile('docs/guide/jobs.md', 'utf8');
  const named = [...guide.matchAll(/^\| `([a-z-]+)` \| CheckpointFailed \|/gm)].map(([, code]) => code ?? '');
  assert.ok(named.length > 10);
  for (const code of named) {
    assert.ok((DETAIL_CODES as readonly string[]).includes(code), code);
    assert.ok(codeRemedy(`${code}: why`), code);
  }
  assert.equal(codeRemedy('restore-failed: why'), undefined);
});

test('failed checkpoints are counted since the last good one, with their reason; three are critical', () => {
  const failed = (minutes: number) => event('Job-CheckpointFailed', minutes, { detail: 'no-space: disk is full' });
  const saved = event('Job-CheckpointSucceeded', 55);
  const two = { events: [event('Job-Running', 58), failed(57), saved, failed(40), failed(20)], workAtRisk: 600 };
  assert.deepEqual(explained(world('CheckpointFailed', two)), [
    `warning checkpoints-failing: Its last 2 checkpoints failed: no-space: disk is full. The last of them was at ${minutesAgo(20)}.`,
  ]);
  const three = { events: [failed(50), failed(40), failed(20)] };
  assert.match(explained(world('CheckpointFailed', three))[0] ?? '', /^critical checkpoints-failing: Its last 3/);
  const restored = { events: [failed(50), event('Job-RestoreSucceeded', 40), failed(20)] };
  assert.match(explained(world('CheckpointFailed', restored))[0] ?? '', /Its last checkpoint failed/);
  // What hangs now comes first, with what to do about it.
  const hangs = { events: [...two.events, event('Job-Checkpointing', 17)], workAtRisk: 3_000 };
  const [hanging, failing] = explainJob(world('Checkpointing', hangs)).findings;
  assert.match(hanging?.text ?? '', /^A checkpoint has been in progress since /);
  assert.match(hanging?.remedy ?? '', /^On node n1, run cairn agent check/);
  assert.equal(failing?.code, 'checkpoints-failing');
  const soon = { ...hangs, workAtRisk: 60 };
  assert.match(explained(world('Checkpointing', soon))[0] ?? '', /: A checkpoint has been in progress since /);
  // There is no code to look up.
  const unsaid = world('CheckpointFailed', { events: [event('Job-Running', 50), event('Job-CheckpointFailed', 5)] });
  assert.deepEqual(explained(unsaid), [
    `warning checkpoints-failing: Its last checkpoint failed at ${minutesAgo(5)}. No reason was reported.`,
  ]);
  assert.match(explainJob(unsaid).findings[0]?.remedy ?? '', /^On node n1, run cairn agent check/);
});

test('work that stays unsaved for two intervals is told, and never that nothing was ever saved where it was', () => {
  const never = { events: [event('Job-Running', 50)], workAtRisk: 3_000 };
  assert.deepEqual(explained(world('Running', never)), [
    `warning never-checkpointed: The job has run since ${minutesAgo(50)} and has never been saved: no checkpoint has been tried.`,
  ]);
  const ceased = { events: [event('Job-Running', 55), event('Job-CheckpointSucceeded', 50)], workAtRisk: 3_000 };
  assert.deepEqual(explained(world('CheckpointSucceeded', ceased)), [
    `warning checkpoints-ceased: No checkpoint has been tried since the one that ended at ${minutesAgo(50)}.`,
  ]);
  assert.deepEqual(explained(world('Running', { ...never, workAtRisk: 1_800 })), [
    'ok running-normally: Running normally.',
  ]);
  const off = explained(world('CheckpointSucceeded', ceased, { intervalMs: null }));
  assert.deepEqual(off, [
    'ok running-normally: Running normally.',
    `info checkpoints-ceased: Checkpoints are switched off; the last good one ended at ${minutesAgo(50)}.`,
  ]);
  assert.match(
    explained(world('Running', never, { intervalMs: null }))[1] ?? '',
    /^info never-checkpointed: Checkpoints are/,
  );
});

test('the last good checkpoint holds the work up to its beginning, from which unsaved work is counted', () => {
  const saved = [event('Job-Checkpointing', 53), event('Job-CheckpointSucceeded', 50)];
  const ceased = { events: [event('Job-Running', 55), ...saved], workAtRisk: 3_180 };
  assert.deepEqual(explained(world('CheckpointSucceeded', ceased)), [
    `warning checkpoints-ceased: No work after ${minutesAgo(53)} has been saved: no checkpoint has been tried since.`,
  ]);
  const again = {
    ...ceased,
    events: [
      ...ceased.events,
      event('Job-Checkpointing', 49),
      event('Job-Restoring', 48),
      event('Job-RestoreSucceeded', 47),
    ],
  };
  assert.match(
    explained(world('RestoreSucceeded', again)).join(),
    /: No work after [^ ]*Z has been saved\.$/,
    'one was tried',
  );
  assert.equal(
    explained(world('CheckpointSucceeded', ceased, { intervalMs: null }))[1],
    `info checkpoints-ceased: Checkpoints are switched off; the last good one holds the work up to ${minutesAgo(53)}.`,
  );
});

test('why a job is not saved is told where its node says so, and that a save is in progress', () => {
  const running = { events: [event('Job-Running', 50)], workAtRisk: 3_000 };
  const agent = { version: '1.0.0', canCheckpoint: false, reason: 'the kernel lacks CAP_CHECKPOINT_RESTORE' };
  const unable = world('Running', running, { node: nodeOf('alive', { agent }) });
  assert.deepEqual(explained(unable), [
    `warning never-checkpointed: The job has run since ${minutesAgo(50)} and has never been saved: no checkpoint has been tried. Its node n1 cannot checkpoint jobs: the kernel lacks CAP_CHECKPOINT_RESTORE.`,
  ]);
  assert.equal(explainJob(unable).findings[0]?.remedy, null);
  const silent = world('Running', running, { node: nodeOf('alive', { agent: { ...agent, reason: undefined } }) });
  assert.match(explainJob(silent).findings[0]?.remedy ?? '', /^Run cairn agent check on node n1:/);
  // A node that has sent no logs has one of its own.
  const able = world('Running', running, {
    node: nodeOf('alive', { agent: { version: '1.0.0', canCheckpoint: true } }),
  });
  assert.match(explainJob(able).findings[0]?.remedy ?? '', /^On node n1, .*\(journalctl -u cairn-agent\)\.$/);
  const begun = event('Job-Checkpointing', 45);
  const saving = { events: [event('Job-Running', 59), event('Job-CheckpointSucceeded', 58), begun], workAtRisk: 3_480 };
  assert.deepEqual(explained(world('Checkpointing', saving)), [
    `warning checkpoints-ceased: A checkpoint has been in progress since ${minutesAgo(45)}. No checkpoint has succeeded since the one that ended at ${minutesAgo(58)}.`,
  ]);
  const restarted = { ...saving, events: [...saving.events, event('Job-Running', 44)] };
  assert.match(
    explained(world('Running', restarted))[0] ?? '',
    /: No checkpoint has succeeded since the one that ended at/,
  );
});

test('a checkpoint that lasts much longer than those before it is told, before more is unsaved than usual', () => {
  const took = (minutes: number, seconds: number): object[] => [
    event('Job-Checkpointing', minutes),
    event('Job-CheckpointSucceeded', minutes - seconds / 60),
  ];
  const at = (before: object[], minutes: number, intervalMs: number | null = 15 * MINUTE_MS): string[] => {
    const events = [event('Job-Running', 50), ...before, event('Job-Checkpointing', minutes)];
    return explained(world('Checkpointing', { events, workAtRisk: 600 }, { intervalMs }));
  };
  const normal = ['ok running-normally: Running normally.'];
  const long = (minutes: number, mean: string): string[] => [
    `warning checkpoints-ceased: A checkpoint has been in progress since ${minutesAgo(minutes)}. Those before it took ${mean} on average.`,
  ];
  // Three times 40 s; one that failed took another time.
  const slow = [...took(40, 30), event('Job-Checkpointing', 30), event('Job-CheckpointFailed', 20), ...took(15, 50)];
  assert.deepEqual(at(slow, 1.9), normal);
  assert.deepEqual(at(slow, 2.1), long(2.1, '40 s'));
  assert.deepEqual(at(slow, 2.1, null), long(2.1, '40 s'));
  // Of short ones it is a minute.
  assert.deepEqual(at(took(15, 4), 0.9), normal);
  assert.deepEqual(at(took(15, 4), 1.1), long(1.1, '4 s'));
  // Nothing is known of the first one.
  assert.deepEqual(at([], 14), normal);
  assert.deepEqual(at([], 16), [
    `warning never-checkpointed: A checkpoint has been in progress since ${minutesAgo(16)}.`,
  ]);
});

test('checkpoints that go on arriving are not called switched off, whatever the settings say', () => {
  const saved = [35, 20, 5].map((minutes) => event('Job-CheckpointSucceeded', minutes));
  const job = { events: [event('Job-Running', 50), ...saved], workAtRisk: 300 };
  assert.deepEqual(explained(world('CheckpointSucceeded', job, { intervalMs: null })), [
    'ok running-normally: Running normally.',
  ]);
  const over = {
    ...job,
    events: [event('Job-Running', 90), ...[80, 70].map((m) => event('Job-CheckpointSucceeded', m))],
  };
  assert.match(explained(world('Running', over, { intervalMs: null }))[1] ?? '', /^info checkpoints-ceased/);
});

test('a checkpoint that takes longer than a notice is told until one does not', () => {
  const ran = event('Job-Running', 50);
  const slow = event('Job-CheckpointSucceeded', 5, { detail: 'slow: the checkpoint took 200 s' });
  assert.match(
    explained(world('CheckpointSucceeded', { events: [ran, slow] }))[0] ?? '',
    /^warning cannot-be-saved-in-time/,
  );
  const quick = event('Job-CheckpointSucceeded', 2);
  const foreseen = event('Job-Checkpointing', 1, { detail: 'slow: 9000 MiB at 10 MiB/s take 900 s' });
  for (const events of [[foreseen], [slow, foreseen]])
    assert.match(explained(world('Checkpointing', { events })).join(), /cannot-be-saved-in-time.*9000 MiB/);
  assert.match(
    explained(world('CheckpointSucceeded', { events: [ran, slow, quick] }))[0] ?? '',
    /^ok running-normally/,
  );
});

test('a start or a restore without an outcome is told after a quarter of an hour', () => {
  const stuck = { updatedAt: minutesAgo(30), events: [event('Volume-Created', 40, { volumnId: 'vol-1' })] };
  assert.deepEqual(explained(world('Creating', stuck)), [
    `warning starting-long: Creating since ${minutesAgo(30)}; it has not run yet. Volume vol-1 was created and never attached.`,
  ]);
  assert.match(explained(world('Created', stuck))[0] ?? '', /starting-long: Waiting to start since 2026/);
  assert.match(explained(world('Unknown', stuck))[0] ?? '', /starting-long: No event was reported since 2026/);
  const again = [event('Job-Running', 50), event('Job-Failed', 40), event('Job-Creating', 30)];
  assert.match(explained(world('Creating', { events: again }))[0] ?? '', /Z; this run has not started yet\./);
  assert.match(
    explained(world('Restoring', { updatedAt: minutesAgo(30) }))[0] ?? '',
    /^warning restoring-long: Restoring since 2026/,
  );
  assert.deepEqual(explained(world('Restoring', { updatedAt: minutesAgo(14) })), []);
});

test('a failed restore and a volume that is not ready are critical, with their reason', () => {
  const failed = event('Job-RestoreFailed', 3, { detail: 'file-changed: /data/out' });
  const events = [
    event('Job-Running', 50),
    event('Job-RestoreFailed', 9, { detail: 'file-changed: /data/in' }),
    failed,
  ];
  assert.deepEqual(explained(world('RestoreFailed', { events })), [
    `critical restores-failing: Its last 2 restores failed: file-changed: /data/out. The last of them was at ${minutesAgo(3)}; the job is not running.`,
  ]);
  const said = event('Job-RestoreFailed', 3, { detail: 'restore-failed: no such device' });
  assert.match(
    explained(world('RestoreFailed', { events: [said] }))[0] ?? '',
    /Its last restore failed: no such device\./,
  );
  const other = [event('Job-Running', 50), event('Job-RestoreFailed', 9, { detail: 'no-image: none' }), failed];
  assert.deepEqual(explained(world('RestoreFailed', { events: other })), [
    `critical restores-failing: Its last 2 restores failed, for different reasons. The last of them was at ${minutesAgo(3)}: file-changed: /data/out; the job is not running.`,
  ]);
  assert.match(
    explained(world('RestoreFailed', { events: [event('Job-Running', 50), failed] }))[0] ?? '',
    /: Its last restore failed: file-changed: \/data\/out\. That was at [^;]*; the job is not running\.$/,
  );
  assert.match(
    explained(world('Restoring', { events }))[0] ?? '',
    /^critical restores-failing: .* at [^;]*; another one is in progress\./,
  );
  for (const status of ['VolumeUnready', 'RestoreVolumeUnready'])
    assert.match(
      explained(world(status))[0] ?? '',
      /^critical volume-unready: Its volume has not been ready since 2026[^ ]*Z\.$/,
    );
});

test('what is to be done about a failed restore follows from its reason', () => {
  const remedyOf = (detail: string): string | null | undefined =>
    explainJob(world('RestoreFailed', { events: [event('Job-RestoreFailed', 3, { detail })] })).findings[0]?.remedy;
  for (const [detail, wanted] of [
    [
      'image 3-2: the CPU lacks avx512f, which the image needs',
      /on a node whose processor has avx512f, with the same id/,
    ],
    ['this processor lacks avx2, bmi1', /on a node whose processor has avx2, bmi1, with/],
    ['the image needs avx512f, which this CPU does not have', /on a node whose processor has avx512f, with/],
    ['it is of aarch64, this machine is x86_64', /on a node of aarch64, with/],
    ['/usr/bin/python3 is missing here', /on a node that has the same \/usr\/bin\/python3 as where it was saved/],
    ['restore-failed: cannot open /dev/nvidia0', /on a node that has the same devices and drivers/],
    ['write: No space left on device', /^Free space where the reason says/],
    ['block 12ab in blocks/1 is damaged', /^Check its images \(cairn image verify j1\)/],
  ] as const) {
    const remedy = remedyOf(detail) ?? '';
    assert.match(remedy, wanted, detail);
    assert.equal(remedy.includes('image verify'), !remedy.includes('not at fault'), detail);
  }
});

test('what becomes of the node comes first; nothing more is expected of a job whose node has gone', () => {
  const running = { events: [event('Job-Running', 50), event('Job-CheckpointFailed', 5)], workAtRisk: 3_000 };
  const on = (node: WorkerNode): string[] => explained(world('CheckpointFailed', running, { node }));
  assert.deepEqual(on(nodeOf('lost')), [
    `critical node-lost: Stranded: its node n1 fell silent at ${minutesAgo(10)} and is lost. The job has not been restored since.`,
  ]);
  assert.deepEqual(on(nodeOf('deregistered', { endedAt: minutesAgo(8) })), [
    `critical node-lost: Stranded: its node n1 was deregistered at ${minutesAgo(8)}. The job has not been restored since.`,
  ]);
  assert.equal(
    on(nodeOf('late'))[0],
    `warning node-late: Its node n1 is late: silent since ${minutesAgo(10)}. Without a heartbeat it is lost soon after ${minutesAgo(-2)}.`,
  );
  const interruption = { action: 'terminate', time: '2026-01-01T12:02:00Z' };
  assert.match(
    on(nodeOf('alive', { interruption })).join(),
    /warning node-interrupted: The cloud reclaims its node n1 \(terminate\)/,
  );
  // Once it is gone, what was still to come has come.
  assert.deepEqual(on(nodeOf('deregistered', { interruption })), [
    `critical node-lost: Stranded: the cloud reclaimed its node n1 at ${minutesAgo(10)}. The job has not been restored since.`,
  ]);
});

test('a job that still runs on a node that is reclaimed is run again only after it stops', () => {
  const interruption = { action: 'terminate', time: '2026-01-01T12:02:00Z' };
  const remedyIn = (status: string): string | null | undefined =>
    explainJob(world(status, {}, { node: nodeOf('alive', { interruption }) })).findings.find(
      ({ code }) => code === 'node-interrupted',
    )?.remedy;
  assert.equal(remedyIn('Running'), 'The agent saves and stops it; run it again after it stops.');
  const due = nodeOf('alive', { interruption: { ...interruption, time: minutesAgo(5) } });
  assert.match(explained(world('Running', {}, { node: due })).join(), /at 2026[^ ]*Z, and the node is still there\./);
  assert.match(remedyIn('RestoreFailed') ?? '', /^Run the job again on another node/);
});

test('moments are told, and no age, which a page would count beside it to another figure', () => {
  const begun = [event('Job-Running', 50), event('Job-Checkpointing', 45)];
  const worlds = [
    world('Checkpointing', { events: begun, workAtRisk: 3_000 }),
    world('Running', { events: begun, workAtRisk: 3_000 }, { node: nodeOf('lost') }),
    world('Running', { events: begun, workAtRisk: 3_000 }, { node: nodeOf('late') }),
    world('RestoreFailed', { events: [event('Job-RestoreFailed', 9)] }),
    world('Restoring', { updatedAt: minutesAgo(30) }),
    world('VolumeUnready'),
  ];
  for (const told of worlds.flatMap(explained)) assert.doesNotMatch(told, /\d (d|h|m|s)\b/);
});

test('of a job that has ended only the end is told, whatever became of its node', () => {
  const end = (status: string, more: object[] = []) => ({
    updatedAt: minutesAgo(1),
    events: [
      event('Job-Running', 50),
      ...more,
      event(`Job-${status}`, 1, { detail: status === 'Failed' ? 'exit 7' : undefined }),
    ],
  });
  assert.deepEqual(explained(world('Succeeded', end('Succeeded'), { node: nodeOf('lost') })), [
    `ok succeeded: Succeeded at ${minutesAgo(1)}, after 59 m.`,
  ]);
  const saved = [event('Job-Checkpointing', 5), event('Job-CheckpointSucceeded', 2)];
  assert.deepEqual(explained(world('Failed', end('Failed', saved))), [
    `critical failed: Failed at ${minutesAgo(1)}: exit 7. It ended after 59 m. All 49 m of its work must be repeated.`,
  ]);
  // An earlier run of the same id is not repeated, and neither is what a restore took up again counted twice.
  const again = [event('Job-Failed', 30), event('Job-Creating', 21), event('Job-Running', 20)];
  const moved = [...saved, event('Job-Restoring', 2), event('Job-RestoreSucceeded', 2)];
  const lives: [object[], number][] = [
    [again, 19],
    [[...again, ...moved], 16],
    // No image could be restored.
    [[event('Job-Restoring', 25), event('Job-RestoreFailed', 24), event('Job-Running', 20)], 19],
  ];
  for (const [life, minutes] of lives)
    assert.match(
      explained(world('Failed', end('Failed', life)))[0] ?? '',
      new RegExp(`All ${minutes} m of its work must be repeated\\.$`),
    );
  assert.deepEqual(explained(world('Stopped', end('Stopped'))), [
    `warning stopped: Stopped at ${minutesAgo(1)}, after 59 m. It has no checkpoint.`,
  ]);
  // A code of the agent is told in words.
  const stopped = (detail: string): string =>
    explained(world('Stopped', { events: [event('Job-Running', 50), event('Job-Stopped', 1, { detail })] }))[0] ?? '';
  assert.match(stopped('reclaimed'), /: the cloud reclaimed its node\. It ended after 59 m\./);
  assert.match(stopped('copy-gone'), /: the machine on which it ran is gone\. It ended/);
  for (const detail of ['signal 15', 'constructor'])
    assert.match(stopped(detail), new RegExp(`: ${detail}\\. It ended`));
  const killed = [event('Job-Failed', 1, { detail: 'exit 137: out of memory' })];
  assert.match(
    explained(world('Failed', { events: killed }))[0] ?? '',
    /: Failed at \S+Z: exit 137, out of memory\. It ended/,
  );
});

test('what a job that failed must repeat is a bound once it was restored from a checkpoint of which nothing is known', () => {
  const told = (...life: object[]): string =>
    (explained(world('Failed', { events: [event('Job-Running', 50), ...life, event('Job-Failed', 1)] }))[0] ?? '')
      .split('No reason was reported. ')
      .at(-1) ?? '';
  const bound = (minutes: number): string =>
    `All of its work must be repeated, at least ${minutes} m: what the restored checkpoint held was not reported.`;
  const restored = (minutes: number) => [
    event('Job-Restoring', minutes + 1),
    event('Job-RestoreSucceeded', minutes),
    event('Job-Running', minutes),
  ];
  const saved = (minutes: number) => [event('Job-Checkpointing', minutes), event('Job-CheckpointSucceeded', minutes)];
  const scratch = [event('Job-Stopped', 30), event('Job-Creating', 26), event('Job-Running', 25)];
  assert.equal(told(...restored(20)), bound(19));
  // It may be the checkpoint of the restore before.
  assert.equal(told(...restored(30), ...restored(20)), bound(19));
  // One that is reported after that holds it, too: 15 m of what it holds are known.
  assert.equal(told(...restored(30), ...saved(15), ...restored(10)), bound(24));
  // Its beginning was not reported, and so not what it holds.
  assert.equal(told(event('Job-CheckpointSucceeded', 30), ...restored(20)), bound(19));
  // Neither a run that failed nor one that was not taken up left it.
  assert.equal(
    told(...saved(40), event('Job-Failed', 30), event('Job-Creating', 26), event('Job-Running', 25), ...restored(20)),
    bound(19),
  );
  assert.equal(told(...saved(40), ...scratch, ...restored(20)), bound(19));
  // The run from scratch took up nothing.
  assert.equal(told(...restored(40), ...scratch), 'All 24 m of its work must be repeated.');
  assert.equal(
    told(...restored(40), ...scratch, ...saved(20), ...restored(10)),
    'All 14 m of its work must be repeated.',
  );
  // Nothing was restored.
  assert.equal(told(event('Job-Restoring', 20)), 'All 30 m of its work must be repeated.');
});

test('what went wrong right before a job failed is told with its failure', () => {
  const failedAfter = (...before: object[]): string =>
    explained(world('Failed', { events: [event('Job-Running', 50), ...before, event('Job-Failed', 1)] }))[0] ?? '';
  const unready = event('Volume-Unready', 3, { detail: 'not attached' });
  assert.ok(
    failedAfter(unready).includes(`Before that, at ${minutesAgo(3)}, its volume was not ready: not attached.`),
    failedAfter(unready),
  );
  assert.match(failedAfter(event('Job-CheckpointFailed', 3)), /, a checkpoint failed\. All/);
  assert.doesNotMatch(failedAfter(unready, event('Job-Running', 2)), /Before that/);
  assert.deepEqual(
    explainJob(world('Failed', { events: [unready, event('Job-Failed', 1)] })).findings[0]?.evidence.map(
      ({ time }) => time,
    ),
    [minutesAgo(3), minutesAgo(1)],
  );
});

test('of an exit code that says no more than killed, it is told what kills most often', () => {
  const textOf = (detail: string): string =>
    explained(world('Failed', { events: [event('Job-Failed', 1, { detail })] }))[0] ?? '';
  for (const alone of ['exit code 137', 'exit 137'])
    assert.ok(textOf(alone).includes(`Z: ${alone} (killed, often for want of memory). It ended`), textOf(alone));
  for (const other of ['exit code 1', 'exit code 1370', 'exit code 137 after a stop'])
    assert.doesNotMatch(textOf(other), /memory/);
});

test('every code of the contract has a world here', () => {
  assert.deepEqual([...seen].sort(), [...JOB_FINDING_CODES].sort());
});
