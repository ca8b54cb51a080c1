/** What `npm test` leaves out is named in one place, exists, is run by `.ci/run`, and is no whole layer. */
import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import {
  filesOf,
  LAYERS,
  namedBy,
  namesOfNone,
  ofTier,
  partsByCost,
  type RestFile,
  restFiles,
} from '../../tools/test-files.ts';

function whatIsWrong(rest: readonly RestFile[]): string[] {
  return rest.flatMap(({ file, seconds, why }, i) => {
    if (rest.findIndex((other) => other.file === file) !== i) return [`${file} stands in the list twice`];
    if (!/^test\/.*\.test\.ts$/.test(file) || !existsSync(file)) return [`there is no test file ${file}`];
    return seconds > 0 && why.length > 20 ? [] : [`${file}: what does it cost, and why is it left out?`];
  });
}

test('every file of the rest exists, has its cost and its reason, and stands in the list once', () => {
  assert.deepEqual(whatIsWrong(restFiles()), []);
});

test('a file that is gone, one that is named twice and one without a reason are found', () => {
  const good = restFiles()[0] as RestFile;
  assert.match(whatIsWrong([{ ...good, file: 'test/system/gone.test.ts' }]).join(), /there is no test file/);
  assert.match(whatIsWrong([good, good]).join(), /twice/);
  assert.match(whatIsWrong([{ ...good, why: '' }]).join(), /why is it left out/);
});

test('both tiers together are every file, each once, and every layer has files in the first', () => {
  for (const layer of LAYERS) {
    const files = filesOf(layer);
    const first = ofTier(files, 'first');
    assert.ok(first.length > 0, `npm test runs nothing of ${layer}`);
    assert.deepEqual([...first, ...ofTier(files, 'rest')].sort(), files);
    assert.deepEqual(ofTier(files, 'all'), files);
  }
});

test('under a time limit every file is in one part, and the cheapest come first', () => {
  const known = [40, 50, 60, 70, 5].map((seconds, i) => ({ file: `${i}`, seconds, why: '' }));
  assert.deepEqual(partsByCost(['0', '1', '2', 'new', '3', '4'], known), [['new', '4', '0', '1', '2'], ['3']]);
  assert.deepEqual(partsByCost([], known), []);
});

test('.ci/run runs both tiers', () => {
  const script = readFileSync('.ci/run', 'utf8');
  assert.match(script, /^npm test$/m);
  assert.match(script, /^CAIRN_TEST_UNTIL=.+ npm run test:rest$/m);
});

test('a test is named with or without the folder test, and a name that no test has is told', () => {
  const files = ['test/unit/a.test.ts', 'test/web/b.test.ts'];
  for (const name of ['unit/a', 'test/unit/a', './test/unit/a.test.ts', 'unit'])
    assert.deepEqual(namedBy(files, [name]), ['test/unit/a.test.ts'], name);
  assert.deepEqual(namesOfNone(['repo/rest', 'proof', 'repo/no-such-test', 'a.test.ts']), [
    'repo/no-such-test',
    'a.test.ts',
  ]);
});
