/** `cairn start`: a server in this checkout with this machine as its first worker node. What `npm start` runs. */
import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { CommandInput } from '../base/command-input.ts';
import { type ServeDefaults, serveCommand } from './serve.ts';

const DEFAULTS: ServeDefaults = {
  dataFolder: join('.cairn', 'data'),
  logFolder: join('.cairn', 'log'),
  addr: 'http://127.0.0.1:8080',
};

/** An agent that ends is started again after this; the server goes on meanwhile. */
const AGENT_RESTART_MS = 5_000;

export async function startCommand(input: CommandInput): Promise<number> {
  let agent: ChildProcess | undefined;
  let ending = false;
  const run = (address: string): void => {
    if (ending) return;
    agent = startAgent(address);
    agent.on('exit', () => {
      if (!ending) setTimeout(() => run(address), AGENT_RESTART_MS).unref();
    });
  };
  const end = (): void => {
    ending = true;
    agent?.kill('SIGTERM');
  };
  process.on('SIGTERM', end);
  process.on('SIGINT', end);
  process.on('exit', end);
  return serveCommand(input, DEFAULTS, (address) => {
    process.stderr.write(`cairn: open ${reachable(address)} in a browser; Ctrl-C ends it\n`);
    run(reachable(address));
  });
}

function startAgent(server: string): ChildProcess {
  const insecure = server.startsWith('https') ? ['--insecure'] : [];
  const args = [
    process.argv[1] as string,
    'agent',
    '--server',
    server,
    '--data-dir',
    join('.cairn', 'agent'),
    ...insecure,
  ];
  return spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'inherit'] });
}

/** An address that listens everywhere is reached on loopback. */
function reachable(address: string): string {
  return address.replace('//0.0.0.0:', '//127.0.0.1:').replace('//[::]:', '//[::1]:');
}
