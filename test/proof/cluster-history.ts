/**
 * The histories of `history.ts` on three servers over three engines: clients of all three, reads that ask for the newest state,
 * and a leader, or an engine, that is killed in the middle. The amount is the number of rounds.
 */
import { type Random, seededRandom } from '../../src/base/random.ts';
import { type Answer, Api, until } from '../support/api.ts';
import { enginesAbsent } from '../support/cluster/engines.ts';
import { type Member, ServerCluster } from '../support/cluster/server-cluster.ts';
import { CALLS, CLIENTS, mustBeLinearizable, newObjects, recorded, type TestedObject } from './history.ts';
import { BrokenPromise, type Counts, type Machine, type MachineOptions, pause, within } from './machine.ts';

const ROUND_MS = 120_000;
/** A call that was refused, or not answered, is followed by the next one after so long. */
const AFTER_REFUSAL_MS = 200;

/** What a round has in its middle; they take turns. */
const FAULTS = ['a leader that is killed', 'an engine that is killed', 'a leader that is stopped'] as const;

export const clusterHistory: Machine = { name: 'cluster-history', short: 0, long: 60, run };

/** Reads go to a server's own database otherwise, which may be behind. */
class ConsistentApi extends Api {
  override get(path: string, headers: Record<string, string> = {}): Promise<Answer> {
    return super.get(`${path}${path.includes('?') ? '&' : '?'}consistent=true`, headers);
  }
}

async function run({ seed, amount, say }: MachineOptions): Promise<Counts> {
  const absent = enginesAbsent();
  if (absent !== null) {
    say(`left out: ${absent}`);
    return { rounds: 0 };
  }
  const random = seededRandom(seed);
  const cluster = await ServerCluster.start('proof');
  const counts = { rounds: 0, operations: 0, unanswered: 0, 'killed leaders': 0, 'killed engines': 0 };
  try {
    for (let round = 0; round < amount; round++) {
      const fault = FAULTS[round % FAULTS.length] as (typeof FAULTS)[number];
      const objects = newObjects(`${seed}-${round}`);
      const leader = await cluster.leader();
      for (const { kind, id } of objects) await kind.begin?.(leader.api, id);
      const clients = Array.from({ length: CLIENTS }, (_, number) =>
        work(cluster.members[number % 3] as Member, random, objects, number),
      );
      await pause(random.between(20, 400));
      const mend = await strike(cluster, leader, fault);
      await within(ROUND_MS, `the answers of a round with ${fault}`, Promise.all(clients));
      await mend();
      if (fault === 'an engine that is killed') counts['killed engines']++;
      else counts['killed leaders']++;
      await readAll(cluster, random, objects);
      for (const { calls } of objects) {
        counts.operations += calls.length;
        counts.unanswered += calls.filter(({ output }) => output === undefined).length;
      }
      mustBeLinearizable(objects);
      counts.rounds++;
      say(`${counts.rounds} rounds, the last with ${fault}; ${counts.operations} operations`);
    }
    return counts;
  } finally {
    await cluster.stop();
  }
}

/** Returns what ends the fault. */
async function strike(
  cluster: ServerCluster,
  leader: Member,
  fault: (typeof FAULTS)[number],
): Promise<() => Promise<void>> {
  if (fault === 'an engine that is killed') {
    const engine = cluster.members.indexOf(leader);
    await within(ROUND_MS, 'the end of an engine', cluster.engines.kill(engine));
    return () => within(ROUND_MS, 'the start of an engine', cluster.engines.run(engine));
  }
  const signal = fault === 'a leader that is killed' ? 'SIGKILL' : 'SIGTERM';
  await within(ROUND_MS, `the end of the leader after ${signal}`, leader.server.kill(signal));
  return () => within(ROUND_MS, 'the start of the former leader', cluster.restart(leader));
}

async function work(
  { server }: Member,
  random: Random,
  objects: readonly TestedObject[],
  client: number,
): Promise<void> {
  const api = new ConsistentApi(server.address);
  try {
    for (let i = 0; i < CALLS; i++)
      for (const object of objects) {
        const before = object.calls.length;
        if (await recorded(api, object, object.kind.next(random, `${client}-${i}`))) return;
        if (object.calls.length === before) await pause(AFTER_REFUSAL_MS);
      }
  } finally {
    api.close();
  }
}

/** What is there afterwards is read at every server. */
async function readAll(cluster: ServerCluster, random: Random, objects: readonly TestedObject[]): Promise<void> {
  await cluster.leader();
  for (const { server } of cluster.members) {
    const api = new ConsistentApi(server.address);
    try {
      for (const object of objects) {
        const [before, tag] = [object.calls.length, `after-${server.pid}`];
        const isRead = async (): Promise<boolean> => {
          if (await recorded(api, object, object.kind.next(random, tag)))
            throw new BrokenPromise(`${server.address} ended a connection though nothing was killed`);
          return object.calls.length > before;
        };
        await until(isRead, (read) => read, `an answer about ${object.id} at ${server.address}`, ROUND_MS);
      }
    } finally {
      api.close();
    }
  }
}
