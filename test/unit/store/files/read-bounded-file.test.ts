import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { readBoundedFile } from '../../../../src/store/files/read-bounded-file.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

test('a small file is read; a pipe, a device, a folder, a large file and none at all are refused at once', async (t) => {
  const folder = temporaryFolder(t);
  const path = (name: string): string => join(folder, name);
  writeFileSync(path('small'), 'content');
  assert.equal((await readBoundedFile(path('small'))).toString(), 'content');
  execFileSync('mkfifo', [path('pipe')]);
  for (const odd of [path('pipe'), '/dev/zero', folder])
    await assert.rejects(readBoundedFile(odd), { code: 'not a regular file' });
  writeFileSync(path('large'), Buffer.alloc(1024 * 1024 + 1));
  await assert.rejects(readBoundedFile(path('large')), { code: 'larger than 1 MiB' });
  await assert.rejects(readBoundedFile(path('none')), { code: 'ENOENT' });
});
