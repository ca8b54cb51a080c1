/** The version of the program, from its `package.json`. */
import { readFileSync } from 'node:fs';

/** However deep the module lies: the joined program has fewer folders than its sources. */
const DEPTH_MAX = 6;

export function programVersion(): string {
  for (let depth = 1; depth <= DEPTH_MAX; depth++) {
    try {
      const text = readFileSync(new URL(`${'../'.repeat(depth)}package.json`, import.meta.url), 'utf8');
      const { name, version } = JSON.parse(text) as { name?: string; version?: string };
      if (name === 'cairn' && version !== undefined) return version;
    } catch {
      // Not in this folder.
    }
  }
  return 'unknown';
}
