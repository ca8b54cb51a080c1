/**
 * One server on a data folder, and a way for its owner to talk to it. The server listens on a socket file in the folder:
 * who can connect to it knows that a server is alive, whatever container or network it runs in, and a socket file that
 * no process listens on is left over from a crash. Only the folder's owner may connect (mode 0600), so the few commands it
 * takes need no token.
 */
import { randomUUID } from 'node:crypto';
import { chmod, open, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

export interface ControlCommand {
  readonly command: string;
}

export interface ControlAnswer {
  readonly ok: boolean;
  readonly message: string;
}

/** An answer that holds something for who asked, as long as the connection lives; then `release` is called, once. */
export interface ControlReply extends ControlAnswer {
  readonly release?: () => void;
}

export type ControlHandler = (command: ControlCommand) => Promise<ControlReply>;

/** What a server holds for this process. */
export interface Held extends ControlAnswer {
  /** Asks the server; false once it has ended, or let go. */
  isHeld(): Promise<boolean>;
  end(): void;
}

/** Who has the folder: the server, or a backup of it, of which there is one at a time. */
const SOCKET_NAMES = { server: 'control.sock', backup: 'backup.sock' } as const;
export type LockHolder = keyof typeof SOCKET_NAMES;

/** Left behind by processes that were killed; they mean nothing without one that listens. */
export const LOCK_FILES: readonly string[] = Object.values(SOCKET_NAMES);

const ANSWER_MS = 5_000;
const COMMAND_SIZE_MAX = 4_096;
/** Connections that the server holds something for at a time. Overflow policy: refuse. */
const HELD_MAX = 8;
/** Whatever comes over a connection that the server holds something for is answered with this. */
const STILL_HELD = '\n';
/** Event of a connection whose server lets go before it ends. */
const RELEASED = 'cairn-released';
/** After taking over from a crash: long enough to see whether another process did the same at that moment. */
const TAKEOVER_CHECK_MS = 100;

export class DataDirectoryLock {
  readonly #server: Server;
  readonly #release: () => Promise<void>;
  readonly #held: Set<Socket>;
  #handler: ControlHandler = async () => ({ ok: false, message: 'the server is starting' });

  private constructor(server: Server, held: Set<Socket>, release: () => Promise<void>) {
    this.#server = server;
    this.#held = held;
    this.#release = release;
  }

  /** Throws a sentence for the operator where another server (another backup) has the folder. */
  static async take(dataFolder: string, holder: LockHolder = 'server'): Promise<DataDirectoryLock> {
    const path = await socketPath(dataFolder, holder);
    const file = join(dataFolder, SOCKET_NAMES[holder]);
    try {
      const first = await ask(path.path, { command: 'ping' });
      if (first) throw new Error(inUse(dataFolder, holder, first.message));
      await rm(file, { force: true });
      const nonce = randomUUID();
      const claim: { current?: DataDirectoryLock } = {};
      const held = new Set<Socket>();
      const server = createServer((socket) =>
        serve(socket, nonce, held, (command) => handlerOf(claim.current)(command)),
      );
      await listen(server, path.path);
      await chmod(file, 0o600);
      await new Promise((resolve) => setTimeout(resolve, first === undefined ? TAKEOVER_CHECK_MS : 0));
      const check = await ask(path.path, { command: 'nonce' });
      if (check?.message !== nonce) {
        server.close();
        throw new Error(inUse(dataFolder, holder, 'at the same moment'));
      }
      const taken = new DataDirectoryLock(server, held, path.close);
      claim.current = taken;
      return taken;
    } catch (error) {
      await path.close();
      throw error;
    }
  }

  onCommand(handler: ControlHandler): void {
    this.#handler = handler;
  }

  get handler(): ControlHandler {
    return this.#handler;
  }

  /** Lets go of all that is held for others; they see their connections end. */
  releaseHeld(): void {
    for (const socket of this.#held) {
      socket.emit(RELEASED);
      socket.destroy();
    }
  }

  async release(): Promise<void> {
    this.releaseHeld();
    await new Promise((resolve) => this.#server.close(resolve));
    await this.#release();
  }
}

/** Sends a command to the server that has the folder; undefined where none has. */
export async function sendCommand(dataFolder: string, command: ControlCommand): Promise<ControlAnswer | undefined> {
  const path = await socketPath(dataFolder, 'server');
  try {
    return await ask(path.path, command);
  } finally {
    await path.close();
  }
}

/** As `sendCommand`, and keeps the connection, so that the server goes on holding what it has answered with. */
export async function sendHeldCommand(dataFolder: string, command: ControlCommand): Promise<Held | undefined> {
  const path = await socketPath(dataFolder, 'server');
  try {
    return await askHeld(path.path, command);
  } finally {
    await path.close();
  }
}

function inUse(dataFolder: string, holder: LockHolder, who: string): string {
  return holder === 'server'
    ? `${dataFolder} is in use by another Cairn server (${who}): stop it first, or choose another --data-dir`
    : `cannot back up: another backup of ${dataFolder} is running (${who})`;
}

function handlerOf(claim: DataDirectoryLock | undefined): ControlHandler {
  return claim?.handler ?? (async () => ({ ok: false, message: 'the server is starting' }));
}

/** A socket's path may have 107 bytes only; through the open folder's descriptor any folder fits. */
async function socketPath(
  dataFolder: string,
  holder: LockHolder,
): Promise<{ path: string; close: () => Promise<void> }> {
  const direct = join(dataFolder, SOCKET_NAMES[holder]);
  if (Buffer.byteLength(direct) < 100) return { path: direct, close: async () => {} };
  const folder = await open(dataFolder, 'r');
  return { path: `/proc/self/fd/${folder.fd}/${SOCKET_NAMES[holder]}`, close: () => folder.close() };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path, exclusive: true }, () => {
      server.off('error', reject);
      server.unref();
      resolve();
    });
  });
}

