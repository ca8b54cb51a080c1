/** Prometheus and its tool, of Debian's package `prometheus`. */
import { execFileSync, spawnSync } from 'node:child_process';

/** For `test(title, withPrometheus(), …)`. */
export function withPrometheus(): { readonly skip: false | string } {
  const isThere = ['promtool', 'prometheus'].every((program) => spawnSync(program, ['--version']).status === 0);
  if (isThere) return { skip: false };
  // A machine that decides for others must not take that for a pass.
  if (process.env['CI']) throw new Error('there is no Prometheus for the tests of metrics: install the package');
  return { skip: 'not run: there is no Prometheus (apt-get install prometheus)' };
}

/** Throws with what it objects to. */
export function promtool(args: readonly string[], input?: string): string {
  return execFileSync('promtool', args, { encoding: 'utf8', input: input ?? '', stdio: ['pipe', 'pipe', 'pipe'] });
}
