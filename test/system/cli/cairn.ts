/** Runs `cairn` as a person does, without what this machine or its user have set. */
import { type ChildProcess, spawn } from 'node:child_process';

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** What was printed, as it came. */
  readonly bytes: Buffer;
}

export interface CairnOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Standard input; nothing if absent. */
  readonly input?: string;
  /** false: what is printed is not kept. */
  readonly keeps?: boolean;
  readonly onStart?: (child: ChildProcess) => void;
}

const COMMAND_MS = 120_000;

export const MAIN = new URL('../../../../bundle/src/main.js', import.meta.url).pathname;

export function cairn(
  args: readonly string[],
  { env = {}, cwd, input, keeps = true, onStart }: CairnOptions = {},
): Promise<Finished> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  const out: Buffer[] = [];
  const said: Buffer[] = [];
  if (keeps) child.stdout.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => said.push(chunk));
  child.stdin.end(input);
  onStart?.(child);
  return new Promise((resolve, reject) => {
    const late = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`cairn ${args.join(' ')} did not end within ${COMMAND_MS} ms; it said: ${Buffer.concat(said)}`));
    }, COMMAND_MS);
    child.once('close', (code) => {
      clearTimeout(late);
      const bytes = Buffer.concat(out);
      resolve({ code, bytes, stdout: bytes.toString(), stderr: Buffer.concat(said).toString() });
    });
  });
}
