/** Jobs do not need cgroups: an agent without a service manager, whose cgroups are read-only or absent, runs, saves and restores them. */
import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, afterEach, before, test } from 'node:test';
import { until, within } from '../../support/api.ts';
import { withCriu } from '../../support/criu.ts';
import { JobsWorld, numbersTo } from './jobs-world.ts';

let world: JobsWorld;

before(async () => {
  if (withCriu().skip !== false) return;
  world = await JobsWorld.start({ 'ckpt.ckptMode': 'iterative', 'ckpt.ckptInterval': '1h0m0s' });
});

after(() => world?.dispose());

afterEach(() => world && rm(join(world.work, 'own.txt'), { force: true }));

/** In a mount namespace of its own, where `change` is done to each mount of cgroups, the innermost first. */
const changed = (change: string): string[] => {
  const mounts = "awk '$5 ~ /^.sys.fs.cgroup/ { print $5 }' /proc/self/mountinfo | sort -r";
  const script = `set -e; for mount in $(${mounts}); do ${change}; done; exec "$@"`;
  return ['unshare', '--mount', '--propagation', 'private', 'sh', '-c', script, 'sh'];
};

const CASES = [
  { name: 'read-only', change: 'mount -o remount,bind,ro $mount' },
  { name: 'absent', change: 'umount --lazy $mount' },
];

for (const { name, change } of CASES) {
  test(`where cgroups are ${name}, a job is saved and goes on`, withCriu(), async () => {
    const id = `cgroups-${name}`;
    await world.agent(name, {}, changed(change));
    const run = world.count(name, id, 40);
    await until(
      async () => run.output,
      (text) => text.split('\n').length > 5,
      `five lines: ${run.errors}`,
    );
    assert.deepEqual(await world.checkpoint(name, id), { code: 0, text: '1-1' });
    process.kill(await world.process(name, id, 'shim'), 'SIGKILL');
    await world.letEnd(id);
    assert.equal(await within(run.exited, 'the job to end'), 7, run.errors);
    assert.deepEqual(await world.ownLines(), numbersTo(40));
    await world.untilEvent(id, 'Job-RestoreSucceeded');
    await world.agentOf(name).kill('SIGKILL');
  });
}
