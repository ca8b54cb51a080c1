import assert from 'node:assert/strict';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { backUp } from '../../../../src/store/backup/backup.ts';
import { readLastBackup } from '../../../../src/store/backup/last-backup.ts';
import { restore } from '../../../../src/store/backup/restore.ts';
import { mustBeFinished, RESTORING } from '../../../../src/store/backup/unfinished.ts';
import { DataDirectoryLock } from '../../../../src/store/files/data-directory-lock.ts';
import { makeDataFolder, readRow } from '../../../support/operations/data-folder.ts';
import { writeSmallArchive } from '../../../support/operations/small-archive.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

interface Places {
  readonly root: string;
  readonly data: string;
  readonly log: string;
  readonly archive: string;
}

async function backedUp(t: TestContext, config?: (places: Places) => object): Promise<Places> {
  const root = temporaryFolder(t);
  const places = { root, data: join(root, 'data'), log: join(root, 'log'), archive: join(root, 'a.tar') };
  await makeDataFolder(places.data, { config: config?.(places) ?? { id: 'server-a' }, rows: { job: { a: 'a job' } } });
  await mkdir(join(places.log, 'nodes', 'n-1'), { recursive: true });
  await writeFile(join(places.log, 'nodes', 'n-1', 'out.log'), 'a line\n');
  await backUp({ ...optionsOf(places), to: places.archive });
  return places;
}

function optionsOf({ data, log }: Places) {
  return { dataFolder: data, logFolder: log, version: '0.1.0', nowMs: () => 1_769_846_400_000 };
}

test('what was backed up is restored into new folders, and paths below the old ones follow', async (t) => {
  const places = await backedUp(t, ({ data, log }) => ({
    id: 'server-a',
    log: { file: join(log, 'cairn.log') },
    security: { certFile: join(data, 'tls', 'server.crt'), keyFile: '/etc/key.pem' },
  }));
  const [dataFolder, logFolder] = [join(places.root, 'data2'), join(places.root, 'log2')];
  await restore({ archive: places.archive, dataFolder, logFolder });
  const config = JSON.parse(await readFile(join(dataFolder, 'config.json'), 'utf8'));
  assert.equal(config.log.file, join(logFolder, 'cairn.log'));
  assert.deepEqual(config.security, { certFile: join(dataFolder, 'tls', 'server.crt'), keyFile: '/etc/key.pem' });
  assert.equal(await readRow(join(dataFolder, 'db'), 'job', 'a'), 'a job');
  assert.equal(await readFile(join(dataFolder, 'keys', 'node-token.json'), 'utf8'), '["a key"]');
  assert.equal(await readFile(join(logFolder, 'nodes', 'n-1', 'out.log'), 'utf8'), 'a line\n');
  assert.equal((await readLastBackup(dataFolder))?.time, '2026-01-31T08:00:00.000Z');
  await mustBeFinished(dataFolder);
  // The change of paths is not one that the server would take for a person's.
  const { createHash } = await import('node:crypto');
  const hash = createHash('sha256')
    .update(await readFile(join(dataFolder, 'config.json')))
    .digest('hex');
  assert.deepEqual(JSON.parse((await readRow(join(dataFolder, 'db'), 'meta', 'configVersion')) ?? ''), {
    version: 1,
    hash,
  });
});

test('folders that are not empty, or that a server has, are refused and stay as they are', async (t) => {
  const places = await backedUp(t);
  const empty = join(places.root, 'empty');
  const full = { archive: places.archive, dataFolder: places.data, logFolder: join(places.root, 'new-log') };
  await assert.rejects(restore(full), /it is not empty \(config\.json\)/);
  await assert.rejects(stat(full.logFolder), 'a folder that was made for it is gone again');
  await assert.rejects(restore({ ...full, dataFolder: empty, logFolder: places.log }), /not empty \(nodes\)/);
  await assert.rejects(stat(empty));
  await mkdir(empty);
  const lock = await DataDirectoryLock.take(empty);
  await assert.rejects(restore({ ...full, dataFolder: empty }), /in use by another Cairn server/);
  await lock.release();
});

test('logs and data may lie in each other, and in one folder', async (t) => {
  const places = await backedUp(t, ({ data, log }) => ({
    log: { file: join(log, 'cairn.log') },
    security: { certFile: join(data, 'tls', 'server.crt') },
  }));
  let from = { dataFolder: places.data, logFolder: places.log };
  for (const [data, log] of [
    ['a', 'a/var/log'],
    ['b/var/data', 'b'],
    ['c', 'c'],
    ['d', 'e'],
  ] as const) {
    const to = { dataFolder: join(places.root, data), logFolder: join(places.root, log) };
    const archive = join(places.root, `${data.slice(0, 1)}.tar`);
    await backUp({ ...optionsOf(places), ...from, to: archive });
    await restore({ archive, ...to });
    await mustBeFinished(to.dataFolder);
    const config = JSON.parse(await readFile(join(to.dataFolder, 'config.json'), 'utf8'));
    assert.deepEqual(config, {
      log: { file: join(to.logFolder, 'cairn.log') },
      security: { certFile: join(to.dataFolder, 'tls', 'server.crt') },
    });
    assert.equal(await readRow(join(to.dataFolder, 'db'), 'job', 'a'), 'a job');
    assert.equal(await readFile(join(to.logFolder, 'nodes', 'n-1', 'out.log'), 'utf8'), 'a line\n');
    assert.ok(!(await readdir(to.logFolder)).includes(RESTORING));
    from = to;
  }
});

