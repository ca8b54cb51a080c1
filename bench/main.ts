/**
 * `npm run bench`: every scenario, or those whose names are given.
 *
 *   --smoke       each once with small numbers, so that none rots; its figures mean nothing
 *   --json FILE   the rows as JSON too
 *
 * Ends with 1 when a scenario could not be measured; the others are measured all the same.
 */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { cpus, loadavg, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import { SERVER_CPUS } from './harness/peer-process.ts';
import { type AnyRow, type Scenario, tableOf } from './harness/table.ts';
import { batchedBeats } from './scenarios/batched-beats.ts';
import { connectStorm } from './scenarios/connect-storm.ts';
import { eventFanOut } from './scenarios/event-fan-out.ts';
import { listUnderBeats } from './scenarios/list-under-beats.ts';
import { logRead } from './scenarios/log-read.ts';
import { millionJobs } from './scenarios/million-jobs.ts';
import { oneMillionNodes } from './scenarios/one-million-nodes.ts';
import { overload } from './scenarios/overload.ts';
import { steadyHeartbeats } from './scenarios/steady-heartbeats.ts';
import { twoShards } from './scenarios/two-shards.ts';
import { websocketBeats } from './scenarios/websocket-beats.ts';

const SCENARIOS: readonly Scenario[] = [
  steadyHeartbeats,
  websocketBeats,
  batchedBeats,
  twoShards,
  listUnderBeats,
  overload,
  connectStorm,
  oneMillionNodes,
  millionJobs,
  logRead,
  eventFanOut,
];

const { values, positionals } = parseArgs({
  options: { smoke: { type: 'boolean', default: false }, json: { type: 'string' } },
  allowPositionals: true,
});
const unknown = positionals.filter((asked) => !SCENARIOS.some(({ name }) => name === asked));
if (unknown.length > 0) {
  const names = SCENARIOS.map(({ name }) => name).join(', ');
  process.stderr.write(`there is no scenario ${unknown.join(', ')}; there are ${names}\n`);
  process.exit(2);
}
await runAll(SCENARIOS.filter(({ name }) => positionals.length === 0 || positionals.includes(name)));

async function runAll(scenarios: readonly Scenario[]): Promise<void> {
  const { smoke } = values;
  const machine = machineOf();
  const results: { scenario: string; rows: readonly AnyRow[]; failure?: string }[] = [];
  process.stdout.write(`${Object.values(machine).join(', ')}\n`);
  process.stdout.write(smoke ? 'SMOKE: the figures mean nothing\n\n' : 'medians of 5 rounds after a warm-up\n\n');
  for (const { name, run } of scenarios) {
    const progress = (line: string): void => {
      if (!smoke) process.stderr.write(`${name}: ${line}\n`);
    };
    try {
      const rows = await run({ smoke, progress });
      results.push({ scenario: name, rows });
      if (rows.some((row) => 'absent' in row && row.isFailure)) process.exitCode = 1;
      process.stdout.write(`${tableOf(name, rows)}\n`);
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error);
      results.push({ scenario: name, rows: [], failure });
      process.stdout.write(`${name}\n  not measured: ${failure}\n\n`);
      process.exitCode = 1;
    }
  }
  if (values.json !== undefined)
    writeFileSync(values.json, `${JSON.stringify({ machine, smoke, results }, null, 2)}\n`);
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
