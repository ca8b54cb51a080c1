/**
 * Finds the shim and the guard of dumps, or compiles them where there is a compiler: packages bring them compiled, a
 * checkout makes them.
 */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { accessSync, constants, mkdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const COMPILE_MS = 60_000;
const run = promisify(execFile);

export interface Shim {
  readonly program: string;
  /** In front of the shim's own arguments. */
  readonly prefix: readonly string[];
  /** `cairn-hold`, which keeps a job from harm while it is saved; null where it cannot be compiled (it needs x86-64). */
  readonly hold: string | null;
}

export type ShimProgram = { readonly path: string; readonly hold: string | null } | { readonly missing: string };

type Found = { readonly path: string } | { readonly missing: string };

/** Runs jobs everywhere, and lets none be checkpointed. */
export function nodeShim(): Shim {
  const script = join(dirname(dirname(fileURLToPath(import.meta.url))), 'shim', 'node-shim.js');
  return { program: process.execPath, prefix: [script], hold: null };
}

/**
 * A program's name holds a hash of its source: images map the shim, so an upgrade must not put another one in its
 * place. `dataFolder` is where they go if the program's own folder may not be written to.
 */
export async function findShim(dataFolder: string): Promise<ShimProgram> {
  const shim = await findProgram('shim', process.env['CAIRN_SHIM'], dataFolder);
  if ('missing' in shim) return shim;
  const hold = await findProgram('hold', process.env['CAIRN_HOLD'], dataFolder);
  return { path: shim.path, hold: 'path' in hold ? hold.path : null };
}

async function findProgram(what: 'shim' | 'hold', given: string | undefined, dataFolder: string): Promise<Found> {
  if (given !== undefined && given !== '')
    return isExecutable(given) ? { path: given } : { missing: `${given} cannot be run` };
  const here = dirname(dirname(fileURLToPath(import.meta.url)));
  const file = join('shim', `${what}.c`);
  const sources = [join(here, file), join(here, '..', '..', 'agent', file)];
  const source = sources.find(isReadable);
  if (source === undefined) return { missing: 'this installation contains neither the shim nor its source' };
  const hash = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 12);
  const name = `cairn-${what}-${hash}`;
  const folders = [join(here, 'shim'), join(dataFolder, 'shim')];
  for (const folder of folders) if (isExecutable(join(folder, name))) return { path: join(folder, name) };
  const faults: string[] = [];
  for (const folder of folders) {
    try {
      return { path: await compile(source, folder, name) };
    } catch (error) {
      faults.push(error instanceof Error ? (error.message.split('\n')[0] as string) : String(error));
    }
  }
  return { missing: `the shim cannot be compiled (install a C compiler: cc): ${faults[0]}` };
}

async function compile(source: string, folder: string, name: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const path = join(folder, name);
  const temporary = `${path}.${process.pid}`;
  const options = ['-O2', '-o', temporary, source];
  // Static: what is in an image must be there on every machine that restores it, and a C library may differ.
  await run('cc', ['-static', ...options], { timeout: COMPILE_MS }).catch(() =>
    run('cc', options, { timeout: COMPILE_MS }),
  );
  renameSync(temporary, path);
  return path;
}

function isExecutable(path: string): boolean {
  return may(path, constants.X_OK);
}

function isReadable(path: string): boolean {
  return may(path, constants.R_OK);
}

function may(path: string, mode: number): boolean {
  try {
    accessSync(path, mode);
    return true;
  } catch {
    return false;
  }
}
