/** Which of the files that were read around a copy of the database belong to it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { configsDuring, fittingOf, type SmallFile } from '../../../../src/store/backup/small-files.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const KEY = fileOf('keys/node-token.key', 'a key');

function fileOf(path: string, text: string): SmallFile {
  return { path, mtimeMs: 0, bytes: Buffer.from(text) };
}

const configured = (text: string, ...others: SmallFile[]): SmallFile[] => [
  fileOf('config.json', text),
  ...(others.length > 0 ? others : [KEY]),
];
const hashOf = (text: string): string => createHash('sha256').update(text).digest('hex');

test('the configuration in a backup is the one that its database knows of, however often it changes meanwhile', () => {
  const [one, two] = [configured('one'), configured('two')];
  assert.equal(fittingOf(one, two, hashOf('one'), false), one);
  assert.equal(fittingOf(one, two, hashOf('two'), false), two);
  assert.equal(fittingOf(one, two, hashOf('three'), true), undefined, 'it was another one at the moment of the copy');
  const same = configured('one');
  assert.equal(fittingOf(one, same, hashOf('one'), false), same);
});

test('a configuration that changed before the copy began and again after it is the one that was read in between', () => {
  const between = fileOf('config.json', 'two');
  const meanwhile = [fileOf('config.json', 'one'), between, fileOf('config.json', 'three')];
  const fitting = fittingOf(configured('zero'), configured('four'), hashOf('two'), false, meanwhile);
  assert.deepEqual(fitting, [between, KEY]);
  assert.equal(fittingOf(configured('zero'), configured('four'), hashOf('five'), false, meanwhile), undefined);
});

test('configurations are read from before a copy begins until after it has ended', async (t) => {
  const folder = temporaryFolder(t);
  const write = (text: string): Promise<void> => writeFile(join(folder, 'config.json'), text);
  await write('one');
  const seen = await configsDuring(folder, () => write('two'));
  assert.deepEqual(
    [seen[0], seen.at(-1)].map((file) => file?.bytes.toString()),
    ['one', 'two'],
  );
  const nothing = await configsDuring(join(folder, 'absent'), async () => {});
  assert.deepEqual(nothing, []);
  await assert.rejects(
    configsDuring(folder, () => Promise.reject(new Error('no room'))),
    /no room/,
  );
});

test('a configuration that was edited by hand is taken as it is, and one that is just being recorded is not', () => {
  const [before, after] = [configured('edited'), configured('edited')];
  assert.equal(fittingOf(before, after, hashOf('recorded'), false), undefined);
  assert.equal(fittingOf(before, after, hashOf('recorded'), true), after);
  assert.equal(fittingOf([KEY], [KEY], undefined, false)?.length, 1, 'a folder without one');
});

test('keys that change meanwhile fit no copy', () => {
  const changed = configured('one', fileOf(KEY.path, 'another'));
  assert.equal(fittingOf(configured('one'), changed, hashOf('one'), true), undefined);
});
