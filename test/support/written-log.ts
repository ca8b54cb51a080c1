/** A logger that keeps its lines for the test to look at. */
import { createLogger, type Logger } from '../../src/base/log.ts';

export interface WrittenLine {
  readonly level: string;
  readonly message: string;
  readonly [field: string]: unknown;
}

export interface WrittenLog {
  readonly log: Logger;
  readonly lines: WrittenLine[];
}

export function writtenLog(): WrittenLog {
  const lines: WrittenLine[] = [];
  const log = createLogger({ write: (line) => lines.push(JSON.parse(line) as WrittenLine) }, 'trace');
  return { log, lines };
}
