import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobContext } from '../../../../agent/jobs/job-context.ts';
import { JobSaver } from '../../../../agent/jobs/job-save.ts';
import { ManualTimers } from '../manual-timers.ts';

/** A job whose copy has just ended: each save fails once it is let, and tells its beginning and its end. */
function endedJob(begins: Promise<void> = Promise.resolve()) {
  const timers = new ManualTimers();
  const events: string[] = [];
  const services = {
    timers,
    settings: () => ({ ckptMode: 'iterative', intervalMs: 300, diagnosisMode: false, imagePath: '/nowhere' }),
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} },
    saveMBps: () => null,
    noticeMs: 30_000,
  };
  const record = { phase: 'running', engine: 'criu', startedMs: -1e6, lastCheckpointMs: -1e6 };
  const commit = async (changes: object, told: readonly { eventType: string }[] = []): Promise<void> => {
    Object.assign(record, changes);
    events.push(...told.map(({ eventType }) => eventType));
    if (events.at(-1) === 'Job-Checkpointing') await begins;
  };
  const context = { services, record, commit, id: 'job', copy: { init: null }, folder: { dump: '/nowhere' } };
  return { timers, events, saver: new JobSaver(context as unknown as JobContext, {} as never) };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('a save that is in progress when the copy ends is told to its end, and none begins after it', async () => {
  const { saver, timers, events } = endedJob();
  saver.start();
  await saver.finish();
  await settle();
  timers.advance(10_000);
  await settle();
  assert.deepEqual(events, ['Job-Checkpointing', 'Job-CheckpointFailed']);
  assert.equal((await saver.save('on demand')).ok, false);
  assert.equal(events.length, 2);
});

test('the next copy is saved again', async () => {
  const { saver, timers, events } = endedJob();
  await saver.finish();
  saver.start();
  await settle();
  timers.advance(10_000);
  await settle();
  assert.ok(events.includes('Job-Checkpointing'));
  saver.stop();
});

test('a save that is given up has failed, once, and its end is not waited for', { timeout: 10_000 }, async () => {
  let release = (): void => {};
  const hanging = new Promise<void>((resolve) => {
    release = resolve;
  });
  const { saver, events } = endedJob(hanging);
  const saving = saver.save('on demand');
  await saver.abandon();
  await saver.finish();
  assert.deepEqual(events, ['Job-Checkpointing', 'Job-CheckpointFailed']);
  release();
  assert.equal((await saving).ok, false);
  assert.equal(events.length, 2);
});
