/** Gives way to the server on the same machine. */
import { readdirSync } from 'node:fs';
import { constants, getPriority, setPriority } from 'node:os';

/**
 * For the whole process and for good. Linux has a priority for each thread, and new threads get that of the one that makes
 * them. Not the lowest there is: on a machine whose processors are always taken, the work would never end.
 */
export function yieldToOthers(): void {
  try {
    // One that was started with a lower priority keeps it.
    for (const thread of readdirSync('/proc/self/task').map(Number))
      setPriority(thread, Math.max(getPriority(thread), constants.priority.PRIORITY_BELOW_NORMAL));
  } catch {
    // Not Linux, or a sandbox without /proc: the server waits a little more for its turn.
  }
}
