/** What the lines of a log have in common, by which its columns are made. Pure. */
import { readLogLine } from './log-line.ts';

export interface LogFacts {
  readonly hasTimes: boolean;
  /** Or the status of a request, which stands in the place of a level. */
  readonly hasLevels: boolean;
  /** Whether lines follow each other within a second: only milliseconds tell their times apart. */
  readonly isFast: boolean;
  /** Of the last line that was read for it and has a time: milliseconds since 1970. */
  readonly lastMs: number;
}

export const NO_FACTS: LogFacts = { hasTimes: false, hasLevels: false, isFast: false, lastMs: Number.NaN };

const SECOND_MS = 1_000;

/** `lines` follow those that the facts are of. What was so once stays so: columns do not come and go. */
export function factsWith(before: LogFacts, lines: readonly string[]): LogFacts {
  let { hasTimes, hasLevels, isFast, lastMs } = before;
  for (const line of lines) {
    // Nothing more is to be known, and the next thousands of lines are drawn from their own reading.
    if (isFast && hasLevels) break;
    const { time, level, request } = readLogLine(line);
    hasLevels ||= level !== '' || request !== undefined;
    const ms = Date.parse(time);
    if (Number.isNaN(ms)) continue;
    hasTimes = true;
    isFast ||= ms !== lastMs && Math.floor(ms / SECOND_MS) === Math.floor(lastMs / SECOND_MS);
    lastMs = ms;
  }
  return { hasTimes, hasLevels, isFast, lastMs };
}
