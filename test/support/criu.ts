/** Where the tests get CRIU from: `CAIRN_CRIU`, or what `tools/get-criu.sh` has built. */
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';

const BUILT = 'node_modules/.cache/criu/criu-4.2.1';

/** Null where there is none, which `.ci/run` must not let pass. */
export const CRIU: string | null =
  [process.env['CAIRN_CRIU'] ?? '', BUILT].find((path) => path !== '' && existsSync(path)) ?? null;

/** For `test(title, withCriu, …)`. */
export function withCriu(): { readonly skip: false | string } {
  if (CRIU !== null && process.getuid?.() === 0) return { skip: false };
  // A machine that decides for others must not take that for a pass.
  if (process.env['CI'])
    throw new Error('there is no CRIU for the tests of checkpoints: run tools/get-criu.sh as root');
  return { skip: 'not run: there is no CRIU (tools/get-criu.sh builds it, as root)' };
}

export const criuEnv = (): Record<string, string> => (CRIU === null ? {} : { CAIRN_CRIU: resolve(CRIU) });
