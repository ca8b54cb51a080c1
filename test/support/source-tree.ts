/** The repository as text, for the tests that hold it to its own rules. */
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export interface SourceFile {
  /** From the repository's root. */
  readonly path: string;
  readonly text: string;
}

export interface ImportEdge {
  readonly from: string;
  /** A path from the root for a file of ours, a package name otherwise. */
  readonly to: string;
  readonly isType: boolean;
}

const IMPORT = /^(?:import|export)\s+(type\s+)?(?:[^'"]*?\sfrom\s+)?'([^']+)'/gm;

export function sourceFiles(...folders: readonly string[]): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ts|tsx|mjs)$/.test(name) && !name.includes('node_modules'))
      .sort()
      .map((name) => join(folder, name))
      .map((path) => ({ path, text: readFileSync(path, 'utf8') })),
  );
}

/** Every Markdown file of ours. */
export function documents(): SourceFile[] {
  const below = ['docs'];
  return [
    ...readdirSync('.').filter((name) => name.endsWith('.md')),
    ...below.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((name) => name.endsWith('.md'))
        .sort()
        .map((name) => join(folder, name)),
    ),
  ].map((path) => ({ path, text: readFileSync(path, 'utf8') }));
}

export function importsOf({ path, text }: SourceFile): ImportEdge[] {
  return [...text.matchAll(IMPORT)].map(([, type, target]) => ({
    from: path,
    to: (target as string).startsWith('.') ? normalize(join(dirname(path), target as string)) : (target as string),
    isType: type !== undefined,
  }));
}
