/** Every file that a document names exists; what an accepted decision names may have moved since, by the table that says where. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { test } from 'node:test';
import { documents, type SourceFile } from '../support/source-tree.ts';

const MOVED = 'docs/decisions/moved-files.md';
const TOPS = ['src', 'cli', 'agent', 'fleet', 'bench', 'test', 'tools', 'web', 'docs'];
const COLUMNS_MAX = 120;
/** Names that a worker, an operator or an example has, none of ours. */
const NOT_OURS = /^(cairn|config|ended|instance|logs|manifest|spool)\.json$/;
const NAMED = /`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|tsx|mjs|md|json|css|html|js))`/g;
/** A layer or a test without its ending, as `test/system/identity/access`. */
const NAMED_TEST = /`(test\/[\w/.-]+)`/g;

/** Old path → new path. */
function movedFiles(table: string): ReadonlyMap<string, string> {
  return new Map(
    [...table.matchAll(/^\| `([^`]+)` \| `([^`]+)` \|$/gm)].map(([, from, to]) => [from as string, to as string]),
  );
}

function namesOf({ text }: SourceFile): string[] {
  const names = [...text.matchAll(NAMED), ...text.matchAll(NAMED_TEST)].map(([, name]) => name as string);
  return [...new Set(names)].filter((name) => !NOT_OURS.test(name));
}

/** Below `src`, below a top folder, or alone, as prose has it where the folder is clear. */
function isThere(name: string, basenames: ReadonlySet<string>): boolean {
  if (!name.includes('/')) return basenames.has(name) || existsSync(name);
  return [name, `src/${name}`, `web/src/${name}`, `${name}.test.ts`, `${name}.ts`].some((path) => existsSync(path));
}

function lostNames(
  files: readonly SourceFile[],
  basenames: ReadonlySet<string>,
  moved: ReadonlyMap<string, string>,
): string[] {
  const old = [...moved.keys()];
  const hasMoved = (name: string): boolean =>
    old.some((path) => path === name || path.endsWith(`/${name}`) || path === `${name}.test.ts`);
  return files.flatMap((file) =>
    namesOf(file)
      .filter((name) => !isThere(name, basenames))
      .filter((name) => !(file.path.startsWith('docs/decisions/') && hasMoved(name)))
      .map((name) => `${file.path} names ${name}`),
  );
}

/** Lines of prose; a row of a table cannot be broken. */
function longLines({ path, text }: SourceFile): string[] {
  return text
    .split('\n')
    .flatMap((line, i) => (line.length > COLUMNS_MAX && !line.startsWith('|') ? [`${path}:${i + 1}`] : []));
}

function allBasenames(): ReadonlySet<string> {
  const below = TOPS.flatMap((top) => readdirSync(top, { recursive: true, encoding: 'utf8' }));
  return new Set([...below, ...readdirSync('.')].map((path) => basename(path)));
}

const moved = movedFiles(readFileSync(MOVED, 'utf8'));

test('every file that a document names exists', () => {
  const searched = documents().filter(({ path }) => path !== MOVED && path !== 'CHANGELOG.md');
  assert.deepEqual(lostNames(searched, allBasenames(), moved), []);
});

test('every row of the table of moved files leads to a file', () => {
  assert.ok(moved.size > 200);
  assert.deepEqual(
    [...moved.values()].filter((path) => !existsSync(path)),
    [],
  );
});

test('a name that leads nowhere is found, and one that has moved only where a decision has it', () => {
  const basenames = new Set(['exchange.ts']);
  const lost = (path: string, text: string): string[] => lostNames([{ path, text }], basenames, moved);
  assert.equal(lost('docs/x.md', 'See `src/gone.ts`, `gateway/http/gone.ts` and `test/system/gone`.').length, 3);
  assert.equal(
    lost('docs/x.md', 'See `gateway/http/exchange.ts`, `exchange.ts` and `test/system/identity/access`.').length,
    0,
  );
  assert.equal(lost('docs/x.md', 'See `src/gateway/call.ts`.').length, 1);
  assert.equal(lost('docs/decisions/0001-x.md', 'See `src/gateway/call.ts`.').length, 0);
});

test(`lines of documents have at most ${COLUMNS_MAX} columns, but for rows of tables`, () => {
  const written = documents().filter(({ path }) => !path.startsWith('docs/decisions/') && path !== 'CHANGELOG.md');
  assert.deepEqual(written.flatMap(longLines), []);
  assert.deepEqual(longLines({ path: 'x.md', text: `a\n${'b'.repeat(121)}\n| ${'c'.repeat(121)} |` }), ['x.md:2']);
});
