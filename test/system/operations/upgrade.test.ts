/**
 * A database of each schema, as `test/proof/upgrade` kept it with what the server of that version answered: this version
 * answers the same from it, and goes back by one command (contract section 12).
 */
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
import { type Answers, canonical, faultsOfLists, lostFrom } from '../../support/upgrade/answers.ts';

const SCHEMAS = 'test/system/operations/schemas';

const kept = (await readdir(SCHEMAS)).filter((name) => name.endsWith('.mdb.gz'));

test('there is a database of every schema before this one', () => {
  for (let schema = 1; schema < SCHEMA_NUMBER; schema++)
    assert.ok(
      kept.includes(`schema-${schema}.mdb.gz`),
      `make one of schema ${schema}: docs/internals/testing.md says how`,
    );
});

for (const name of kept) {
  const schema = Number(/^schema-(\d+)\.mdb\.gz$/.exec(name)?.[1]);
  test(`a database of schema ${schema} has the answers that it had, and comes back by one command`, async () => {
    const before = JSON.parse(gunzipSync(await readFile(join(SCHEMAS, `schema-${schema}.json.gz`))).toString());
    const folders = await makeFolders();
    await mkdir(join(folders.data, 'db'), { recursive: true, mode: 0o700 });
    const file = join(folders.data, 'db', 'data.mdb');
    await writeFile(file, gunzipSync(await readFile(join(SCHEMAS, name))));
    assert.equal(await storedSchema(folders.data), schema);
    const server = await ServerProcess.start({ folders, args: ['--shards', '1', '--workers', '1'] });
    const api = new Api(server.address);
    try {
      const answers: Record<string, unknown> = {};
      for (const path of Object.keys(before)) answers[path] = canonical((await api.get(path)).json);
      assert.deepEqual(lostFrom(before as Answers, answers), []);
      assert.deepEqual(await faultsOfLists(api), []);
    } finally {
      api.close();
      await server.kill('SIGTERM');
    }
    if (schema < SCHEMA_NUMBER) {
      assert.equal(await storedSchema(folders.data), SCHEMA_NUMBER);
      await stat(join(folders.data, `before-${SCHEMA_NUMBER}.tar`));
      const undone = await cairn(['restore', '--undo-upgrade', '--data-dir', folders.data]);
      assert.equal(undone.code, 0, undone.err);
      assert.equal(await storedSchema(folders.data), schema);
      await copyFile(join(folders.data, `after-${SCHEMA_NUMBER}`, 'data.mdb'), file);
      assert.equal(await storedSchema(folders.data), SCHEMA_NUMBER, 'the newer database was kept');
    }
    await server.dispose();
  });
}
