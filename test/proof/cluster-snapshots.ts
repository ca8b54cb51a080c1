/**
 * SIGKILL while a leader makes a snapshot for newcomers (copies its database, sends it, trims the stream), and while a newcomer takes
 * one (unpacks it, fills its database). The cluster goes on, and each newcomer has what was acknowledged, never a part of it. Writers of a
 * cluster without the rest of a server, so that a round takes seconds. The amount is the number of kills.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Random, seededRandom } from '../../src/base/random.ts';
import { NatsEngine } from '../../src/store/replica/nats-engine.ts';
import { until } from '../support/api.ts';
import { Engines, enginesAbsent } from '../support/cluster/engines.ts';
import { untilOneLeads, WriterProcess } from '../support/cluster/writer-process.ts';
import { type FaultRule, FaultShim, hasCompiler } from './fault-shim.ts';
import { BrokenPromise, type Counts, type Machine, type MachineOptions, mustHold, pause, within } from './machine.ts';

interface Point extends Pick<FaultRule, 'on' | 'path' | 'action' | 'flushedOnly'> {
  readonly name: string;
  readonly whose: 'leader' | 'newcomer';
  /** The call at which it strikes is one of so many. */
  readonly among: number;
}

const point = (
  whose: Point['whose'],
  name: string,
  on: FaultRule['on'][number],
  path: string,
  action: 'killBefore' | 'killAfter',
  among: number,
): Point => ({ whose, name, on: [on], path, action, among });

const POINTS: readonly Point[] = [
  point('leader', 'while the database is copied', 'write', '/.snapshot-out/', 'killAfter', 2),
  point('newcomer', 'while the snapshot is unpacked', 'write', '/.snapshot-in/', 'killAfter', 8),
  point('leader', 'before the first piece is sent', 'read', '/.snapshot-out/', 'killBefore', 1),
  point('newcomer', 'after the database is unpacked, before its logs', 'sync', '/.snapshot-in/', 'killAfter', 1),
  point('leader', 'while the pieces are sent', 'read', '/.snapshot-out/', 'killAfter', 8),
  {
    ...point('newcomer', 'while the database is filled', 'write', '/db/data.mdb', 'killAfter', 12),
    flushedOnly: true,
  },
  point('leader', 'after it is sent, before the stream is trimmed', 'unlink', '/.snapshot-logs/', 'killBefore', 1),
  point('newcomer', 'after the database is filled', 'unlink', '/.snapshot-in/', 'killBefore', 1),
];

const CLUSTER = 'kept';
const SNAPSHOT_BYTES = 200_000;
const ROW_BYTES = 20_000;
/** A point that is not reached within so many rows, or so long, becomes a kill at that moment. */
const ROWS_MAX = 200;
const BEGIN_ROWS_MAX = 3_000;
const POINT_MS = 20_000;
const ROW_PAUSE_MS = 10;
const RETRY_MS = 50;
const TAKEN_MS = 120_000;
/** Rows are written over and over, so that the database stays small. */
const KEYS = 150;
const LEFT_MS = 30_000;
/** A kill with its audit takes 3 s on an idle machine, and 25 s where ten programs wait for each processor. */
const KILL_MS = 300_000;
const LOG = 'var/job.log';

export const clusterSnapshots: Machine = { name: 'cluster-snapshots', short: 0, long: 40, run };

