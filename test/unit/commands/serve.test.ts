/** What `cairn serve` refuses before it starts anything. */
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { UsageError } from '../../../src/base/usage-error.ts';
import { serveCommand } from '../../../src/commands/serve.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const serve = (values: Record<string, string>): Promise<number> => serveCommand({ values, args: [] } as never);

test('a variable that cannot be used is refused in a sentence that names it, and a flag in its place by its own name', async (t) => {
  const names = ['CAIRN_WARM_UP', 'CAIRN_WORKERS', 'CAIRN_SHARDS'];
  const before = names.map((name) => process.env[name]);
  t.after(() => {
    for (const [i, name] of names.entries()) {
      if (before[i] === undefined) delete process.env[name];
      else process.env[name] = before[i];
    }
  });
  const refused = (values: Record<string, string>, sentence: string): Promise<void> =>
    assert.rejects(serve(values), (error) => error instanceof UsageError && error.message === sentence);
  const wantsCount = 'want a whole number from 1 to 64';
  process.env['CAIRN_WARM_UP'] = 'maybe';
  // So that nothing starts if the variable is taken.
  await refused({ shards: 'none' }, 'cannot use CAIRN_WARM_UP=maybe: want yes or no');
  delete process.env['CAIRN_WARM_UP'];
  process.env['CAIRN_WORKERS'] = '65';
  await refused({ shards: '2' }, `cannot use CAIRN_WORKERS=65: ${wantsCount}`);
  process.env['CAIRN_SHARDS'] = '1.5';
  await refused({}, `cannot use CAIRN_SHARDS=1.5: ${wantsCount}`);
  await refused({ shards: '0' }, `cannot use --shards 0: ${wantsCount}`);
});

test('a folder that cannot be made is named, with the flag that names another', async (t) => {
  const folder = await temporaryFolder(t);
  const file = join(folder, 'file');
  await writeFile(file, '');
  const refused = (dataFolder: string, logFolder: string, flag: string): Promise<void> =>
    assert.rejects(serve({ 'data-dir': dataFolder, 'log-dir': logFolder }), ({ message }: Error) => {
      assert.ok(message.startsWith(`cannot make ${file}/`) && message.includes('ENOTDIR'), message);
      assert.ok(message.endsWith(`; name a folder that can be written with ${flag}`), message);
      return true;
    });
  await refused(join(file, 'data'), join(folder, 'logs'), '--data-dir');
  await refused(join(folder, 'data'), join(file, 'logs'), '--log-dir');
});
