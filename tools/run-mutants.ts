/**
 * Plants each fault of the kept list in a copy of the tree, one at a time, and runs the tests that must notice it. Ends
 * with 1 where a fault survives, and names it.
 *
 *   npm run mutants                   every fault of test/mutants
 *   npm run mutants -- ID ID          some of them
 *   npm run mutants -- src/store      those of the files below a path
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Mutant, plant, readMutants } from '../test/mutants/mutant.ts';

/** A fault may make a test wait forever. That counts as noticed but explains nothing, so the list reports it. */
const TEST_TIMEOUT_MS = 60_000;
const COPIED = [
  ...[
    'src',
    'cli',
    'agent',
    'fleet',
    'clients',
    'bench',
    'tools',
    'test',
    'web',
    'clients',
    'dist',
    'docs',
    'packaging',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
  ],
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'SUPPORT.md'],
];

type Verdict = 'noticed' | 'noticed by hanging' | 'refused by the compiler' | 'SURVIVED' | 'NOT PLANTED';

const asked = process.argv.slice(2);
const mutants = readMutants(join('test', 'mutants')).filter(
  ({ id, file }) => asked.length === 0 || asked.includes(id) || asked.some((part) => file.startsWith(`${part}/`)),
);
if (mutants.length === 0) fail(`no planted fault is called ${asked.join(' or ')}: see test/mutants`);

const copy = mkdtempSync(join(tmpdir(), 'cairn-mutants-'));
let survivors = 0;
try {
  for (const name of COPIED) cpSync(name, join(copy, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  mustBeGreen();
  for (const [i, mutant] of mutants.entries()) report(mutant, `${i + 1}/${mutants.length}`);
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.stdout.write(`${mutants.length - survivors} of ${mutants.length} planted faults were noticed\n`);
process.exit(survivors === 0 ? 0 : 1);

function report(mutant: Mutant, place: string): void {
  const begun = Date.now();
  const verdict = judge(mutant);
  if (verdict === 'SURVIVED' || verdict === 'NOT PLANTED') survivors++;
  const seconds = ((Date.now() - begun) / 1000).toFixed(1);
  process.stdout.write(`${place} ${mutant.id}: ${verdict} (${seconds} s)\n`);
  if (verdict === 'SURVIVED') process.stdout.write(`  ${mutant.promise} (${mutant.file})\n`);
}

function judge(mutant: Mutant): Verdict {
  const path = join(copy, mutant.file);
  const text = readFileSync(path, 'utf8');
  // Browsers get what vite makes of it; tests of single modules do not wait for that.
  const isOnPages = mutant.file.startsWith('web/') && mutant.tests.some((test) => test.startsWith('test/web/'));
  const faulty = plant(text, mutant);
  if (faulty === null) return 'NOT PLANTED';
  writeFileSync(path, faulty);
  try {
    // The types may notice a fault as well; the tests have to notice it without them.
    return compile(['--noCheck']) && (!isOnPages || buildWeb()) ? runTests(mutant.tests) : 'refused by the compiler';
  } finally {
    writeFileSync(path, text);
    if (isOnPages) buildWeb();
  }
}

function mustBeGreen(): void {
  if (!compile(['--noCheck'])) fail('the tree does not compile: npm run build');
  const files = [...new Set(mutants.flatMap(({ tests }) => tests))];
  if (runTests(files) !== 'SURVIVED') fail('the tests fail without a planted fault: npm test');
}

function compile(flags: readonly string[]): boolean {
  const tsc = join('node_modules', 'typescript', 'bin', 'tsc');
  const steps = [[tsc, '--project', '.', ...flags], [join('dist', 'tools', 'bundle.js')]];
  return steps.every((step) => spawnSync(process.execPath, step, { cwd: copy, stdio: 'ignore' }).status === 0);
}

function buildWeb(): boolean {
  const vite = [join('node_modules', 'vite', 'bin', 'vite.js'), 'build', 'web', '--logLevel', 'error'];
  return spawnSync(process.execPath, vite, { cwd: copy, stdio: 'ignore' }).status === 0;
}

function runTests(tests: readonly string[]): Verdict {
  const files = tests.map((file) => join('dist', file.replace(/\.ts$/, '.js')));
  const args = ['--test', `--test-timeout=${TEST_TIMEOUT_MS}`, ...files];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status === 0) return 'SURVIVED';
  return stdout.includes('test timed out after') ? 'noticed by hanging' : 'noticed';
}

function fail(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}
