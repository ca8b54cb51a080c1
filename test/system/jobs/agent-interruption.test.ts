/** Interruption notices of the three clouds: the jobs are saved and stopped, and the node leaves, before the time. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { until } from '../../support/api.ts';
import { withCriu } from '../../support/criu.ts';
import { JobsWorld, numbersTo } from './jobs-world.ts';
import { MetadataService } from './metadata-service.ts';

let world: JobsWorld;
let service: MetadataService;

before(async () => {
  world = await JobsWorld.start({
    'ckpt.ckptMode': 'iterative',
    'ckpt.ckptInterval': '1h0m0s',
    'ckpt.cloudMonitorMode': 'true',
  });
  service = await MetadataService.start();
});

after(async () => {
  service.stop();
  await world.dispose();
});

afterEach(() => rm(join(world.work, 'own.txt'), { force: true }));

const off = { CAIRN_IMDS_URL: 'off', CAIRN_GCP_METADATA_URL: 'off', CAIRN_AZURE_METADATA_URL: 'off' };
const inTwoMinutes = (): string => new Date(Date.now() + 120_000).toISOString();

const CLOUDS = [
  {
    cloud: 'AWS',
    env: () => ({ ...off, CAIRN_IMDS_URL: service.url }),
    path: '/latest/meta-data/spot/instance-action',
    text: () => JSON.stringify({ action: 'terminate', time: inTwoMinutes() }),
    gone: null,
  },
  {
    cloud: 'Google',
    env: () => ({ ...off, CAIRN_GCP_METADATA_URL: service.url }),
    path: '/computeMetadata/v1/instance/preempted',
    text: () => 'TRUE',
    gone: 'FALSE',
  },
  {
    cloud: 'Azure',
    env: () => ({ ...off, CAIRN_AZURE_METADATA_URL: service.url }),
    path: '/metadata/scheduledevents',
    text: () =>
      JSON.stringify({ Events: [{ EventType: 'Preempt', NotBefore: new Date(Date.now() + 30_000).toUTCString() }] }),
    gone: JSON.stringify({ Events: [] }),
  },
];

for (const [i, { cloud, env, path, text, gone }] of CLOUDS.entries()) {
  test(
    `a notice of ${cloud} saves the job, stops it, and takes the node out; it goes on elsewhere`,
    withCriu(),
    async () => {
      const [from, to, id] = [`from${i}`, `to${i}`, `job${i}`];
      await world.agent(from, env());
      await world.agent(to, off);
      const run = world.count(from, id, 40);
      await world.untilEvent(id, 'Job-Running');
      await world.untilWriting();
      service.texts.set(path, text());
      assert.equal(await run.exited, 75);
      assert.match(run.errors, /being reclaimed/);
      if (gone === null) service.texts.delete(path);
      else service.texts.set(path, gone);
      await until(
        () => world.api.get(`/api/v1/node/${from}`),
        ({ json }) => json.state === 'deregistered',
        'the node to leave',
      );
      assert.deepEqual(await world.types(id), [
        ...['Job-Creating', 'Job-Created', 'Job-Running'],
        ...['Job-Checkpointing', 'Job-CheckpointSucceeded', 'Job-Stopped'],
      ]);
      await world.letEnd(id);
      const next = world.count(to, id, 40);
      assert.equal(await next.exited, 7, next.errors);
      assert.deepEqual(await world.ownLines(), numbersTo(40));
      // The notice was withdrawn meanwhile.
      await until(
        () => world.api.get(`/api/v1/node/${from}`),
        ({ json }) => json.state === 'alive',
        'the node to be back',
      );
      await world.agentOf(from).kill('SIGKILL');
      await world.agentOf(to).kill('SIGKILL');
    },
  );
}

test('a rebalance recommendation only saves the jobs', withCriu(), async () => {
  await world.agent('rebalanced', { ...off, CAIRN_IMDS_URL: service.url });
  const run = world.count('rebalanced', 'rebalance', 40);
  await world.untilEvent('rebalance', 'Job-Running');
  service.texts.set(
    '/latest/meta-data/events/recommendations/rebalance',
    JSON.stringify({ noticeTime: inTwoMinutes() }),
  );
  await world.untilEvent('rebalance', 'Job-CheckpointSucceeded');
  await world.letEnd('rebalance');
  assert.equal(await run.exited, 7);
  assert.equal((await world.types('rebalance')).filter((type) => type === 'Job-Checkpointing').length, 1);
});

test('a server that is away when the notice comes hears of it, of the end of the job and of the leaving', async () => {
  const own = await MetadataService.start();
  const agent = await world.agent('unheard', { ...off, CAIRN_IMDS_URL: own.url });
  const run = world.count('unheard', 'unheard', 40, ['--engine', 'none']);
  await world.untilEvent('unheard', 'Job-Running');
  await world.killServer();
  const noticed = agent.nextLog(/cannot report the notice/);
  own.texts.set(
    '/latest/meta-data/spot/instance-action',
    JSON.stringify({ action: 'terminate', time: inTwoMinutes() }),
  );
  await noticed;
  assert.equal(await run.exited, 75);
  await world.restartServer();
  const node = await until(
    async () => (await world.api.get('/api/v1/node/unheard')).json,
    ({ state }) => state === 'deregistered',
    'the node to leave',
  );
  assert.equal(node.interruption.action, 'terminate');
  assert.equal((await world.types('unheard')).at(-1), 'Job-Stopped');
  await agent.kill('SIGKILL');
  own.stop();
});

test('notices are watched for from the moment that cloudMonitorMode is switched on', async () => {
  await world.api.configKv({ 'ckpt.cloudMonitorMode': 'false' });
  const own = await MetadataService.start();
  const path = '/latest/meta-data/spot/instance-action';
  own.texts.set(path, JSON.stringify({ action: 'terminate', time: inTwoMinutes() }));
  await world.agent('watching', { ...off, CAIRN_IMDS_URL: own.url });
  const node = async () => (await world.api.get('/api/v1/node/watching')).json;
  const { lastHeartbeat } = await node();
  const later = (beat: string) => (seen: { lastHeartbeat: string }) => seen.lastHeartbeat > beat;
  const next = await until(node, later(lastHeartbeat), 'a heartbeat');
  await until(node, later(next.lastHeartbeat), 'another heartbeat');
  assert.ok(!own.asked.includes(path), 'switched off');
  await world.api.configKv({ 'ckpt.cloudMonitorMode': 'true' });
  await until(node, ({ interruption }) => interruption?.action === 'terminate', 'the notice to be reported');
  await world.agentOf('watching').kill('SIGKILL');
  own.stop();
});
