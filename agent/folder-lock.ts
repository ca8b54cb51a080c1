/**
 * One agent on a data folder: two would mix their spools. The agent listens on a socket file in it; who can connect knows
 * that an agent lives, and a socket file that nobody listens on is left over from a crash.
 */
import { mkdir, open, rm } from 'node:fs/promises';
import { createConnection, createServer, type Server } from 'node:net';
import { join } from 'node:path';

const SOCKET_NAME = 'agent.sock';
/** A socket's path may have 107 bytes; through the open folder's descriptor any folder fits. */
const SOCKET_PATH_BYTES_MAX = 100;

export interface DataDirectoryLock {
  release(): Promise<void>;
}

/** Makes the folder where there is none. Throws a sentence for the operator where another agent has it. */
export async function lockFolder(folder: string): Promise<DataDirectoryLock> {
  await mkdir(folder, { recursive: true, mode: 0o750 });
  const direct = join(folder, SOCKET_NAME);
  const handle = Buffer.byteLength(direct) > SOCKET_PATH_BYTES_MAX ? await open(folder, 'r') : null;
  const path = handle ? `/proc/self/fd/${handle.fd}/${SOCKET_NAME}` : direct;
  try {
    const server = (await tryListen(path)) ?? (await takeOver(path, folder));
    return {
      release: async () => {
        await new Promise((resolve) => server.close(resolve));
        await handle?.close();
      },
    };
  } catch (error) {
    await handle?.close();
    throw error;
  }
}

async function takeOver(path: string, folder: string): Promise<Server> {
  const inUse = new Error(`${folder} is in use by another agent`);
  if (await isAnswered(path)) throw inUse;
  await rm(path, { force: true });
  const server = await tryListen(path);
  if (!server) throw inUse;
  return server;
}

/** Undefined where the socket file exists already. */
function tryListen(path: string): Promise<Server | undefined> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
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
