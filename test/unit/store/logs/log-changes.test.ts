import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { applyLogChange, packLogChange } from '../../../../src/store/logs/log-changes.ts';
import { type LogBase, type LogBaseTable, NodeLogFiles } from '../../../../src/store/logs/node-log-files.ts';
import type { NodeLogName } from '../../../../src/store/logs/node-log-name.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const NAME: NodeLogName = { nodeId: 'n-1', path: 'var/log/job.log' };

/** A leader and a follower that makes each change twice, as one does that stopped between file and database. */
function pair(t: TestContext) {
  const [leader, follower] = [temporaryFolder(t), temporaryFolder(t)];
  for (const folder of [leader, follower]) mkdirSync(join(folder, 'nodes'));
  const rows = new Map<string, LogBase>();
  const bases: LogBaseTable = {
    read: (name) => rows.get(JSON.stringify(name)),
    write: async (name, base) => {
      if (base) rows.set(JSON.stringify(name), base);
      else rows.delete(JSON.stringify(name));
    },
    clear: async () => rows.clear(),
  };
  const files = new NodeLogFiles(leader, bases, async (change) => {
    const packed = packLogChange(change);
    await applyLogChange(leader, packed);
    await applyLogChange(follower, packed);
    await applyLogChange(follower, packed);
  });
  return { leader, follower, files };
}

function contentOf(folder: string): Record<string, string> {
  const root = join(folder, 'nodes');
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' }).sort();
  const isFile = (name: string): boolean => statSync(join(root, name)).isFile();
  return Object.fromEntries(names.filter(isFile).map((name) => [name, readFileSync(join(root, name), 'utf8')]));
}

test('appended, trimmed, cut and dropped logs are the same everywhere, also where a change is made twice', async (t) => {
  const { leader, follower, files } = pair(t);
  let size = 0;
  for (let i = 0; i < 60; i++) {
    const line = Buffer.from(`line ${i} of the log\n`);
    // 200 bytes: trimmed every few lines.
    size = await files.append(NAME, size, line, 200);
    assert.deepEqual(contentOf(follower), contentOf(leader), `after ${i}`);
  }
  assert.ok((contentOf(leader)['n-1/var/log/job.log'] ?? '').length <= 200);
  await files.cut(NAME, size - 30);
  assert.deepEqual(contentOf(follower), contentOf(leader), 'after the cut');
  const other: NodeLogName = { nodeId: 'n-1', path: 'var/log/other.log' };
  await files.append(other, 0, Buffer.alloc(150, 'x'), 200, 200);
  assert.deepEqual(contentOf(follower), contentOf(leader), 'after the cap of all logs');
  await files.removeNode('n-1');
  assert.deepEqual(contentOf(follower), {});
  assert.deepEqual(contentOf(leader), {});
});

test('an append that is refused reaches nobody', async (t) => {
  const { leader, follower, files } = pair(t);
  await assert.rejects(files.append(NAME, 5, Buffer.from('gap'), 200), { name: 'offsetConflict' });
  mkdirSync(join(leader, 'nodes/n-1/var/log/job.log'), { recursive: true });
  await assert.rejects(files.append(NAME, 0, Buffer.from('x'), 200), { name: 'invalid' });
  assert.ok(!existsSync(join(follower, 'nodes/n-1')));
});

test('a change that something else is in the way of is left out, and the next one is made', async (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'nodes/n-1/var'), { recursive: true });
  writeFileSync(join(folder, 'nodes/n-1/var/log'), 'a file where a folder should be');
  const append = (path: string) =>
    packLogChange({ change: 'append', name: { nodeId: 'n-1', path }, at: 0, bytes: Buffer.from('text') });
  await applyLogChange(folder, append('var/log/job.log'));
  await applyLogChange(folder, append('other.log'));
  assert.equal(readFileSync(join(folder, 'nodes/n-1/other.log'), 'utf8'), 'text');
  await assert.rejects(applyLogChange(folder, append('../out.log')), /damaged/);
});
