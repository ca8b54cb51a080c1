/** A disk that fills up under a running server: 507, reads go on, nothing acknowledged is lost, and it recovers by itself. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Api, until } from '../support/api.ts';
import { makeFolders, ServerProcess } from '../support/server-process.ts';

const SIZE_MIB = 24;

function mountSmall(folder: string): boolean {
  mkdirSync(folder, { recursive: true });
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SIZE_MIB}m`, 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

test('a full disk answers 507 and keeps reading; with space again it writes again', async (t) => {
  const folders = await makeFolders();
  if (!mountSmall(folders.data)) {
    t.skip('cannot mount a small file system here (needs root)');
    return;
  }
  const server = await ServerProcess.start({ folders });
  const api = new Api(server.address);
  try {
    const acknowledged: string[] = [];
    const post = async (id: string): Promise<number> =>
      (await api.post('/api/v1/job', { id, queueName: 'full', name: 'x'.repeat(1_000) })).status;
    assert.equal(await post('first'), 200);
    acknowledged.push('first');
    const filler = join(folders.data, 'filler');
    const { bavail, bsize } = statfsSync(folders.data);
    writeFileSync(filler, Buffer.alloc(bavail * bsize - 300_000));
    let status = 200;
    for (let i = 0; status === 200 && i < 3_000; i++) {
      status = await post(`job-${i}`);
      if (status === 200) acknowledged.push(`job-${i}`);
    }
    assert.equal(status, 507);
    const refused = await api.configKv({ 'job.volPerJob': 'true' });
    assert.ok(refused.status === 507 || refused.status === 200, `a change answered ${refused.status}`);
    const ids = async (): Promise<Set<string>> =>
      new Set((await api.get('/api/v1/job')).json.map(({ id }: { id: string }) => id));
    const whileFull = await ids();
    for (const id of acknowledged) assert.ok(whileFull.has(id), `${id} was acknowledged`);
    const ready = await api.get('/readyz');
    assert.equal(ready.status, 200);
    assert.match(ready.json.reasons.join(), /writes failed/);
    rmSync(filler);
    await until(
      () => post('after'),
      (got) => got === 200,
      'writes to work again',
    );
    const reasons = async (): Promise<unknown[]> => (await api.get('/readyz')).json.reasons;
    await until(reasons, (all) => all.length === 0, 'nothing to be said any more');
    await server.kill('SIGKILL');
    const again = await ServerProcess.start({ folders });
    const after = new Api(again.address);
    const kept = new Set((await after.get('/api/v1/job')).json.map(({ id }: { id: string }) => id));
    for (const id of [...acknowledged, 'after']) assert.ok(kept.has(id), `${id} survived`);
    after.close();
    await again.kill('SIGTERM');
  } finally {
    api.close();
    await server.kill('SIGKILL');
    execFileSync('umount', [folders.data]);
    await server.dispose();
  }
});
