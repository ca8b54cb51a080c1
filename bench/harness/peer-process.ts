/** Processes under test: our server, and the peers it is measured beside. Each says a ready line with its address. */
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface UnderTest {
  readonly name: string;
  readonly pid: number;
  readonly host: string;
  readonly port: number;
  readonly secure: boolean;
  stop(): Promise<void>;
}

const START_MS = 20_000;

export async function startCairn(args: readonly string[] = []): Promise<UnderTest> {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-bench-'));
  const serve = [
    'dist/src/main.js',
    'serve',
    '--data-dir',
    join(folder, 'data'),
    '--log-dir',
    join(folder, 'log'),
    '--addr',
    'http://127.0.0.1:0',
    ...args,
  ];
  const server = await startProcess('cairn', serve);
  return {
    ...server,
    stop: async () => {
      await server.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export function startPeer(name: string): Promise<UnderTest> {
  return startProcess(name, [`dist/bench/peers/${name}.js`]);
}

async function startProcess(name: string, args: readonly string[]): Promise<UnderTest> {
  const child = spawn(process.execPath, [...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const address = new URL(await readyAddress(name, child));
  return {
    name,
    pid: child.pid as number,
    host: address.hostname,
    port: Number(address.port),
    secure: address.protocol === 'https:',
    stop: () =>
      new Promise((resolve) => {
        child.once('exit', () => resolve());
        child.kill('SIGTERM');
      }),
  };
}

function readyAddress(name: string, child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`${name} was not ready within ${START_MS} ms`)), START_MS);
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const address = /ready (\S+)/.exec(text)?.[1];
      if (address === undefined) return;
      clearTimeout(timer);
      resolve(address);
    });
    child.once('exit', (code) => reject(new Error(`${name} ended with ${code}`)));
  });
}
