/**
 * SIGKILL of a real server, at random moments and at named points of its work, and power cuts, which take what was not
 * flushed as well. After each, the server starts again and the auditor looks for every acknowledged fact. The amount is
 * the number of kills.
 */
import { join } from 'node:path';
import { type Random, seededRandom } from '../../src/base/random.ts';
import { AuditedServer } from './audited-server.ts';
import { type FaultRule, FaultShim, hasCompiler } from './fault-shim.ts';
import type { Counts, Machine, MachineOptions } from './machine.ts';
import { pause } from './machine.ts';
import { cutPower } from './power-cut.ts';

/** A point that the workload does not reach is given up after so long, and becomes a kill at a random moment. */
const POINT_MS = 4_000;
const RANDOM_KILL_MS = 600;
/** A life begins with one of these numbers of shards, so that one adopts what another number has left. */
const SHARDS = [1, 2] as const;
/** As many bytes as the access log may have, less what a few requests write. */
const ALMOST_FULL = 1_048_576 - 4_096;

interface Point extends Pick<FaultRule, 'on' | 'path' | 'action' | 'flushedOnly'> {
  readonly name: string;
  /** The call at which it strikes is one of so many; more for what happens often. */
  readonly among: number;
}

const point = (
  name: string,
  on: FaultRule['on'][number],
  path: string,
  action: 'killBefore' | 'killAfter',
  among = 24,
): Point => ({ name, on: [on], path, action, among });

const ACCESS_LOG = 'cairn-access';

/** The doors at which a fact becomes durable, from both sides. */
export const POINTS: readonly Point[] = [
  point('among the pages of a commit', 'write', 'db/data.mdb', 'killAfter', 120),
  point('before the pages of a commit are flushed', 'sync', 'db/data.mdb', 'killBefore'),
  point('between the pages and the commit itself', 'sync', 'db/data.mdb', 'killAfter'),
  { ...point('after the commit, before the answers', 'write', 'db/data.mdb', 'killAfter'), flushedOnly: true },
  point('before the configuration is renamed', 'rename', 'config.json', 'killBefore', 6),
  point('after the configuration is renamed, before its folder is flushed', 'rename', 'config.json', 'killAfter', 6),
  point('while a log chunk is written', 'write', '/log/nodes/', 'killBefore', 12),
  point('after a log chunk is written, before it is flushed', 'write', '/log/nodes/', 'killAfter', 12),
  point('after a log chunk is flushed, before the answer', 'sync', '/log/nodes/', 'killAfter', 12),
  point('before a cut log takes the place of the whole one', 'rename', '/log/nodes/', 'killBefore', 2),
  point('after a cut log took the place of the whole one', 'rename', '/log/nodes/', 'killAfter', 2),
  point('before the access log is rotated', 'rename', ACCESS_LOG, 'killBefore', 1),
  point('after the access log is rotated', 'rename', ACCESS_LOG, 'killAfter', 1),
];

/** How a round ends: by SIGKILL at the point whose turn it is, at any moment or twice in the start; or by a power cut. */
export type Manner = 'point' | 'random' | 'start' | 'power' | 'power, all lost';

const MANNERS: readonly Manner[] = ['point', 'start', 'point', 'power', 'point', 'start', 'point', 'power, all lost'];

export const kills: Machine = {
  name: 'kills',
  short: 24,
  long: 2_000,
  run: (options) => killInManners(options, MANNERS),
};

