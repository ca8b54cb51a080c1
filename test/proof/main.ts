/**
 * `npm run proof`: machines that try to break what Cairn promises. Ends with 1 where one of them did, and says how.
 *
 *   npm run proof                     every machine with its long amount
 *   npm run proof -- --short          what CI runs
 *   npm run proof -- kills history    some machines
 *   npm run proof -- kills --amount 5000 --seed 7
 */
import { parseArgs } from 'node:util';
import { archives } from './archives.ts';
import { clocks } from './clocks.ts';
import { clusterFleet } from './cluster-fleet.ts';
import { clusterHistory } from './cluster-history.ts';
import { clusterKills } from './cluster-kills.ts';
import { clusterNetwork } from './cluster-network.ts';
import { clusterSnapshots } from './cluster-snapshots.ts';
import { disks } from './disks.ts';
import { halfOpen } from './half-open.ts';
import { history } from './history.ts';
import { kills } from './kills.ts';
import { BrokenPromise, type Machine } from './machine.ts';
import { network } from './network.ts';
import { parsers } from './parsers.ts';
import { soak } from './soak.ts';
import { threads } from './threads.ts';
import { upkeep } from './upkeep.ts';

const MACHINES: readonly Machine[] = [
  kills,
  threads,
  disks,
  history,
  clocks,
  network,
  halfOpen,
  parsers,
  soak,
  upkeep,
  clusterHistory,
  clusterKills,
  clusterFleet,
  clusterNetwork,
  clusterSnapshots,
  archives,
];

const { values, positionals } = parseArgs({
  options: { short: { type: 'boolean', default: false }, seed: { type: 'string' }, amount: { type: 'string' } },
  allowPositionals: true,
});
const unknown = positionals.filter((asked) => !MACHINES.some(({ name }) => name === asked));
if (unknown.length > 0) {
  say(`there is no machine ${unknown.join(', ')}; there are ${MACHINES.map(({ name }) => name).join(', ')}`);
  process.exit(2);
}
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
let isBroken = false;
for (const machine of MACHINES.filter(isAsked)) await run(machine);
process.exit(isBroken ? 1 : 0);

/** Some take too long for the short form, unless they are named. */
function isAsked({ name, short }: Machine): boolean {
  return positionals.length === 0 ? !values.short || short > 0 : positionals.includes(name);
}

async function run({ name, short, long, run: runMachine }: Machine): Promise<void> {
  const amount = Number(values.amount ?? (values.short ? short : long));
  const begun = Date.now();
  try {
    const counts = await runMachine({ seed, amount, say: (text) => say(`${name}: ${text}`) });
    const figures = Object.entries(counts).map(([what, count]) => `${count} ${what}`);
    say(`${name}: held (${figures.join(', ')}; seed ${seed}; ${((Date.now() - begun) / 1_000).toFixed(0)} s)`);
  } catch (error) {
    isBroken = true;
    const isPromise = error instanceof BrokenPromise;
    say(`${name}: BROKEN. ${isPromise ? error.message : error instanceof Error ? error.stack : String(error)}`);
    say(`again: npm run proof -- ${name} --seed ${seed} --amount ${amount}`);
  }
}

function say(text: string): void {
  process.stdout.write(`proof: ${text}\n`);
}
