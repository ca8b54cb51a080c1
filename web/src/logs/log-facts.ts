/** What the lines of a log have in common, by which its columns are made. Pure. */
import { readLogLine } from './log-line.ts';

export interface LogFacts {
  readonly hasTimes: boolean;
  /** Or the status of a request, which stands in the place of a level. */
  readonly hasLevels: boolean;
  /** Whether its times have parts of a second. */
  readonly hasMs: boolean;
  /** Whether a moment was looked for among lines that tell none. */
  readonly isTimeless: boolean;
}

export const NO_FACTS: LogFacts = { hasTimes: false, hasLevels: false, hasMs: false, isTimeless: false };

const PART_OF_SECOND = /:\d\d[.,]\d/;

/** `lines` follow those that the facts are of. What was so once stays so: columns do not come and go. */
export function factsWith(before: LogFacts, lines: readonly string[]): LogFacts {
  let { hasTimes, hasLevels, hasMs } = before;
  for (const line of lines) {
    // Nothing more is to be known, and the next thousands of lines are drawn from their own reading.
    if (hasMs && hasLevels) break;
    const { time, level, request } = readLogLine(line);
    hasLevels ||= level !== '' || request !== undefined;
    if (Number.isNaN(Date.parse(time))) continue;
    hasTimes = true;
    hasMs ||= PART_OF_SECOND.test(time);
  }
  return { ...before, hasTimes, hasLevels, hasMs };
}
