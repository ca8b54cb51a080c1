/**
 * The files of each layer of tests, and which of them `npm test` leaves to `npm run test:rest`. Test files are found in the
 * source tree, so that a compiled test whose source is gone cannot pass for one that ran.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** A file that two cores have no time for within four minutes. */
export interface RestFile {
  readonly file: string;
  /** Processor time with that of its processes, by `npm run test:costs`. */
  readonly seconds: number;
  /** What `npm test` keeps of what it tests, or why it has to do without. */
  readonly why: string;
}

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

/** Those of a tier. */
export function ofTier(files: readonly string[], tier: Tier): string[] {
  const rest = new Set(restFiles().map(({ file }) => file));
  return files.filter((file) => tier === 'all' || rest.has(file) === (tier === 'rest'));
}

/** Where the compiler puts it. */
export const compiledOf = (file: string): string => join('dist', file.replace(/\.ts$/, '.js'));
