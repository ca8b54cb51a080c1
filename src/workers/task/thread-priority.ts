/** The priority of this thread alone: Linux gives each thread its own, under its thread id. */
import { readlinkSync } from 'node:fs';
import { getPriority, setPriority } from 'node:os';

/** From the usual 0 it is what Node calls "below normal". */
const STEPS = 10;
const LOWEST = 19;

/**
 * Lowers the priority of the calling thread for good. Where the system does not tell the thread's id, nothing changes: other
 * work then waits a little longer for this thread's.
 */
export function yieldToOthers(): void {
  try {
    // `<pid>/task/<thread id>`; the call runs on this thread, so the link is this thread's.
    const threadId = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (!Number.isSafeInteger(threadId) || threadId <= 0) return;
    // From where it is: a server that was started with a low priority would otherwise raise its background threads.
    setPriority(threadId, Math.min(LOWEST, getPriority(threadId) + STEPS));
  } catch {
    // Not Linux, or a sandbox without /proc.
  }
}
