/** The whole lines of a piece of a log, and which of them stands at a byte: of lines that tell no time. Pure. */

const NEWLINE = 0x0a;

export interface LogPlace {
  /** Where in the log the lines begin and end. */
  readonly fromByte: number;
  readonly toByte: number;
  /** Which of them stands at the byte that was asked for; -1 where there are none. */
  readonly aim: number;
}

interface Piece {
  readonly bytes: Uint8Array;
  /** Where in the log it begins. */
  readonly begin: number;
  /** Whether the log ends with it. */
  readonly isEnd: boolean;
  readonly atByte: number;
  readonly linesMax: number;
}

/** A line that the piece cuts is left out, but for one that is longer than it. */
export function linesAround({ bytes, begin, isEnd, atByte, linesMax }: Piece): {
  readonly lines: readonly string[];
  readonly place: LogPlace;
} {
  const from = begin === 0 ? 0 : bytes.indexOf(NEWLINE) + 1;
  const starts: number[] = [];
  let to = from;
  while (starts.length < linesMax && to < bytes.length) {
    const next = bytes.indexOf(NEWLINE, to);
    if (next < 0 && !isEnd && starts.length > 0) break;
    starts.push(begin + to);
    to = next < 0 ? bytes.length : next + 1;
  }
  const lines = new TextDecoder().decode(bytes.subarray(from, to)).split('\n');
  if (lines.at(-1) === '') lines.pop();
  const aim = Math.max(
    starts.findLastIndex((start) => start <= atByte),
    Math.min(0, starts.length - 1),
  );
  return { lines, place: { fromByte: begin + from, toByte: begin + to, aim } };
}
