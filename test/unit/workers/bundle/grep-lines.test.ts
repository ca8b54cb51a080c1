import assert from 'node:assert/strict';
import { open, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { grepLines, type OpenLog, sizeOfGrepLines } from '../../../../src/workers/bundle/grep-lines.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

async function logsOf(t: TestContext, ...texts: readonly string[]): Promise<readonly OpenLog[]> {
  const folder = temporaryFolder(t);
  return Promise.all(
    texts.map(async (text, i) => {
      const file = join(folder, `${i}.log`);
      await writeFile(file, text);
      const handle = await open(file);
      t.after(() => handle.close());
      return { handle, size: Buffer.byteLength(text) };
    }),
  );
}

async function about(logs: readonly OpenLog[], id: string): Promise<string> {
  const lines: Uint8Array[] = [];
  for await (const line of grepLines(logs, id)) lines.push(line);
  const text = Buffer.concat(lines).toString();
  assert.equal(await sizeOfGrepLines(logs, id), Buffer.byteLength(text));
  return text;
}

test('lines that name the id come in order, and not those that name a longer one', async (t) => {
  const logs = await logsOf(
    t,
    '{"job":"a.1"}\n{"job":"a.10"}\n{"job":"xa.1"}\nabout a.1: late\n',
    '{"job":"a.1.b"}\nno job\n{"path":"/api/v1/job/a.1/event"}\nends with a.1.\n{"job":"aX1"}\n',
  );
  assert.equal(
    await about(logs, 'a.1'),
    '{"job":"a.1"}\nabout a.1: late\n{"path":"/api/v1/job/a.1/event"}\nends with a.1.\n',
  );
  assert.equal(await about(logs, 'nobody'), '');
});

test('a line across two reads is whole, a line that has no end yet is left out', async (t) => {
  const filler = `${'x'.repeat(1_000)}\n`.repeat(262);
  const line = `{"job":"j","text":"${'é'.repeat(900)}"}\n`;
  const logs = await logsOf(t, `${filler}${line}${filler}{"job":"j"`);
  assert.equal(await about(logs, 'j'), line);
});
