/** The codes of LMDB and of the system, as the errors that they mean to the rest of the program. */
import { CodedError } from '../../base/errors.ts';

const EIO = 5;
const EFBIG = 27;
const ENOSPC = 28;
const EDQUOT = 122;
const MDB_MAP_FULL = -30_792;
/** MDB_PAGE_NOTFOUND, MDB_CORRUPTED, MDB_PANIC, MDB_BAD_TXN, MDB_PROBLEM. */
const STRUCTURE_CODES: ReadonlySet<number> = new Set([-30_797, -30_796, -30_795, -30_782, -30_779]);

/** What clients are told of a commit that failed. */
export function storeErrorOf(error: unknown, isDiskFull: () => boolean): CodedError {
  const code = (error as { code?: unknown }).code;
  if (code === ENOSPC || code === EDQUOT || code === EFBIG || code === MDB_MAP_FULL)
    return new CodedError('storageFull');
  // LMDB calls a write that the disk took only a part of an I/O error; nearly always it was full.
  if (code === EIO && isDiskFull()) return new CodedError('storageFull');
  const isBroken = typeof code === 'number' && STRUCTURE_CODES.has(code);
  const remedy = isBroken ? '; the database is damaged: stop the server, run cairn verify, and restore a backup' : '';
  const what = `cannot commit: ${error instanceof Error ? error.message : String(error)}${remedy}`;
  // Positive codes are the system's: the disk. Those of LMDB itself are negative, and ours.
  return new CodedError(typeof code === 'number' && code > 0 ? 'storageFailed' : 'internal', what);
}
