/** The shim under a small process of its own: it keeps what is not flushed, and faults come and go while it runs. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { seededRandom } from '../../../src/base/random.ts';
import { FaultShim, hasCompiler } from '../../proof/fault-shim.ts';
import { cutPower } from '../../proof/power-cut.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const withCompiler = { skip: hasCompiler() ? false : 'not run: there is no C compiler' };

function world(t: TestContext): {
  shim: FaultShim;
  data: string;
  run: (script: string) => { out: string; status: number | null };
} {
  const folder = temporaryFolder(t);
  const data = join(folder, 'data');
  mkdirSync(data);
  const shim = new FaultShim(join(folder, 'shim'));
  t.after(() => shim.close());
  const run = (script: string): { out: string; status: number | null } => {
    const prelude = `import fs from 'node:fs'; const at = (name) => ${JSON.stringify(data)} + '/' + name;`;
    const { stdout, stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', prelude + script], {
      env: { ...process.env, ...shim.env(folder) },
      encoding: 'utf8',
      timeout: 60_000,
    });
    return { out: stdout + stderr, status };
  };
  return { shim, data, run };
}

const SYNCED = `const file = fs.openSync(at('a'), 'a'); fs.writeSync(file, 'kept '); fs.fsyncSync(file);`;

test('a power cut takes what was not flushed, and nothing else', withCompiler, (t) => {
  const { shim, data, run } = world(t);
  writeFileSync(join(data, 'b'), 'old b');
  writeFileSync(join(data, 'd'), 'old d');
  const { out } = run(`${SYNCED} fs.writeSync(file, 'lost');
    const b = fs.openSync(at('b'), 'r+'); fs.writeSync(b, 'NEW', 0); fs.ftruncateSync(b, 3);
    fs.writeFileSync(at('c'), 'new c'); const c = fs.openSync(at('c'), 'r+'); fs.fsyncSync(c); fs.renameSync(at('c'), at('d'));`);
  assert.equal(out, '');
  assert.equal(readFileSync(join(data, 'd'), 'utf8'), 'new c');
  assert.ok(cutPower(shim.undoFolder, [data], seededRandom(1), true) >= 4);
  assert.equal(readFileSync(join(data, 'a'), 'utf8'), 'kept ');
  assert.equal(readFileSync(join(data, 'b'), 'utf8'), 'old b');
  assert.equal(readFileSync(join(data, 'c'), 'utf8'), 'new c');
  assert.equal(readFileSync(join(data, 'd'), 'utf8'), 'old d');
});

test('a rename is safe once its folder is flushed', withCompiler, (t) => {
  const { shim, data, run } = world(t);
  writeFileSync(join(data, 'd'), 'old d');
  run(`fs.writeFileSync(at('c'), 'new c', { flush: true }); fs.renameSync(at('c'), at('d'));
    fs.fsyncSync(fs.openSync(at('.'), 'r'));`);
  cutPower(shim.undoFolder, [data], seededRandom(1), true);
  assert.deepEqual(readdirSync(data), ['d']);
  assert.equal(readFileSync(join(data, 'd'), 'utf8'), 'new c');
});

test('rules strike the chosen call of the chosen file', withCompiler, (t) => {
  const { shim, data, run } = world(t);
  shim.set({ on: ['sync'], path: '/data/a', action: 'error', error: 'EIO', skip: 1, times: 1 });
  const twice = run(
    `${SYNCED} try { fs.fsyncSync(file) } catch (error) { console.log(error.code) } fs.fsyncSync(file)`,
  );
  assert.deepEqual([twice.out.trim(), twice.status, shim.fired()], ['EIO', 0, 1]);
  shim.set({ on: ['write'], path: '/data/a', action: 'killAfter' });
  assert.equal(run(`${SYNCED} console.log('lives')`).status, null);
  assert.equal(readFileSync(join(data, 'a'), 'utf8').trim(), 'kept kept');
  // libuv goes on after a short write: what ends it is the next one.
  const full = { on: ['write'], path: '/data/a', action: 'error', error: 'ENOSPC' } as const;
  shim.set({ on: ['write'], path: '/data/a', action: 'short', times: 1 }, full);
  assert.match(run(`const file = fs.openSync(at('a'), 'w'); console.log(fs.writeSync(file, '12345678'))`).out, /^4$/m);
  shim.clear();
  assert.equal(run(SYNCED).status, 0);
});

test('the wall clock is off by as much as is asked, the other clock is not', withCompiler, (t) => {
  const { shim, run } = world(t);
  shim.clockMs = -3_600_000;
  const { out } = run(`console.log(Date.now()); console.log(process.hrtime()[0])`);
  const [wall, monotonic] = out.split('\n').map(Number);
  assert.ok(Math.abs((wall as number) - Date.now() + 3_600_000) < 120_000, out);
  assert.ok(Math.abs((monotonic as number) - (process.hrtime()[0] as number)) < 120, out);
});
