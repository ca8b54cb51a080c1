/** A stack of a compiled test names the line of its source. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { withSourcePositions } from '../../../tools/source-positions.ts';

const compiled = fileURLToPath(import.meta.url);
const source = compiled.replace('/dist/', '/').replace(/\.js$/, '.ts');
/** This line is looked for, in both files. */
const lineOf = (file: string): number =>
  readFileSync(file, 'utf8')
    .split('\n')
    .findIndex((line) => line.startsWith('const lineOf =')) + 1;

test('positions in compiled modules become those in their sources, in either form of a stack', () => {
  for (const place of [compiled, `file://${compiled}`]) {
    const text = withSourcePositions(`Error: no\n    at x (${place}:${lineOf(compiled)}:7)`);
    assert.equal(text, `Error: no\n    at x (${source}:${lineOf(source)}:7)`);
  }
  assert.notEqual(lineOf(compiled), lineOf(source), 'the compiler moves lines');
});

test('what has no map stays as it is', () => {
  const text = 'at y (/nowhere/at/all.js:1:2)\nat node:internal/x:3:4';
  assert.equal(withSourcePositions(text), text);
});
