/**
 * Peers that vanish without a word: their network is cut, and then they end, so that the server gets neither FIN nor RST. It must
 * find out by itself and give back their descriptors and memory. In network namespaces of its own; needs root. The amount is the
 * number of connections of each kind. WebSockets are pinged after two minutes only: they are part of the long form.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Api, until } from '../support/api.ts';
import { Lan, lanAbsent } from '../support/network/lan.ts';
import { ServerProcess } from '../support/server-process.ts';
import { BrokenPromise, type Counts, type Machine, type MachineOptions, mustHold, pause, within } from './machine.ts';
import { descriptors, memoryMb } from './process-figures.ts';

const PORT = 8_080;
const CLIENTS = 'dist/test/proof/half-open-clients.js';
const SOON = ['silent', 'half a head', 'half a body', 'between calls', 'unread answer', 'events', 'silent log'];
const LATE = ['websocket'];
const WITH_LATE = 100;
const CONNECT_MS = 90_000;
/** uWS cuts after 10 s, by a wheel of 4 s; event streams write every 15 s, and the kernel then sends again for a while. */
const REAPED_MS = 180_000;
const QUIET_MS = 2_000;
const LOOK_MS = 500;
const ANSWER_MS = 30_000;
const GROWTH_MB = 64;
const BYTES_PER_CONNECTION = 8_192;
/** Sockets of the call that asks, and of what the server opens for itself meanwhile. */
const DESCRIPTORS_SPARE = 6;

export const halfOpen: Machine = { name: 'half-open', short: 0, long: 500, run };

async function run({ amount, say }: MachineOptions): Promise<Counts> {
  const absent = lanAbsent() ?? ssAbsent();
  if (absent !== null) {
    say(`left out: ${absent}`);
    return { connections: 0 };
  }
  const kinds = amount >= WITH_LATE ? [...SOON, ...LATE] : SOON;
  const lan = new Lan(['server', 'peers']);
  let server: ServerProcess | undefined;
  try {
    lan.build();
    // A peer that acknowledges nothing is given up after some 6 s, not after the kernel's 15 minutes.
    lan.set('server', 'net.ipv4.tcp_retries2', '4');
    server = await ServerProcess.start({
      args: ['--shards', '2'],
      addr: `http://${lan.ip('server')}:${PORT}`,
      within: lan.within('server'),
    });
    const api = new Api(server.address);
    await fill(api);
    const before = await figuresOf(api, server);
    say(`before: ${before.descriptors} descriptors, ${before.memory} MB`);
    const peers = await Peers.start(lan, amount, kinds);
    const meanwhile = descriptors(server.pid);
    // What they have got is acknowledged by then: nothing but time shows that they are gone.
    await pause(QUIET_MS);
    lan.part('peers');
    await peers.kill();
    const begunMs = performance.now();
    mustHold(await stillThere(lan, peers, say), 'after their network was cut');
    const after = await figuresOf(api, server);
    say(
      `${kinds.length * amount} connections, ${meanwhile} descriptors; gone after ${((performance.now() - begunMs) / 1_000).toFixed(0)} s: ` +
        `${after.descriptors} descriptors, ${after.memory} MB`,
    );
    const allowedMb = before.memory + GROWTH_MB + (kinds.length * amount * BYTES_PER_CONNECTION) / 1e6;
    const faults: string[] = [];
    if (after.descriptors > before.descriptors + DESCRIPTORS_SPARE)
      faults.push(`${after.descriptors} descriptors, ${before.descriptors} before`);
    if (after.memory > allowedMb) faults.push(`${after.memory} MB, ${before.memory} before`);
    const bugs = (await server.logText()).split('\n').filter((line) => line.includes('"kind":"bug"'));
    mustHold([...faults, ...bugs], 'after peers that vanished');
    api.close();
    return { connections: kinds.length * amount, kinds: kinds.length, 'descriptors after': after.descriptors };
  } finally {
    await server?.dispose();
    lan.remove();
  }
}

