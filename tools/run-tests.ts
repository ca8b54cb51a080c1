/**
 * Runs the test layers in order, cheapest first; a layer that fails ends the run. Test files are found in the source tree,
 * so that a compiled test whose source is gone cannot pass for one that ran.
 *
 *   npm test                      every layer
 *   npm test -- unit property     some layers
 *   npm test -- unit/base/hash    files by a part of their path
 *   npm run check                 types, lint, format, test/repo
 */
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const LAYERS = ['repo', 'unit', 'property', 'contract', 'sim', 'crash', 'system', 'fuzz', 'bench', 'web'];
/** Layers that start servers run one file at a time: they share the machine's two cores and its ports. */
const ONE_AT_A_TIME = new Set(['crash', 'system', 'fuzz', 'bench', 'web']);
const TIMEOUT_MS = 600_000;

const asked = process.argv.slice(2);
const isCheck = asked[0] === 'check';
const begun = Date.now();
const notRun: string[] = [];

if (isCheck || asked.length === 0)
  step('lint and format', 'node_modules/@biomejs/biome/bin/biome', ['check', '--error-on-warnings', '.']);
for (const layer of isCheck ? ['repo'] : LAYERS) runLayer(layer);
const except = notRun.length > 0 ? `, except ${notRun.join(', ')}, which did not run` : '';
process.stdout.write(`\nall passed${except} in ${((Date.now() - begun) / 1000).toFixed(1)} s\n`);

function runLayer(layer: string): void {
  const files = filesOf(layer).filter(
    (file) => isCheck || asked.length === 0 || asked.some((part) => file.includes(`test/${part}`)),
  );
  if (files.length === 0) return;
  if (layer === 'web' && !hasChromium()) {
    const line =
      'web: not run, there is no Chromium: apt-get install --no-install-recommends chromium, or CHROMIUM=/path';
    process.stderr.write(`${line}\n`);
    // Who asked for it, and a machine that decides for others, must not take that for a pass.
    if (asked.length > 0 || process.env['CI']) process.exit(1);
    notRun.push(layer);
    return;
  }
  const compiled = files.map((file) => join('dist', file.replace(/\.ts$/, '.js')));
  const concurrency = ONE_AT_A_TIME.has(layer) ? ['--test-concurrency=1'] : [];
  step(layer, '--test', [
    ...concurrency,
    `--test-timeout=${TIMEOUT_MS}`,
    '--enable-source-maps',
    ...reporterArgs(),
    ...compiled,
  ]);
}

function hasChromium(): boolean {
  return [process.env['CHROMIUM'] ?? '', '/usr/bin/chromium', '/usr/bin/chromium-browser'].some(
    (path) => path !== '' && existsSync(path),
  );
}

function reporterArgs(): string[] {
  return asked.length > 0 && !isCheck ? ['--test-reporter=spec'] : ['--test-reporter=./dist/tools/brief-reporter.js'];
}

function filesOf(layer: string): string[] {
  const folder = join('test', layer);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
    .sort();
}

function step(name: string, program: string, args: readonly string[]): void {
  const start = Date.now();
  // Flags of node come before the files they are for.
  const { status, signal } = spawnSync(
    process.execPath,
    program === '--test' ? ['--test', ...args] : [program, ...args],
    { stdio: 'inherit' },
  );
  const seconds = ((Date.now() - start) / 1000).toFixed(1);
  if (status !== 0) {
    process.stderr.write(
      `\n${name} failed (${signal ?? `exit ${status}`}, ${seconds} s). Again: npm test -- ${name}\n`,
    );
    process.exit(1);
  }
  process.stdout.write(`${name}: passed in ${seconds} s\n`);
}
