/** The engine podman: finds it, and runs its commands with what must not be left to defaults. */
import { execFile } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, rmSync, symlinkSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

export interface Podman {
  readonly path: string;
  readonly version: string;
  /** In front of every command. */
  readonly options: readonly string[];
  /** `PATH` with the engine that runc calls. */
  readonly path_: string;
}

export type FoundPodman = { readonly podman: Podman } | { readonly fault: string };

const LOOK_MS = 20_000;
const TEXT_BYTES_MAX = 16 * 1_048_576;

/** `criu`: the engine that was found for processes; podman's runtime calls it by name. */
export async function findPodman(
  env: Readonly<Record<string, string | undefined>>,
  criu: string | null,
  dataFolder: string,
): Promise<FoundPodman> {
  const path = env['CAIRN_PODMAN'] || onPath('podman', env['PATH'] ?? '');
  if (path === null) return { fault: 'podman is not installed: install podman and runc' };
  if (process.getuid?.() !== 0)
    return { fault: 'the agent does not run as root, which checkpoints of containers need' };
  const runc = onPath('runc', env['PATH'] ?? '');
  const bin = join(dataFolder, 'bin');
  if (criu !== null) linkCriu(bin, criu);
  const version = await run(path, ['--version'], { timeout: LOOK_MS }).then(
    ({ stdout }) => /version (\S+)/.exec(stdout)?.[1] ?? 'unknown',
    () => null,
  );
  if (version === null) return { fault: `${path} does not run` };
  return {
    podman: {
      path,
      version,
      // crun is built without CRIU by distributions; without systemd nobody makes cgroups for podman.
      options: [
        ...(runc === null ? [] : ['--runtime', runc]),
        ...(existsSync('/run/systemd/system') ? [] : ['--cgroup-manager', 'cgroupfs']),
      ],
      path_: [bin, env['PATH'] ?? '', '/usr/sbin', '/sbin'].join(delimiter),
    },
  };
}

/** Standard output. Throws a sentence with what podman says. */
export async function podmanText(
  { path, options, path_ }: Podman,
  args: readonly string[],
  timeoutMs = LOOK_MS,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  try {
    const { stdout } = await run(path, [...options, ...args], {
      timeout: timeoutMs,
      maxBuffer: TEXT_BYTES_MAX,
      env: { ...process.env, ...env, PATH: path_ },
    });
    return stdout.trim();
  } catch (error) {
    throw new Error(podmanReason((error as { readonly stderr?: string }).stderr ?? (error as Error).message));
  }
}

/** What podman complains of last, without its ornaments. */
export function podmanReason(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '' && !line.startsWith('time='));
  const line = lines.findLast((entry) => entry.startsWith('Error')) ?? lines.at(-1) ?? 'podman gives no reason';
  return line.replace(/^Error: /, '').slice(0, 400);
}

/** A container that is not there is removed, too. */
export async function removeContainer(podman: Podman, name: string): Promise<void> {
  await podmanText(podman, ['rm', '--force', '--time', '0', '--ignore', name], 60_000).catch(() => {});
}

function linkCriu(bin: string, criu: string): void {
  mkdirSync(bin, { recursive: true, mode: 0o755 });
  rmSync(join(bin, 'criu'), { force: true });
  symlinkSync(criu, join(bin, 'criu'));
}

function onPath(name: string, path: string): string | null {
  for (const folder of [...path.split(delimiter), '/usr/sbin', '/sbin', '/usr/bin', '/usr/local/bin']) {
    try {
      if (folder === '') continue;
      accessSync(join(folder, name), constants.X_OK);
      return join(folder, name);
    } catch {
      // Not in this one.
    }
  }
  return null;
}
