/**
 * Shard threads that crash while the process lives: calls in flight may break, what was acknowledged is there, nothing counts
 * twice, and the others go on. The amount is the number of crashes.
 */
import { seededRandom } from '../../src/base/random.ts';
import { until } from '../support/api.ts';
import { AuditedServer } from './audited-server.ts';
import { type Counts, type Machine, type MachineOptions, pause } from './machine.ts';

const PROGRAM = 'dist/test/proof/crashing-server.js';
/** The supervisor gives up after ten crashes in a minute: before, the process is killed, and another goes on. */
const CRASHES_A_LIFE = 8;

export const threads: Machine = { name: 'threads', short: 6, long: 100, run };

async function run({ seed, amount, say }: MachineOptions): Promise<Counts> {
  const random = seededRandom(seed);
  const server = await AuditedServer.start({ program: PROGRAM });
  let crashesOfLife = 0;
  try {
    for (let crash = 0; crash < amount; crash++) {
      if (crashesOfLife === CRASHES_A_LIFE) {
        await server.kill();
        await server.up();
        crashesOfLife = 0;
      }
      // The log of the process before is the same file.
      const before = await crashesIn(server);
      server.work();
      await pause(random.between(50, 600));
      process.kill(server.process.pid, 'SIGUSR2');
      await until(
        () => crashesIn(server),
        (count) => count > before,
        `crash ${crash} of a shard`,
      );
      crashesOfLife++;
      await server.rest();
      await untilBack(server);
      await server.audit(`after crash ${crash} of seed ${seed}`);
      say(`crash ${crash}; ${server.acknowledged} facts`);
    }
    await server.auditDeliveries(`after ${amount} crashes of seed ${seed}`);
    return { crashes: amount, facts: server.acknowledged, deliveries: server.deliveries };
  } finally {
    await server.dispose();
  }
}

async function crashesIn({ process: server }: AuditedServer): Promise<number> {
  return (await server.logText()).split('a shard ended unexpectedly').length - 1;
}

/** A shard that starts refuses with 503. So many ids are of every shard. */
function untilBack({ api }: AuditedServer): Promise<number[]> {
  const ids = Array.from({ length: 16 }, (_, i) => `nobody-${i}`);
  const ask = (): Promise<number[]> =>
    Promise.all(ids.map(async (id) => (await api.get(`/api/v1/node/${id}`).catch(() => ({ status: 0 }))).status));
  return until(ask, (statuses) => statuses.every((status) => status === 404), 'every shard to answer again');
}
