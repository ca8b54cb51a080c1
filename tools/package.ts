/**
 * `npm run package`: builds dist/packages/*, Debian and Fedora packages of server and agent for both processors, byte for
 * byte the same from the same commit. It needs npm's registry (once, for Node and native modules) and nothing else.
 */
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { ARCHES, type Arch, type PackageFacts, tryArch } from '../src/base/packages/entry.ts';
import {
  agentFacts,
  agentFiles,
  FORMATS,
  type Format,
  packageBytes,
  packageFileName,
  type Release,
  scriptsOf,
} from '../src/control/packages/agent-package.ts';
import { bestCompression, GZIP, RELEASE_LEVEL } from '../src/control/packages/compression.ts';
import { sbomFile } from '../src/control/packages/sbom.ts';
import { givenLine } from './command-line.ts';
import { MissingBinary, nativePackages, runtimeOf } from './package/runtime.ts';
import { serverFacts, serverFiles } from './package/server-package.ts';

const HELP = `npm run package [-- options]

  --arch ARCH[,ARCH]      amd64, arm64 (both)
  --format F[,F]          deb, rpm, tar (deb and rpm; tar is for the agent alone)
  --only NAME             cairn or cairn-agent (both)
  --version VERSION       instead of the version in package.json
  --out DIR               where to (dist/packages)
  --with-criu             build CRIU for the agent first if it was not built yet (needs root and apt, 30 to 100 s)
`;

const root = resolve(import.meta.dirname, '..', '..');

function main(): number {
  const { values } = givenLine({
    usage: HELP,
    options: {
      arch: { type: 'string', default: ARCHES.join(',') },
      format: { type: 'string', default: 'deb,rpm' },
      only: { type: 'string' },
      version: { type: 'string' },
      out: { type: 'string', default: join('dist', 'packages') },
      'with-criu': { type: 'boolean', default: false },
    },
  });
  const arches = values.arch.split(',').map((name) => tryArch(name) ?? wrong('--arch', name, ARCHES));
  const formats = values.format
    .split(',')
    .map((name) => FORMATS.find((f) => f === name) ?? wrong('--format', name, FORMATS));
  const names = ['cairn', 'cairn-agent'].filter((name) => values.only === undefined || values.only === name);
  if (names.length === 0) wrong('--only', values.only ?? '', ['cairn', 'cairn-agent']);
  const release = { version: values.version ?? packageVersion(), epoch: epochOf() };
  if (values['with-criu'])
    spawnSync('sh', [join(root, 'tools', 'get-criu.sh')], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (bestCompression(RELEASE_LEVEL).name !== 'zstd') return again(arches);
  const out = resolve(root, values.out);
  mkdirSync(out, { recursive: true });
  const made = arches.flatMap((arch) => names.flatMap((name) => build(name, arch, formats, release, out)));
  const sums = readdirSync(out)
    .filter((name) => /\.(deb|rpm|tar\.gz)$/.test(name))
    .sort()
    .map(
      (name) =>
        `${createHash('sha256')
          .update(readFileSync(join(out, name)))
          .digest('hex')}  ${name}\n`,
    );
  writeFileSync(join(out, 'SHA256SUMS'), sums.join(''));
  return made.length > 0 ? 0 : 1;
}

/** The files that were made; none where the registry has no binaries for the processor. */
function build(name: string, arch: Arch, formats: readonly Format[], release: Release, out: string): string[] {
  try {
    const runtime = runtimeOf(root, arch);
    const native = nativePackages(root, name === 'cairn' ? 'server' : 'agent', arch);
    const isServer = name === 'cairn';
    const facts: PackageFacts = (isServer ? serverFacts : agentFacts)(runtime, release);
    const files = (isServer ? serverFiles : agentFiles)(root, runtime, release);
    const all = [
      ...files.filter(({ path }) => !native.some(({ folder }) => path.startsWith(folder))),
      ...native.flatMap((each) => each.files),
    ];
    const entries = [...all, sbomFile(facts, all)];
    const compressions = { best: bestCompression(RELEASE_LEVEL), gzip: GZIP };
    return formats
      .filter((format) => format !== 'tar' || !isServer)
      .map((format) => {
        const file = join(out, packageFileName(format, facts));
        const bytes = packageBytes(format, facts, entries, scriptsOf(root, name, release.version), compressions);
        rmSync(file, { force: true });
        writeFileSync(file, bytes);
        process.stdout.write(`${file} ${(bytes.byteLength / 1e6).toFixed(1)} MB\n`);
        return file;
      });
  } catch (error) {
    if (!(error instanceof MissingBinary)) throw error;
    process.stderr.write(`package: ${name} for ${arch} is left out: ${error.message}\n`);
    return [];
  }
}

/** Runs itself with the Node that goes into the packages: its zstd decides the bytes, whatever Node is installed here. */
function again(arches: readonly Arch[]): number {
  const own = tryArch(process.arch);
  if (own === undefined) throw new Error(`cannot build packages on ${process.arch}: want ${arches.join(' or ')}`);
  const folder = join(root, 'node_modules', '.cache', 'packages');
  const program = join(folder, `node-${own}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(program, runtimeOf(root, own).node, { mode: 0o755 });
  const { status } = spawnSync(program, process.argv.slice(1), { stdio: 'inherit', cwd: root });
  return status ?? 1;
}

function packageVersion(): string {
  return (JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as { version: string }).version;
}

/** The commit's time; a tree without git has the same time always. */
function epochOf(): number {
  const given = process.env['SOURCE_DATE_EPOCH'];
  if (given !== undefined && /^\d+$/.test(given)) return Number(given);
  if (!existsSync(join(root, '.git'))) return 1_767_225_600;
  const { stdout } = spawnSync('git', ['log', '-1', '--format=%ct'], { cwd: root, encoding: 'utf8' });
  return Number(stdout.trim()) || 1_767_225_600;
}

function wrong(option: string, value: string, choices: readonly string[]): never {
  process.stderr.write(`package: cannot use ${option} ${value}: want one of ${choices.join(', ')}\n`);
  process.exit(2);
}

process.exit(main());
