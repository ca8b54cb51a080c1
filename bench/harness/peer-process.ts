/**
 * Processes under test: our server, and the peers it is measured beside. Each says a ready line with its address.
 *
 * `CAIRN_BENCH_SERVER_CPUS` (a list as taskset reads it) keeps every process under test on those processors; start the
 * bench itself under taskset on others, and the load does not take the server's time. `CAIRN_BENCH_PROGRAM` is another
 * build's server (`npm run bench:compare`).
 */
import { type ChildProcess, type SpawnOptions, spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endsWithUs } from '../load/children.ts';

export interface UnderTest {
  readonly name: string;
  readonly pid: number;
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  stop(): Promise<void>;
}

export interface CairnUnderTest extends UnderTest {
  /** Ends it at once and leaves its folder; `restart` starts it again. */
  kill(): Promise<void>;
  /** Kills it and starts it again on the same folder and port; resolves with the new process when it serves. */
  restart(): Promise<CairnUnderTest>;
}

const START_MS = 60_000;
const PROGRAM = process.env['CAIRN_BENCH_PROGRAM'] ?? 'bundle/src/main.js';
export const SERVER_CPUS = process.env['CAIRN_BENCH_SERVER_CPUS'] ?? '';

/** `folder`: one that was filled before, which goes with the server; a new one where absent. */
export function startCairn(
  args: readonly string[] = [],
  scheme: 'http' | 'https' = 'http',
  folder = mkdtempSync(join(tmpdir(), 'cairn-bench-')),
): Promise<CairnUnderTest> {
  const data = join(folder, 'data');
  const log = join(folder, 'log');
  const addr = `${scheme}://127.0.0.1:0`;
  return cairnOn(folder, ['serve', '--data-dir', data, '--log-dir', log, '--addr', addr, ...args]);
}

async function cairnOn(folder: string, args: readonly string[]): Promise<CairnUnderTest> {
  const server = await startProcess('cairn', process.execPath, [PROGRAM, ...args], /^cairn ready (\S+)/m);
  return {
    ...server,
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
    kill: () => server.stop('SIGKILL'),
    restart: async () => {
      await server.stop('SIGKILL');
      return cairnOn(folder, args);
    },
  };
}

export function startPeer(name: string): Promise<UnderTest> {
  return startProcess(name, process.execPath, [`dist/bench/peers/${name}.js`], /^ready (\S+)/m);
}

/**
 * Redis that loses at most a second when the power fails, which is what a heartbeat may lose here too. Its rewriting of the
 * log is off, in its favour. Undefined where the program is not installed.
 */
export async function tryStartRedis(): Promise<UnderTest | undefined> {
  if (spawnSync('redis-server', ['--version']).error) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-redis-'));
  const port = await freePort();
  const persistence = ['--appendonly', 'yes', '--appendfsync', 'everysec', '--auto-aof-rewrite-percentage', '0'];
  const server = await startProcess(
    'redis',
    'redis-server',
    ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--save', '', ...persistence],
    /Ready to accept connections()/,
    `redis://127.0.0.1:${port}`,
  );
  return {
    ...server,
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export const REDIS_ABSENT = 'redis-server is not installed: apt-get install redis-server';

/** Redis reads 0 as "no port". Another process could take the port meanwhile: Redis would then end, and say so. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen({ host: '127.0.0.1', port: 0, exclusive: true }, () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}

interface Started extends Omit<UnderTest, 'stop'> {
  stop(signal?: NodeJS.Signals): Promise<void>;
}

async function startProcess(
  name: string,
  program: string,
  args: readonly string[],
  ready: RegExp,
  fixedAddress?: string,
): Promise<Started> {
  const child = endsWithUs(spawnPinned(program, args, { stdio: ['ignore', 'pipe', 'inherit'] }));
  const said = await readyLine(name, child, ready);
  const address = new URL(fixedAddress ?? said);
  return {
    name,
    pid: child.pid as number,
    host: address.hostname,
    port: Number(address.port),
    secure: address.protocol === 'https:',
    stop: (signal = 'SIGTERM') =>
      new Promise((resolve) => {
        // It has ended already.
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.once('exit', () => resolve());
        child.kill(signal);
      }),
  };
}

/** On the processors for what is under test. taskset becomes the program, so the process id stays the one we know. */
export function spawnPinned(program: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const pinned = SERVER_CPUS === '' ? [program, ...args] : ['taskset', '-c', SERVER_CPUS, program, ...args];
  return spawn(pinned[0] as string, pinned.slice(1), options);
}

function readyLine(name: string, child: ChildProcess, ready: RegExp): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = '';
    const fail = (why: string): void => {
      clearTimeout(timer);
      child.kill('SIGKILL');
      reject(new Error(`cannot start ${name}: ${why}; it said ${JSON.stringify(text.slice(-500))}`));
    };
    const timer = setTimeout(() => fail(`it was not ready within ${START_MS} ms`), START_MS);
    let isReady = false;
    child.stdout?.on('data', (chunk: Buffer) => {
      if (isReady) return;
      text += chunk.toString();
      const found = ready.exec(text);
      if (!found) return;
      isReady = true;
      clearTimeout(timer);
      resolve(found[1] as string);
    });
    child.once('error', (error) => fail(error.message));
    child.once('exit', (code, signal) => fail(`it ended with ${code ?? signal}`));
  });
}
