import assert from 'node:assert/strict';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Seal } from '../../../../src/store/replica/seal.ts';
import { SnapshotKeeper } from '../../../../src/store/replica/snapshot-keeper.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const NO_DIGEST = new Uint8Array(32);

test('what a process that was killed has left of a snapshot is removed, also by a server that does not lead', {
  timeout: 30_000,
}, async (t) => {
  const [dataFolder, logFolder] = [temporaryFolder(t), temporaryFolder(t)];
  const left = [join(dataFolder, '.snapshot-in'), join(dataFolder, '.snapshot-out'), join(logFolder, '.snapshot-logs')];
  for (const folder of left) {
    mkdirSync(folder);
    writeFileSync(join(folder, 'data.mdb'), 'half of it');
  }
  const looks: (() => void)[] = [];
  let hasLooked = (): void => {};
  // It asks for the next look when it has looked.
  const looked = new Promise<void>((resolve) => {
    hasLooked = resolve;
  });
  const keeper = new SnapshotKeeper({
    engine: {
      bounds: () => Promise.reject(new Error('a follower does not ask')),
      trim: () => Promise.reject(new Error('a follower does not trim')),
      snapshots: () => Promise.reject(new Error('a follower makes none')),
    },
    seal: new Seal(null, 'c', 'snapshot'),
    databaseFolder: join(dataFolder, 'db'),
    options: {
      engine: [],
      cluster: 'c',
      self: { id: 'a', url: 'http://a', fingerprint: null },
      credsFile: null,
      caFile: null,
      keyFile: null,
      dataFolder,
      logFolder,
    },
    position: () => ({ sequence: 0, digest: NO_DIGEST, term: 0 }),
    between: (run) => run(),
    isLeading: () => false,
    after: (_ms, run) => {
      if (looks.push(run) > 1) hasLooked();
      return () => {};
    },
    warn: (text) => assert.fail(text),
    info: (text) => assert.fail(text),
  });
  keeper.start();
  looks[0]?.();
  await looked;
  keeper.close();
  assert.deepEqual(
    left.filter((folder) => existsSync(folder)),
    [],
  );
});