/** Which connections the server still holds is asked of `ss`. */
function ssAbsent(): string | null {
  return spawnSync('ss', ['-V'], { stdio: 'ignore', timeout: ANSWER_MS }).status === 0 ? null : 'there is no ss';
}

/** Jobs that make an answer longer than the buffers of two machines, and a log that nothing is appended to. */
async function fill(api: Api): Promise<void> {
  for (let i = 0; i < 10; i++) {
    const jobs = Array.from({ length: 1_000 }, (_, k) => ({ id: `j${i}-${k}`, queueName: 'q', name: 'x'.repeat(500) }));
    const { status } = await within(ANSWER_MS, 'jobs to be taken', api.post('/api/v1/job', jobs));
    if (status !== 200) throw new BrokenPromise(`jobs were answered ${status}`);
  }
  await api.put('/api/v1/node/half-open', { hostName: 'h' });
  const { status } = await api.post('/api/v1/nodes/half-open/files/silent.log?offset=0', 'a line\n');
  if (status !== 200) throw new BrokenPromise(`a log was answered ${status}`);
}

async function figuresOf(api: Api, { pid }: ServerProcess): Promise<{ descriptors: number; memory: number }> {
  const { status } = await within(ANSWER_MS, 'an answer beside vanished peers', api.get('/livez'));
  if (status !== 200) throw new BrokenPromise(`/livez was answered ${status}`);
  return { descriptors: descriptors(pid), memory: memoryMb(pid) };
}

/** What the server still holds at the deadline, by kind; nothing as soon as it has given up all of them. */
async function stillThere(lan: Lan, peers: Peers, say: (text: string) => void): Promise<string[]> {
  const begunMs = performance.now();
  let known = new Set(peers.ports.map(([kind]) => kind));
  const left = async (): Promise<string[]> => {
    const table = lan.inside('server', 'ss', '-Htn', 'state', 'established', 'dst', lan.ip('peers'));
    const ports = new Set([...table.matchAll(/:(\d+)\s*$/gm)].map(([, port]) => Number(port)));
    return peers.ports.filter(([, port]) => ports.has(port)).map(([kind]) => kind);
  };
  let last: string[] = [];
  const ask = async (): Promise<string[]> => {
    await pause(LOOK_MS);
    last = await left();
    const kinds = new Set(last);
    const seconds = ((performance.now() - begunMs) / 1_000).toFixed(0);
    for (const kind of known) if (!kinds.has(kind)) say(`“${kind}” was given up within ${seconds} s`);
    known = kinds;
    return last;
  };
  await until(ask, (kinds) => kinds.length === 0, 'vanished peers to be given up', REAPED_MS).catch(() => {});
  const counts = new Map<string, number>();
  for (const kind of last) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return [...counts].map(
    ([kind, count]) => `${count} connections of the kind “${kind}” are still held after ${REAPED_MS} ms`,
  );
}

class Peers {
  readonly ports: readonly (readonly [kind: string, port: number])[];
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, ports: Peers['ports']) {
    this.#child = child;
    this.ports = ports;
  }

  static async start(lan: Lan, each: number, kinds: readonly string[]): Promise<Peers> {
    const [command, ...args] = [...lan.within('peers'), process.execPath, CLIENTS] as string[] as [string, ...string[]];
    const child = spawn(command, [...args, lan.ip('server'), `${PORT}`, `${each}`, ...kinds], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    try {
      const ports = await within(CONNECT_MS, 'all peers to be connected', firstLine(child));
      return new Peers(child, JSON.parse(ports));
    } catch (error) {
      child.kill('SIGKILL');
      throw error;
    }
  }

  async kill(): Promise<void> {
    const ended = new Promise((resolve) => this.#child.once('exit', resolve));
    this.#child.kill('SIGKILL');
    await within(ANSWER_MS, 'the end of the peers', ended);
  }
}

function firstLine(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    createInterface({ input: child.stdout as NodeJS.ReadableStream }).once('line', resolve);
    child.once('exit', (code) => reject(new BrokenPromise(`the peers ended with ${code} before they were connected`)));
  });
}
