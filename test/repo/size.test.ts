/** Small files, functions that fit a screen, no catch-all folders, no left-overs (docs/internals/style.md). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type SourceFile, sourceFiles } from '../support/source-tree.ts';

const FILE_LINES_MAX = 500;
const FUNCTION_LINES_MAX = 70;
const FORBIDDEN_FOLDERS = /(^|\/)(utils?|helpers?|common|types|misc)\//;
/** Built from pieces, so that this file does not find itself. */
const LEFTOVERS = new RegExp(
  `\\b(${['TO' + 'DO', 'FIX' + 'ME', 'X' + 'XX', 'HA' + 'CK'].join('|')})\\b|@ts-(ignore|nocheck|expect-error)`,
);

export function longFiles(files: readonly SourceFile[]): string[] {
  return files.filter(({ text }) => text.split('\n').length > FILE_LINES_MAX).map(({ path }) => path);
}

/** Functions and methods by indentation: the formatter guarantees that a body ends where its first line began. */
export function longFunctions(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const lines = text.split('\n');
    return lines.flatMap((line, i) => {
      const opens =
        /^( *)(?:export |default |async |static |private |override |\*)*(?:function\b|constructor\(|[#\w]+\(|(?:get|set) [#\w]+\(|const \w+ = (?:async )?\()/.exec(
          line,
        );
      if (
        !opens ||
        /^ *(if|for|while|switch|return|await|test|describe|before|after|super|assert|expect|fc|use[A-Z]\w*)\b/.test(
          line,
        )
      )
        return [];
      const indent = opens[1] as string;
      const end = lines.findIndex(
        (candidate, at) => at > i && (candidate === `${indent}}` || candidate === `${indent}};`),
      );
      // A line that ends in a semicolon first is a declaration or a call: there is no body.
      const opener = lines.slice(i, i + 12).find((candidate) => /[{;]$/.test(candidate));
      return opener?.endsWith('{') && end - i + 1 > FUNCTION_LINES_MAX
        ? [`${path}:${i + 1} has ${end - i + 1} lines`]
        : [];
    });
  });
}

const ours = (): SourceFile[] => sourceFiles('src', 'cli', 'agent', 'fleet', 'bench', 'tools', 'test', 'web');

test('no file is longer than 500 lines', () => {
  assert.deepEqual(longFiles(ours()), []);
  assert.equal(longFiles([{ path: 'x', text: '\n'.repeat(FILE_LINES_MAX + 1) }]).length, 1);
});

test('no function is longer than 70 lines', () => {
  assert.deepEqual(longFunctions(sourceFiles('src', 'cli', 'agent', 'fleet', 'bench', 'tools', 'web')), []);
  const long = `export function long(): void {\n${'  x();\n'.repeat(FUNCTION_LINES_MAX)}}\n`;
  assert.equal(longFunctions([{ path: 'x', text: long }]).length, 1);
});

test('there are no catch-all folders and nothing left over', () => {
  const faults = ours().filter(({ path, text }) => FORBIDDEN_FOLDERS.test(path) || LEFTOVERS.test(text));
  assert.deepEqual(
    faults.map(({ path }) => path),
    [],
  );
});
