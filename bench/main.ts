/**
 * `npm run bench`: every scenario, or those whose names are given. `--smoke` runs each once with small numbers, so that
 * none rots; its figures mean nothing.
 */
import { cpus } from 'node:os';
import { tableOf } from './harness/table.ts';
import { millionJobs } from './scenarios/million-jobs.ts';
import { steadyHeartbeats } from './scenarios/steady-heartbeats.ts';

const SCENARIOS = [steadyHeartbeats, millionJobs];

const args = process.argv.slice(2);
const smoke = args.includes('--smoke');
const names = args.filter((arg) => !arg.startsWith('--'));
const chosen = SCENARIOS.filter(({ name }) => names.length === 0 || names.includes(name));
if (chosen.length === 0) {
  process.stderr.write(
    `there is no scenario ${names.join(', ')}; there are ${SCENARIOS.map(({ name }) => name).join(', ')}\n`,
  );
  process.exit(2);
}
process.stdout.write(
  `Node ${process.version}, ${cpus().length} × ${cpus()[0]?.model ?? 'unknown CPU'}${smoke ? ', SMOKE: the figures mean nothing' : ', medians of 5'}\n\n`,
);
for (const { name, run } of chosen) process.stdout.write(`${tableOf(name, await run({ smoke }))}\n`);
