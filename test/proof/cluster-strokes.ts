/** What a cluster must survive, by turns: a server or an engine is killed or stopped for a while, and is there again. */
import type { Random } from '../../src/base/random.ts';
import { until } from '../support/api.ts';
import { type Member, readyz, type ServerCluster } from '../support/cluster/server-cluster.ts';
import type { WriteProbe } from './cluster-clients.ts';
import type { FaultShim } from './fault-shim.ts';
import { pause } from './machine.ts';

export type Stroke =
  | 'leader'
  | 'follower'
  | 'engine that leads'
  | 'engine'
  | 'leader, stopped'
  | 'engine, stopped'
  | 'leader, disk full'
  | 'follower, disk full'
  | 'leader, clock leaps'
  | 'another version';

export const KILLS: readonly Stroke[] = ['leader', 'engine that leads', 'follower', 'leader', 'engine'];
export const STOPS: readonly Stroke[] = ['leader, stopped', 'engine, stopped'];
/** They need the shim over files and clock. */
export const SHIMMED: readonly Stroke[] = ['leader, disk full', 'follower, disk full', 'leader, clock leaps'];

const AWAY_MS = 1_500;
const STOPPED_MIN_MS = 1_000;
const STOPPED_MAX_MS = 12_000;
/** Some are stopped for much longer than any lease. */
const STOPPED_LONG_MS = 60_000;
const LONG_SHARE = 0.1;
const FULL_MS = 6_000;
const LEAP_MS = 3_600_000;
const LEAPT_MS = 3_000;
const BACK_MS = 120_000;
const LOOK_MS = 100;
/** Of a server that did not come back, for the message. */
const LINES = 12;
const LINE_CHARS = 100;

async function lastWordsOf({ number, server }: Member): Promise<string> {
  const log = (await server.logText()).trimEnd().split('\n').slice(-LINES);
  const end = server.hasExited ? 'has ended' : 'runs';
  return [`server ${number} ${end}; it said: ${server.output.slice(-LINES * LINE_CHARS)}`, ...log].join('\n');
}

export class Strokes {
  readonly #cluster: ServerCluster;
  readonly #random: Random;
  readonly #probe: WriteProbe;
  /** By the number of the server; empty: no shimmed strokes. */
  readonly #shims: readonly FaultShim[];
  /** Of another version, where there is one; a server that does not run it now gets it, and else its own. */
  readonly #program: string | undefined;
  readonly #others = new Set<Member>();
  /** Numbers of servers whose disk was full: LMDB may have met it amid a commit, and then ends them sooner or later (decision 0182). */
  readonly #spoiled = new Set<number>();

  constructor(
    cluster: ServerCluster,
    random: Random,
    probe: WriteProbe,
    shims: readonly FaultShim[] = [],
    program?: string,
  ) {
    this.#shims = shims;
    this.#program = program;
    this.#cluster = cluster;
    this.#random = random;
    this.#probe = probe;
  }

  /** Resolves when all of them are there again, and each server follows or leads. */
  async strike(stroke: Stroke): Promise<void> {
    const leader = await this.#cluster.leader();
    if (stroke === 'leader') await this.#kill(leader, stroke);
    else if (stroke === 'follower') await this.#kill(this.#another(leader), stroke);
    else if (stroke === 'leader, stopped') await this.#stop(leader, stroke);
    else if (stroke === 'leader, disk full') await this.#fill(leader, stroke);
    else if (stroke === 'follower, disk full') await this.#fill(this.#another(leader), stroke);
    else if (stroke === 'leader, clock leaps') await this.#leap(leader, stroke);
    else if (stroke === 'another version') await this.#exchange(this.#random.pick(this.#cluster.members), stroke);
    else await this.#strikeEngine(stroke);
    await this.#allFollow();
  }

  async #fill(member: Member, stroke: Stroke): Promise<void> {
    const shim = this.#shims[member.number] as FaultShim;
    this.#probe.struck(stroke);
    shim.set({ on: ['write'], path: '/db/data.mdb', action: 'error', error: 'ENOSPC' });
    await pause(FULL_MS);
    shim.clear();
    this.#spoiled.add(member.number);
  }

  async #leap({ number }: Member, stroke: Stroke): Promise<void> {
    const shim = this.#shims[number] as FaultShim;
    this.#probe.struck(stroke);
    shim.clockMs = this.#random.chance(0.5) ? LEAP_MS : -LEAP_MS;
    await pause(LEAPT_MS);
    shim.clockMs = 0;
  }

  async #kill(member: Member, stroke: Stroke): Promise<void> {
    this.#probe.struck(stroke);
    await member.server.kill('SIGKILL');
    await pause(AWAY_MS);
    if (stroke === 'leader') await this.#cluster.leader();
    await this.#cluster.restart(member, this.#programOf(member));
  }

  /** As an upgrade of one server after the other does it, and its way back. */
  async #exchange(member: Member, stroke: Stroke): Promise<void> {
    if (!this.#others.delete(member)) this.#others.add(member);
    this.#probe.struck(stroke);
    await member.server.kill('SIGTERM');
    await this.#cluster.restart(member, this.#programOf(member));
  }

  #programOf(member: Member): string | undefined {
    return this.#others.has(member) ? this.#program : undefined;
  }

  async #stop({ server }: Member, stroke: Stroke): Promise<void> {
    this.#probe.struck(stroke);
    process.kill(server.pid, 'SIGSTOP');
    await pause(this.#stoppedMs());
    process.kill(server.pid, 'SIGCONT');
  }

  async #strikeEngine(stroke: Stroke): Promise<void> {
    const { engines, name } = this.#cluster;
    const leads = (await until(
      () => engines.leaderOf(name),
      (engine) => engine !== null,
      'an engine to lead the stream',
      BACK_MS,
    )) as number;
    const other = (leads + 1 + this.#random.int(2)) % 3;
    const engine = stroke === 'engine' ? other : leads;
    this.#probe.struck(stroke);
    if (stroke === 'engine, stopped') {
      engines.signal(engine, 'SIGSTOP');
      await pause(this.#stoppedMs());
      engines.signal(engine, 'SIGCONT');
    } else {
      await engines.kill(engine);
      await pause(AWAY_MS);
      await engines.run(engine);
    }
    await until(
      () => engines.leaderOf(name),
      (found) => found !== null,
      'an engine to lead the stream again',
      BACK_MS,
    );
  }

  #stoppedMs(): number {
    if (this.#random.chance(LONG_SHARE)) return STOPPED_LONG_MS;
    return this.#random.between(STOPPED_MIN_MS, STOPPED_MAX_MS);
  }

  #another(member: Member): Member {
    return this.#random.pick(this.#cluster.members.filter((other) => other !== member));
  }

  async #allFollow(): Promise<void> {
    const isThere = (roles: readonly (string | undefined)[]): boolean =>
      roles.filter((role) => role === 'leader').length === 1 && roles.every((role) => role && role !== 'catching-up');
    const roleOf = async (member: Member): Promise<string | undefined> => {
      // As a service manager does it.
      if (member.server.hasExited && this.#spoiled.has(member.number))
        await this.#cluster.restart(member, this.#programOf(member));
      return (await readyz(member))?.role;
    };
    await until(
      () => Promise.all(this.#cluster.members.map(roleOf)),
      isThere,
      'every server to lead or follow',
      BACK_MS,
    ).catch(async ({ message }: Error) => {
      throw new Error(`${message}\n${(await Promise.all(this.#cluster.members.map(lastWordsOf))).join('\n')}`);
    });
    await pause(LOOK_MS);
  }
}
