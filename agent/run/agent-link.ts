/** A client's connection to the agent on this machine: lines of JSON over the socket in the agent's data folder. */
import { closeSync, openSync } from 'node:fs';
import { createConnection, type Socket } from 'node:net';
import { join } from 'node:path';
import { Lines } from '../wire/lines.ts';
import type { Reply, Request } from '../wire/wire.ts';

/** A socket's path may have 107 bytes; through the open folder's descriptor any folder fits. */
const SOCKET_PATH_BYTES_MAX = 100;

export interface AgentLink {
  send(request: Request): void;
  close(): void;
}

export interface LinkEvents {
  readonly onReply: (reply: Reply, link: LinkControl) => void;
  readonly onClose: () => void;
}

export interface LinkControl {
  pause(): void;
  resume(): void;
}

/** Rejects where no agent answers: there is no socket, no process listens on it, or this user may not connect. */
export function connectAgent(dataFolder: string, events: LinkEvents): Promise<AgentLink> {
  const direct = join(dataFolder, 'agent.sock');
  return new Promise((resolve, reject) => {
    let folder: number | null = null;
    if (Buffer.byteLength(direct) > SOCKET_PATH_BYTES_MAX) {
      try {
        folder = openSync(dataFolder, 'r');
      } catch (error) {
        reject(error as Error);
        return;
      }
    }
    const socket = createConnection({ path: folder === null ? direct : `/proc/self/fd/${folder}/agent.sock` });
    socket.once('error', reject);
    socket.once('connect', () => {
      if (folder !== null) closeSync(folder);
      socket.removeListener('error', reject);
      resolve(linkOver(socket, events));
    });
  });
}

function linkOver(socket: Socket, { onReply, onClose }: LinkEvents): AgentLink {
  const lines = new Lines();
  const control = { pause: () => void socket.pause(), resume: () => void socket.resume() };
  socket.on('data', (bytes: Buffer) => {
    const whole = lines.push(bytes);
    if (!whole) socket.destroy();
    for (const line of whole ?? []) onReply(JSON.parse(line) as Reply, control);
  });
  // What went wrong shows itself in the end of the connection.
  socket.on('error', () => {});
  socket.on('close', onClose);
  return {
    send: (request) => void socket.write(`${JSON.stringify(request)}\n`),
    close: () => void socket.destroy(),
  };
}
