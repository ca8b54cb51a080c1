/** A backup beside a server: it never opens the file that the server's threads share, and begins again with the server. */
import assert from 'node:assert/strict';
import { readdirSync, readlinkSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { readArchive } from '../../../../src/store/backup/archive-reader.ts';
import { type BackupDone, backUp } from '../../../../src/store/backup/backup.ts';
import { type ControlReply, DataDirectoryLock } from '../../../../src/store/files/data-directory-lock.ts';
import { atEnd } from '../../../support/at-end.ts';
import { makeDataFolder } from '../../../support/operations/data-folder.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

interface Served {
  readonly dataFolder: string;
  readonly counts: { pins: number };
  back(): Promise<BackupDone>;
}

/** A data folder whose server ends each of the first `ends` connections that it holds something for. */
async function newServed(t: TestContext, ends: number): Promise<Served> {
  const root = temporaryFolder(t);
  const [dataFolder, logFolder] = [join(root, 'data'), join(root, 'log')];
  await makeDataFolder(dataFolder);
  await mkdir(join(logFolder, 'nodes', 'n-1'), { recursive: true });
  await writeFile(join(logFolder, 'nodes', 'n-1', 'a.log'), 'one line\n');
  const claim = await DataDirectoryLock.take(dataFolder);
  atEnd(t, () => claim.release());
  const counts = { pins: 0 };
  claim.onCommand(async (): Promise<ControlReply> => {
    // The answer goes out first.
    if (++counts.pins <= ends) setImmediate(() => setImmediate(() => claim.releaseHeld()));
    return { ok: true, message: 'held', release: () => {} };
  });
  const options = { dataFolder, logFolder, to: join(root, 'a.tar'), version: '1', nowMs: () => 0 };
  return { dataFolder, counts, back: () => backUp(options) };
}

test('a backup opens the data of the server, and not what its threads share', async (t) => {
  const { dataFolder, back } = await newServed(t, 0);
  const opened = new Set<string>();
  const watch = setInterval(() => {
    for (const descriptor of readdirSync('/proc/self/fd'))
      try {
        opened.add(readlinkSync(`/proc/self/fd/${descriptor}`));
      } catch {
        // It was closed meanwhile.
      }
  });
  const { manifest } = await back().finally(() => clearInterval(watch));
  assert.equal(opened.has(join(dataFolder, 'db', 'data.mdb')), true);
  assert.equal(opened.has(join(dataFolder, 'db', 'lock.mdb')), false);
  assert.ok(manifest.files.some(({ path }) => path === 'logs/nodes/n-1/a.log'));
});

test('a backup whose server starts again meanwhile begins again, and is whole', async (t) => {
  const { counts, back, dataFolder } = await newServed(t, 2);
  const { manifest } = await back();
  assert.equal(counts.pins, 3);
  assert.deepEqual((await readArchive(join(dataFolder, '..', 'a.tar'), () => {})).files, manifest.files);
});

test('a server that starts over and over is not backed up, and the sentence says why', async (t) => {
  const { counts, back, dataFolder } = await newServed(t, 100);
  await assert.rejects(back(), /has stopped or started again meanwhile; try again/);
  assert.equal(counts.pins, 3);
  assert.deepEqual(
    readdirSync(join(dataFolder, '..')).filter((name) => name !== 'data' && name !== 'log'),
    [],
  );
});
