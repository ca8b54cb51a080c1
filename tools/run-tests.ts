/** Runs the test layers in order, cheapest first; a group of layers that fails ends the run. */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { givenLine } from './command-line.ts';
import {
  compiledOf,
  filesOf,
  GROUPS,
  type Group,
  namedBy,
  namesOfNone,
  ofTier,
  partsByCost,
  restFiles,
  TEST_ENV,
  type Tier,
} from './test-files.ts';

const TIMEOUT_MS = 600_000;
const LINT = 'lint and format';
const BUNDLES = join('dist', 'test', 'bundles');

const USAGE = `npm test -- [NAME …]

  npm test                      every layer, but for the files that test/rest.json names
  npm run test:rest             these files
  npm run test:all              both
  npm test -- unit property     some layers, whole
  npm test -- unit/base/hash    files by a part of their path
  npm run check                 types, lint, format, test/repo
`;

const { tier, asked } = given();
const isCheck = asked[0] === 'check';
const begun = Date.now();
/** From when on no further part of the rest begins; NaN without a limit. */
const endMs = tier === 'rest' ? 1_000 * Number(process.env['CAIRN_TEST_UNTIL'] || Number.NaN) : Number.NaN;
const notRun: string[] = [];

const none = isCheck ? [] : namesOfNone(asked);
if (none.length > 0) {
  process.stderr.write(
    `no test has ${none.map((name) => `"${name}"`).join(' or ')} in its path: see the folder test\n`,
  );
  process.exit(2);
}
if (isCheck || (asked.length === 0 && tier !== 'rest'))
  step(LINT, ['node_modules/@biomejs/biome/bin/biome', 'check', '--error-on-warnings', '.']);
for (const group of isCheck ? GROUPS.slice(0, 1) : GROUPS) runGroup(group);
const result = notRun.length > 0 ? 'all that ran passed' : 'all passed';
process.stdout.write(`\n${result} in ${((Date.now() - begun) / 1000).toFixed(1)} s\n`);
if (notRun.length > 0) process.stdout.write(`NOT RUN: ${notRun.join(', ')}\n`);
if (asked.length === 0 && tier === 'first')
  process.stdout.write(
    `the rest (${restFiles().length} files) runs with npm run test:rest; all of it with npm run test:all\n`,
  );

/** What is named runs whatever its tier. */
function given(): { tier: Tier; asked: string[] } {
  const { values, positionals } = givenLine({
    usage: USAGE,
    options: { rest: { type: 'boolean', default: false }, all: { type: 'boolean', default: false } },
    names: { what: 'test' },
  });
  const unnamed = values.rest ? 'rest' : values.all ? 'all' : 'first';
  return { tier: positionals.length > 0 ? 'all' : unnamed, asked: positionals };
}

/** All at once; under a time limit in parts, and those that it leaves no time for are named. */
function runGroup(group: Group): void {
  if (group.onlyNamed && asked.length === 0) return;
  const files = group.layers.flatMap(filesToRun);
  const parts = Number.isNaN(endMs) ? [files] : partsByCost(files, restFiles());
  for (const part of parts) {
    if (Date.now() >= endMs) notRun.push(...part);
    else if (part.length > 0) runFiles(group, part);
  }
}

function runFiles({ layers, sideBySide, bundled }: Group, files: readonly string[]): void {
  const compiled = files.map(compiledOf);
  const name = layers.filter((layer) => files.some((file) => file.startsWith(join('test', layer)))).join(', ');
  step(name, [
    '--test',
    `--test-concurrency=${sideBySide}`,
    `--test-timeout=${TIMEOUT_MS}`,
    ...(asked.length > 0 && !isCheck ? ['--enable-source-maps'] : []),
    ...reporterArgs(),
    ...(bundled && asked.length === 0 ? bundlesOf(compiled, sideBySide) : compiled),
  ]);
}

function filesToRun(layer: string): string[] {
  const files = namedBy(ofTier(filesOf(layer), tier), isCheck ? [] : asked);
  if (files.length === 0 || layer !== 'web' || hasChromium()) return files;
  const line =
    'web: not run, there is no Chromium: apt-get install --no-install-recommends chromium, or CHROMIUM=/path';
  process.stderr.write(`${line}\n`);
  // Who asked for it, and a machine that decides for others, must not take that for a pass.
  if (asked.length > 0 || process.env['CI']) process.exit(1);
  notRun.push(layer);
  return [];
}

/**
 * Files that import the tests, one for each process; dealt out in turn, so that each gets some of every folder. A file with
 * hooks of its own (`afterEach` and the like) has a process of its own: in a shared one its hooks would run around every test.
 */
function bundlesOf(compiled: readonly string[], count: number): string[] {
  const hooked = compiled.filter((file) => /^(before|after)(Each)?\(/m.test(readFileSync(file, 'utf8')));
  const shared = compiled.filter((file) => !hooked.includes(file));
  mkdirSync(BUNDLES, { recursive: true });
  const bundles = Array.from({ length: count }, (_, part) => {
    const bundle = join(BUNDLES, `part-${part + 1}.js`);
    const own = shared.filter((_, i) => i % count === part);
    writeFileSync(bundle, own.map((file) => `await import('../../../${file}');\n`).join(''));
    return bundle;
  });
  return [...bundles, ...hooked];
}

function hasChromium(): boolean {
  return [process.env['CHROMIUM'] ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser'].some(
    (path) => path !== '' && existsSync(path),
  );
}

function reporterArgs(): string[] {
  return asked.length > 0 && !isCheck ? ['--test-reporter=spec'] : ['--test-reporter=./dist/tools/brief-reporter.js'];
}

function step(name: string, args: readonly string[]): void {
  const start = Date.now();
  const { status, signal } = spawnSync(process.execPath, args, { stdio: 'inherit', env: TEST_ENV });
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  if (status !== 0) {
    const again = name === LINT ? 'npm run check' : `npm test -- ${name.split(', ').join(' ')}`;
    process.stderr.write(`\n${name} failed (${signal ?? `exit ${status}`}, ${seconds} s). Again: ${again}\n`);
    process.exit(1);
  }
  process.stdout.write(`${name}: passed in ${seconds} s\n`);
}
