/**
 * Plants each fault of the kept list in a copy of the tree, one at a time, and runs the tests that must notice it. Ends
 * with 1 where a fault survives, and names it.
 */
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { type Mutant, plant, readMutants } from '../test/mutants/mutant.ts';
import { givenLine } from './command-line.ts';

/** A fault may make a test wait forever. That counts as noticed but explains nothing, so the list reports it. */
const TIMEOUT_MS = { inMemory: 60_000, withPrograms: 240_000 };
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
    '.ci',
    'dist',
    'docs',
    'packaging',
    'package.json',
    'package-lock.json',
    'tsconfig.json',
  ],
  ...['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', 'SECURITY.md', 'SUPPORT.md', 'LICENSE'],
];

type Verdict = 'noticed' | 'noticed by hanging' | 'refused by the compiler' | 'SURVIVED' | 'NOT PLANTED' | 'NOT JUDGED';
/** Of these nothing is known about the promise, or the worst. */
const BAD: readonly Verdict[] = ['SURVIVED', 'NOT PLANTED', 'NOT JUDGED'];

const USAGE = `npm run mutants -- [ID or PATH …]

Plants each fault of test/mutants, and runs the tests that must notice it. Ends with 1 where one survives.

  ID     this one
  PATH   those of the files below it, or that tests below it must notice
`;

const { positionals: asked } = givenLine({ usage: USAGE, names: { what: 'fault' } });
const mutants = readMutants(join('test', 'mutants')).filter(
  ({ id, file, tests }) =>
    asked.length === 0 ||
    asked.includes(id) ||
    asked.some((part) => [file, ...tests].some((path) => path.startsWith(`${part}/`))),
);
if (mutants.length === 0) fail(`no planted fault is called ${asked.join(' or ')}: see test/mutants`);

const copy = mkdtempSync(join(tmpdir(), 'cairn-mutants-'));
const green = new Map<string, boolean>();
let survivors = 0;
try {
  for (const name of COPIED) cpSync(name, join(copy, name), { recursive: true });
  symlinkSync(resolve('node_modules'), join(copy, 'node_modules'));
  for (const [i, mutant] of mutants.entries()) report(mutant, `${i + 1}/${mutants.length}`);
} finally {
  rmSync(copy, { recursive: true, force: true });
}
process.stdout.write(`${mutants.length - survivors} of ${mutants.length} planted faults were noticed\n`);
process.exit(survivors === 0 ? 0 : 1);

function report(mutant: Mutant, place: string): void {
  const begun = Date.now();
  const verdict = judge(mutant);
  if (BAD.includes(verdict)) survivors++;
  const seconds = ((Date.now() - begun) / 1000).toFixed(1);
  process.stdout.write(`${place} ${mutant.id}: ${verdict} (${seconds} s)\n`);
  if (verdict === 'SURVIVED') process.stdout.write(`  ${mutant.promise} (${mutant.file})\n`);
  if (verdict === 'NOT JUDGED')
    process.stdout.write(`  ${mutant.tests.join(' ')} fails without a planted fault as well\n`);
}

function judge(mutant: Mutant): Verdict {
  const path = join(copy, mutant.file);
  const text = readFileSync(path, 'utf8');
  // Browsers get what vite makes of it; tests of single modules do not wait for that.
  const isOnPages = mutant.file.startsWith('web/') && mutant.tests.some((test) => test.startsWith('test/web/'));
  const faulty = plant(text, mutant);
  if (faulty === null) return 'NOT PLANTED';
  if (!mutant.tests.every(isGreen)) return 'NOT JUDGED';
  writeFileSync(path, faulty);
  try {
    // The types may notice a fault as well; the tests have to notice it without them.
    return compile(mutant.tests) && (!isOnPages || buildWeb()) ? runTests(mutant.tests) : 'refused by the compiler';
  } finally {
    writeFileSync(path, text);
    if (isOnPages) buildWeb();
  }
}

/** Whether a test passes as it is; tried once, before the first fault that it is to notice. */
function isGreen(test: string): boolean {
  const known = green.get(test);
  if (known !== undefined) return known;
  if (!compile([test])) fail('the tree does not compile: npm run build');
  const passes = runTests([test]) === 'SURVIVED';
  green.set(test, passes);
  return passes;
}

/** Programs start from the joined files; what runs in memory runs what the compiler wrote. */
function compile(tests: readonly string[]): boolean {
  const tsc = join('node_modules', 'typescript', 'bin', 'tsc');
  const steps = [[tsc, '--project', '.', '--noCheck']];
  if (tests.some(needsPrograms)) steps.push([join('dist', 'tools', 'bundle.js')]);
  return steps.every((step) => spawnSync(process.execPath, step, { cwd: copy, stdio: 'ignore' }).status === 0);
}

function needsPrograms(test: string): boolean {
  return !/^test\/(repo|unit|property)\//.test(test) || readFileSync(join(copy, test), 'utf8').includes('bundle');
}

function buildWeb(): boolean {
  const vite = [join('node_modules', 'vite', 'bin', 'vite.js'), 'build', 'web', '--logLevel', 'error'];
  return spawnSync(process.execPath, vite, { cwd: copy, stdio: 'ignore' }).status === 0;
}

function runTests(tests: readonly string[]): Verdict {
  const files = tests.map((file) => join('dist', file.replace(/\.ts$/, '.js')));
  const timeoutMs = tests.some(needsPrograms) ? TIMEOUT_MS.withPrograms : TIMEOUT_MS.inMemory;
  const args = ['--test', `--test-timeout=${timeoutMs}`, ...files];
  const { status, stdout } = spawnSync(process.execPath, args, { cwd: copy, encoding: 'utf8', maxBuffer: 1 << 28 });
  if (status === 0) return 'SURVIVED';
  return stdout.includes('test timed out after') ? 'noticed by hanging' : 'noticed';
}

function fail(why: string): never {
  process.stderr.write(`${why}\n`);
  process.exit(1);
}