test('a folder that holds more than the other one is not empty', async (t) => {
  const places = await backedUp(t);
  const dataFolder = join(places.root, 'new');
  const logFolder = join(dataFolder, 'var', 'log');
  await mkdir(logFolder, { recursive: true });
  await writeFile(join(dataFolder, 'var', 'kept'), 'of somebody else');
  await assert.rejects(
    restore({ archive: places.archive, dataFolder, logFolder }),
    /new\/var: it is not empty \(kept\)/,
  );
  assert.deepEqual(await readdir(dataFolder, { recursive: true }), ['var', 'var/kept', 'var/log']);
});

test('a damaged archive is refused before anything is written', async (t) => {
  const places = await backedUp(t);
  const bytes = await readFile(places.archive);
  bytes[bytes.length - 2_000] = 1 ^ (bytes[bytes.length - 2_000] as number);
  await writeFile(places.archive, bytes);
  const [dataFolder, logFolder] = [join(places.root, 'data2'), join(places.root, 'log2')];
  await assert.rejects(restore({ archive: places.archive, dataFolder, logFolder }), /damaged at data\/db\/data\.mdb/);
  await assert.rejects(stat(dataFolder));
  await assert.rejects(stat(logFolder));
});

test('after a restore that was killed no server starts, and the next restore starts over', async (t) => {
  const places = await backedUp(t);
  const [dataFolder, logFolder] = [join(places.root, 'data2'), join(places.root, 'log2')];
  const whole = async () => ({ data: (await readdir(dataFolder)).sort(), log: await readdir(logFolder) });
  await restore({ archive: places.archive, dataFolder, logFolder });
  const expected = await whole();
  // As between two of its renames: the logs and the configuration have moved, the rest has not.
  const stage = join(dataFolder, RESTORING);
  await mkdir(stage);
  const moves = { logFolder, data: ['config.json', 'db', 'keys', 'last-backup.json'], log: ['nodes'] };
  await writeFile(join(stage, 'moves.json'), JSON.stringify(moves));
  await assert.rejects(mustBeFinished(dataFolder), /run cairn restore again/);
  await restore({ archive: places.archive, dataFolder, logFolder });
  assert.deepEqual(await whole(), expected);
  // As while it extracts.
  const again = join(places.root, 'data3');
  await mkdir(join(again, RESTORING, 'db'), { recursive: true });
  await assert.rejects(mustBeFinished(again), /run cairn restore again/);
  await restore({ archive: places.archive, dataFolder: again, logFolder: join(places.root, 'log3') });
  await mustBeFinished(again);
});

test('an archive of a newer schema, or of before an upgrade, is refused with what to do', async (t) => {
  const folder = temporaryFolder(t);
  const [dataFolder, logFolder] = [join(folder, 'data'), join(folder, 'log')];
  const newer = await writeSmallArchive(folder, 'a.tar', { 'data/config.json': '{}' }, { schema: 999 });
  await assert.rejects(restore({ archive: newer.path, dataFolder, logFolder }), /restore it with a newer version/);
  const before = await writeSmallArchive(folder, 'b.tar', { 'data/config.json': '{}' }, { logFolder: null });
  await assert.rejects(restore({ archive: before.path, dataFolder, logFolder }), /--undo-upgrade/);
});

test('a backup removes what a killed one has left, wherever that one wrote', async (t) => {
  const places = await backedUp(t);
  const elsewhere = join(places.root, 'elsewhere');
  const left = join(elsewhere, '.cairn-backup-0123456789ab');
  await mkdir(left, { recursive: true });
  await writeFile(join(left, 'archive.tar'), 'half');
  await writeFile(join(places.data, '.backup-staging'), left);
  await backUp({ ...optionsOf(places), to: join(places.root, 'b.tar') });
  assert.deepEqual(await readdir(elsewhere), []);
  assert.deepEqual(
    (await readdir(places.root)).sort(),
    ['a.tar', 'b.tar', 'data', 'elsewhere', 'log'],
    'nothing of its own is left beside the archive',
  );
});

test('a file that is no backup is not replaced, and a second backup at a time is refused', async (t) => {
  const places = await backedUp(t);
  const other = join(places.root, 'thesis.tar');
  await writeFile(other, 'years of work');
  await assert.rejects(backUp({ ...optionsOf(places), to: other }), /another file of this name/);
  assert.equal(await readFile(other, 'utf8'), 'years of work');
  const lock = await DataDirectoryLock.take(places.data, 'backup');
  await assert.rejects(backUp({ ...optionsOf(places), to: places.archive }), /another backup of .* is running/);
  await lock.release();
});

test('a certificate outside the data folder is in the archive', async (t) => {
  const places = await backedUp(t, ({ root }) => ({
    id: 'server-a',
    security: { certFile: join(root, 'own.crt'), keyFile: join(root, 'own.pem') },
  }));
  await writeFile(join(places.root, 'own.crt'), 'certificate');
  await writeFile(join(places.root, 'own.pem'), 'key');
  await backUp({ ...optionsOf(places), to: places.archive });
  const [dataFolder, logFolder] = [join(places.root, 'data2'), join(places.root, 'log2')];
  await restore({ archive: places.archive, dataFolder, logFolder });
  assert.equal(await readFile(join(dataFolder, 'tls', 'configured.pem'), 'utf8'), 'key');
});
