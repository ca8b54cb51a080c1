/**
 * What comes from elsewhere into a package: Node and native modules for the target's processor, held against hashes, and
 * the programs that are compiled here. Downloads are kept below node_modules/.cache/packages.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { Arch, FileEntry } from '../../src/base/packages/entry.ts';
import type { Runtime } from '../../src/control/packages/agent-package.ts';
import { fileOf, filesBelow, HOME, type PackageManifest } from '../../src/control/packages/program-files.ts';

interface Pinned {
  readonly package: string;
  readonly version: string;
  readonly integrity: string;
}

interface Binaries {
  readonly node: Readonly<Record<Arch, Pinned>>;
  readonly server: Readonly<Record<Arch, readonly string[]>>;
  readonly agent: Readonly<Record<Arch, readonly string[]>>;
}

export interface NativePackage {
  /** On the target. */
  readonly folder: string;
  readonly files: readonly FileEntry[];
}

/** The registry does not have it. */
export class MissingBinary extends Error {}

const CPUS: Readonly<Record<Arch, string>> = { amd64: 'x64', arm64: 'arm64' };
/** ELF's e_machine, by which a file tells its processor. */
const ELF_MACHINES: Readonly<Record<Arch, number>> = { amd64: 62, arm64: 183 };
const COMPILERS: Readonly<Record<Arch, string>> = { amd64: 'x86_64-linux-gnu-gcc', arm64: 'aarch64-linux-gnu-gcc' };
/** Of a module's builds, the one for Node 22 (ABI 127) or for every Node (napi), with glibc. */
const OTHER_BUILD = /\.(abi(?!127)\d+)\.|\.musl\./;
const CRIU_LIBRARIES = /^(libprotobuf-c|libnl-3|libnet|libbsd|libmd|libuuid)\.so/;

export function runtimeOf(root: string, arch: Arch): Runtime {
  const { node } = binariesOf(root);
  const bytes = readFileSync(join(unpacked(root, node[arch]), 'bin', 'node'));
  mustBeFor(bytes, arch, node[arch].package);
  return { arch, node: bytes, cpu: CPUS[arch], programs: [...compiledFor(root, arch), ...criuFor(root, arch)] };
}

export function nativePackages(root: string, program: 'server' | 'agent', arch: Arch): NativePackage[] {
  return binariesOf(root)[program][arch].map((name) => {
    const folder = `${HOME}/node_modules/${name}`;
    const source = unpacked(root, lockedPackage(root, name));
    const cache = cacheOf(root);
    const prefix = `${HOME}/${source.slice(cache.length + 1)}`;
    const files = filesBelow(cache, source.slice(cache.length + 1))
      .filter(({ path }) => !OTHER_BUILD.test(path))
      .map((file) => ({ ...file, path: `${folder}${file.path.slice(prefix.length)}` }));
    for (const { path, bytes } of files) if (path.endsWith('.node')) mustBeFor(bytes, arch, path);
    return { folder: `${folder}/`, files };
  });
}

function binariesOf(root: string): Binaries {
  return JSON.parse(readFileSync(join(root, 'packaging', 'binaries.json'), 'utf8')) as Binaries;
}

/** As package-lock.json pins it. */
function lockedPackage(root: string, name: string): Pinned {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')) as {
    packages: Record<string, (PackageManifest & { integrity?: string }) | undefined>;
  };
  const found = lock.packages[`node_modules/${name}`];
  if (!found?.integrity)
    throw new MissingBinary(`${name} is not in package-lock.json: the registry has no such package`);
  return { package: name, version: found.version, integrity: found.integrity };
}

