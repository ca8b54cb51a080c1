/**
 * Which files make up a program of ours, read from where this one is installed. A checkout that was built and an
 * installed package are laid out alike: `dist`, `node_modules`, `packaging`, `web` and `package.json` in one folder.
 */
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, posix, relative } from 'node:path';
import type { FileEntry } from '../../base/packages/entry.ts';

/** Where a program lies on the target. */
export const HOME = '/usr/lib/cairn';

/** What a target has no use for: maps, types, sources, tests, documents. Licences stay. */
const SUPERFLUOUS = /(\.(map|[cm]?ts|tsbuildinfo|flow|markdown|gyp|gypi|cc|cpp|h|yml|yaml)|\.md)$|\.musl\.node$/i;
const SUPERFLUOUS_FOLDER = /^(test|tests|docs?|examples?|benchmarks?|\.github|deps)$/;
const LICENCE = /^(licen[cs]e|notice|copying)/i;
/** The forms in which compiled modules name a package; a path begins with a dot, a module of Node with `node:`. */
const IMPORTED = /(?:\bfrom|\bimport|\bimport\(|require\()\s*['"]((?:@[\w.-]+\/)?[A-Za-z][\w.-]*)(?:\/[^'"]*)?['"]/g;

/** Another joined module that is loaded together with this one, at a line's beginning; others are loaded when they are asked for. */
const OWN_MODULE = /^(?:(?:const|let|var) [\w$]+ = )?require\(['"](\.[^'"]+)['"]\)/gm;

/** Every file below a folder, by path, without what a target has no use for. */
export function filesBelow(
  root: string,
  folder: string,
  isWanted: (name: string) => boolean = (name) => !SUPERFLUOUS.test(name) || LICENCE.test(name),
): FileEntry[] {
  const found: FileEntry[] = [];
  const walk = (at: string): void => {
    for (const entry of readdirSync(join(root, at), { withFileTypes: true }).sort((a, b) =>
      a.name < b.name ? -1 : 1,
    )) {
      const path = join(at, entry.name);
      if (entry.isDirectory()) walk(path);
      else if (isWanted(entry.name)) found.push(fileOf(root, path));
    }
  };
  if (existsSync(join(root, folder))) walk(folder);
  return found;
}

/** One file of the installation, at the same place below the target's folder. */
export function fileOf(root: string, path: string, target = `${HOME}/${path}`): FileEntry {
  const file = join(root, path);
  const mode = (statSync(file).mode & 0o100) === 0 ? 0o644 : 0o755;
  return { kind: 'file', path: target, mode, bytes: readFileSync(file) };
}

/** The packages that these modules import, by name. */
export function importedBy(files: readonly FileEntry[]): string[] {
  const names = new Set<string>();
  for (const { path, bytes } of files) {
    if (!path.endsWith('.js')) continue;
    for (const [, name] of Buffer.from(bytes).toString('utf8').matchAll(IMPORTED)) names.add(name as string);
  }
  return [...names].filter((name) => !name.startsWith('node:')).sort();
}

/** The joined modules of the program, and those of them that need none of these packages at any distance. */
export function joinedModules(root: string, without: readonly string[] = []): FileEntry[] {
  const all = filesBelow(root, 'bundle').filter(({ path }) => path.endsWith('.js') || path.endsWith('/package.json'));
  const byPath = new Map(all.map((file) => [file.path, file]));
  const needs = new Map<string, boolean>();
  /** Whether a module, or one that it imports at once, needs a package that is left out. */
  const isOut = (path: string): boolean => {
    const known = needs.get(path);
    if (known !== undefined) return known;
    // Until it is known: modules may import each other.
    needs.set(path, false);
    const file = byPath.get(path);
    const source = file ? Buffer.from(file.bytes).toString('utf8') : '';
    const isNeeded =
      (file && importedBy([file]).some((name) => without.includes(name))) ||
      [...source.matchAll(OWN_MODULE)].some(([, name]) => isOut(posix.join(posix.dirname(path), name as string)));
    needs.set(path, isNeeded === true);
    return isNeeded === true;
  };
  return all.filter(({ path }) => !isOut(path));
}

export interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly license?: string;
  readonly cpu?: readonly string[];
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

export interface InstalledPackage {
  /** Relative to the root: `node_modules/x`, or one inside another's. */
  readonly folder: string;
  readonly manifest: PackageManifest;
}

/** These packages and what they need, as Node would find them. `cpu`: what is only for another processor stays out. */
export function installedPackages(root: string, names: readonly string[], cpu: string): InstalledPackage[] {
  const found = new Map<string, InstalledPackage>();
  const add = (name: string, from: string): void => {
    const folder = resolve(root, name, from);
    if (folder === undefined || found.has(folder)) return;
    const manifest = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8')) as PackageManifest;
    if (manifest.cpu && !manifest.cpu.includes(cpu)) return;
    found.set(folder, { folder, manifest });
    const needed = { ...manifest.dependencies, ...manifest.optionalDependencies };
    for (const each of Object.keys(needed)) add(each, folder);
  };
  for (const name of names) add(name, '');
  return [...found.values()].sort((a, b) => (a.folder < b.folder ? -1 : 1));
}

/** The files of packages, without those of packages inside them, which are listed in their own right. */
export function packageFiles(root: string, packages: readonly InstalledPackage[]): FileEntry[] {
  return packages.flatMap(({ folder }) =>
    filesBelow(root, folder).filter(({ path }) => {
      const inner = relative(`${HOME}/${folder}`, path).split('/');
      return inner[0] !== 'node_modules' && !inner.slice(0, -1).some((name) => SUPERFLUOUS_FOLDER.test(name));
    }),
  );
}

/** As Node looks for a package: in the folder's own `node_modules`, then in those of the folders around it. */
function resolve(root: string, name: string, from: string): string | undefined {
  const around = from
    .split('/node_modules/')
    .map((_, index, parts) => parts.slice(0, index + 1).join('/node_modules/'));
  const folders = [...(from === '' ? [] : around.reverse().map((folder) => join(folder, 'node_modules', name)))];
  return [...folders, join('node_modules', name)].find((folder) => existsSync(join(root, folder, 'package.json')));
}
