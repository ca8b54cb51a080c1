/**
 * The files of each layer of tests, and which of them `npm test` leaves to `npm run test:rest`. Test files are found in the
 * source tree, so that a compiled test whose source is gone cannot pass for one that ran.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';

/** A file that two cores have no time for within four minutes. */
export interface RestFile {
  readonly file: string;
  /** Processor time with that of its processes, by `npm run test:costs`. */
  readonly seconds: number;
  /** What `npm test` keeps of what it tests, or why it has to do without. */
  readonly why: string;
}

export interface Group {
  readonly layers: readonly string[];
  /** Files at a time. */
  readonly sideBySide: number;
  /** Files that touch nothing but memory share one process for each core: most of their time is loading modules. */
  readonly bundled?: boolean;
  /** Runs where it is named only: `npm run proof` does the same at length. */
  readonly onlyNamed?: boolean;
}

const cores = availableParallelism();
/** In the order in which they run. What starts servers mostly waits for them, so more files than cores run at a time. */
export const GROUPS: readonly Group[] = [
  { layers: ['repo'], sideBySide: cores },
  { layers: ['unit', 'property'], sideBySide: cores, bundled: true },
  { layers: ['contract', 'sim', 'crash', 'fuzz', 'system', 'web', 'bench'], sideBySide: cores + 2 },
  { layers: ['proof'], sideBySide: 1, onlyNamed: true },
];

/** What `npm test` runs of them. */
export const LAYERS = GROUPS.flatMap(({ layers, onlyNamed }) => (onlyNamed ? [] : layers));

/** Hundreds of servers live for seconds each: warming their threads would take as much as their starts. */
export const TEST_ENV = { ...process.env, CAIRN_WARM_UP: 'no' };

export type Tier = 'first' | 'rest' | 'all';

/** The one place that says what belongs to the rest. */
export const REST_LIST = join('test', 'rest.json');

export function filesOf(layer: string): string[] {
  const folder = join('test', layer);
  if (!existsSync(folder)) return [];
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(folder, name))
    .sort();
}

export function restFiles(): readonly RestFile[] {
  return JSON.parse(readFileSync(REST_LIST, 'utf8')) as RestFile[];
}

/** Those whose path has one of the parts, or all of them where none is asked for. */
export function namedBy(files: readonly string[], parts: readonly string[]): string[] {
  return files.filter((file) => parts.length === 0 || parts.some((part) => isNamed(file, part)));
}

/** The names that no test has. */
export function namesOfNone(names: readonly string[]): string[] {
  const files = GROUPS.flatMap(({ layers }) => layers).flatMap(filesOf);
  return names.filter((name) => !files.some((file) => isNamed(file, name)));
}

const isNamed = (file: string, name: string): boolean =>
  file.includes(join('test', name.replace(/^(\.\/)?test\//, '')));

/** Those of a tier. */
export function ofTier(files: readonly string[], tier: Tier): string[] {
  const rest = new Set(restFiles().map(({ file }) => file));
  return files.filter((file) => tier === 'all' || rest.has(file) === (tier === 'rest'));
}

/** Processor time of the files that run before the clock is looked at again. */
const PART_SECONDS = 120;

/**
 * The files in parts, the cheapest first: if the time is over after one of them, as many files as possible have run. Files
 * without a known cost come first.
 */
export function partsByCost(files: readonly string[], known: readonly RestFile[]): string[][] {
  const costs = new Map(known.map(({ file, seconds }) => [file, seconds]));
  const costOf = (file: string): number => costs.get(file) ?? 0;
  const parts: string[][] = [];
  let sum = Number.POSITIVE_INFINITY;
  for (const file of files.toSorted((a, b) => costOf(a) - costOf(b))) {
    if (sum >= PART_SECONDS) {
      parts.push([]);
      sum = 0;
    }
    parts.at(-1)?.push(file);
    sum += costOf(file);
  }
  return parts;
}

/** Where the compiler puts it. */
export const compiledOf = (file: string): string => join('dist', file.replace(/\.ts$/, '.js'));
