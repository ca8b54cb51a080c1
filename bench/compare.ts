/**
 * `npm run bench:compare`: the servers of two commits under the load of this checkout, in
 * turn. Builds both in scratch folders, runs each scenario in pairs (one run of either, the order alternates), and says for
 * each row how much processor time a unit takes under B beside A, and whether the pairs agree. A peer's row is the control:
 * it is the same program under both, so a difference there is the machine's.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { givenLine, wholeNumber } from '../tools/command-line.ts';
import { type Compared, compared, comparisonTable, type Pair } from './harness/comparison.ts';
import type { AnyRow } from './harness/table.ts';

const DEFAULT_SCENARIOS = ['steady-heartbeats'];
const DEFAULT_PAIRS = 5;
const BUILD_MS = 600_000;
const RUN_MS = 1_800_000;

const USAGE = `npm run bench:compare -- COMMIT COMMIT [SCENARIO …] [--pairs N]

Builds the servers of both commits, and measures them in turn under the load of this checkout.

  --pairs N   runs of either; ${DEFAULT_PAIRS} unless given
`;

const { values, positionals } = givenLine({
  usage: USAGE,
  options: { pairs: { type: 'string', default: String(DEFAULT_PAIRS) } },
  names: { what: 'commits', min: 2 },
});
const pairs = wholeNumber('pairs', values.pairs, 1);
const [first = '', second = '', ...asked] = positionals;

const scratch = mkdtempSync(join(tmpdir(), 'cairn-compare-'));
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }));
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1));
const programs = [first, second].map((commit, i) => built(commit, join(scratch, String(i))));
for (const scenario of asked.length > 0 ? asked : DEFAULT_SCENARIOS) {
  const heading = `${scenario}: ${first} → ${second}, ${pairs} ${pairs === 1 ? 'pair' : 'pairs'}`;
  process.stdout.write(`${comparisonTable(heading, inPairs(scenario))}\n`);
}

/** Checks out a commit and builds it; its server's program. */
function built(commit: string, folder: string): string {
  process.stderr.write(`building ${commit}\n`);
  mkdirSync(folder);
  must('sh', ['-c', 'git archive "$1" | tar -x -C "$2"', 'sh', commit, folder], process.cwd());
  const isSame = readFileSync('package-lock.json', 'utf8') === readFileSync(join(folder, 'package-lock.json'), 'utf8');
  const npm = ['install', '--no-save', '--ignore-scripts', '--include=dev', '--no-audit', '--no-fund'];
  if (isSame) symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  else must('npm', npm, folder);
  must(process.execPath, [join('node_modules', 'typescript', 'bin', 'tsc'), '--project', '.'], folder);
  must(process.execPath, [join('dist', 'tools', 'bundle.js')], folder);
  return join(folder, 'bundle', 'src', 'main.js');
}

function inPairs(scenario: string): Compared[] {
  const found = new Map<string, Pair[]>();
  for (let pair = 0; pair < pairs; pair++) {
    const rows: (readonly AnyRow[])[] = [];
    for (const place of pair % 2 === 0 ? [0, 1] : [1, 0]) rows[place] = measured(scenario, programs[place] as string);
    process.stderr.write(`${scenario}: pair ${pair + 1} of ${pairs}\n`);
    for (const row of rows[0] ?? []) {
      const other = rows[1]?.find(({ name }) => name === row.name);
      if ('absent' in row || other === undefined || 'absent' in other) continue;
      if (row.cpuMicroseconds === 0 || other.cpuMicroseconds === 0) continue;
      found.set(row.name, [...(found.get(row.name) ?? []), [row.cpuMicroseconds, other.cpuMicroseconds]]);
    }
  }
  return [...found].map(([name, of]) => compared(name, of));
}

/** One round of this checkout's scenario, after its warm-up, against the server of that program. */
function measured(scenario: string, program: string): readonly AnyRow[] {
  const json = join(scratch, 'rows.json');
  const args = [join('dist', 'bench', 'main.js'), scenario, '--rounds', '1', '--json', json];
  must(process.execPath, args, process.cwd(), { ...process.env, CAIRN_BENCH_PROGRAM: program }, RUN_MS);
  const { results } = JSON.parse(readFileSync(json, 'utf8')) as {
    readonly results: readonly { readonly rows: readonly AnyRow[] }[];
  };
  return results[0]?.rows ?? [];
}

function must(
  program: string,
  args: readonly string[],
  folder: string,
  env: NodeJS.ProcessEnv = process.env,
  timeout = BUILD_MS,
): void {
  const options = { cwd: folder, env, timeout, encoding: 'utf8', maxBuffer: 16 * 1024 * 1024 } as const;
  const { status, error, stdout, stderr } = spawnSync(program, args, options);
  if (status === 0) return;
  const why = error?.message ?? `it ended with ${status}`;
  process.stderr.write(`${stdout}${stderr}cannot run ${program} ${args.join(' ')}: ${why}\n`);
  process.exit(1);
}
