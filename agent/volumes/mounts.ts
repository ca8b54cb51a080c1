/** File systems on files and devices: made, mounted, found and unmounted with the system's own programs. */
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, rmdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '../base/make-folder.ts';

const run = promisify(execFile);
/** A device that does not answer must not hold a job for ever. */
const PROGRAM_MS = 60_000;

/** Nothing is written now that can be written later: 100 GB take 5 MB and some milliseconds. */
export async function makeFileSystem(target: string): Promise<void> {
  const options = ['-q', '-F', '-m', '0', '-E', 'lazy_itable_init=1,lazy_journal_init=1,nodiscard'];
  await program('mkfs.ext4', [...options, target]);
}

export async function mount(source: string, path: string, isFile: boolean): Promise<void> {
  await makeFolder(dirname(path));
  await mkdir(path, { recursive: true, mode: 0o755 });
  await program('mount', [...(isFile ? ['-o', 'loop'] : []), source, path]);
}

/** A path that is still in use is let go of by its last user. */
export async function unmount(path: string): Promise<void> {
  if (sourceOf(path) === null) return;
  await program('umount', [path]).catch(() => program('umount', ['-l', path]));
  await rmdir(path).catch(() => {});
}

/** What is written to the file system is on its device when it resolves. */
export async function flush(path: string): Promise<void> {
  await program('sync', ['-f', path]);
}

/** The device that is mounted at the path; null for none. */
export function sourceOf(path: string): string | null {
  return mounts().findLast((entry) => entry.path === path)?.source ?? null;
}

/** Where a file is mounted on this machine, through whichever loop device. */
export function pathsOfFile(file: string): string[] {
  const devices = loopDevices().filter((device) => backingFileOf(device) === file);
  return mounts().flatMap(({ source, path }) => (devices.includes(source) ? [path] : []));
}

function loopDevices(): string[] {
  try {
    return readdirSync('/sys/block')
      .filter((name) => name.startsWith('loop'))
      .map((name) => `/dev/${name}`);
  } catch {
    return [];
  }
}

function backingFileOf(device: string): string | null {
  try {
    return readFileSync(join('/sys/block', device.slice('/dev/'.length), 'loop', 'backing_file'), 'utf8').trimEnd();
  } catch {
    return null;
  }
}

function mounts(): { readonly source: string; readonly path: string }[] {
  return readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .flatMap((line) => {
      const [left = '', right = ''] = line.split(' - ');
      const path = left.split(' ')[4];
      const source = right.split(' ')[1];
      return path && source ? [{ path: unescaped(path), source: unescaped(source) }] : [];
    });
}

/** The kernel writes spaces and the like as `\040`. */
function unescaped(text: string): string {
  return text.replace(/\\(\d{3})/g, (_, octal: string) => String.fromCharCode(Number.parseInt(octal, 8)));
}

async function program(name: string, args: readonly string[]): Promise<void> {
  try {
    await run(name, args, { timeout: PROGRAM_MS, env: { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' } });
  } catch (error) {
    const { code, stderr } = error as NodeJS.ErrnoException & { readonly stderr?: string };
    if (code === 'ENOENT') throw new Error(`${name} is not installed`);
    throw new Error(`${name} fails: ${(stderr ?? '').trim().split('\n').at(-1) || (error as Error).message}`);
  }
}
