/**
 * Programs that the bench starts end with it, however it ends. One that was left behind would hold the processor of the
 * next measurement, and the pipe of the program that waits for the bench's output.
 */
import type { ChildProcess } from 'node:child_process';

const living = new Set<ChildProcess>();

process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL');
});
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => process.exit(1));

export function endsWithUs<Child extends ChildProcess>(child: Child): Child {
  living.add(child);
  child.once('exit', () => living.delete(child));
  return child;
}
