/** `npm run bench`: every scenario, or those whose names are given. */
import { spawnSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { join } from 'node:path';
import { givenLine, wholeNumber } from '../tools/command-line.ts';
import { dashboard } from './browser/dashboard.ts';
import { chartOf } from './harness/chart.ts';
import { SERVER_CPUS } from './harness/peer-process.ts';
import { type AnyRow, type Scenario, tableOf } from './harness/table.ts';
import { jobsInCalls } from './lists/jobs-in-calls.ts';
import { backupUnderLoad } from './scenarios/backup-under-load.ts';
import { batchedBeats } from './scenarios/batched-beats.ts';
import { checkpoints } from './scenarios/checkpoints.ts';
import { closedLoops } from './scenarios/closed-loops.ts';
import { cluster } from './scenarios/cluster.ts';
import { connectStorm } from './scenarios/connect-storm.ts';
import { eventFanOut } from './scenarios/event-fan-out.ts';
import { curvesOf, growth } from './scenarios/growth.ts';
import { journalAppend } from './scenarios/journal-append.ts';
import { listUnderBeats } from './scenarios/list-under-beats.ts';
import { logRead } from './scenarios/log-read.ts';
import { longestStep } from './scenarios/longest-step.ts';
import { metricsEngine } from './scenarios/metrics-engine.ts';
import { millionJobs } from './scenarios/million-jobs.ts';
import { oneMillionNodes } from './scenarios/one-million-nodes.ts';
import { overload } from './scenarios/overload.ts';
import { steadyHeartbeats } from './scenarios/steady-heartbeats.ts';
import { tokenCheck } from './scenarios/token-check.ts';
import { twoShards } from './scenarios/two-shards.ts';
import { websocketBeats } from './scenarios/websocket-beats.ts';
import { sampleColumns } from './series/sample-columns.ts';
import { sampleLines } from './series/sample-lines.ts';

const SCENARIOS: readonly Scenario[] = [
  steadyHeartbeats,
  websocketBeats,
  batchedBeats,
  closedLoops,
  twoShards,
  tokenCheck,
  listUnderBeats,
  overload,
  connectStorm,
  oneMillionNodes,
  jobsInCalls,
  millionJobs,
  metricsEngine,
  sampleLines,
  sampleColumns,
  growth,
  logRead,
  eventFanOut,
  longestStep,
  journalAppend,
  checkpoints,
  dashboard,
  cluster,
  backupUnderLoad,
];

/** Starting servers and load processes is what a smoke waits for; two cores do two at a time. */
const SMOKES_AT_ONCE = 2;

const USAGE = `npm run bench -- [SCENARIO …] [options]

Measures every scenario, or those that are named. Ends with 1 where one could not be measured.

  --smoke       each once with small numbers, so that none rots; its figures mean nothing
  --json FILE   the rows as JSON too
  --charts      the growth curves as SVG beside docs/performance.md
  --rounds N    instead of five, where a figure is a median of rounds

Scenarios: ${SCENARIOS.map(({ name }) => name).join(', ')}
`;

const { values, positionals } = givenLine({
  usage: USAGE,
  options: {
    smoke: { type: 'boolean', default: false },
    json: { type: 'string' },
    charts: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '5' },
  },
  names: { what: 'scenario', known: SCENARIOS.map(({ name }) => name) },
});
const CHARTS_FOLDER = join('docs', 'charts');
const { smoke } = values;
const rounds = wholeNumber('rounds', values.rounds, 1);
await runAll(SCENARIOS.filter(({ name }) => positionals.length === 0 || positionals.includes(name)));

interface Result {
  readonly scenario: string;
  readonly rows: readonly AnyRow[];
  readonly failure?: string;
}

async function runAll(scenarios: readonly Scenario[]): Promise<void> {
  const machine = machineOf();
  process.stdout.write(`${Object.values(machine).join(', ')}\n`);
  process.stdout.write(smoke ? 'SMOKE: the figures mean nothing\n\n' : '\n');
  const results: Result[] = [];
  const waiting = scenarios.entries();
  const lane = async (): Promise<void> => {
    for (const [i, scenario] of waiting) results[i] = await runOne(scenario);
  };
  // Figures need the machine to themselves; a smoke needs none.
  await Promise.all(Array.from({ length: smoke ? SMOKES_AT_ONCE : 1 }, lane));
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ machine, smoke, results }, null, 2)}\n`);
  if (values.charts) for (const { rows } of results) writeCharts(rows);
}

function writeCharts(rows: readonly AnyRow[]): void {
  for (const [name, curve] of curvesOf(rows)) {
    const path = join(CHARTS_FOLDER, `${name}.svg`);
    mkdirSync(CHARTS_FOLDER, { recursive: true });
    writeFileSync(path, chartOf(curve));
    process.stdout.write(`wrote ${path}\n`);
  }
}

async function runOne({ name, rounds: shape, run }: Scenario): Promise<Result> {
  const progress = (line: string): void => {
    if (!smoke) process.stderr.write(`${name}: ${line}\n`);
  };
  try {
    const rows = await run({ smoke, isNamed: positionals.includes(name), progress, rounds });
    process.stdout.write(`${tableOf(smoke ? name : headingOf(name, shape), rows)}\n`);
    if (rows.some((row) => 'absent' in row && row.isFailure)) process.exitCode = 1;
    return { scenario: name, rows };
  } catch (error) {
    const failure = error instanceof Error ? error.message : String(error);
    process.stdout.write(`${name}\n  not measured: ${failure}\n\n`);
    process.exitCode = 1;
    return { scenario: name, rows: [], failure };
  }
}

function headingOf(name: string, shape: 1 | 5 | undefined): string {
  if (shape === undefined) return name;
  return `${name} (${shape === 1 ? 'one run' : `medians of ${rounds} rounds after a warm-up`})`;
}

/** What a figure must be read with. */
function machineOf(): Readonly<Record<string, string>> {
  const commit = spawnSync('git', ['rev-parse', '--short=12', 'HEAD'], { encoding: 'utf8' }).stdout?.trim();
  return {
    node: `Node ${process.version}`,
    cpu: `${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}`,
    memory: `${Math.round(totalmem() / 2 ** 30)} GiB`,
    commit: `commit ${commit || 'unknown'}`,
    load: `load average ${(loadavg()[0] as number).toFixed(1)} at the start`,
    servers: SERVER_CPUS === '' ? 'servers on any CPU' : `servers on CPU ${SERVER_CPUS}`,
  };
}
