/** The priority of this thread alone: Linux gives each thread its own, under its thread id. */
import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/**
 * Lowers the priority of the calling thread for good. Where the system does not tell the thread's id, nothing changes: other
 * work then waits a little longer for this thread's.
 */
export function yieldToOthers(): void {
  try {
    // `<pid>/task/<thread id>`; the call runs on this thread, so the link is this thread's.
    const threadId = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (Number.isSafeInteger(threadId) && threadId > 0) setPriority(threadId, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Not Linux, or a sandbox without /proc.
  }
}
