/**
 * Any number of worlds from the command line: `npm run test:sim -- --seeds N --seed S --ticks T --trace`. Prints the command
 * that reproduces a failure.
 */
import { parseArgs } from 'node:util';
import { runWorld } from './world.ts';

const DEFAULT_TICKS = 800;

const { values } = parseArgs({
  options: {
    seed: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '1' },
    ticks: { type: 'string', default: String(DEFAULT_TICKS) },
    trace: { type: 'boolean', default: false },
  },
});

const [first, count, ticks] = [values.seed, values.seeds, values.ticks].map(Number) as [number, number, number];
if (![first, count, ticks].every(Number.isSafeInteger)) {
  process.stderr.write('usage: npm run test:sim -- [--seed S] [--seeds N] [--ticks T] [--trace]\n');
  process.exit(2);
}

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
