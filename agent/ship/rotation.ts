/**
 * What happens to a log file besides growing, decided from what `stat` says. Pure.
 *
 * A file that was rotated away is finished first: its writer may go on with it until it has opened the new one. And when
 * it was rotated more than once meanwhile, the generations between are found beside it by name and sent in order.
 */
import { type FileIdentity, isSameFile } from './log-cursor.ts';

/** A rotated file that has not grown for this long is finished: log writers reopen within a second of the signal. */
export const QUIET_MS = 2_000;
/** A writer that never reopens its log must not keep the new file waiting forever. */
export const LINGER_MAX_MS = 60_000;

export interface RotationCase {
  /** At the log's own path now; null where there is no file. */
  readonly live: FileIdentity | null;
  readonly open: FileIdentity;
  readonly nowMs: number;
  /** When the open file was last seen to grow. */
  readonly grewAtMs: number;
  /** When it was first seen to be rotated away; null before. */
  readonly rotatedAtMs: number | null;
}

export type RotationVerdict = 'stay' | 'linger' | 'move-on';

/** Asked when all of the open file has been sent. */
export function rotationVerdict({ live, open, nowMs, grewAtMs, rotatedAtMs }: RotationCase): RotationVerdict {
  // Without a file at the path there is nothing to move on to, and the writer may still hold the old one.
  if (!live || isSameFile(live, open)) return 'stay';
  if (rotatedAtMs === null) return 'linger';
  const quiet = nowMs - Math.max(grewAtMs, rotatedAtMs) >= QUIET_MS;
  return quiet || nowMs - rotatedAtMs >= LINGER_MAX_MS ? 'move-on' : 'linger';
}

export interface Sibling extends FileIdentity {
  readonly path: string;
  /** Last change, nanoseconds: rotated files are ordered by their last line. */
  readonly changedNs: bigint;
}

/** `app.log.1`, `app.log-20260131`, `app.log.2026-01-31T08`: uncompressed older generations of `app.log`. */
export function isRotatedName(base: string, name: string): boolean {
  return name.startsWith(base) && /^[.-]\d[\d.\-_T:]*$/.test(name.slice(base.length));
}

/** The oldest rotated file that is younger than the finished one: the generation that came after it, if it was rotated too. */
export function nextSibling(siblings: readonly Sibling[], finished: Sibling, live: FileIdentity): Sibling | null {
  // Under its name of now, where it still has one.
  const self = siblings.find((sibling) => isSameFile(sibling, finished)) ?? finished;
  let next: Sibling | null = null;
  for (const sibling of siblings) {
    if (isSameFile(sibling, finished) || isSameFile(sibling, live)) continue;
    if (compareAge(sibling, self) <= 0) continue;
    if (!next || compareAge(sibling, next) < 0) next = sibling;
  }
  return next;
}

/** Negative where `a` is the older generation. File times move in steps of some milliseconds; within one the name decides. */
function compareAge(a: Sibling, b: Sibling): number {
  if (a.changedNs !== b.changedNs) return a.changedNs < b.changedNs ? -1 : 1;
  const numbers = [numberOf(a.path), numberOf(b.path)] as const;
  // logrotate counts up with age; dates grow the other way.
  if (numbers[0] !== null && numbers[1] !== null) return numbers[1] - numbers[0];
  return a.path < b.path ? -1 : a.path > b.path ? 1 : 0;
}

/** The count in `app.log.12`; null for dates and times, which have more digits. */
function numberOf(path: string): number | null {
  const digits = /\.(\d{1,5})$/.exec(path)?.[1];
  return digits === undefined ? null : Number(digits);
}