async function run({ seed, amount, say }: MachineOptions): Promise<Counts> {
  const absent = enginesAbsent() ?? (hasCompiler() ? null : 'there is no C compiler');
  if (absent !== null) {
    say(`left out: ${absent}`);
    return { kills: 0 };
  }
  const engines = await Engines.start(1, CLUSTER);
  const rounds = new Rounds(engines, seededRandom(seed));
  try {
    await within(KILL_MS, 'two servers whose stream was trimmed', rounds.begin());
    for (let round = 0; round < amount; round++) {
      const { name, whose, ...rule } = POINTS[round % POINTS.length] as Point;
      const killing = whose === 'leader' ? rounds.killLeader(rule) : rounds.killNewcomer(rule);
      const kill = `kill ${round + 1} of seed ${seed}, of the ${whose}`;
      const isAtPoint = await within(KILL_MS, `${kill} ${name}, and its next start`, killing);
      const where = `${kill} ${isAtPoint ? name : 'at a random moment'}`;
      await within(KILL_MS, `the audit after ${where}`, rounds.audit(`after ${where}`));
      say(`${where}; ${rounds.rows} rows`);
    }
    return { kills: amount, 'at points': rounds.atPoints, newcomers: rounds.newcomers, rows: rounds.rows };
  } finally {
    await rounds.end();
    await engines.stop();
  }
}

type Rule = Omit<Point, 'name' | 'whose'>;

class Rounds {
  rows = 0;
  atPoints = 0;
  newcomers = 0;
  readonly #engines: Engines;
  readonly #random: Random;
  readonly #folder = mkdtempSync(join(tmpdir(), 'cairn-proof-'));
  readonly #shims: FaultShim[] = [];
  #servers: Server[] = [];
  #log = '';

  constructor(engines: Engines, random: Random) {
    this.#engines = engines;
    this.#random = random;
  }

