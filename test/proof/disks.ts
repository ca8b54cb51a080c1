/**
 * Disks that are full, broken, read-only or slow under a working server: what cannot be stored is refused as the contract
 * says, what is stored can be read meanwhile, nothing that was acknowledged is lost, and with a sound disk everything goes on,
 * without a restart where the contract promises that. The amount is the number of faults; they take turns.
 */
import { join } from 'node:path';
import { seededRandom } from '../../src/base/random.ts';
import { until } from '../support/api.ts';
import { AuditedServer } from './audited-server.ts';
import { type FaultRule, FaultShim, hasCompiler } from './fault-shim.ts';
import { BrokenPromise, type Counts, type Machine, type MachineOptions, mustHold, pause, within } from './machine.ts';

/** How long a fault lasts once it has struck. */
const FAULT_MS = 400;
const STRIKE_MS = 5_000;
const RECOVERY_MS = 60_000;
/** Of a process that ends because the disk left it no other way. */
const LAST_SENTENCE = 'What was acknowledged is safe';
/** LMDB's word for a database whose meta page could not be written: it can be used no more. */
const PANIC = 'MDB_PANIC';

export interface DiskFault {
  readonly name: string;
  readonly rules: readonly FaultRule[];
  /** A call that must meet it, and the statuses that it may be answered. */
  readonly probe: 'job' | 'setting' | 'chunk';
  readonly answers: readonly number[];
  /** lmdb may take nothing more, or damage the heap (decisions 0174, 0182): then the process says so and ends, and nothing is lost. */
  readonly mayStop?: boolean;
}

const database = 'db/data.mdb';
const all = { times: -1 };

const fault = (
  name: string,
  probe: DiskFault['probe'],
  answers: readonly number[],
  ...rules: readonly FaultRule[]
): DiskFault => ({ name, rules, probe, answers });

const stopping = (name: string, answers: readonly number[], ...rules: readonly FaultRule[]): DiskFault => ({
  ...fault(name, 'job', answers, ...rules),
  mayStop: true,
});

export const DISK_FAULTS: readonly DiskFault[] = [
  // Between two commits the file system's figures say so first; amid one, LMDB meets it, and may take nothing more.
  stopping('a full disk under the database', [507, 500], {
    on: ['write'],
    path: database,
    action: 'error',
    error: 'ENOSPC',
  }),
  stopping(
    'a disk that takes half of a page of the database, and is full then',
    [507, 500],
    { on: ['write'], path: database, action: 'short', times: 1 },
    { on: ['write'], path: database, action: 'error', error: 'ENOSPC' },
  ),
  stopping('a broken disk under the database', [500], {
    on: ['write', 'open'],
    path: 'data/db/',
    action: 'error',
    error: 'EIO',
  }),
  stopping('a flush of the database that fails', [500, 200], {
    on: ['sync'],
    path: database,
    action: 'error',
    error: 'EIO',
    times: 2,
  }),
  stopping('a commit that cannot be written', [500], {
    on: ['write'],
    path: database,
    action: 'error',
    error: 'EIO',
    flushedOnly: true,
  }),
  fault('a disk that takes two seconds to flush', 'job', [200, 503], {
    on: ['sync'],
    path: database,
    action: 'sleep',
    millis: 2_000,
    times: 2,
  }),
  fault('a full disk under the configuration', 'setting', [507], {
    on: ['write'],
    path: '.config.json',
    action: 'error',
    error: 'ENOSPC',
  }),
  fault('a configuration that cannot be renamed', 'setting', [500], {
    on: ['rename'],
    path: 'config.json',
    action: 'error',
    error: 'EIO',
  }),
  fault('a configuration that cannot be flushed', 'setting', [500], {
    on: ['sync'],
    path: '.config.json',
    action: 'error',
    error: 'EIO',
  }),
  fault('a full disk under the logs of nodes', 'chunk', [507], {
    on: ['write'],
    path: '/log/nodes/',
    action: 'error',
    error: 'ENOSPC',
  }),
  fault(
    'a disk that takes half of a chunk, and is full then',
    'chunk',
    [507],
    { on: ['write'], path: '/log/nodes/', action: 'short', times: 1 },
    { on: ['write'], path: '/log/nodes/', action: 'error', error: 'ENOSPC' },
  ),
  fault('a chunk that cannot be flushed', 'chunk', [500], {
    on: ['sync'],
    path: '/log/nodes/',
    action: 'error',
    error: 'EIO',
  }),
  stopping('a file system that became read-only', [500], {
    on: ['write', 'rename', 'open', 'truncate', 'unlink'],
    path: '/data/',
    action: 'error',
    error: 'EROFS',
  }),
  fault('a full disk under the logs of the server', 'job', [200], {
    on: ['write'],
    path: '/log/cairn',
    action: 'error',
    error: 'ENOSPC',
  }),
];

export const disks: Machine = { name: 'disks', short: DISK_FAULTS.length, long: 700, run };

async function run(options: MachineOptions): Promise<Counts> {
  return spoilDisks(options, DISK_FAULTS);
}

