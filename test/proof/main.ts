/** `npm run proof`: machines that try to break what Cairn promises. Ends with 1 where one of them did, and says how. */
import { givenLine, wholeNumber } from '../../tools/command-line.ts';
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

const USAGE = `npm run proof -- [MACHINE …] [--short] [--amount N] [--seed N]

Tries to break what Cairn promises, with the machines that are named or every one. Ends with 1 where one did.

  --short      the amounts of CI, and without the machines that take longer
  --amount N   kills, rounds or seconds, as the machine's header says, instead of its own
  --seed N     instead of the clock's

${MACHINES.map(({ name, short, long }) => `  ${name.padEnd(20)}${long}, --short ${short === 0 ? 'without it' : short}`).join('\n')}
`;

const { values, positionals } = givenLine({
  usage: USAGE,
  options: { short: { type: 'boolean', default: false }, seed: { type: 'string' }, amount: { type: 'string' } },
  names: { what: 'machine', known: MACHINES.map(({ name }) => name) },
});
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : wholeNumber('seed', values.seed);
const asked = values.amount === undefined ? undefined : wholeNumber('amount', values.amount, 1);
let isBroken = false;
for (const machine of MACHINES.filter(isAsked)) await run(machine);
process.exit(isBroken ? 1 : 0);

/** Some take too long for the short form, unless they are named. */
function isAsked({ name, short }: Machine): boolean {
  return positionals.length === 0 ? !values.short || short > 0 : positionals.includes(name);
}

async function run({ name, short, long, run: runMachine }: Machine): Promise<void> {
  const amount = asked ?? (values.short ? short : long);
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
