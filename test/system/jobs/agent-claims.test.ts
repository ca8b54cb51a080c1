/** Claims of the server and the joined output of copies, with real agents. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { until } from '../../support/api.ts';
import { withCriu } from '../../support/criu.ts';
import { JobsWorld, numbersTo } from './jobs-world.ts';

let world: JobsWorld;

before(async () => {
  if (withCriu().skip === false)
    world = await JobsWorld.start({ 'ckpt.ckptMode': 'iterative', 'ckpt.ckptInterval': '500ms' });
});

after(() => world?.dispose());

async function joinedOutput(id: string): Promise<string> {
  const { bytes, status } = await world.api.get(`/api/v1/job/${id}/logs.tar.gz`);
  assert.equal(status, 200);
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bundle-'));
  writeFileSync(join(folder, 'b.tgz'), bytes);
  execFileSync('tar', ['-C', folder, '-xzf', join(folder, 'b.tgz')]);
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' });
  const name = names.find((entry) => /stdout\.log$/.test(entry) && !/nodes\//.test(entry));
  return name === undefined ? '' : readFileSync(join(folder, name), 'utf8');
}

test(
  'a job that a live node holds is not run elsewhere, and from node to node its output is one',
  withCriu(),
  async () => {
    await world.agent('x');
    await world.agent('y');
    const first = world.count('x', 'hop', 60);
    await world.untilSaved('hop', 2);
    const refused = world.count('y', 'hop', 60);
    assert.equal(await refused.exited, 75);
    assert.match(refused.errors, /claimed/);
    await world.killNode('x', 'hop');
    first.kill('SIGKILL');
    let run = await world.goesOn('hop', () => world.count('y', 'hop', 60));
    const saved = (await world.types('hop')).filter((type) => type === 'Job-CheckpointSucceeded').length;
    await world.untilEvent('hop', 'Job-CheckpointSucceeded', saved + 2);
    await world.killNode('y', 'hop');
    await world.letEnd('hop');
    run.kill('SIGKILL');
    await world.agent('x');
    for (;;) {
      run = world.count('x', 'hop', 60);
      const code = await run.exited;
      if (code === 75) continue;
      assert.equal(code, 7, run.errors);
      break;
    }
    await world.untilEvent('hop', 'Job-Failed');
    await until(
      () => joinedOutput('hop'),
      (text) => text.trimEnd().endsWith('60'),
      'the output to have arrived',
    );
    assert.deepEqual((await joinedOutput('hop')).trimEnd().split('\n'), numbersTo(60));
    assert.deepEqual(await world.ownLines(), numbersTo(60));
    const { json } = await world.api.get('/api/v1/job/hop');
    assert.equal(json.spotProtCount, 2);
  },
);
