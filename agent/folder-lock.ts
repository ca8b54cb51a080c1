/**
 * One agent on a data folder: two would mix their spools. The agent listens on a socket file in it; who can connect knows
 * that an agent lives, and a socket file on which no process listens is left over from a crash.
 */
import { chmod, chown, mkdir, open, readFile, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';

const SOCKET_NAME = 'agent.sock';
/** A socket's path may have 107 bytes; through the open folder's descriptor any folder fits. */
const SOCKET_PATH_BYTES_MAX = 100;

/** More than any node runs jobs; connections beyond are closed at once. */
const CONNECTIONS_MAX = 4_096;

/** Members of this group may run jobs, which confers the agent's rights. */
const GROUP = 'cairn';

export interface DataDirectoryLock {
  /** Passes the connections to their handler; until there is one, they are closed. */
  serve(accept: (socket: Socket) => void): void;
  /** Cuts off who is connected: a `cairn run` comes back to the next agent, and the end of this one waits for no job. */
  release(): Promise<void>;
}

interface Door {
  accept: (socket: Socket) => void;
  readonly connected: Set<Socket>;
}

/** Makes the folder where there is none. Throws a sentence for the operator where another agent has it. */
export async function lockFolder(folder: string): Promise<DataDirectoryLock> {
  await mkdir(folder, { recursive: true, mode: 0o750 });
  const direct = join(folder, SOCKET_NAME);
  const handle = Buffer.byteLength(direct) > SOCKET_PATH_BYTES_MAX ? await open(folder, 'r') : null;
  const path = handle ? `/proc/self/fd/${handle.fd}/${SOCKET_NAME}` : direct;
  const to: Door = { accept: (socket) => void socket.destroy(), connected: new Set() };
  try {
    const server = (await tryListen(path, to)) ?? (await takeOver(path, folder, to));
    await openToGroup(folder, path);
    return {
      serve: (accept) => {
        to.accept = accept;
      },
      release: async () => {
        const closed = new Promise((resolve) => server.close(resolve));
        for (const socket of to.connected) socket.destroy();
        await closed;
        await handle?.close();
      },
    };
  } catch (error) {
    await handle?.close();
    throw error;
  }
}

async function takeOver(path: string, folder: string, to: Door): Promise<Server> {
  const inUse = new Error(`${folder} is in use by another agent`);
  if (await isAnswered(path)) throw inUse;
  await rm(path, { force: true });
  const server = await tryListen(path, to);
  if (!server) throw inUse;
  return server;
}

/** Undefined where the socket file exists already. */
function tryListen(path: string, to: Door): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => {
      to.connected.add(socket);
      socket.once('close', () => to.connected.delete(socket));
      to.accept(socket);
    });
    server.maxConnections = CONNECTIONS_MAX;
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(undefined);
      else reject(error);
    });
    server.listen({ path }, () => {
      server.unref();
      resolve(server);
    });
  });
}

function isAnswered(path: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection({ path });
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

/** 0660 for root and the group, where the machine has that group; else for the agent's user alone. */
async function openToGroup(folder: string, path: string): Promise<void> {
  await chmod(path, 0o660);
  if (process.getuid?.() !== 0) return;
  const groups = await readFile('/etc/group', 'utf8').catch(() => '');
  const gid = new RegExp(`^${GROUP}:[^:]*:(\\d+):`, 'm').exec(groups)?.[1];
  if (gid === undefined) return;
  await chown(path, 0, Number(gid));
  // To reach the socket one must be able to pass the folder.
  await chown(folder, 0, Number(gid));
}
