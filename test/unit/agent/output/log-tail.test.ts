import assert from 'node:assert/strict';
import { open, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { appendTail, bytesInPlace } from '../../../../agent/output/log-tail.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

/** More than is read at once. */
const LONG = Buffer.alloc(1_048_576 + 100, 'ab\n');

test('what stands in a log of an image’s tail already is counted, and the rest is put behind it', async (t) => {
  const folder = temporaryFolder(t);
  const [log, tail] = [join(folder, 'log'), join(folder, 'tail')];
  const changed = Buffer.from(LONG);
  changed[LONG.byteLength - 1] = 0;
  for (const [there, at, saved, inPlace] of [
    ['0123', 2, '2345', 2],
    ['0123', 2, '23', 2],
    ['01xx', 2, '2345', 0],
    ['0123zz', 2, '2345', 2],
    ['01', 2, '2345', 0],
    ['01', 0, '', 0],
    [LONG, 0, LONG, LONG.byteLength],
    [changed, 0, LONG, LONG.byteLength - 1],
  ] as const) {
    await writeFile(log, there);
    await writeFile(tail, saved);
    assert.equal(await bytesInPlace(log, at, tail), inPlace);
  }
  for (const [saved, from, whole] of [
    ['2345', 2, '0145'],
    ['2345', 4, '01'],
    [LONG, 1, `01${LONG.subarray(1).toString()}`],
  ] as const) {
    await writeFile(log, '01');
    await writeFile(tail, saved);
    const file = await open(log, 'a');
    await appendTail(file, tail, from);
    await file.close();
    assert.ok((await readFile(log, 'utf8')) === whole);
  }
});
