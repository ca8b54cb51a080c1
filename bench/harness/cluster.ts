/** Our servers as a cluster over real engines: who leads, how far each is, how much the stream holds. */
import { NatsEngine } from '../../src/store/replica/nats-engine.ts';
import { Engines } from '../../test/support/cluster/engines.ts';
import { type CairnUnderTest, startCairn } from './peer-process.ts';

export interface ReplicaFacts {
  readonly role: string;
  readonly isReady: boolean;
  /** Last message of the stream that is applied there. */
  readonly applied: number;
}

const NAME = 'bench';
const LOOK_MS = 20;
const WAIT_MS = 1_800_000;

export class BenchCluster {
  readonly #engines: Engines;
  readonly #engine: NatsEngine;

  private constructor(engines: Engines, engine: NatsEngine) {
    this.#engines = engines;
    this.#engine = engine;
  }

  static async start(engineCount: 1 | 3): Promise<BenchCluster> {
    const engines = await Engines.start(engineCount, NAME);
    const options = { servers: engines.addresses, cluster: NAME, credsFile: null, caFile: null, warn: () => {} };
    return new BenchCluster(engines, await NatsEngine.connect(options));
  }

  /** A server of the cluster, on a folder that was filled or on a new one. */
  add(folder?: string): Promise<CairnUnderTest> {
    const args = ['--replicate', this.#engines.addresses.join(','), '--cluster', NAME, '--shards', '1'];
    return startCairn(args, 'http', folder);
  }

  streamBytes(): Promise<number> {
    return this.#engine.bounds().then(({ bytes }) => bytes);
  }

  streamLast(): Promise<number> {
    return this.#engine.bounds().then(({ last }) => last);
  }

  async stop(): Promise<void> {
    await this.#engine.close();
    await this.#engines.stop();
  }
}

/** Null while the server answers nobody: it exchanges its parts. */
export async function replicaFacts({ host, port }: CairnUnderTest): Promise<ReplicaFacts | null> {
  try {
    const base = `http://${host}:${port}`;
    const ready = await fetch(`${base}/readyz`);
    const { role } = (await ready.json()) as { role: string };
    const text = await (await fetch(`${base}/metrics`)).text();
    const applied = Number(/^cairn_replica_applied_sequence (\d+)/m.exec(text)?.[1]);
    return { role, isReady: ready.status === 200, applied };
  } catch {
    return null;
  }
}

export async function untilReplica(
  server: CairnUnderTest,
  isSo: (facts: ReplicaFacts) => boolean,
  what: string,
): Promise<ReplicaFacts> {
  const endMs = performance.now() + WAIT_MS;
  for (;;) {
    const facts = await replicaFacts(server);
    if (facts && isSo(facts)) return facts;
    if (performance.now() > endMs) throw new Error(`waited for ${what}; last seen: ${JSON.stringify(facts)}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
}
