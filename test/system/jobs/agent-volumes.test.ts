/** Volumes of jobs: made, mounted, moved with the job, let go of, removed with its images; local ones and those of EC2. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdir, readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { until } from '../../support/api.ts';
import { withCriu } from '../../support/criu.ts';
import { FakeEc2 } from './fake-ec2.ts';
import type { JobRun } from './job-run.ts';
import { JobsWorld, waitFor } from './jobs-world.ts';
import { MetadataService } from './metadata-service.ts';

let world: JobsWorld;
let ec2: FakeEc2;
const services: MetadataService[] = [];

before(async () => {
  if (withCriu().skip !== false) return;
  world = await JobsWorld.start({
    'ckpt.ckptMode': 'iterative',
    'ckpt.ckptInterval': '1h0m0s',
    'job.volPerJob': 'true',
    'job.customTags': 'owner:ann,team:red',
    'job.diskSizeGB': '2',
    'job.diskThroughputMB': '250',
  });
  await world.api.configKv({ 'job.volMountPath': mounts() });
  await mkdir(join(world.folder, 'ec2'));
  ec2 = await FakeEc2.start(join(world.folder, 'ec2'));
});

after(async () => {
  for (const service of services) service.stop();
  await ec2?.stop();
  await world?.dispose();
});

const mounts = (): string => join(world.folder, 'volumes');
const mountedBelow = async (): Promise<string[]> =>
  (await readFile('/proc/self/mountinfo', 'utf8')).split('\n').filter((line) => line.includes(mounts()));

/** An agent on a played instance of that zone. */
async function inZone(name: string, zone: string, number: number): Promise<void> {
  const service = await MetadataService.start();
  services.push(service);
  service.texts.set('/latest/meta-data/instance-id', `i-0${number}`);
  service.texts.set('/latest/meta-data/placement/availability-zone', zone);
  service.texts.set('/latest/meta-data/placement/region', 'us-west-2');
  await world.agent(name, { ...ec2.env, CAIRN_IMDS_URL: service.url });
}

/** Counts into a file on its volume; at the end, 0 only if that is what one run would have written. */
function script(id: string): readonly string[] {
  const path = join(mounts(), id, 'kept.txt');
  const text = `${waitFor(world.gate(id))}
import time
f = open('${path}', 'a')
for n in range(1, 41):
    if n == 40:
        wait_for_gate()
    print(n, file=f, flush=True)
    print(n, flush=True)
    time.sleep(0.03)
assert open('${path}').read().split() == [str(n) for n in range(1, 41)]
`;
  return ['/usr/bin/python3', '-c', text];
}

const lines = (run: JobRun, count: number): Promise<unknown> =>
  until(
    async () => run.output,
    (text) => text.split('\n').length > count,
    `${count} lines: ${run.errors}`,
  );

