/** A database of each released schema: this version opens it, answers from it, and goes back (contract section 12). */
import assert from 'node:assert/strict';
import { copyFile, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { storedSchema } from '../../../src/store/backup/upgrade.ts';
import { SCHEMA_NUMBER } from '../../../src/store/kv/schema.ts';
import { Api } from '../../support/api.ts';
import { cairn } from '../../support/operations/command.ts';
import { makeFolders, ServerProcess } from '../../support/server-process.ts';

const SCHEMAS = 'test/system/operations/schemas';

test('a database of an older schema is migrated with a backup, has its answers, and comes back by one command', async () => {
  for (const name of await readdir(SCHEMAS)) {
    const schema = Number(/^schema-(\d+)\.mdb\.gz$/.exec(name)?.[1]);
    const folders = await makeFolders();
    await mkdir(join(folders.data, 'db'), { recursive: true, mode: 0o700 });
    const file = join(folders.data, 'db', 'data.mdb');
    await writeFile(file, gunzipSync(await readFile(join(SCHEMAS, name))));
    assert.equal(await storedSchema(folders.data), schema);
    const server = await ServerProcess.start({ folders });
    const api = new Api(server.address);
    try {
      assert.deepEqual((await api.get('/api/v1/job/count?by=status')).json, {
        total: 150,
        counts: { Running: 50, Succeeded: 100 },
      });
      const { events, status } = (await api.get('/api/v1/job/j1')).json;
      assert.deepEqual([status, events.length], ['Succeeded', 3]);
      assert.equal((await api.get('/api/v1/node?state=all')).json.length, 30);
    } finally {
      api.close();
      await server.kill('SIGTERM');
    }
    assert.equal(await storedSchema(folders.data), SCHEMA_NUMBER);
    await stat(join(folders.data, `before-${SCHEMA_NUMBER}.tar`));
    const undone = await cairn(['restore', '--undo-upgrade', '--data-dir', folders.data]);
    assert.equal(undone.code, 0, undone.err);
    assert.equal(await storedSchema(folders.data), schema);
    await copyFile(join(folders.data, `after-${SCHEMA_NUMBER}`, 'data.mdb'), file);
    assert.equal(await storedSchema(folders.data), SCHEMA_NUMBER, 'the newer database was kept');
    await server.dispose();
  }
});
