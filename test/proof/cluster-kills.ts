/**
 * Three servers over three engines, of which one after the other is killed, is stopped, finds its disk full or its
 * clock wrong for a while, under clients that use any server. Afterwards every acknowledged job, event, sample, log byte, node and setting is there at every server, and their
 * databases and logs are the same. Nodes that beat all the time are never lost. The amount is the number of strokes. Where
 * CAIRN_PROOF_PROGRAM names the program of another version (of the same schema), servers are exchanged for it and back.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { seededRandom } from '../../src/base/random.ts';
import { type Api, until } from '../support/api.ts';
import { enginesAbsent } from '../support/cluster/engines.ts';
import { differencesOf } from '../support/cluster/same-everywhere.ts';
import { type Member, ServerCluster } from '../support/cluster/server-cluster.ts';
import { Clients, WIDTH } from './clients.ts';
import { AnyServerApi, ConsistentApi, WriteProbe } from './cluster-clients.ts';
import { KILLS, SHIMMED, STOPS, type Stroke, Strokes } from './cluster-strokes.ts';
import { sayGaps } from './cluster-table.ts';
import { FaultShim, hasCompiler } from './fault-shim.ts';
import { type Counts, type Machine, type MachineOptions, mustHold, pause, within } from './machine.ts';

const SERVERS = [0, 1, 2];
const BEATING = 20;
const BEAT_MS = 1_000;
/** Longer than a takeover: a node that is lost was lost although it beat. */
const TTL = '30s';
const TTL_MS = 30_000;
const WORK_MS = 1_500;
const AUDIT_EVERY = 10;
const AUDIT_MS = 180_000;
const STOP_MS = 120_000;

export const clusterKills: Machine = { name: 'cluster-kills', short: 0, long: 200, run };

async function run({ seed, amount, say }: MachineOptions): Promise<Counts> {
  const absent = enginesAbsent();
  if (absent !== null) {
    say(`left out: ${absent}`);
    return { strokes: 0 };
  }
  const random = seededRandom(seed);
  const folder = mkdtempSync(join(tmpdir(), 'cairn-proof-'));
  const shims = hasCompiler() ? SERVERS.map((number) => new FaultShim(join(folder, `shim-${number}`))) : [];
  const program = process.env['CAIRN_PROOF_PROGRAM'];
  const all: readonly Stroke[] = [
    ...KILLS,
    ...STOPS,
    ...(shims.length > 0 ? SHIMMED : []),
    ...(program === undefined ? [] : (['another version'] as const)),
  ];
  const cluster = await ServerCluster.start('kills', { envOf: (number) => shims[number]?.env() ?? {} });
  const probe = new WriteProbe(cluster);
  const clients = new ClusterClients(cluster);
  try {
    await clients.begin();
    const strokes = new Strokes(cluster, random, probe, shims, program);
    let where = 'at the start';
    for (let i = 0; i < amount; i++) {
      const stroke = all[i % all.length] as Stroke;
      clients.work();
      await pause(random.between(0, WORK_MS));
      where = `after stroke ${i + 1} of seed ${seed}, ${stroke}`;
      await strokes.strike(stroke);
      await clients.rest();
      if ((i + 1) % AUDIT_EVERY === 0 || i + 1 === amount) await clients.audit(where);
      say(`stroke ${i + 1}, ${stroke}: ${clients.acknowledged} facts`);
    }
    await probe.stop();
    await clients.stop();
    sayGaps(probe.gaps(), say);
    mustHold(await differencesOf(cluster), where);
    return { strokes: amount, facts: clients.acknowledged, 'writes of the probe': probe.acknowledged };
  } finally {
    await probe.stop();
    await clients.stop();
    await cluster.stop();
    for (const shim of shims) shim.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** The clients of the proof, who use any server, and nodes that beat all the time. */
class ClusterClients {
  readonly #cluster: ServerCluster;
  readonly #clients = new Clients({ restMs: STOP_MS });
  #isBeating = true;
  #beating: Promise<void> = Promise.resolve();
  #late = 0;

  constructor(cluster: ServerCluster) {
    this.#cluster = cluster;
  }

  get acknowledged(): number {
    return this.#clients.acknowledged;
  }

  async begin(): Promise<void> {
    const { api } = await this.#cluster.leader();
    await api.configKv({ 'node.maxPerLogSizeMB': '1', 'log.maxSizeMB': '1', 'node.ttl': TTL });
    await this.#clients.begin(api);
    for (let i = 0; i < BEATING; i++) await api.put(`/api/v1/node/beats-${i}`, { hostName: 'h' });
    this.#beating = this.#beat(new AnyServerApi(this.#cluster, 0));
  }

  work(): void {
    this.#clients.work((number) => new AnyServerApi(this.#cluster, number));
  }

  rest(): Promise<void> {
    return this.#clients.rest();
  }

  async stop(): Promise<void> {
    this.#isBeating = false;
    await Promise.all([this.#beating, this.#clients.stop()]);
  }

  async audit(where: string): Promise<void> {
    for (const [i, member] of this.#cluster.members.entries()) {
      const at = `${where}, at server ${i + 1}`;
      const faults = await within(AUDIT_MS, `the audit ${at}`, this.#auditAt(member));
      mustHold(faults, at);
    }
  }

  async #auditAt({ server }: Member): Promise<string[]> {
    const api = new ConsistentApi(server.address);
    try {
      await until(
        () => api.get('/api/v1/node/beats-0'),
        ({ status }) => status === 200,
        'a consistent answer',
      );
      const faults = await this.#clients.audit(api);
      const bugs = (await server.logText()).split('\n').filter((line) => line.includes('"kind":"bug"'));
      return [...faults, ...(await this.#lostAt(api)), ...bugs];
    } finally {
      api.close();
    }
  }

  async #beat(api: Api): Promise<void> {
    // The nodes that come and go beat too, so that nobody but their client ends them.
    const own = Array.from({ length: WIDTH }, (_, i) => ({ id: `proof-node-${i}` }));
    const beats = [...own, ...Array.from({ length: BEATING }, (_, i) => ({ id: `beats-${i}` }))];
    while (this.#isBeating) {
      const sentMs = performance.now();
      await api.post('/api/v1/heartbeat', beats).catch(() => undefined);
      await pause(BEAT_MS);
      // A server that is stopped answers late: then the loss would be the client's own.
      if (performance.now() - sentMs > TTL_MS / 2) this.#late++;
    }
  }

  async #lostAt(api: Api): Promise<string[]> {
    if (this.#late > 0) return [];
    const { text } = await api.get('/api/v1/event?types=node.lost&lastEventId=0&follow=false');
    return [...text.matchAll(/"node":"(beats-\d+)"/g)].map(([, id]) => `${id} was lost, and beat all the time`);
  }
}
