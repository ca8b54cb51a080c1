/** Which of the files that were read around a copy of the database belong to it. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { fittingOf, type SmallFile } from '../../../../src/store/backup/small-files.ts';

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
