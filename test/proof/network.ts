/**
 * Clients that misbehave on the wire: thousands that say nothing, heads and bodies of one byte at a time, resets in the middle
 * of bodies, readers that do not read. Meanwhile others are answered, nothing of a broken call is taken, and afterwards the
 * server has the descriptors and about the memory of before. The amount is the number of silent connections.
 */
import net from 'node:net';
import { type Answer, Api, until } from '../support/api.ts';
import { ServerProcess } from '../support/server-process.ts';
import { type Counts, type Machine, type MachineOptions, mustHold, pause, within } from './machine.ts';
import { descriptors, memoryMb } from './process-figures.ts';

const OTHERS = 40;
const RESETS = 200;
const DRIP_MS = 1_500;
const ANSWER_MS = 30_000;
const SETTLE_MS = 90_000;
/** Of V8, which keeps what it has had; a leak of a kilobyte a connection would show at 10,000. */
const GROWTH_MB = 96;
const BYTES_PER_CONNECTION = 8_192;

export const network: Machine = { name: 'network', short: 1_500, long: 10_000, run };

async function run({ amount, say }: MachineOptions): Promise<Counts> {
  const server = await ServerProcess.start({ args: ['--shards', '2'] });
  const wire = new Wire(Number(new URL(server.address).port));
  try {
    const api = new Api(server.address);
    await fill(api);
    // Once before, so that what is made only once is there when it is counted.
    await wire.misbehave(OTHERS, 20);
    await wire.closeAll();
    const before = await settled(server.pid, Number.POSITIVE_INFINITY);
    say(`before: ${before.descriptors} descriptors, ${before.memoryMb} MB`);
    await wire.silent(amount);
    const busy = wire.misbehave(OTHERS, RESETS);
    await mustAnswer(api);
    await busy;
    await mustAnswer(api);
    say(`meanwhile: ${descriptors(server.pid)} descriptors, ${memoryMb(server.pid)} MB`);
    await wire.closeAll();
    await mustAnswer(api);
    api.close();
    const after = await settled(server.pid, before.descriptors + 4);
    say(`afterwards: ${after.descriptors} descriptors, ${after.memoryMb} MB`);
    const allowedMb = before.memoryMb + GROWTH_MB + (amount * BYTES_PER_CONNECTION) / 1e6;
    const faults: string[] = [];
    if (after.descriptors > before.descriptors + 4)
      faults.push(`${after.descriptors} descriptors, ${before.descriptors} before`);
    if (after.memoryMb > allowedMb) faults.push(`${after.memoryMb} MB, ${before.memoryMb} before`);
    const lines = (await server.logText()).split('\n').filter((line) => line.includes('"kind":"bug"'));
    mustHold([...faults, ...lines], 'after bad connections');
    return { connections: wire.opened, 'descriptors after': after.descriptors, 'MB after': after.memoryMb };
  } finally {
    await wire.closeAll();
    await server.dispose();
  }
}

async function fill(api: Api): Promise<void> {
  const jobs = Array.from({ length: 1_000 }, (_, i) => ({ id: `j${i}`, queueName: 'q', name: 'x'.repeat(200) }));
  for (let i = 0; i < 5; i++)
    await api.post(
      '/api/v1/job',
      jobs.map(({ id, ...rest }) => ({ id: `${id}-${i}`, ...rest })),
    );
}

async function mustAnswer(api: Api): Promise<void> {
  const asked = (path: string, call: Promise<Answer>): Promise<Answer> =>
    within(ANSWER_MS, `an answer to ${path} among bad connections`, call);
  const { status } = await asked('/livez', api.get('/livez'));
  const put = await asked('a registration', api.put('/api/v1/node/n', { hostName: 'h' }));
  const broken = await asked('the job of a broken call', api.get('/api/v1/job/half'));
  const faults = [status === 200 ? '' : `/livez ${status}`, put.status === 200 ? '' : `a registration ${put.status}`];
  if (broken.status !== 404) faults.push(`the job of a call that was reset is there: ${broken.status}`);
  mustHold(faults.filter(Boolean), 'among bad connections');
}

/** Connections of a client that has no manners. */
class Wire {
  readonly #port: number;
  readonly #open = new Set<net.Socket>();
  opened = 0;

  constructor(port: number) {
    this.#port = port;
  }

  async silent(count: number): Promise<void> {
    for (let i = 0; i < count; i += 100) {
      const sockets = await Promise.all(Array.from({ length: Math.min(100, count - i) }, () => this.#connect()));
      // Half of them begin a request, and say no more.
      for (const [at, socket] of sockets.entries()) if (at % 2 === 0) socket.write('GET /livez HT');
    }
  }

  async misbehave(width: number, resets: number): Promise<void> {
    const head =
      'POST /api/v1/job HTTP/1.1\r\nhost: x\r\ncontent-type: application/json\r\ncontent-length: 500\r\n\r\n';
    const body = '{"id":"half","queueName":"q","name":"';
    const drips = Array.from({ length: width }, () => this.#drip(head + body));
    const readers = Array.from({ length: width }, async () => {
      const socket = await this.#connect();
      socket.pause();
      socket.write('GET /api/v1/job HTTP/1.1\r\nhost: x\r\n\r\n');
    });
    for (let i = 0; i < resets; i++) {
      const socket = await this.#connect();
      socket.write(head + body);
      await pause(1);
      socket.resetAndDestroy();
    }
    await Promise.all([...drips, ...readers]);
  }

  async closeAll(): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    this.#open.clear();
  }

  async #drip(text: string): Promise<void> {
    const socket = await this.#connect();
    const endMs = Date.now() + DRIP_MS;
    for (let i = 0; i < text.length && Date.now() < endMs && !socket.destroyed; i++) {
      socket.write(text[i] as string);
      await pause(20);
    }
  }

  #connect(): Promise<net.Socket> {
    this.opened++;
    const socket = net.connect(this.#port, '127.0.0.1');
    this.#open.add(socket);
    socket.on('close', () => this.#open.delete(socket));
    return new Promise((resolve, reject) => {
      socket.once('connect', () => resolve(socket));
      socket.once('error', reject);
      // A server may cut what says nothing.
      socket.on('error', () => {});
    });
  }
}

interface Figures {
  readonly descriptors: number;
  readonly memoryMb: number;
}

/** The figures once the connections are gone, or those at the deadline. */
async function settled(pid: number, most: number): Promise<Figures> {
  const ask = async (): Promise<number> => descriptors(pid);
  await until(ask, (count) => count <= most, 'descriptors to be closed', SETTLE_MS).catch(() => {});
  return { descriptors: descriptors(pid), memoryMb: memoryMb(pid) };
}
