/**
 * Shard threads that crash while the process lives: calls in flight may break, what was acknowledged is there, nothing counts
 * twice, and the others go on. The amount is the number of crashes.
 */
import { seededRandom } from '../../src/base/random.ts';
import { AuditedServer } from './audited-server.ts';
import { type Counts, type Machine, type MachineOptions, pause } from './machine.ts';

const PROGRAM = 'dist/test/proof/crashing-server.js';
/** The supervisor gives up after ten crashes in a minute. */
const EVERY_MS = 7_000;
const FREE_CRASHES = 6;

export const threads: Machine = { name: 'threads', short: FREE_CRASHES, long: 500, run };

async function run({ seed, amount, say }: MachineOptions): Promise<Counts> {
  const random = seededRandom(seed);
  const server = await AuditedServer.start({ program: PROGRAM });
  try {
    for (let crash = 0; crash < amount; crash++) {
      if (amount > FREE_CRASHES) await pause(EVERY_MS);
      server.work();
      await pause(random.between(50, 600));
      process.kill(server.process.pid, 'SIGUSR2');
      await pause(random.between(200, 1_000));
      await server.rest();
      await server.audit(`after crash ${crash} of seed ${seed}`);
      say(`crash ${crash}; ${server.acknowledged} facts`);
    }
    await server.auditDeliveries(`after ${amount} crashes of seed ${seed}`);
    return { crashes: amount, facts: server.acknowledged, deliveries: server.deliveries };
  } finally {
    await server.dispose();
  }
}
