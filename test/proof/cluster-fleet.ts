/**
 * A simulated fleet of 300 nodes and 2,000 jobs at a load balancer before three servers over three engines; every 20 s the leader, the
 * engine that leads the stream, or another one is killed. The fleet then compares everything, and the servers must have the same.
 * The amount is seconds.
 */
import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { seededRandom } from '../../src/base/random.ts';
import { Balancer } from '../support/cluster/balancer.ts';
import { enginesAbsent } from '../support/cluster/engines.ts';
import { differencesOf } from '../support/cluster/same-everywhere.ts';
import { ServerCluster } from '../support/cluster/server-cluster.ts';
import { WriteProbe } from './cluster-clients.ts';
import { KILLS, type Stroke, Strokes } from './cluster-strokes.ts';
import { sayGaps } from './cluster-table.ts';
import { type Counts, type Machine, type MachineOptions, mustHold, pause, within } from './machine.ts';

const KILL_EVERY_MS = 20_000;
/** The fleet waits for what a takeover delays, and reads everything back. */
const END_MS = 600_000;
const PER_MINUTE = { nodes: 300, jobs: 2_000 };

export const clusterFleet: Machine = { name: 'cluster-fleet', short: 0, long: 600, run };

async function run({ seed, amount, say }: MachineOptions): Promise<Counts> {
  const absent = enginesAbsent();
  if (absent !== null) {
    say(`left out: ${absent}`);
    return { strokes: 0 };
  }
  const cluster = await ServerCluster.start('fleet');
  const balancer = new Balancer(cluster);
  const probe = new WriteProbe(cluster);
  try {
    const fleet = new FleetRun(await balancer.listen(), amount, seed);
    const strokes = new Strokes(cluster, seededRandom(seed), probe);
    let struck = 0;
    for (const endMs = Date.now() + amount * 1_000; Date.now() < endMs && !fleet.hasEnded; struck++) {
      const begunMs = Date.now();
      await strokes.strike(KILLS[struck % KILLS.length] as Stroke);
      await pause(Math.max(0, KILL_EVERY_MS - (Date.now() - begunMs)));
    }
    const code = await within(END_MS, 'the comparison of the fleet', fleet.ended);
    await probe.stop();
    say(fleet.output);
    sayGaps(probe.gaps(), say);
    mustHold(code === 0 ? [] : [`the fleet found differences, or failed (${code})`], `seed ${seed}`);
    mustHold(await differencesOf(cluster), `seed ${seed}`);
    return { strokes: struck, 'writes of the probe': probe.acknowledged };
  } finally {
    await probe.stop();
    balancer.close();
    await cluster.stop();
  }
}

class FleetRun {
  readonly ended: Promise<number | null>;
  hasEnded = false;
  output = '';

  constructor(address: string, seconds: number, seed: number) {
    const { nodes, jobs } = seconds < 60 ? { nodes: 40, jobs: 160 } : PER_MINUTE;
    const size = ['--nodes', `${nodes}`, '--jobs', `${jobs}`, '--duration', `${seconds}s`, '--speed', '20'];
    const args = ['fleet', '--server', address, ...size, '--seed', `${seed}`, '--quiet'];
    const child = spawn(process.execPath, [resolve('bundle/src/main.js'), ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: seconds * 1_000 + END_MS,
      killSignal: 'SIGKILL',
    });
    const take = (chunk: Buffer): void => {
      this.output += chunk.toString();
    };
    child.stdout.on('data', take);
    child.stderr.on('data', take);
    this.ended = new Promise((done) =>
      child.once('close', (code) => {
        this.hasEnded = true;
        done(code);
      }),
    );
  }
}
