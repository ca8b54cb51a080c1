/** A long job is read in slices, and is one job all the same. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodedError } from '../../../../src/base/errors.ts';
import type { JobDetail } from '../../../../src/protocol/job.ts';
import { textKey } from '../../../../src/store/kv/keys.ts';
import type { Reader } from '../../../../src/store/kv/store.ts';
import { isSmallJob, jobDetail } from '../../../../src/workers/jobs/job-detail.ts';
import { eventAt } from '../../../support/job-events.ts';
import { JobWorld } from '../../../support/job-world.ts';

const EVENTS = Array.from({ length: 9_500 }, (_, i) => eventAt(i, 'Job-Created', { detail: `number ${i}` }));

/** What the pool sends; `between` runs wherever it lets others have the thread. */
async function read(reader: Reader, id: string, between: () => void = () => {}): Promise<JobDetail> {
  const chunks: Buffer[] = [];
  for await (const chunk of jobDetail(reader, { type: 'jobDetail', id, nowMs: 0, warnings: [] })) {
    if (chunk.byteLength === 0) between();
    else chunks.push(Buffer.from(chunk));
  }
  return JSON.parse(Buffer.concat(chunks).toString('utf8')) as JobDetail;
}

test('a job that gets events while it is read is the job as it was', async () => {
  const world = new JobWorld();
  for (let i = 0; i < 9_000; i += 500) world.update(EVENTS.slice(i, i + 500));
  const { store } = world.actors;
  assert.ok(!isSmallJob(store.get('job', textKey('j-1')) as Uint8Array));
  let next = 9_000;
  // Some of these go to the last row, others to new ones.
  const job = await read(store, 'j-1', () => world.update(EVENTS.slice(next, ++next)));
  assert.ok(next > 9_001, 'it was read in slices');
  assert.deepEqual(job.events, EVENTS.slice(0, 9_000));
  assert.deepEqual((await read(store, 'j-1')).events, EVENTS.slice(0, next));
});

test('a job that is removed before it is read is not found', async () => {
  await assert.rejects(
    read(new JobWorld().actors.store, 'j-1'),
    (error: unknown) => error instanceof CodedError && error.name === 'notFound',
  );
});
