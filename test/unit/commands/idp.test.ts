/** `cairn idp disable` where no server runs. */
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { idpCommand } from '../../../src/commands/idp.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

test('a folder that is no server’s is named, with the flag that names another, and nothing is made in it', async (t) => {
  const folder = await temporaryFolder(t);
  for (const dataFolder of [folder, join(folder, 'gone')])
    await assert.rejects(idpCommand({ values: { 'data-dir': dataFolder }, args: [] } as never), {
      message: `there is no configuration in ${dataFolder}: name the server's folder with --data-dir`,
    });
  assert.deepEqual(await readdir(folder), []);
});