export async function spoilDisks({ seed, amount, say }: MachineOptions, faults: readonly DiskFault[]): Promise<Counts> {
  if (!hasCompiler()) {
    say('left out: no C compiler');
    return { faults: 0 };
  }
  const random = seededRandom(seed);
  const server = await AuditedServer.start();
  const shim = new FaultShim(join(server.folder, 'shim'));
  const counts = { faults: 0, fired: 0, refused: 0, stopped: 0, restarts: 0 };
  try {
    await server.kill('SIGTERM');
    await server.up(shim.env());
    for (let i = 0; i < amount; i++) {
      const chosen = faults[i % faults.length] as DiskFault;
      const where = `${chosen.name} (fault ${i} of seed ${seed})`;
      say(where);
      server.work();
      await pause(random.between(20, 200));
      shim.set(...chosen.rules.map((rule) => ({ ...all, ...rule })));
      try {
        counts.refused += await meet(server, shim, chosen, where);
        await mustRead(server, where);
        await pause(FAULT_MS);
        shim.clear();
        await recover(server, where);
      } catch (error) {
        if (!chosen.mayStop || !(await hasStopped(server))) throw error;
        counts.stopped++;
        say(`the process has ended (${await server.process.exited}): ${server.process.output.slice(-200)}`);
        const said = server.process.output;
        if (!said.includes(LAST_SENTENCE)) throw new BrokenPromise(`${where}: the process ended without its sentence`);
        // What reads the database between the failed commit and the end, some milliseconds, is told as a bug.
        if ((await server.process.logText()).includes(PANIC)) await server.forgiveBugs();
        shim.clear();
        await server.rest();
        await server.up(shim.env());
      }
      await server.rest();
      await server.audit(where);
      counts.faults++;
      counts.fired += chosen.rules.reduce((sum, _, at) => sum + shim.fired(at), 0);
      // Every other time what the fault left is looked at by a new process too.
      if (i % 2 === 1) {
        await server.kill();
        await server.up(shim.env());
        await server.audit(`${where}, after a kill`);
        counts.restarts++;
      }
    }
    return { ...counts, audits: server.audits, facts: server.acknowledged };
  } catch (error) {
    // A process that ended says why; its connections only say that it did.
    if (await hasStopped(server)) throw new BrokenPromise(`the server ended: ${server.process.output.slice(-2_000)}`);
    throw error;
  } finally {
    shim.clear();
    await server.dispose();
    shim.close();
  }
}

/** The end of a process is known a moment after that of its connections. */
async function hasStopped({ process }: AuditedServer): Promise<boolean> {
  await Promise.race([process.exited, pause(2_000)]);
  return process.hasExited;
}

/** Calls until the fault shows, which it must, and only as it may. Returns how many calls were refused. */
async function meet(
  server: AuditedServer,
  shim: FaultShim,
  { probe, answers, rules }: DiskFault,
  where: string,
): Promise<number> {
  const endMs = Date.now() + STRIKE_MS;
  let refused = 0;
  for (let i = 0; Date.now() < endMs; i++) {
    const status = await within(RECOVERY_MS, `an answer, ${where}`, probes[probe](server, i));
    if (status !== 200) refused++;
    if (status !== 200 && !answers.includes(status)) mustHold([`a call was answered ${status}`], where);
    const hasFired = rules.some((_, at) => shim.fired(at) > 0);
    if (status !== 200 || (hasFired && answers.includes(200))) return refused;
  }
  throw new BrokenPromise(`${where}: no call met the fault within ${STRIKE_MS} ms`);
}

const probes: Readonly<Record<DiskFault['probe'], (server: AuditedServer, i: number) => Promise<number>>> = {
  job: async ({ api }, i) =>
    (await api.post('/api/v1/job', { id: `probe-${i % 50}`, queueName: 'probe', name: `${i}` })).status,
  setting: async ({ api }, i) => (await api.configKv({ 'job.volMountPath': `/mnt/${Date.now()}-${i}` })).status,
  chunk: async ({ api }, i) => {
    const path = `/api/v1/nodes/proof-log-0/files/probe-${Date.now()}-${i}.log?offset=0`;
    return (await api.post(path, 'a line\n')).status;
  },
};

/** Reads go on, whatever cannot be written. */
async function mustRead({ api }: AuditedServer, where: string): Promise<void> {
  for (const path of ['/livez', '/api/v1/config', '/api/v1/node', '/api/v1/job?limit=5', '/api/v1/metrics/summary']) {
    const { status, text } = await within(RECOVERY_MS, `${path}, ${where}`, api.get(path));
    if (status !== 200) mustHold([`${path} was answered ${status} ${text.slice(0, 200)}`], where);
  }
}

async function recover(server: AuditedServer, where: string): Promise<void> {
  for (const probe of Object.values(probes)) {
    const ask = async (): Promise<number> => probe(server, Date.now() % 1_000);
    await until(ask, (status) => status === 200, `writes to go on after ${where}`, RECOVERY_MS).catch(
      (error: Error) => {
        throw new BrokenPromise(error.message);
      },
    );
  }
}
