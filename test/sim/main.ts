/** `npm run test:sim`: any number of worlds. Prints the command that reproduces a failure. */
import { givenLine, wholeNumber } from '../../tools/command-line.ts';
import { runWorld } from './world.ts';

const DEFAULT_TICKS = 800;

const USAGE = `npm run test:sim -- [options]

Runs worlds of the simulation. Ends with 1 where one was not right.

  --seed N    the first world; 1 unless given
  --seeds N   how many; 1 unless given
  --ticks N   of 50 ms each; ${DEFAULT_TICKS} unless given
  --trace     prints every line of what happens
`;

const { values } = givenLine({
  usage: USAGE,
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    ticks: { type: 'string', default: String(DEFAULT_TICKS) },
    trace: { type: 'boolean', default: false },
  },
});

const first = wholeNumber('seed', values.seed);
const count = wholeNumber('seeds', values.seeds, 1);
const ticks = wholeNumber('ticks', values.ticks, 1);

let failed = 0;
let events = 0;
const begun = performance.now();
for (let seed = first; seed < first + count; seed++) {
  const write = values.trace ? { write: (line: string) => process.stdout.write(`${line}\n`) } : {};
  const result = await runWorld({ seed, ticks, ...write });
  events += result.events;
  if (count === 1) process.stdout.write(`seed ${seed}: ${result.events} events, hash ${result.hash}\n`);
  if (!result.finding) continue;
  failed++;
  const { checker, text, atMs } = result.finding;
  process.stdout.write(`\n${result.tail.join('\n')}\n${JSON.stringify(result.swarm)}\n`);
  process.stdout.write(`seed ${seed}: ${checker} at ${atMs.toFixed(0)} ms: ${text}\n`);
  process.stdout.write(`again: npm run test:sim -- --seed ${seed} --ticks ${ticks} --trace\n`);
}
const seconds = (performance.now() - begun) / 1_000;
process.stdout.write(`${count - failed} of ${count} worlds were right: ${events} events in ${seconds.toFixed(1)} s\n`);
process.exitCode = failed > 0 ? 1 : 0;
