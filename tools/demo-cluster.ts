/**
 * `npm run demo:cluster`: three engines (NATS JetStream), three servers and a small load balancer on this machine. A
 * simulated fleet works against the balancer while leaders and engines are killed and started again; at the end the fleet compares
 * what the servers have with what it was told. Everything lies in temporary folders, which are removed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { Balancer } from '../test/support/cluster/balancer.ts';
import { enginesAbsent } from '../test/support/cluster/engines.ts';
import { ServerCluster } from '../test/support/cluster/server-cluster.ts';
import { givenLine, wholeNumber } from './command-line.ts';

const USAGE = `npm run demo:cluster -- [SECONDS]

Runs three engines, three servers and a simulated fleet on this machine for so long (60), while leaders and engines are
killed. Ends with 1 where anything that was acknowledged is missing.
`;

const { positionals } = givenLine({ usage: USAGE, names: { what: 'seconds' } });
const SECONDS = wholeNumber('seconds', positionals[0] ?? '60', 1);
const KILL_EVERY_MS = 15_000;
const AWAY_MS = 3_000;
/** The fleet plays, waits for what a takeover delays, and reads everything back. */
const END_MS = SECONDS * 1_000 + 300_000;

async function demo(): Promise<number> {
  say('starting three engines and three servers');
  const cluster = await ServerCluster.start('demo');
  try {
    return await play(cluster, new Balancer(cluster));
  } finally {
    await cluster.stop();
  }
}

async function play(cluster: ServerCluster, balancer: Balancer): Promise<number> {
  const address = await balancer.listen();
  say(`any of the servers answers at ${address}; ${(await cluster.leader()).server.address} leads`);
  const { child, ended } = fleetAt(address);
  const stopping = new AbortController();
  const kills = killInTurn(cluster, stopping.signal).catch((error: Error) => say(`the kills ended: ${error.message}`));
  const timer = setTimeout(() => child.kill('SIGKILL'), END_MS);
  try {
    const code = await ended;
    say(code === 0 ? 'nothing that was acknowledged is missing' : `the fleet found differences, or failed (${code})`);
    return code === 0 ? 0 : 1;
  } finally {
    clearTimeout(timer);
    stopping.abort();
    await kills;
    balancer.close();
  }
}

function fleetAt(address: string): { readonly child: ChildProcess; readonly ended: Promise<number | null> } {
  const size = ['--nodes', '40', '--jobs', '160', '--duration', `${SECONDS}s`, '--speed', '20', '--quiet'];
  const child = spawn(process.execPath, [resolve('bundle/src/main.js'), 'fleet', '--server', address, ...size], {
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  return { child, ended: new Promise((resolve) => child.once('exit', resolve)) };
}

/** The leader, then an engine, and so on, while the fleet plays; each is away for a moment. */
async function killInTurn(cluster: ServerCluster, signal: AbortSignal): Promise<void> {
  const endMs = Date.now() + SECONDS * 1_000;
  for (let turn = 0; Date.now() + KILL_EVERY_MS < endMs + AWAY_MS; turn++) {
    await pause(KILL_EVERY_MS - AWAY_MS, signal);
    if (signal.aborted) return;
    if (turn % 2 === 0) await killLeader(cluster, signal);
    else await killEngine(cluster, turn % 3, signal);
  }
}

async function killLeader(cluster: ServerCluster, signal: AbortSignal): Promise<void> {
  const leader = await cluster.leader();
  const killedMs = Date.now();
  await leader.server.kill('SIGKILL');
  const next = await cluster.leader();
  say(`killed the leader; ${next.server.address} leads ${((Date.now() - killedMs) / 1_000).toFixed(1)} s later`);
  await pause(AWAY_MS, signal);
  await cluster.restart(leader);
}

async function killEngine({ engines }: ServerCluster, i: number, signal: AbortSignal): Promise<void> {
  say(`killed engine ${i + 1}`);
  await engines.kill(i);
  await pause(AWAY_MS, signal);
  await engines.run(i);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

const absent = enginesAbsent();
if (absent === null && Number.isInteger(SECONDS) && SECONDS >= 10) process.exitCode = await demo();
else {
  say(absent === null ? 'want a whole number of seconds, at least 10' : `cannot show a cluster: ${absent}`);
  process.exitCode = 2;
}
