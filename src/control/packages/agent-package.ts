/**
 * The package that a worker installs: the agent with a Node of its own, without server, dashboard and database. Made from
 * an installation of the whole, so the server can give out the very agent that it was released with.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { debOf } from '../../base/packages/deb.ts';
import type { Arch, Compression, Entry, FileEntry, PackageFacts, Scripts } from '../../base/packages/entry.ts';
import { withFolders } from '../../base/packages/entry.ts';
import { rpmOf } from '../../base/packages/rpm.ts';
import { tarOf } from '../../base/packages/tar.ts';
import {
  fileOf,
  filesBelow,
  HOME,
  importedBy,
  installedPackages,
  joinedModules,
  packageFiles,
} from './program-files.ts';

export const FORMATS = ['deb', 'rpm', 'tar'] as const;
export type Format = (typeof FORMATS)[number];

/** Packages that only a server needs; modules that need one of them are no part of the agent. */
const SERVER_ONLY = [
  'lmdb',
  'piscina',
  'uWebSockets.js',
  'selfsigned',
  'tar',
  '@aws-sdk/client-cognito-identity-provider',
];

export interface Runtime {
  readonly arch: Arch;
  /** The program `node` for that processor. */
  readonly node: Uint8Array;
  /** As `process.arch` has it. */
  readonly cpu: string;
  /** Compiled programs beside Node: shim, CRIU; by path on the target. */
  readonly programs: readonly FileEntry[];
}

export interface Release {
  readonly version: string;
  /** Seconds since 1970; the time of every file. */
  readonly epoch: number;
}

/** Everything that server and agent packages share: Node, launcher, the agent's unit, completions and pages. */
export function sharedFiles(root: string, runtime: Runtime, { version }: Release): FileEntry[] {
  const manifest = { name: 'cairn', version, private: true, type: 'module' };
  return [
    text('/usr/bin/cairn', LAUNCHER, 0o755),
    { kind: 'file', path: `${HOME}/bin/node`, mode: 0o755, bytes: runtime.node },
    ...runtime.programs,
    text(`${HOME}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`),
    unit(root, 'cairn-agent.service'),
    unit(root, 'cairn-jobs.slice'),
    fileOf(root, 'packaging/criu/choose-criu.sh', `${HOME}/criu/choose-criu`),
    config(root, 'agent.env', 0o600),
  ];
}

export function agentFiles(root: string, runtime: Runtime, release: Release): FileEntry[] {
  const compiled = joinedModules(root, SERVER_ONLY);
  const packages = installedPackages(root, importedBy(compiled), runtime.cpu);
  return [
    ...sharedFiles(root, runtime, release),
    ...compiled,
    ...shimSource(root),
    ...packageFiles(root, packages),
    text('/usr/share/doc/cairn-agent/copyright', copyrightOf(root)),
  ];
}

export function agentFacts({ arch }: Pick<Runtime, 'arch'>, { version, epoch }: Release): PackageFacts {
  return {
    ...FACTS,
    name: 'cairn-agent',
    arch,
    version,
    epoch,
    summary: 'Worker agent of Cairn: runs, checkpoints and restores batch jobs',
    description: [
      'Registers this machine with a Cairn server as a worker node, sends heartbeats and logs, and runs',
      'batch jobs that it checkpoints and restores. Contains its own Node.js runtime.',
    ],
    provides: [],
    conflicts: [],
    recommends: { deb: ['iptables'], rpm: ['iptables'] },
  };
}

const FACTS = {
  maintainer: 'The Cairn authors <cairn@localhost>',
  licence: 'Apache-2.0 AND MIT AND BSD-3-Clause AND GPL-2.0-only',
  homepage: 'https://localhost/cairn',
  requires: {
    deb: ['libc6 (>= 2.28)', 'libstdc++6', 'passwd'],
    rpm: ['/bin/sh', 'glibc', 'libstdc++', 'shadow-utils'],
  },
} as const;

