/** A notice that comes at a bad moment: what cannot be ended before its time is given up, and the node leaves all the same. */
import assert from 'node:assert/strict';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { until, within } from '../../support/api.ts';
import { CRIU, withCriu } from '../../support/criu.ts';
import type { JobRun } from './job-run.ts';
import { JobsWorld, numbersTo } from './jobs-world.ts';
import { MetadataService } from './metadata-service.ts';

/** Longer than a loaded machine needs for its part; the engine that hangs would take ten minutes. */
const NOTICE_MS = 12_000;
const ACTION = '/latest/meta-data/spot/instance-action';

let world: JobsWorld;
let service: MetadataService;
let engine: string;

before(async () => {
  if (withCriu().skip !== false) return;
  world = await JobsWorld.start({
    'ckpt.ckptMode': 'iterative',
    'ckpt.ckptInterval': '1h0m0s',
    'ckpt.cloudMonitorMode': 'true',
  });
  service = await MetadataService.start();
  engine = join(world.folder, 'criu-that-hangs');
  const hang = `[ -e ${marker('hang')}-$1 ] && touch ${marker('hung')}-$1 && exec sleep 600`;
  await writeFile(engine, `#!/bin/sh\n${hang}\nexec ${resolve(CRIU as string)} "$@"\n`);
  await chmod(engine, 0o755);
  await world.agent('elsewhere', env('off'));
});

after(async () => {
  service?.stop();
  await world?.dispose();
});

afterEach(async () => {
  if (!world) return;
  service.texts.clear();
  for (const name of ['own.txt']) await rm(join(world.work, name), { force: true });
  for (const step of ['dump', 'restore']) await rm(`${marker('hang')}-${step}`, { force: true });
});

const marker = (name: string): string => join(world.folder, name);

const env = (imds: string): Record<string, string> => ({
  CAIRN_IMDS_URL: imds,
  CAIRN_GCP_METADATA_URL: 'off',
  CAIRN_AZURE_METADATA_URL: 'off',
});

const doomed = (name: string) => world.agent(name, { ...env(service.url), CAIRN_CRIU: engine });

const lines = (run: JobRun, count: number): Promise<unknown> =>
  until(
    async () => run.output,
    (text) => text.split('\n').length > count,
    `${count} lines`,
  );

async function hung(step: 'dump' | 'restore'): Promise<void> {
  const { existsSync } = await import('node:fs');
  await until(
    async () => existsSync(`${marker('hung')}-${step}`),
    (isThere) => isThere,
    `the engine to hang in its ${step}`,
  );
}

/** The notice comes; resolves when the node has left. */
async function reclaim(node: string, run: JobRun): Promise<void> {
  const time = new Date(Date.now() + NOTICE_MS).toISOString();
  service.texts.set(ACTION, JSON.stringify({ action: 'terminate', time }));
  assert.equal(await within(run.exited, 'the job to be stopped'), 75, run.errors);
  await until(
    () => world.api.get(`/api/v1/node/${node}`),
    ({ json }) => json.state === 'deregistered',
    'the node to leave',
  );
}

test(
  'a save that takes too long is given up; the job goes on elsewhere from the image before',
  withCriu(),
  async () => {
    await doomed('slow');
    const run = world.count('slow', 'late', 40);
    await lines(run, 5);
    await world.api.post('/api/v1/job/late/checkpoint', {});
    await world.untilEvent('late', 'Job-CheckpointSucceeded');
    await writeFile(`${marker('hang')}-dump`, '');
    await reclaim('slow', run);
    const { json } = await world.api.get('/api/v1/job/late');
    const events: { eventType: string; detail?: string }[] = json.events;
    assert.deepEqual(
      events.map(({ eventType }) => eventType),
      [
        ...['Job-Creating', 'Job-Created', 'Job-Running', 'Job-Checkpointing', 'Job-CheckpointSucceeded'],
        ...['Job-Checkpointing', 'Job-CheckpointFailed', 'Job-Stopped'],
      ],
    );
    assert.match(events.at(-2)?.detail ?? '', /^no-time: /);
    await world.letEnd('late');
    const next = world.count('elsewhere', 'late', 40);
    assert.equal(await within(next.exited, 'the job to end elsewhere'), 7, next.errors);
    assert.deepEqual(await world.ownLines(), numbersTo(40));
    await world.agentOf('slow').kill('SIGKILL');
  },
);

test(
  'a job that is being restored when the notice comes is stopped, and nothing of it is left',
  withCriu(),
  async () => {
    const first = world.count('elsewhere', 'between', 40);
    await lines(first, 5);
    await world.api.post('/api/v1/job/between/checkpoint', {});
    await world.untilEvent('between', 'Job-CheckpointSucceeded');
    first.kill('SIGTERM');
    assert.equal(await within(first.exited, 'the job to be stopped'), 143);
    await doomed('between-two');
    await writeFile(`${marker('hang')}-restore`, '');
    const run = world.count('between-two', 'between', 40);
    await hung('restore');
    await reclaim('between-two', run);
    assert.deepEqual((await world.types('between')).slice(-3), ['Job-Restoring', 'Job-RestoreFailed', 'Job-Stopped']);
    await rm(`${marker('hang')}-restore`);
    await world.letEnd('between');
    const next = world.count('elsewhere', 'between', 40);
    assert.equal(await within(next.exited, 'the job to end elsewhere'), 7, next.errors);
    assert.deepEqual(await world.ownLines(), numbersTo(40));
    await world.agentOf('between-two').kill('SIGKILL');
  },
);
