/** Who asks for the job as it is now does not get the image of a save that began before. */
import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { Door } from '../../../../agent/jobs/door.ts';
import { Job } from '../../../../agent/jobs/job.ts';
import type { JobContext } from '../../../../agent/jobs/job-context.ts';
import type { Jobs } from '../../../../agent/jobs/jobs.ts';
import { JobsPart } from '../../../../agent/jobs/jobs-part.ts';
import { ManualTimers } from '../manual-timers.ts';

const folder = mkdtempSync(join(tmpdir(), 'cairn-save-of-now-'));

after(() => rmSync(folder, { recursive: true }));

const log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A job with a save in progress. Each save hangs in its beginning until it is let go, and fails then. */
async function busyJob() {
  const seen: string[] = [];
  const goes: (() => void)[] = [];
  const record = { phase: 'running', engine: 'criu', startedMs: 0, lastCheckpointMs: 0, stop: null };
  const context = {
    id: 'job',
    record,
    services: {
      timers: new ManualTimers(),
      settings: () => ({ ckptMode: 'iterative', ckptOnSigTerm: true, diagnosisMode: false, imagePath: '/nowhere' }),
      log,
      saveMBps: () => null,
      noticeMs: 30_000,
    },
    copy: { init: null, signal: (name: string) => seen.push(name) > 0 },
    folder: { dump: '/nowhere' },
    commit: async (changes: object, events: readonly { eventType: string }[] = []): Promise<void> => {
      Object.assign(record, changes);
      seen.push(...events.map(({ eventType }) => eventType));
      if (events[0]?.eventType === 'Job-Checkpointing') await new Promise<void>((go) => goes.push(go));
    },
  };
  const job = new Job(context as unknown as JobContext);
  void job.saver.save('the interval');
  await settle();
  const finishOne = async (): Promise<void> => {
    await settle();
    goes.shift()?.();
    await settle();
  };
  return { job, seen, finishOne };
}

const ONE = ['Job-Checkpointing', 'Job-CheckpointFailed'];

test('SIGTERM takes the last checkpoint after it came, once, and only then reaches the job', async () => {
  const { job, seen, finishOne } = await busyJob();
  void job.signal('SIGTERM');
  await finishOne();
  assert.deepEqual(seen, [...ONE, 'Job-Checkpointing']);
  void job.signal('SIGTERM');
  await finishOne();
  assert.deepEqual(seen, [...ONE, ...ONE, 'SIGTERM', 'SIGTERM']);
});

test('a checkpoint on demand begins after the demand', async () => {
  const { job, seen, finishOne } = await busyJob();
  const socket = Object.assign(new EventEmitter(), {
    write: (text: string) => seen.push(JSON.parse(text).type) > 0,
    destroy: () => {},
  });
  new Door({ get: () => job } as unknown as Jobs).accept(socket as unknown as Socket);
  socket.emit('data', Buffer.from(`${JSON.stringify({ type: 'checkpoint', job: 'job' })}\n`));
  await finishOne();
  await finishOne();
  assert.deepEqual(seen, [...ONE, ...ONE, 'done']);
});

test('an order of the server begins a checkpoint after it; a recommendation to leave takes the one in progress', async () => {
  const { job, seen, finishOne } = await busyJob();
  writeFileSync(join(folder, 'config.json'), JSON.stringify({ ckpt: { ckptMode: 'iterative' } }));
  const part = new JobsPart({
    nodeId: 'n',
    instance: { cloud: 'none', zone: '', region: '', instanceId: 'i' } as never,
    dataFolder: folder,
    calls: {} as never,
    isUp: () => false,
    tryNow: () => {},
    beatMs: () => 1_000,
    timers: new ManualTimers(),
    log,
  });
  Object.defineProperty(part.jobs, 'running', { value: [job] });
  part.saveAll('a rebalance recommendation');
  part.order({ id: 'o', node: 'n', type: 'checkpoint', job: 'job' });
  await finishOne();
  await finishOne();
  await finishOne();
  assert.deepEqual(seen, [...ONE, ...ONE]);
  await part.stop();
});
