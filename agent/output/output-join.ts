/**
 * The output of a job is one stream, of which each copy writes a segment to the log of its node:
 *
 *   stream    0 ──── node a ──── 100 ──── node b ──── 250 ──── node a ────►
 *   log of a  0 ──────────────── 100 ───────────────────────── (100 …) ──►
 *   log of b                     0 ────────────────── 150
 *
 * A segment begins where Job-Restoring says (`stdoutBytes`, `stderrBytes`: offsets of the stream), and lies in its node's
 * log behind the earlier segments of that node, each cut to what of it counts. Pure.
 */
export interface Segment {
  readonly nodeId: string;
  /** Offset of the stream at which it begins; it ends where the next one begins. */
  readonly start: number;
}

/** Where the last of the segments begins in the log of its node. */
export function logOffsetOfLast(segments: readonly Segment[]): number {
  const last = segments.at(-1);
  let offset = 0;
  for (let i = 0; i + 1 < segments.length; i++) {
    const { nodeId, start } = segments[i] as Segment;
    if (nodeId === last?.nodeId) offset += (segments[i + 1] as Segment).start - start;
  }
  return offset;
}

export interface Saved {
  readonly segments: readonly Segment[];
  /** The stream's length when the job was saved. */
  readonly length: number;
  /** Up to here the server had it then; the rest is in the image. */
  readonly acknowledged: number;
}

export interface Continuation {
  readonly segments: readonly Segment[];
  /** Where the node's log is cut before the copy goes on: there its segment begins, or continues. */
  readonly logLength: number;
  /** Bytes of the end of the saved stream that the log begins with. */
  readonly carried: number;
  /** Bytes of the end of the saved stream that the image has. */
  readonly tail: number;
}

/** How the output goes on on this node. */
export function continued(saved: Saved, nodeId: string): Continuation {
  const { segments, length } = saved;
  const last = segments.at(-1);
  const start = Math.min(length, Math.max(saved.acknowledged, last?.start ?? 0));
  const tail = length - start;
  if (last && last.nodeId === nodeId) {
    return { segments, logLength: logOffsetOfLast(segments) + length - last.start, carried: 0, tail };
  }
  const next = [...segments, { nodeId, start }];
  return { segments: next, logLength: logOffsetOfLast(next), carried: tail, tail };
}

/** Where in the node's log the end of the saved stream that the image has begins. */
export function tailStart({ logLength, carried, tail }: Continuation): number {
  return logLength + carried - tail;
}

/** How many elements at the beginning of both are the same. */
export function sharedLength(a: ArrayLike<unknown>, b: ArrayLike<unknown>): number {
  const end = Math.min(a.length, b.length);
  let at = 0;
  while (at < end && a[at] === b[at]) at++;
  return at;
}

/**
 * What Job-Restoring says of where the copy's log joins the stream: it goes on behind what readers then still count of
 * this node's log. `isAlone`: no other node has claimed the job since it was saved.
 */
export function joinsAt(saved: Saved, nodeId: string, isAlone: boolean): number {
  const { segments, carried } = continued(saved, nodeId);
  if (segments.length > saved.segments.length || isAlone) return saved.length - carried;
  // Readers know of what another node has written since, and count it in place of this node's: its whole segment stands.
  return segments.at(-1)?.start ?? 0;
}
