/** The end of a process that must not go on with its database. See docs/decisions/0174-damaged-heap.md. */
import { writeSync } from 'node:fs';

/** Whatever else the process did could be an answer from a damaged heap. */
export function endForDamagedHeap(error: unknown): void {
  endProcess(error, 'this has damaged the memory of the process, which ends at once');
}

/** Whatever else the process did with the database would fail, reads too. */
export function endForLostDatabase(error: unknown): void {
  endProcess(error, 'nothing more can be read or written in this process, which ends at once');
}

/** Whether a read or a write has failed because LMDB takes nothing more in this process. */
export function isLostDatabase(error: unknown): boolean {
  return error instanceof Error && error.message.includes('MDB_PANIC');
}

/** As SIGKILL does, from whatever thread, after a sentence. */
function endProcess(error: unknown, why: string): void {
  const cause = (error instanceof Error ? error.message : String(error)).replace(/^cannot commit: /, '');
  const what = `cairn: cannot use the database: ${cause}; ${why}`;
  writeSync(2, `${what}. What was acknowledged is safe: check the disk, then start the server again\n`);
  process.kill(process.pid, 'SIGKILL');
}