/** The folder of a package's content, from the cache or from the registry. */
function unpacked(root: string, pinned: Pinned): string {
  const cache = cacheOf(root);
  const folder = join(cache, `${pinned.package.replace('/', '-')}-${pinned.version}`);
  if (existsSync(join(folder, 'package.json'))) return folder;
  const work = mkdtempSync(join(cache, 'fetch-'));
  try {
    const spec = `${pinned.package}@${pinned.version}`;
    const packed = spawnSync('npm', ['pack', spec, '--silent', '--pack-destination', work], {
      encoding: 'utf8',
      cwd: work,
    });
    const [file] = readdirSync(work);
    if (packed.status !== 0 || file === undefined) throw new MissingBinary(`cannot fetch ${spec} from the registry`);
    const bytes = readFileSync(join(work, file));
    const [algorithm = 'sha512', expected] = pinned.integrity.split(/-(.*)/);
    const got = createHash(algorithm).update(bytes).digest('base64');
    if (got !== expected) throw new Error(`${spec} has ${algorithm} ${got}; want ${expected}`);
    mkdirSync(folder, { recursive: true });
    const status = spawnSync('tar', [
      '-xzf',
      join(work, file),
      '-C',
      folder,
      '--strip-components=1',
      '--no-same-owner',
    ]).status;
    if (status !== 0) throw new Error(`cannot unpack ${spec}`);
    return folder;
  } catch (error) {
    rmSync(folder, { recursive: true, force: true });
    throw error;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

function cacheOf(root: string): string {
  const cache = join(root, 'node_modules', '.cache', 'packages');
  mkdirSync(cache, { recursive: true });
  return cache;
}

/** The agent's C programs, compiled; without a compiler for the processor the agent compiles them on its machine, or does without. */
function compiledFor(root: string, arch: Arch): FileEntry[] {
  const folder = join(root, 'agent', 'shim');
  return readdirSync(folder)
    .filter((name) => name.endsWith('.c'))
    .sort()
    .flatMap((name) => compiledFrom(root, arch, join(folder, name)));
}

function compiledFrom(root: string, arch: Arch, source: string): FileEntry[] {
  const hash = createHash('sha256').update(readFileSync(source)).digest('hex').slice(0, 12);
  const name = `cairn-${basename(source, '.c')}-${hash}`;
  const program = join(cacheOf(root), `${name}-${arch}`);
  const compilers = [COMPILERS[arch], ...(CPUS[arch] === process.arch ? ['cc'] : [])];
  for (const compiler of compilers) {
    if (existsSync(program)) break;
    spawnSync(compiler, ['-static', '-O2', '-s', '-Wl,--build-id=none', '-o', program, source], { stdio: 'ignore' });
  }
  if (!existsSync(program)) {
    process.stderr.write(
      `package: ${basename(source)} is not compiled for ${arch} (tried ${compilers.join(', ')}): agents try it themselves\n`,
    );
    return [];
  }
  const bytes = readFileSync(program);
  mustBeFor(bytes, arch, name);
  return [{ kind: 'file', path: `${HOME}/bundle/agent/shim/${name}`, mode: 0o755, bytes }];
}

/** CRIU as tools/get-criu.sh built it, with the libraries it is linked with, which a target may lack. */
function criuFor(root: string, arch: Arch): FileEntry[] {
  const cache = join(root, 'node_modules', '.cache', 'criu');
  const built = existsSync(cache) ? readdirSync(cache).find((name) => /^criu-[\d.]+$/.test(name)) : undefined;
  if (built === undefined || CPUS[arch] !== process.arch) {
    process.stderr.write(`package: no build of CRIU for ${arch}: agents use the distribution's (see --with-criu)\n`);
    return [];
  }
  const { stdout } = spawnSync('ldd', [join(cache, built)], { encoding: 'utf8' });
  const libraries = [...stdout.matchAll(/=> (\/\S+)/g)]
    .map(([, path]) => path as string)
    .filter((path) => CRIU_LIBRARIES.test(basename(path)))
    .map((path): FileEntry => {
      return { kind: 'file', path: `${HOME}/criu/lib/${basename(path)}`, mode: 0o644, bytes: readFileSync(path) };
    });
  return [
    fileOf(root, join('node_modules', '.cache', 'criu', built), `${HOME}/criu/criu.bin`),
    fileOf(root, 'packaging/criu/criu.sh', `${HOME}/criu/criu`),
    fileOf(root, 'packaging/criu/COPYING', `${HOME}/criu/COPYING`),
    fileOf(root, 'packaging/criu/README.md', `${HOME}/criu/README`),
    fileOf(root, 'tools/get-criu.sh', `${HOME}/criu/build.sh`),
    ...libraries,
  ];
}

function mustBeFor(bytes: Uint8Array, arch: Arch, what: string): void {
  const header = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(20, bytes.byteLength));
  const isElf = header.byteLength === 20 && header.readUInt32BE(0) === 0x7f454c46;
  if (!isElf || header.readUInt16LE(18) !== ELF_MACHINES[arch]) throw new Error(`${what} is not a program for ${arch}`);
}
