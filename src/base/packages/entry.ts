/** What is in a package: files, folders and links with what a target's file system keeps of them. No clock, no disk. */

interface EntryBase {
  /** Absolute path on the target, without a slash at the end. */
  readonly path: string;
}

export interface FileEntry extends EntryBase {
  readonly kind: 'file';
  readonly mode: number;
  readonly bytes: Uint8Array;
  /** A file that the operator edits: an upgrade keeps the edited one. */
  readonly isConfig?: boolean;
}

export interface FolderEntry extends EntryBase {
  readonly kind: 'folder';
  readonly mode: number;
}

export interface LinkEntry extends EntryBase {
  readonly kind: 'link';
  readonly target: string;
}

export type Entry = FileEntry | FolderEntry | LinkEntry;

/** What a package manager is told of a package. */
export interface PackageFacts {
  readonly name: string;
  readonly version: string;
  readonly arch: Arch;
  readonly summary: string;
  /** Paragraphs, each a line. */
  readonly description: readonly string[];
  readonly maintainer: string;
  readonly licence: string;
  readonly homepage: string;
  /** Package names; what is the same in both families. */
  readonly requires: { readonly deb: readonly string[]; readonly rpm: readonly string[] };
  readonly recommends: { readonly deb: readonly string[]; readonly rpm: readonly string[] };
  readonly provides: readonly string[];
  readonly conflicts: readonly string[];
  /** Seconds since 1970: the time of every file, so that the same input gives the same bytes. */
  readonly epoch: number;
}

/** Shell scripts, without which a phase does nothing. Debian's names and Fedora's differ, and so do their arguments. */
export interface Scripts {
  readonly before?: string | undefined;
  readonly after?: string | undefined;
  readonly beforeRemoval?: string | undefined;
  readonly afterRemoval?: string | undefined;
}

/** How a package's content is compressed. zstd needs Node 22.15; gzip is what every Node has. */
export interface Compression {
  readonly name: 'zstd' | 'gzip';
  readonly extension: 'zst' | 'gz';
  readonly compress: (bytes: Uint8Array) => Uint8Array;
}

export const ARCHES = ['amd64', 'arm64'] as const;
export type Arch = (typeof ARCHES)[number];

/** Names of the processor in the two families and in `uname -m`. */
const ARCH_NAMES: Readonly<Record<string, Arch>> = {
  amd64: 'amd64',
  x86_64: 'amd64',
  x64: 'amd64',
  arm64: 'arm64',
  aarch64: 'arm64',
};

export function tryArch(text: string): Arch | undefined {
  return Object.hasOwn(ARCH_NAMES, text) ? ARCH_NAMES[text] : undefined;
}

/** As rpm and `uname -m` name it. */
export function machineOf(arch: Arch): 'x86_64' | 'aarch64' {
  return arch === 'amd64' ? 'x86_64' : 'aarch64';
}

/** By path, parents first, every folder between a path and the folders that a target has anyway. */
export function withFolders(entries: readonly Entry[], present: ReadonlySet<string>): Entry[] {
  const byPath = new Map<string, Entry>(entries.map((entry) => [entry.path, entry]));
  for (const { path } of entries) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end);
      if (present.has(folder) || byPath.has(folder)) break;
      byPath.set(folder, { kind: 'folder', path: folder, mode: 0o755 });
    }
  }
  return [...byPath.values()].sort((a, b) => (a.path < b.path ? -1 : 1));
}
