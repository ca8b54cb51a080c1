import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { manPages } from '../../../cli/pages/man-pages.ts';
import { COMMANDS, GROUPS } from '../../../cli/specs/commands.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';

const PAGES = manPages(GROUPS, { version: '1.2.3', epoch: 1_769_846_400 });

test('every command has a manual page, and the first page names them all', () => {
  assert.equal(PAGES.size, COMMANDS.length + 1);
  for (const { path } of COMMANDS) {
    const name = `cairn-${path.replaceAll(' ', '-')}`;
    assert.ok(PAGES.get(`${name}.1`)?.startsWith(`.TH "${name.toUpperCase()}" 1 "2026-01-31" "cairn 1.2.3"`), name);
    assert.ok(PAGES.get('cairn.1')?.includes(`.BR ${name.replaceAll('-', '\\-')} (1)`), name);
  }
  assert.match(PAGES.get('cairn-node-logs.1') as string, /\.B \\-f, \\-\\-follow\n/);
  assert.match(PAGES.get('cairn-node-logs.1') as string, /\.BI "\\-\\-tail " N\n/);
});

test('no line begins with a request that was not meant as one', () => {
  const known = /^\.(TH|SH|SS|TP|PP|B|I|BR|BI|RS|RE|nf|fi)\b/;
  for (const [name, text] of PAGES) {
    const wrong = text.split('\n').filter((line) => /^[.']/.test(line) && !known.test(line));
    assert.deepEqual(wrong, [], name);
  }
});

const hasGroff = spawnSync('groff', ['--version']).status === 0;

test('groff takes every page without a warning', { skip: !hasGroff && 'groff is not installed' }, () => {
  const all = [...PAGES.values()].join('');
  const { stdout, stderr, status } = spawnSync('groff', ['-man', '-Tutf8', '-ww'], { input: all, encoding: 'utf8' });
  assert.deepEqual([status, stderr], [0, '']);
  assert.match(stdout, /keep printing what is appended/);
});

test('no line of text is longer than 80 characters, and no paragraph is empty', () => {
  for (const [name, text] of PAGES) {
    const lines = text.split('\n');
    const isFilled = (i: number): boolean => lines.lastIndexOf('.nf', i) <= lines.lastIndexOf('.fi', i);
    const wrong = lines.filter((line, i) => line.length > 80 && !line.startsWith('.') && isFilled(i));
    assert.deepEqual(wrong, [], name);
    assert.doesNotMatch(text, /\n\.S[HS] .*\n\.PP\n/, name);
  }
});

const hasMandoc = spawnSync('mandoc', ['-T', 'lint'], { input: '' }).error === undefined;

test('mandoc finds nothing to object to', { skip: !hasMandoc && 'mandoc is not installed' }, (t) => {
  const folder = temporaryFolder(t);
  for (const [name, text] of PAGES) writeFileSync(join(folder, name), text);
  const { stdout, stderr } = spawnSync('mandoc', ['-T', 'lint', ...PAGES.keys()], { cwd: folder, encoding: 'utf8' });
  assert.deepEqual([stdout, stderr], ['', '']);
});