export const COMMON_FACTS = FACTS;

/** `format`'s file of a package. A tar is for targets without either package manager: the same files from `/` on. */
export function packageBytes(
  format: Format,
  facts: PackageFacts,
  entries: readonly Entry[],
  scripts: { readonly deb: Scripts; readonly rpm: Scripts },
  compressions: { readonly best: Compression; readonly gzip: Compression },
): Uint8Array {
  switch (format) {
    case 'deb':
      return debOf(facts, entries, scripts.deb, compressions.best);
    case 'rpm':
      return rpmOf(facts, entries, scripts.rpm, compressions.best);
    case 'tar':
      return compressions.gzip.compress(tarOf(withFolders(entries, new Set()), { prefix: './', epoch: facts.epoch }));
  }
}

/** As the two families name files. */
export function packageFileName(format: Format, { name, version, arch }: PackageFacts): string {
  switch (format) {
    case 'deb':
      return `${name}_${version}_${arch}.deb`;
    case 'rpm':
      return `${name}-${version}-1.${arch === 'amd64' ? 'x86_64' : 'aarch64'}.rpm`;
    case 'tar':
      return `${name}-${version}-${arch}.tar.gz`;
  }
}

/** The scripts of a package, from `packaging/deb/NAME.preinst` and so on, and `packaging/rpm/NAME.pre` and so on. */
export function scriptsOf(root: string, name: string, version: string): { deb: Scripts; rpm: Scripts } {
  const read = (family: string, phase: string): string | undefined => {
    const file = join(root, 'packaging', family, `${name}.${phase}`);
    return existsSync(file) ? readFileSync(file, 'utf8').replaceAll('@VERSION@', version) : undefined;
  };
  const family = (
    folder: string,
    [before, after, beforeRemoval, afterRemoval]: readonly [string, string, string, string],
  ) => ({
    before: read(folder, before),
    after: read(folder, after),
    beforeRemoval: read(folder, beforeRemoval),
    afterRemoval: read(folder, afterRemoval),
  });
  return {
    deb: family('deb', ['preinst', 'postinst', 'prerm', 'postrm']),
    rpm: family('rpm', ['pre', 'post', 'preun', 'postun']),
  };
}

/** What an agent on a server's own machine needs to make further agents' packages. */
export function unit(root: string, name: string): FileEntry {
  return fileOf(root, `packaging/systemd/${name}`, `/usr/lib/systemd/system/${name}`);
}

export function config(root: string, name: string, mode: number): FileEntry {
  return { ...fileOf(root, `packaging/env/${name}`, `/etc/cairn/${name}`), mode, isConfig: true };
}

export function text(path: string, content: string, mode = 0o644): FileEntry {
  return { kind: 'file', path, mode, bytes: Buffer.from(content) };
}

/** Sources of the agent's C programs: it knows each program by its source's hash. */
export function shimSource(root: string): FileEntry[] {
  const folder = ['agent/shim', 'bundle/agent/shim'].find((path) => existsSync(join(root, path, 'shim.c')));
  if (folder === undefined) return [];
  return filesBelow(root, folder, (name) => name.endsWith('.c')).map((file) => ({
    ...file,
    path: `${HOME}/bundle/agent/shim/${file.path.slice(file.path.lastIndexOf('/') + 1)}`,
  }));
}

export function copyrightOf(root: string): string {
  const licence = join(root, 'LICENSE');
  const own = existsSync(licence) ? readFileSync(licence, 'utf8') : '';
  return `Cairn is licensed under the Apache License 2.0. The licences of the packages in it are beside them, below
${HOME}/node_modules, and listed in the SBOM (sbom.cdx.json). Node.js is under the MIT licence and those of its parts.

${own}`;
}

const LAUNCHER = `#!/bin/sh
# Cairn with the Node.js that it was packaged with.
exec ${HOME}/bin/node ${HOME}/bundle/src/main.js "$@"
`;