async function checkpoint(node: string, id: string): Promise<void> {
  const args = ['bundle/src/main.js', 'job', 'checkpoint', id, '--data-dir', world.data(node)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
  assert.equal(await new Promise((resolve) => child.once('close', resolve)), 0);
}

/** Until the dead node is known to be lost the job is claimed. */
async function runElsewhere(node: string, id: string): Promise<JobRun> {
  for (;;) {
    const run = world.run(node, id, script(id));
    const isClaimed = (await run.exited) === 75 && /claimed/.test(run.errors);
    if (!isClaimed) return run;
  }
}

const types = async (id: string): Promise<string[]> =>
  (await world.types(id)).filter((type) => !type.startsWith('Job-Checkpoint'));

const STARTED = ['Job-Creating', 'Volume-Created', 'Volume-Attached', 'Job-Created', 'Job-Running'];
const MOVED = ['Job-Restoring', 'Volume-Attached', 'Job-RestoreSucceeded', 'Job-Succeeded'];

test('a local volume is the job’s own, moves with it, and is unmounted at the end', withCriu(), async () => {
  await world.agent('node');
  await world.agent('other');
  const run = world.run('node', 'local', script('local'));
  await lines(run, 10);
  await checkpoint('node', 'local');
  await lines(run, 20);
  await world.api.configKv({ 'job.volPerJob': 'false', 'job.volMountPath': join(world.folder, 'elsewhere') });
  await world.killNode('node', 'local');
  await world.letEnd('local');
  const again = await runElsewhere('other', 'local');
  assert.equal(await again.exited, 0, again.errors);
  await world.api.configKv({ 'job.volPerJob': 'true', 'job.volMountPath': mounts() });
  await world.untilEvent('local', 'Job-Succeeded');
  assert.deepEqual(await types('local'), [...STARTED, ...MOVED]);
  assert.deepEqual((await world.api.get('/api/v1/job/local')).json.volumeIds, ['local-local']);
  assert.deepEqual(await mountedBelow(), []);
  assert.deepEqual(await readdir(mounts()), []);
});

test(
  'a volume of EC2 has what the settings say, follows in its zone, and goes with the images',
  withCriu(),
  async () => {
    await inZone('a', 'us-west-2a', 1);
    await inZone('b', 'us-west-2a', 2);
    const run = world.run('a', 'cloud', script('cloud'));
    await lines(run, 10);
    const [volume] = [...ec2.volumes.values()];
    assert.deepEqual(
      { ...volume, id: null },
      {
        id: null,
        zone: 'us-west-2a',
        sizeGB: 2,
        type: 'gp3',
        throughput: '250',
        iops: null,
        tags: { Name: 'cairn-cloud', 'cairn:job': 'cloud', 'cairn:queue': 'default', owner: 'ann', team: 'red' },
        instanceId: 'i-01',
      },
    );
    assert.equal((await mountedBelow()).length, 1);
    await checkpoint('a', 'cloud');
    await lines(run, 20);
    await world.killNode('a', 'cloud');
    await world.letEnd('cloud');
    const again = await runElsewhere('b', 'cloud');
    assert.equal(await again.exited, 0, again.errors);
    await world.untilEvent('cloud', 'Job-Succeeded');
    assert.deepEqual(await types('cloud'), [...STARTED, ...MOVED]);
    assert.deepEqual((await world.api.get('/api/v1/job/cloud')).json.volumeIds, [volume?.id]);
    assert.equal(volume?.instanceId, null, 'detached at the end');
    assert.deepEqual(await mountedBelow(), []);
    assert.deepEqual([ec2.volumes.size, ec2.snapshots.size], [1, 1]);
    await world.api.configKv({ 'job.storCleanIntvl': '1s' });
    await until(
      async () => [ec2.volumes.size, ec2.snapshots.size],
      ([volumes, snapshots]) => volumes === 0 && snapshots === 0,
      'volume and snapshot to be removed with the images of the job that succeeded',
    );
    await world.api.configKv({ 'job.storCleanIntvl': '24h' });
  },
);

test(
  'in another zone the job gets its snapshot; where that cannot be, it waits for another node',
  withCriu(),
  async () => {
    await inZone('c', 'us-west-2a', 3);
    await inZone('d', 'us-west-2b', 4);
    const run = world.run('c', 'zones', script('zones'));
    await lines(run, 10);
    await checkpoint('c', 'zones');
    const [first] = [...ec2.volumes.values()];
    await lines(run, 20);
    await world.killNode('c', 'zones');
    await world.letEnd('zones');
    ec2.refused.set('CreateVolume', 'VolumeLimitExceeded: too many volumes');
    const refused = await runElsewhere('d', 'zones');
    assert.equal(await refused.exited, 75);
    assert.match(refused.errors, /too many volumes/);
    await world.untilEvent('zones', 'Volume-RestoreUnready');
    const { json } = await world.api.get('/api/v1/job/zones');
    assert.equal(json.status, 'RestoreVolumeUnready');
    assert.match(json.events.at(-1).detail, /too many volumes/);
    ec2.refused.clear();
    const again = await runElsewhere('d', 'zones');
    assert.equal(await again.exited, 0, again.errors);
    await world.untilEvent('zones', 'Job-Succeeded');
    assert.deepEqual((await types('zones')).slice(-4), MOVED);
    const [second, ...rest] = [...ec2.volumes.values()];
    assert.deepEqual([second?.zone, second?.type, second?.throughput, rest], ['us-west-2b', 'gp3', '250', []]);
    assert.deepEqual((await world.api.get('/api/v1/job/zones')).json.volumeIds, [first?.id, second?.id]);
  },
);

test('a job whose volume cannot be made does not begin, and says why', withCriu(), async () => {
  await inZone('e', 'us-west-2a', 5);
  ec2.refused.set('CreateVolume', 'UnauthorizedOperation: you are not allowed');
  const run = world.run('e', 'refused', script('refused'));
  assert.equal(await run.exited, 75);
  await world.untilEvent('refused', 'Volume-Unready');
  assert.deepEqual(await world.types('refused'), ['Job-Creating', 'Volume-Unready']);
  const { json } = await world.api.get('/api/v1/job/refused');
  assert.deepEqual([json.status, json.events[1].detail], ['VolumeUnready', 'you are not allowed']);
  ec2.refused.clear();
});
