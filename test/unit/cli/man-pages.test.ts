import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { manPages } from '../../../cli/pages/man-pages.ts';
import { COMMANDS, GROUPS } from '../../../cli/specs/commands.ts';

const PAGES = manPages(GROUPS, '1.2.3');

test('every command has a manual page, and the first page names them all', () => {
  assert.equal(PAGES.size, COMMANDS.length + 1);
  for (const { path } of COMMANDS) {
    const name = `cairn-${path.replaceAll(' ', '-')}`;
    assert.ok(PAGES.get(`${name}.1`)?.startsWith(`.TH "${name.toUpperCase()}" 1 "" "cairn 1.2.3"`), name);
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
