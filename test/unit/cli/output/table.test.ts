import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isColored, paintOf } from '../../../../cli/output/colors.ts';
import { type ColumnWidth, fitting, Table } from '../../../../cli/output/table.ts';

function widths(...columns: readonly (readonly [full: number, least: number])[]): ColumnWidth[] {
  return columns.map(([full, least]) => ({ full, least }));
}

async function printed(
  columns: readonly string[],
  rows: readonly (readonly string[])[],
  width: number | null,
  colored = false,
): Promise<string[]> {
  let text = '';
  const print = async (part: string): Promise<void> => {
    text += part;
  };
  const table = new Table({ columns, width, paint: paintOf(colored), print });
  for (const row of rows) await table.row(row);
  await table.end();
  return text.split('\n').slice(0, -1);
}

test('columns are as wide as their widest cell', async () => {
  assert.deepEqual(
    await printed(
      ['id', 'status'],
      [
        ['a', 'Running'],
        ['longer', 'x'],
      ],
      null,
    ),
    ['ID      STATUS', 'a       Running', 'longer  x'],
  );
  assert.deepEqual(await printed(['id'], [], null), ['ID'], 'no row is a head alone');
});

test('on a terminal a row is one line: the first column is whole, and the widest of the others give first', async () => {
  const id = `render-${'x'.repeat(13)}`;
  const lines = await printed(['id', 'name', 'n', 'note'], [[id, 'a-long-name-17', '7', 'y'.repeat(30)]], 55);
  assert.deepEqual(lines, [
    'ID                    NAME            N  NOTE',
    `${id}  a-long-name-17  7  ${'y'.repeat(13)}…`,
  ]);
  assert.deepEqual(fitting(widths([3, 3], [4, 4]), 80), [3, 4]);
  assert.deepEqual(fitting(widths([9, 9], [30, 12], [20, 12]), 45), [9, 16, 16]);
});

test('ids that begin alike are cut inside', async () => {
  const rows = [1, 2].map((number) => ['x', `fleet-1-worker-of-the-night-${number}`, 'note']);
  const lines = await printed(['id', 'node', 'detail'], rows, 24);
  assert.deepEqual(lines.slice(1), ['x   fleet…ight-1  note', 'x   fleet…ight-2  note']);
});

test('a time has no fraction on a terminal, and is never cut', async () => {
  const row = ['a-rather-long-name', '2026-11-22T19:01:38.451539252Z'];
  assert.deepEqual((await printed(['name', 'created'], [row], 60))[1], 'a-rather-long-name  2026-11-22T19:01:38Z');
  assert.deepEqual((await printed(['name', 'created'], [row], null))[1], row.join('  '), 'elsewhere it is whole');
});

test('columns that do not fit are left out from the right, and named', async () => {
  const row = ['job-1', 'nightly', '2026-11-22T19:01:38Z', '2026-11-22T19:04:56Z'];
  assert.deepEqual(await printed(['id', 'queue', 'created', 'updated'], [row], 40), [
    'ID     QUEUE    CREATED',
    'job-1  nightly  2026-11-22T19:01:38Z',
    'updated does not fit here: use a wider terminal, or --output csv',
  ]);
  const narrow = await printed(['id', 'queue', 'created', 'updated'], [row], 4);
  assert.deepEqual(narrow.slice(0, 2), ['ID', 'job-1'], 'the first one is there whatever happens');
  assert.match(narrow[2] as string, /^queue, created, updated do not fit here/);
});

test('what was sent by a worker steers no terminal', async () => {
  const lines = await printed(['id'], [['a\u001b[2Jb\nc']], null);
  assert.deepEqual(lines, ['ID', 'a [2Jb c']);
});

test('rows behind the first ones are printed as they come, and as wide as they are', async () => {
  const rows = Array.from({ length: 300 }, (_, i) => [i === 250 ? 'a very long id' : `j${i}`, 'x']);
  const lines = await printed(['id', 'state'], rows, null);
  assert.equal(lines.length, 301);
  assert.equal(lines[1], 'j0    x');
  assert.equal(lines[251], 'a very long id  x');
});

test('states have colors, on a terminal only', async () => {
  assert.deepEqual(await printed(['s'], [['Failed'], ['other']], 80, true), [
    '\u001b[1mS\u001b[0m',
    '\u001b[31mFailed\u001b[0m',
    'other',
  ]);
  const terminal = { isTTY: true };
  assert.equal(isColored(false, {}, terminal), true);
  assert.equal(isColored(true, {}, terminal), false);
  assert.equal(isColored(false, { NO_COLOR: '1' }, terminal), false);
  assert.equal(isColored(false, { NO_COLOR: '' }, terminal), true, 'an empty variable is none (no-color.org)');
  assert.equal(isColored(false, { TERM: 'dumb' }, terminal), false);
  assert.equal(isColored(false, {}, {}), false);
});
