/** Our server on a folder that was made before, so that it can be filled, and started again. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { endsWithUs } from '../load/children.ts';
import { cpuSeconds } from '../load/process-cpu.ts';

export interface ServerOn {
  readonly pid: number;
  readonly base: string;
  /** From the start of the process to its ready line. */
  readonly readyMs: number;
  /** Processor time until then. */
  readonly readyCpuSeconds: number;
  stop(): Promise<void>;
}

const START_MS = 60_000;

export function startOn(folder: string): Promise<ServerOn> {
  const begunMs = performance.now();
  const folders = ['--data-dir', join(folder, 'data'), '--log-dir', join(folder, 'log')];
  const child = endsWithUs(
    spawn(process.execPath, ['bundle/src/main.js', 'serve', ...folders, '--addr', 'http://127.0.0.1:0'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    }),
  );
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`the server was not ready within ${START_MS} ms`)), START_MS);
    let text = '';
    child.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString();
      const base = /^cairn ready (\S+)$/m.exec(text)?.[1];
      if (base === undefined) return;
      clearTimeout(timer);
      resolve({
        pid: child.pid as number,
        base,
        readyMs: performance.now() - begunMs,
        readyCpuSeconds: cpuSeconds(child.pid as number),
        stop: () => {
          child.kill('SIGTERM');
          return exited;
        },
      });
    });
    void exited.then(() => reject(new Error('the server ended before it was ready')));
  });
}
