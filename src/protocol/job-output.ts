/**
 * What a job wrote to standard output and error, over all its copies (contract section 10). Each node has a stored log of it;
 * a copy that was restored goes on at an offset of the whole, and what the copy before wrote behind that offset does not count.
 *
 *   log of a    0 ─────────── 60 ─ ─ ─ 100          Job-Creating on a
 *   log of b                   0 ──────── 80 ─ ─    Job-Restoring on b, stdoutBytes 60
 *   log of a                  60 ─────────── 110    Job-Restoring on a, stdoutBytes 140: its log was cut to 60, and goes on
 *   whole       0 ─────────── 60 ──────── 140 ─── 190
 *
 * Here and not with the bundle, because the command line joins what the server stores.
 */
import { idSchema } from './id.ts';
import type { JobEvent } from './job.ts';

export const OUTPUTS = ['stdout', 'stderr'] as const;
export type Output = (typeof OUTPUTS)[number];

const PATH = /(?:^|\/)jobs\/([^/]+)\/(stdout|stderr)\.log$/;

/** Whose output a node log is, by its path on the worker; undefined if it is none. */
export function jobOutputOf(path: string): { readonly job: string; readonly output: Output } | undefined {
  const [, job, output] = PATH.exec(path) ?? [];
  return job !== undefined && idSchema.safeParse(job).success ? { job, output: output as Output } : undefined;
}

/** Bytes of a stored log, counted as its sender counts, and where they stand in the whole. */
export interface OutputPart {
  readonly log: string;
  readonly from: number;
  readonly to: number;
  /** Offset in the whole. */
  readonly at: number;
}

/**
 * The parts that together are what one uninterrupted run would have written. `logOf` names the stored log of a node, by what
 * the events call it, or gives undefined; `sizeOf` tells how many bytes its sender has sent.
 */
export function joinOutput(events: readonly JobEvent[], output: Output, logOf: LogOf, sizeOf: SizeOf): OutputPart[] {
  return allParts(events, output, logOf, sizeOf).filter(({ from, to }) => to > from);
}

/** What the newest copy alone has written, as a list of one part, or of none. */
export function lastCopyOutput(
  events: readonly JobEvent[],
  output: Output,
  logOf: LogOf,
  sizeOf: SizeOf,
): OutputPart[] {
  const part = allParts(events, output, logOf, sizeOf).at(-1);
  const copy = copiesOf(events, output).at(-1);
  return part && copy && part.log === logOf(copy.nodeOid) && part.to > part.from ? [part] : [];
}

type LogOf = (nodeOid: string) => string | undefined;
type SizeOf = (log: string) => number;

function allParts(events: readonly JobEvent[], output: Output, logOf: LogOf, sizeOf: SizeOf): OutputPart[] {
  let parts: OutputPart[] = [];
  for (const { nodeOid, at } of copiesOf(events, output)) {
    const end = parts.at(-1);
    const log = logOf(nodeOid);
    if (at !== null) parts = before(parts, at);
    if (log === undefined) continue;
    // Where nothing says where the copy goes on, the log of the same node just goes on too.
    if (at === null && end?.log === log) continue;
    const from = parts.findLast((part) => part.log === log)?.to ?? 0;
    parts.push({ log, from, to: Math.max(from, sizeOf(log)), at: at ?? endOf(end) });
  }
  return parts;
}

interface Copy {
  readonly nodeOid: string;
  /** Offset in the whole at which it goes on; null if it was not told. */
  readonly at: number | null;
}

/** A restore that failed has written nothing, and has taken nothing from the copy before. */
function copiesOf(events: readonly JobEvent[], output: Output): Copy[] {
  const copies: Copy[] = [];
  let restoring = false;
  for (const { eventType, nodeOid = '', stdoutBytes, stderrBytes } of events) {
    if (eventType === 'Job-Creating') {
      copies.push({ nodeOid, at: 0 });
      restoring = false;
    } else if (eventType === 'Job-Restoring') {
      const at = output === 'stdout' ? stdoutBytes : stderrBytes;
      copies.push({ nodeOid, at: at ?? null });
      restoring = true;
    } else if (eventType === 'Job-RestoreSucceeded') restoring = false;
    else if (eventType === 'Job-RestoreFailed' && restoring) {
      copies.pop();
      restoring = false;
    }
  }
  return copies;
}

function before(parts: readonly OutputPart[], at: number): OutputPart[] {
  return parts
    .filter((part) => part.at < at)
    .map((part) => ({ ...part, to: Math.min(part.to, part.from + at - part.at) }));
}

function endOf(part: OutputPart | undefined): number {
  return part ? part.at + part.to - part.from : 0;
}