/** The manners take turns. */
export async function killInManners(
  { seed, amount, say }: MachineOptions,
  manners: readonly Manner[],
): Promise<Counts> {
  const random = seededRandom(seed);
  const hasShim = hasCompiler();
  if (!hasShim) say('no C compiler: kills at random moments only');
  // A life is over before the threads for queries would be warm.
  const server = await AuditedServer.start({ env: { CAIRN_WARM_UP: 'no' } });
  const tally: Tally = { kills: 0, 'at points': 0, 'in the start': 0, 'power cuts': 0, 'lost writes': 0 };
  let where = 'at the start';
  try {
    await server.kill();
    for (let round = 0; tally.kills < amount; round++) {
      const manner = hasShim ? (manners[round % manners.length] as Manner) : 'random';
      const kill = new Kill(server, random, manner, tally);
      await kill.strike(join(server.folder, `shim-${round}`), where);
      say(`kill ${tally.kills}, ${kill.where}; ${server.acknowledged} facts`);
      where = `after kill ${tally.kills} of seed ${seed}, ${kill.where}`;
    }
    await server.up();
    await server.audit(where);
    server.work();
    await pause(300);
    await server.rest();
    await server.auditDeliveries(`after ${tally.kills} kills of seed ${seed}`);
    await server.audit(`at the end of seed ${seed}`);
    return { ...tally, audits: server.audits, facts: server.acknowledged, deliveries: server.deliveries };
  } finally {
    await server.dispose();
  }
}

interface Tally {
  kills: number;
  'at points': number;
  'in the start': number;
  'power cuts': number;
  'lost writes': number;
}

/** One round: start, audit, work, die. */
class Kill {
  where = 'at a random moment';
  readonly #server: AuditedServer;
  readonly #random: Random;
  readonly #manner: Manner;
  readonly #tally: Tally;

  constructor(server: AuditedServer, random: Random, manner: Manner, tally: Tally) {
    this.#server = server;
    this.#random = random;
    this.#manner = manner;
    this.#tally = tally;
  }

  /** `before`: how the one before it ended, whose facts are audited first. */
  async strike(folder: string, before: string): Promise<void> {
    const shim = this.#manner === 'random' ? undefined : new FaultShim(folder);
    const isPowerCut = this.#manner.startsWith('power');
    const point = this.#manner === 'point' ? (POINTS[this.#tally.kills % POINTS.length] as Point) : undefined;
    this.#server.shards = this.#random.pick(SHARDS);
    if (point?.path === ACCESS_LOG) this.#server.fillAccessLog(ALMOST_FULL);
    try {
      if (shim && this.#manner === 'start') await this.#inTheStart(shim);
      await this.#server.up(shim?.env(isPowerCut ? this.#server.folder : undefined));
      await this.#server.audit(before);
      this.#server.work();
      if (shim && point) await this.#atPoint(shim, point);
      else await pause(this.#random.between(0, RANDOM_KILL_MS));
      await this.#server.kill();
      this.#tally.kills++;
      if (shim && isPowerCut) this.#cutPower(shim);
    } finally {
      shim?.close();
    }
  }

  async #atPoint(shim: FaultShim, { name, among, ...rule }: Point): Promise<void> {
    shim.set({ ...rule, skip: this.#random.int(among), times: 1 });
    await Promise.race([this.#server.process.exited, pause(POINT_MS)]);
    if (!this.#server.process.hasExited) return;
    this.#tally['at points']++;
    this.where = name;
  }

  #cutPower(shim: FaultShim): void {
    const roots = ['data', 'log'].map((name) => join(this.#server.folder, name));
    const lost = cutPower(shim.undoFolder, roots, this.#random, this.#manner === 'power, all lost');
    this.where = `by a power cut that lost ${lost} writes`;
    this.#tally['power cuts']++;
    this.#tally['lost writes'] += lost;
  }

  /** Kills while what the last one left is taken up, twice in a row. A start writes little, so they come by time. */
  async #inTheStart(shim: FaultShim): Promise<void> {
    for (let i = 0; i < 2; i++) {
      let timer: NodeJS.Timeout | undefined;
      const killIn = (pid: number): void => {
        timer = setTimeout(() => process.kill(pid, 'SIGKILL'), this.#random.between(0, this.#server.startMs));
      };
      const isUp = await this.#server.up(shim.env(), killIn).then(
        () => true,
        () => false,
      );
      clearTimeout(timer);
      if (isUp) await this.#server.kill();
      else this.#tally['in the start']++;
      this.#tally.kills++;
    }
  }
}
