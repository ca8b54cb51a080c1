/**
 * A server that is stopped and goes on, and a wall clock that leaps: no node that beats is ever lost, a silent one is lost in
 * the end, no token is taken after its time, and every acknowledged fact is there. The amount is the number of disturbances.
 */
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { seededRandom } from '../../src/base/random.ts';
import { until } from '../support/api.ts';
import { AuditedServer } from './audited-server.ts';
import { FaultShim, hasCompiler } from './fault-shim.ts';
import { type Counts, type Machine, type MachineOptions, mustHold, pause } from './machine.ts';

const NODES = 12;
const HEARTBEAT_MS = 1_000;
const TTL_MS = 6_000;
const HOUR_MS = 3_600_000;

interface Disturbance {
  readonly name: string;
  readonly run: (server: AuditedServer, shim: FaultShim) => Promise<void>;
}

const stop = (ms: number): Disturbance => ({
  name: `a process that is stopped for ${ms} ms`,
  run: async ({ process: { pid } }) => {
    process.kill(pid, 'SIGSTOP');
    try {
      await pause(ms);
    } finally {
      process.kill(pid, 'SIGCONT');
    }
  },
});

const leap = (ms: number): Disturbance => ({
  name: `a wall clock that leaps by ${ms} ms`,
  run: async (_, shim) => {
    shim.clockMs = ms;
    await pause(1_500);
  },
});

const DISTURBANCES: readonly Disturbance[] = [
  stop(1_000),
  leap(HOUR_MS),
  stop(TTL_MS + 3_000),
  leap(-HOUR_MS),
  {
    name: 'a disk that takes longer than the TTL to flush',
    run: async (_, shim) => {
      shim.set({ on: ['sync'], path: 'db/data.mdb', action: 'sleep', millis: TTL_MS + 2_000, times: 1 });
      await pause(TTL_MS + 3_000);
      shim.clear();
    },
  },
  leap(0),
];

export const clocks: Machine = { name: 'clocks', short: DISTURBANCES.length, long: 120, run };

async function run({ seed, amount, say }: MachineOptions): Promise<Counts> {
  if (!hasCompiler()) {
    say('left out: no C compiler');
    return { disturbances: 0 };
  }
  const random = seededRandom(seed);
  const server = await AuditedServer.start();
  const shim = new FaultShim(join(server.folder, 'shim'));
  const fleet = new Fleet(server);
  try {
    await server.kill('SIGTERM');
    await server.up(shim.env());
    await server.api.configKv({ 'node.heartbeat': `${HEARTBEAT_MS}ms`, 'node.ttl': `${TTL_MS}ms` });
    await fleet.register();
    let done = 0;
    for (; done < amount; done++) {
      const disturbance = DISTURBANCES[done % DISTURBANCES.length] as Disturbance;
      say(disturbance.name);
      server.work();
      await pause(random.between(100, 500));
      await disturbance.run(server, shim);
      await pause(1_500);
      await server.rest();
      const where = `${disturbance.name} (seed ${seed})`;
      mustHold(await fleet.lost(), where);
      await server.audit(where);
    }
    shim.clockMs = 0;
    await fleet.silentIsLost();
    return {
      disturbances: done,
      heartbeats: fleet.heartbeats,
      facts: server.acknowledged,
      'nodes not judged': fleet.late,
    };
  } finally {
    await fleet.stop();
    shim.close();
    await server.dispose();
  }
}

/** Nodes that beat as they were told, each call as soon as it is due. */
class Fleet {
  readonly #server: AuditedServer;
  #isBeating = true;
  #beating: Promise<void> = Promise.resolve();
  heartbeats = 0;
  /** How often this process itself was too busy to beat in time, so that a loss would be its own. */
  late = 0;

  constructor(server: AuditedServer) {
    this.#server = server;
  }

  get #ids(): string[] {
    return Array.from({ length: NODES }, (_, i) => `beats-${i}`);
  }

  async register(): Promise<void> {
    for (const id of [...this.#ids, 'silent']) await this.#server.api.put(`/api/v1/node/${id}`, { hostName: id });
    this.#beating = this.#beat();
  }

  async #beat(): Promise<void> {
    while (this.#isBeating) {
      const begunMs = performance.now();
      const beats = this.#ids.map((id) => ({ id }));
      const answer = await this.#server.api.post('/api/v1/heartbeat', beats).catch(() => undefined);
      if (answer?.status === 200) this.heartbeats += NODES;
      const answeredMs = performance.now();
      await pause(Math.max(0, HEARTBEAT_MS / 2 - (answeredMs - begunMs)));
      if (performance.now() - answeredMs > TTL_MS / 2) this.late++;
    }
  }

  /** Nodes that beat all the time and were lost all the same. */
  async lost(): Promise<string[]> {
    if (this.late > 0) return [];
    const { api } = this.#server;
    const { text } = await api.get('/api/v1/event?types=node.lost&lastEventId=0&follow=false');
    return [...text.matchAll(/"node":"(beats-\d+)"/g)].map(([, id]) => `${id} was lost, and beat all the time`);
  }

  async silentIsLost(): Promise<void> {
    const { api } = this.#server;
    const state = async (): Promise<string> =>
      ((await api.get('/api/v1/node?state=lost')).json as { id: string }[]).map(({ id }) => id).join();
    await until(state, (ids) => ids.split(',').includes('silent'), 'the silent node to be lost', 90_000);
  }

  async stop(): Promise<void> {
    this.#isBeating = false;
    await this.#beating;
  }
}
