import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isColored, paintOf } from '../../../../cli/output/colors.ts';
import { fitting, Table } from '../../../../cli/output/table.ts';

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

test('on a terminal a row is one line, and the widest columns give first', async () => {
  const lines = await printed(['id', 'name', 'n'], [['x'.repeat(40), 'y'.repeat(30), '7']], 40);
  assert.ok(
    lines.every((line) => line.length <= 40),
    lines.join('\n'),
  );
  assert.match(lines[1] as string, /^x+… {2}y+… {2}7$/);
  assert.equal(
    fitting([40, 30, 1], 40).reduce((sum, width) => sum + width, 4),
    40,
  );
  assert.deepEqual(fitting([3, 4], 80), [3, 4]);
  assert.deepEqual(fitting([30, 30], 1), [6, 6], 'not below what says something');
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
