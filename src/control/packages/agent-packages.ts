/**
 * The agent's packages that this server gives out: files that were released with it or put beside its data, and, for the
 * server's own processor, packages made from its own installation when they are first asked for.
 */
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CodedError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import { type Arch, tryArch } from '../../base/packages/entry.ts';
import { agentFacts, type Format, packageFileName } from './agent-package.ts';

export interface PackageFile {
  readonly path: string;
  readonly name: string;
  readonly size: number;
}

/** Above `bundle` or `dist`. */
export const INSTALLATION = resolve(fileURLToPath(new URL('../../../..', import.meta.url)));
/** What is made of this processor; undefined on one that no package is for. */
export const OWN_ARCH = tryArch(process.arch);
/** Compressing 125 MB takes seconds; a machine that is thrashing gets this long. */
const BUILD_MS = 300_000;

export function installedVersion(installation: string = INSTALLATION): string {
  return (JSON.parse(readFileSync(join(installation, 'package.json'), 'utf8')) as { version: string }).version;
}

export class AgentPackages {
  readonly #folder: string;
  readonly #log: Logger;
  readonly #version = installedVersion();
  /** One build at a time for all callers; the others wait for the same file. */
  readonly #builds = new Map<Format, Promise<void>>();

  constructor(dataFolder: string, log: Logger) {
    this.#folder = join(dataFolder, 'packages');
    this.#log = log;
  }

  /** Throws `notFound` where there is none and none can be made. */
  async find(format: Format, arch: Arch): Promise<PackageFile> {
    const name = packageFileName(format, agentFacts({ arch }, { version: this.#version, epoch: 0 }));
    const places = [this.#folder, join(INSTALLATION, 'packages'), join(INSTALLATION, 'dist', 'packages')];
    for (const folder of places) {
      const path = join(folder, name);
      if (existsSync(path)) return { path, name, size: (await stat(path)).size };
    }
    if (arch !== OWN_ARCH) {
      const detail = `this server has no agent package for ${arch}: put ${name} into the folder packages in its data folder`;
      throw new CodedError('notFound', detail);
    }
    const path = join(this.#folder, name);
    await this.#build(format, path);
    return { path, name, size: (await stat(path)).size };
  }

  #build(format: Format, path: string): Promise<void> {
    const known = this.#builds.get(format);
    if (known) return known;
    const building = this.#make(format, path).finally(() => this.#builds.delete(format));
    this.#builds.set(format, building);
    return building;
  }

  async #make(format: Format, path: string): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o750 });
    await this.#removeOthers();
    const entry = fileURLToPath(new URL('./build-entry.js', import.meta.url));
    const { code, said } = await ended(process.execPath, [entry, INSTALLATION, format, path]);
    if (code === 0) {
      this.#log.info({ path }, 'made the agent package from this installation');
      return;
    }
    this.#log.error({ kind: 'environment', path, said }, 'cannot make the agent package');
    throw new CodedError('notFound', `this server cannot make the package: ${said.trim().split('\n').pop()}`);
  }

  /** Packages of earlier versions of this server, and what a build that was killed has left. */
  async #removeOthers(): Promise<void> {
    const names = await readdir(this.#folder);
    const isOld = (name: string): boolean =>
      name.startsWith('cairn-agent') && !name.includes(`${this.#version}_`) && !name.includes(`${this.#version}-`);
    await Promise.all(names.filter(isOld).map((name) => rm(join(this.#folder, name), { force: true })));
  }
}

/** How a child process ended, and the end of what it said. */
function ended(program: string, args: readonly string[]): Promise<{ readonly code: number; readonly said: string }> {
  return new Promise((done) => {
    const child = spawn(program, args, { stdio: ['ignore', 'ignore', 'pipe'], timeout: BUILD_MS });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said = (said + chunk.toString('utf8')).slice(-SAID_MAX);
    });
    child.on('error', (error) => done({ code: 1, said: error.message }));
    child.on('close', (code) => done({ code: code ?? 1, said }));
  });
}

const SAID_MAX = 2_000;
