/** Every bench runs from end to end with small numbers, so that none rots. Nothing here looks at a time. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';

test('every scenario runs and prints a row for each of its peers', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['dist/bench/main.js', '--smoke']);
  assert.match(stdout, /SMOKE/);
  assert.match(stdout, /bare-uws +\d+\/s .* µs CPU a beat +\d+\.\d\d × bare-uws/);
  assert.match(stdout, /cairn +\d+\/s .* µs CPU a beat/);
});