  /** Two servers, and a stream that reaches back to its beginning no more. */
  async begin(): Promise<void> {
    this.#servers = [this.#newServer('a'), this.#newServer('b')];
    for (const server of this.#servers) await server.start();
    const engine = await NatsEngine.connect({
      servers: this.#engines.addresses,
      cluster: CLUSTER,
      credsFile: null,
      caFile: null,
      warn: () => {},
    });
    try {
      for (let row = 0; (await engine.bounds()).first <= 1; row++) {
        if (row > BEGIN_ROWS_MAX) throw new BrokenPromise(`the stream was not trimmed in ${row} rows`);
        await this.#write();
      }
    } finally {
      await engine.close();
    }
  }

  /** Whether it was killed where it was to be. The cluster goes on with the other server, and the killed one follows. */
  async killLeader(rule: Rule): Promise<boolean> {
    const leader = await this.#leader();
    leader.shim.set({ ...rule, skip: this.#random.int(rule.among), times: 1 });
    for (let row = 0; row < ROWS_MAX && !leader.writer.hasExited; row++) await this.#write(leader);
    const isAtPoint = await this.#endAt(leader);
    await this.#leader();
    await this.#write();
    await leader.start();
    return isAtPoint;
  }

  /** Whether it was killed where it was to be. Its next start must take the whole of it. */
  async killNewcomer(rule: Rule): Promise<boolean> {
    const newcomer = await this.#joined(rule);
    const isAtPoint = await this.#endAt(newcomer);
    await newcomer.start();
    await this.#take(newcomer);
    return isAtPoint;
  }

  /** All servers, and one more newcomer, have all that was acknowledged. */
  async audit(where: string): Promise<void> {
    await this.#take(await this.#joined());
    await this.#leader();
    const digests: string[] = [];
    const faults: string[] = [];
    for (const { writer, name } of this.#servers) {
      await untilTaken(() => writer.ask('barrier'), `a barrier at ${name}`);
      const digest = (await writer.ask('digest')).replace(/^(position|meta) .*\n/gm, '');
      digests.push(digest);
      const rows = Number(/^definition (\d+)/m.exec(digest)?.[1]);
      if (rows !== Math.min(KEYS, this.rows)) faults.push(`server ${name} has ${rows} rows after ${this.rows} writes`);
      if (digest !== digests[0]) faults.push(`server ${name} differs: ${digest}, and the first: ${digests[0]}`);
      if (readFileSync(join(writer.logFolder, 'nodes/node-1', LOG), 'utf8') !== this.#log)
        faults.push(`server ${name} has another log`);
      await until(
        () => leftIn(writer),
        (left) => left.length === 0,
        `what a killed process of server ${name} has left to be removed`,
        LEFT_MS,
      ).catch((error: Error) => faults.push(error.message));
    }
    mustHold(faults, where);
  }

  async end(): Promise<void> {
    for (const { writer } of this.#servers) await writer.end();
    for (const shim of this.#shims) shim.close();
    rmSync(this.#folder, { recursive: true, force: true });
  }

  #newServer(name: string): Server {
    const shim = new FaultShim(join(this.#folder, `shim-${this.#shims.length}`));
    this.#shims.push(shim);
    return new Server(name, this.#engines, shim);
  }

  /** One more server takes the place of the newcomer before it, whose machine is gone. */
  async #joined(rule?: Rule): Promise<Server> {
    const former = this.#servers.splice(2);
    for (const { writer } of former) await writer.end();
    const newcomer = this.#newServer('c');
    this.#servers.push(newcomer);
    this.newcomers++;
    await newcomer.start();
    // It has its own database by now, and begins to look for the cluster.
    if (rule) newcomer.shim.set({ ...rule, skip: this.#random.int(rule.among), times: 1 });
    return newcomer;
  }

  async #take({ writer }: Server): Promise<void> {
    await writer.until(({ role }) => role === 'follower', 'follows');
  }

  /** Waits for the end that its rule brings, or brings it. */
  async #endAt({ writer, shim }: Server): Promise<boolean> {
    await Promise.race([writer.exited, pause(POINT_MS)]);
    const isAtPoint = shim.fired() > 0;
    if (isAtPoint) this.atPoints++;
    await writer.kill();
    shim.clear();
    return isAtPoint;
  }

  async #leader(): Promise<Server> {
    const live = this.#servers.filter(({ writer }) => !writer.hasExited);
    const leader = await untilOneLeads(live.map(({ writer }) => writer));
    return live.find(({ writer }) => writer === leader) as Server;
  }

  /** One row and one line of the log. What a call that was broken off has done is not known: it is made again as it was. */
  async #write(killed?: Server): Promise<void> {
    const line = `line ${this.rows}\n`;
    const isOver = (): boolean => killed?.writer.hasExited ?? false;
    const make = async (): Promise<void> => {
      const { writer } = await this.#leader();
      await writer.ask('put', { key: `row-${this.rows % KEYS}`, text: `${this.rows}`, size: ROW_BYTES });
      await writer.ask('log', { key: LOG, text: line, size: this.#log.length });
    };
    if (!(await untilTaken(make, `row ${this.rows}`, isOver))) return;
    this.#log += line;
    this.rows++;
    await pause(ROW_PAUSE_MS);
  }
}

class Server {
  readonly name: string;
  readonly writer: WriterProcess;
  readonly shim: FaultShim;

  constructor(name: string, { addresses }: Engines, shim: FaultShim) {
    this.name = name;
    this.shim = shim;
    this.writer = new WriterProcess(name, addresses, CLUSTER, { snapshotBytes: SNAPSHOT_BYTES });
  }

  start(): Promise<void> {
    return this.writer.start(this.shim.env());
  }
}

function leftIn({ options: { dataFolder, logFolder } }: WriterProcess): Promise<string[]> {
  const folders = ['.snapshot-in', '.snapshot-out'].map((name) => join(dataFolder, name));
  return Promise.resolve([...folders, join(logFolder, '.snapshot-logs')].filter((folder) => existsSync(folder)));
}

/** Whether it was taken; false only where `isOver` says that it need not be. */
async function untilTaken(make: () => Promise<unknown>, what: string, isOver = (): boolean => false): Promise<boolean> {
  const untilMs = performance.now() + TAKEN_MS;
  for (;;) {
    if (isOver()) return false;
    try {
      await make();
      return true;
    } catch (error) {
      if (performance.now() > untilMs) throw new BrokenPromise(`${what} was not taken: ${String(error)}`);
      await pause(RETRY_MS);
    }
  }
}
