/** A port that nobody listens on; for a server whose address must be known before it starts. */
import { createServer } from 'node:net';

/** Below what Linux hands out for port 0 (32768 and up), so that no other socket of the machine takes it by chance. */
const FIRST = 12_000;
const PER_PROCESS = 20;
const PROCESSES = 1_000;

let asked = 0;

/** Each test process has ports of its own: files that run side by side never get the same one. */
export async function freePort(): Promise<number> {
  const own = FIRST + (process.pid % PROCESSES) * PER_PROCESS;
  for (let tries = 0; tries < PER_PROCESS; tries++) {
    const port = own + (asked++ % PER_PROCESS);
    if (await isFree(port)) return port;
  }
  throw new Error(`no port of ${own} to ${own + PER_PROCESS - 1} is free`);
}

function isFree(port: number): Promise<boolean> {
  const probe = createServer();
  return new Promise((resolve) => {
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
