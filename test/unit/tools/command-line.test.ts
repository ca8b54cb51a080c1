/** Command lines of the developers' programs. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { readLine, readWhole, WrongUsage } from '../../../tools/command-line.ts';

const LINE = {
  usage: 'npm run toy -- [options] [PART …]\n\n  --amount N   how many\n',
  options: { amount: { type: 'string' }, short: { type: 'boolean', default: false } },
  names: { what: 'part', known: ['left', 'right'] },
} as const;

const wrong = (message: RegExp) => (error: unknown) => error instanceof WrongUsage && message.test(error.message);

test('options and names are given as they were typed', () => {
  const { values, positionals } = readLine(LINE, ['left', '--amount', '3']) ?? assert.fail('parsed');
  assert.deepEqual({ ...values }, { amount: '3', short: false });
  assert.deepEqual(positionals, ['left']);
});

test('the usage is asked for wherever the option stands, also beside a wrong one', () => {
  for (const args of [['--help'], ['-h'], ['left', '--help'], ['--wrong', '-h']])
    assert.equal(readLine(LINE, args), undefined);
});

test('a wrong option, name or number is a sentence', () => {
  assert.throws(() => readLine(LINE, ['--wrong']), wrong(/^Unknown option '--wrong'; --help says what there is$/));
  assert.throws(() => readLine(LINE, ['--amount']), wrong(/--amount.*argument missing; --help/s));
  assert.throws(() => readLine(LINE, ['up', 'left']), wrong(/^there is no part up; there are left, right$/));
  assert.throws(
    () => readLine({ ...LINE, names: { what: 'commits', min: 2 } }, ['a']),
    wrong(/^it wants 2 commits; usage: npm run toy -- \[options\] \[PART …\]$/),
  );
  const { names: _, ...without } = LINE;
  assert.throws(() => readLine(without, ['left']), wrong(/^it takes no left; usage: npm run toy/));
  for (const text of ['', ' ', 'x', '1.5', '-1', '0'])
    assert.throws(() => readWhole('amount', text, 1), wrong(/^--amount wants a whole number from 1, not /));
  assert.equal(readWhole('amount', '12', 1), 12);
});

test('what npm starts reads its command line here', () => {
  const bootstrap = readFileSync('tools/bootstrap.mjs', 'utf8');
  const programs = [...bootstrap.matchAll(/hand\('dist\/((?:bench|test|tools)\/\S+)\.js'/g)].map(([, name]) => name);
  assert.ok(programs.length >= 14);
  for (const program of programs) assert.match(readFileSync(`${program}.ts`, 'utf8'), /\bgivenLine\(/, program);
});

test('a program prints its usage and ends with 0, and refuses a wrong option with a sentence and 2', () => {
  const run = (option: string) =>
    spawnSync(process.execPath, ['dist/test/proof/main.js', option], { encoding: 'utf8', timeout: 60_000 });
  const help = run('--help');
  assert.deepEqual([help.status, help.stderr], [0, '']);
  assert.match(help.stdout, /^npm run proof -- .*\n(?:.*\n)+ {2}kills {10,}\d+, --short \d+\n/);
  const refused = run('--no-such-option');
  assert.equal(refused.status, 2);
  assert.equal(refused.stderr, "Unknown option '--no-such-option'; --help says what there is\n");
});