function serve(socket: Socket, nonce: string, held: Set<Socket>, handle: ControlHandler): void {
  socket.setTimeout(ANSWER_MS, () => socket.destroy());
  socket.on('error', () => socket.destroy());
  let text = '';
  socket.setEncoding('utf8');
  socket.on('data', (chunk: string) => {
    if (held.has(socket)) return void socket.write(STILL_HELD);
    text += chunk;
    if (text.length > COMMAND_SIZE_MAX) socket.destroy();
    if (!text.includes('\n')) return;
    void answer(text, nonce, handle).then((reply) => {
      if (reply.release) hold(socket, held, reply);
      else socket.end(`${JSON.stringify(reply)}\n`);
    });
    text = '';
  });
}

function hold(socket: Socket, held: Set<Socket>, { release, ...said }: ControlReply): void {
  let isReleased = false;
  const letGo = (): void => {
    held.delete(socket);
    if (!isReleased) release?.();
    isReleased = true;
  };
  if (socket.destroyed || held.size >= HELD_MAX) {
    letGo();
    const refusal = { ok: false, message: `${HELD_MAX} others read the database already; try again` };
    socket.end(`${JSON.stringify(refusal)}\n`);
    return;
  }
  held.add(socket);
  socket.once('close', letGo);
  socket.once(RELEASED, letGo);
  socket.setTimeout(0);
  socket.write(`${JSON.stringify(said)}\n`);
}

async function answer(text: string, nonce: string, handle: ControlHandler): Promise<ControlReply> {
  try {
    const command = JSON.parse(text) as ControlCommand;
    if (command.command === 'ping') return { ok: true, message: `process ${process.pid}` };
    if (command.command === 'nonce') return { ok: true, message: nonce };
    return await handle(command);
  } catch (error) {
    return { ok: false, message: error instanceof Error ? error.message : String(error) };
  }
}

/** Undefined if no process listens. */
async function ask(path: string, command: ControlCommand): Promise<ControlAnswer | undefined> {
  const held = await askHeld(path, command);
  held?.end();
  return held && { ok: held.ok, message: held.message };
}

/** The same, with the connection. */
function askHeld(path: string, command: ControlCommand): Promise<Held | undefined> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ path });
    let text = '';
    socket.setEncoding('utf8');
    socket.setTimeout(ANSWER_MS, () => socket.destroy(new Error(`the server on ${path} does not answer`)));
    socket.on('connect', () => socket.write(`${JSON.stringify(command)}\n`));
    socket.on('data', function take(chunk: string) {
      text += chunk;
      if (!text.includes('\n')) return;
      socket.off('data', take).resume();
      socket.setTimeout(0);
      const said = answerIn(text);
      if (said) resolve({ ...said, isHeld: () => isHeld(socket), end: () => void socket.destroy() });
      else socket.destroy();
    });
    socket.on('close', () => reject(new Error(`the server on ${path} closed without an answer`)));
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ECONNREFUSED') resolve(undefined);
      else reject(error);
    });
  });
}

/** Undefined where it is none. */
function answerIn(text: string): ControlAnswer | undefined {
  try {
    return JSON.parse(text) as ControlAnswer;
  } catch {
    return undefined;
  }
}

function isHeld(socket: Socket): Promise<boolean> {
  return new Promise((resolve) => {
    if (socket.destroyed) return resolve(false);
    const settle = (): void => {
      clearTimeout(timer);
      socket.off('data', yes).off('close', no);
    };
    const yes = (): void => {
      settle();
      resolve(true);
    };
    const no = (): void => {
      settle();
      resolve(false);
    };
    const timer = setTimeout(() => socket.destroy(), ANSWER_MS);
    socket.once('data', yes).once('close', no);
    socket.write(STILL_HELD);
  });
}
