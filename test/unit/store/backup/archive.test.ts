import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { archiveHead, DamagedArchive, readArchive } from '../../../../src/store/backup/archive-reader.ts';
import { extractArchive } from '../../../../src/store/backup/extract.ts';
import { HEAD, writeSmallArchive } from '../../../support/operations/small-archive.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const LONG = `logs/nodes/n-1/jobs/${'ä'.repeat(60)}/${'b'.repeat(80)}.log`;
const FILES = {
  'data/config.json': '{}\n',
  'data/keys/empty': '',
  [LONG]: 'one line\n',
  'data/db/data.mdb': Buffer.alloc(700, 7),
};

/** Odd, so that every kind of place is met: a byte at each costs minutes and finds no more. */
const STRIDE = 13;

async function damageOf(path: string): Promise<string> {
  return readArchive(path, () => {}).then(
    () => 'nothing',
    (error: unknown) => (error instanceof DamagedArchive ? error.part : String(error)),
  );
}

test('any flipped byte is found, and the part that it is in is named', async (t) => {
  const folder = temporaryFolder(t);
  const { path } = await writeSmallArchive(folder, 'a.tar', FILES);
  assert.equal(await damageOf(path), 'nothing');
  const bytes = await readFile(path);
  const parts = ['manifest.json', 'manifest.sha256', ...Object.keys(FILES), 'its end'];
  let reached = 0;
  for (let at = 0; at < bytes.length; at += STRIDE) {
    bytes[at] = (bytes[at] as number) ^ 0x41;
    await writeFile(path, bytes);
    const part = await damageOf(path);
    bytes[at] = (bytes[at] as number) ^ 0x41;
    const place = parts.indexOf(part);
    // A damaged line with the manifest's hash is told as that of the manifest: which of the two changed cannot be known.
    assert.ok(place >= 0 && (place >= reached || (place === 0 && reached === 1)), `byte ${at}: ${part}`);
    reached = Math.max(reached, place);
  }
  assert.equal(reached, parts.length - 1);
});

test('an archive that ends early or goes on is damaged', async (t) => {
  const folder = temporaryFolder(t);
  const { path } = await writeSmallArchive(folder, 'a.tar', FILES);
  const bytes = await readFile(path);
  await writeFile(path, Buffer.concat([bytes, Buffer.alloc(512)]));
  assert.equal(await damageOf(path), 'its end');
  for (const size of [0, 511, bytes.length - 1, bytes.length - 1024, bytes.length - 2048]) {
    await writeFile(path, bytes);
    await truncate(path, size);
    assert.notEqual(await damageOf(path), 'nothing', `${size} bytes`);
  }
});

test('it is a plain tar with the manifest first, and its hashes are those of the files', async (t) => {
  const folder = temporaryFolder(t);
  const { path, manifest } = await writeSmallArchive(folder, 'a.tar', FILES);
  const names = execFileSync('tar', ['tf', path, '--quoting-style=literal'], { encoding: 'utf8' }).trim().split('\n');
  assert.deepEqual(names, ['manifest.json', 'manifest.sha256', ...Object.keys(FILES)]);
  execFileSync('tar', ['xf', path, '-C', folder]);
  for (const { path: entry, sha256, size } of manifest.files) {
    const content = await readFile(join(folder, entry));
    assert.equal(content.length, size);
    assert.equal(createHash('sha256').update(content).digest('hex'), sha256);
  }
  execFileSync('sha256sum', ['-c', 'manifest.sha256'], { cwd: folder });
  assert.equal((await stat(path)).mode & 0o777, 0o600);
});

test('its files come out as they went in, with their times', async (t) => {
  const folder = temporaryFolder(t);
  const { path } = await writeSmallArchive(folder, 'a.tar', FILES);
  const to = join(folder, 'out');
  await extractArchive(
    path,
    (entry) => (entry.startsWith('data/') ? join(to, entry) : null),
    () => {},
  );
  assert.deepEqual(await readFile(join(to, 'data/db/data.mdb')), FILES['data/db/data.mdb']);
  assert.equal((await stat(join(to, 'data/keys/empty'))).size, 0);
  assert.equal(Math.round((await stat(join(to, 'data/config.json'))).mtimeMs), 1_769_846_400_123);
  await assert.rejects(stat(join(to, LONG)));
});

test('files of any size around a chunk stand in the archive as they were', async (t) => {
  const folder = temporaryFolder(t);
  const mebibyte = 1024 * 1024;
  const sizes = [mebibyte - 1_024, mebibyte, 1, mebibyte - 512, mebibyte + 1, 3 * mebibyte + 700, 0, 512];
  const files = Object.fromEntries(sizes.map((size, i) => [`data/${i}`, Buffer.alloc(size, `${i}: some text. `)]));
  const { path } = await writeSmallArchive(folder, 'a.tar', files);
  assert.equal(await damageOf(path), 'nothing');
  execFileSync('tar', ['xf', path, '-C', folder]);
  for (const [name, content] of Object.entries(files))
    assert.ok((await readFile(join(folder, name))).equals(content), `${name}, ${content.length} bytes`);
});

test('a manifest that names a place outside the archive is refused before anything is written', async (t) => {
  const folder = temporaryFolder(t);
  for (const entry of ['data/../../etc/passwd', '/etc/passwd', 'other/file', 'data//x', 'data/./x']) {
    const { path } = await writeSmallArchive(folder, `${entry.length}-${entry.replaceAll('/', '_')}.tar`, {
      [entry]: 'x',
    });
    await assert.rejects(
      extractArchive(
        path,
        () => assert.fail('nothing is written'),
        () => {},
      ),
      /names a path outside/,
    );
  }
});

test('what an archive is can be told from its beginning; other files are none', async (t) => {
  const folder = temporaryFolder(t);
  const { path } = await writeSmallArchive(folder, 'a.tar', FILES);
  assert.deepEqual(await archiveHead(path), HEAD);
  await writeFile(join(folder, 'other'), 'manifest.json is only a word here');
  assert.equal(await archiveHead(join(folder, 'other')), undefined);
  assert.equal(await archiveHead(folder), undefined);
});
