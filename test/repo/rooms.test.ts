/** The rooms of the house: how large a folder, a module and a class may be, and which folders may know each other. */
import assert from 'node:assert/strict';
import { dirname } from 'node:path';
import { test } from 'node:test';
import { importsOf, type SourceFile, sourceFiles } from '../support/source-tree.ts';

const PROGRAM = ['src', 'cli', 'agent', 'fleet', 'bench', 'tools', 'web/src'];
const FILES_MAX = 20;
const TEST_FILES_MAX = 40;
const CLASS_LINES_MAX = 250;
const DEEPEST = 6;

export function fullFolders(files: readonly SourceFile[], most: number): string[] {
  const counts = new Map<string, number>();
  for (const { path } of files) counts.set(dirname(path), (counts.get(dirname(path)) ?? 0) + 1);
  return [...counts].filter(([, count]) => count > most).map(([folder, count]) => `${folder} holds ${count} files`);
}

/** Pairs of folders that import each other, looked at from each depth: `a/b/c` is `a/b` to who stands outside of it. */
export function mutualFolders(files: readonly SourceFile[]): string[] {
  const edges = files.flatMap(importsOf).filter(({ to }) => /\.tsx?$/.test(to));
  const faults = new Set<string>();
  for (let depth = 1; depth <= DEEPEST; depth++) {
    const seen = new Map<string, string>();
    for (const { from, to } of edges) {
      const [a, b] = [roomOf(from, depth), roomOf(to, depth)];
      if (a === b) continue;
      seen.set(`${a} > ${b}`, `${from} imports ${to}`);
      const back = seen.get(`${b} > ${a}`);
      if (back !== undefined) faults.add(`${from} imports ${to}, and ${back}`);
    }
  }
  return [...faults];
}

function roomOf(path: string, depth: number): string {
  return dirname(path).split('/').slice(0, depth).join('/');
}

/** Chains of imports that lead from a file back to itself; each is told once, by the file at which it was entered. */
export function circles(files: readonly SourceFile[]): string[] {
  const next = new Map(files.map((file) => [file.path, importsOf(file).map(({ to }) => to)]));
  const found: string[] = [];
  const done = new Set<string>();
  const walk = (path: string, chain: readonly string[]): void => {
    if (chain.includes(path)) {
      found.push([...chain.slice(chain.indexOf(path)), path].join(' > '));
      return;
    }
    if (done.has(path)) return;
    for (const to of next.get(path) ?? []) if (next.has(to)) walk(to, [...chain, path]);
    done.add(path);
  };
  for (const path of next.keys()) walk(path, []);
  return found;
}

/** Half have at most 110 lines, nine of ten at most 220, none more than 400. */
export function modulesOutOfShape(lengths: readonly number[]): string[] {
  const sorted = [...lengths].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return [
    ...(at(0.5) > 110 ? [`the median module has ${at(0.5)} lines`] : []),
    ...(at(0.9) > 220 ? [`one module of ten has more than ${at(0.9)} lines`] : []),
    ...(at(1) > 400 ? [`one module has ${at(1)} lines`] : []),
  ];
}

export function longClasses(files: readonly SourceFile[]): string[] {
  return files.flatMap(({ path, text }) => {
    const lines = text.split('\n');
    return lines.flatMap((line, i) => {
      const name = /^(?:export )?(?:abstract )?class (\w+)/.exec(line)?.[1];
      if (name === undefined) return [];
      const length = lines.indexOf('}', i) - i + 1;
      return length > CLASS_LINES_MAX ? [`${path}: ${name} has ${length} lines`] : [];
    });
  });
}

const planted = (path: string, text = ''): SourceFile => ({ path, text });

test(`a folder of the program holds at most ${FILES_MAX} files, one of the tests at most ${TEST_FILES_MAX}`, () => {
  assert.deepEqual(fullFolders(sourceFiles(...PROGRAM), FILES_MAX), []);
  assert.deepEqual(fullFolders(sourceFiles('test'), TEST_FILES_MAX), []);
  const many = Array.from({ length: FILES_MAX + 1 }, (_, i) => planted(`src/store/${i}.ts`));
  assert.deepEqual(fullFolders(many, FILES_MAX), ['src/store holds 21 files']);
});

test('no two folders import each other, at any depth', () => {
  for (const top of PROGRAM) assert.deepEqual(mutualFolders(sourceFiles(top)), []);
  const there = planted('src/a/x.ts', "import { y } from '../b/deep/y.ts';\n");
  const back = planted('src/b/other/z.ts', "import type { X } from '../../a/x.ts';\n");
  assert.equal(mutualFolders([there, back]).length, 1, 'through different rooms of the same folder');
  assert.equal(mutualFolders([there]).length, 0);
});

test('no chain of imports leads from a file back to itself', () => {
  assert.deepEqual(circles(sourceFiles(...PROGRAM)), []);
  const a = planted('src/a.ts', "import { b } from './b.ts';\n");
  const b = planted('src/b.ts', "import { c } from './c.ts';\n");
  const c = planted('src/c.ts', "import type { A } from './a.ts';\n");
  assert.deepEqual(circles([a, b, c]), ['src/a.ts > src/b.ts > src/c.ts > src/a.ts']);
  assert.deepEqual(circles([a, b]), []);
});

test('modules of src are small, and so are classes', () => {
  const src = sourceFiles('src');
  assert.deepEqual(modulesOutOfShape(src.map(({ text }) => text.split('\n').length - 1)), []);
  assert.deepEqual(longClasses(sourceFiles(...PROGRAM, 'test')), []);
  assert.equal(modulesOutOfShape([10, 10, 401]).length, 2);
  assert.equal(modulesOutOfShape([111, 111]).length, 1);
  const long = planted('src/x.ts', `export class Long {\n${'  a = 1;\n'.repeat(CLASS_LINES_MAX)}}\n`);
  assert.equal(longClasses([long]).length, 1);
});
