/** Runs the program's command line as a person does. */
import { type ChildProcess, spawn } from 'node:child_process';

export interface CommandResult {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

const COMMAND_MS = 120_000;

/** `onStart` gets the process, for a test that ends it. */
export function cairn(
  args: readonly string[],
  onStart: (child: ChildProcess) => void = () => {},
): Promise<CommandResult> {
  const child = spawn(process.execPath, ['bundle/src/main.js', ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const texts = { out: '', err: '' };
  child.stdout.on('data', (chunk: Buffer) => {
    texts.out += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    texts.err += chunk.toString();
  });
  onStart(child);
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`cairn ${args.join(' ')} did not end within ${COMMAND_MS} ms; it said: ${texts.err}`));
    }, COMMAND_MS);
    child.once('close', (code) => {
      clearTimeout(late);
      resolve({ code, ...texts });
    });
  });
}
