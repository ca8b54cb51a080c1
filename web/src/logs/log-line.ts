/** What a line of a log says: Cairn's own are JSON, a workload's are anything. Pure. */
import { LOG_LEVELS } from '../../../src/base/log-level.ts';

export interface LogLine {
  /** RFC 3339; empty where the line does not tell. */
  readonly time: string;
  /** A level of LOG_LEVELS; empty where the line does not tell. */
  readonly level: string;
  readonly text: string;
  /** The other fields: names and values. */
  readonly fields: readonly (readonly [name: string, value: string])[];
}

const LEVELS: ReadonlySet<string> = new Set(LOG_LEVELS);

export function readLogLine(line: string): LogLine {
  const json = line.startsWith('{') ? tryJson(line) : undefined;
  if (!json) return { ...timeFirst(line), level: levelWord(line), fields: [] };
  const { time, level, message, ...others } = json;
  return {
    time: typeof time === 'string' ? time : '',
    level: typeof level === 'string' && LEVELS.has(level) ? level : '',
    text: typeof message === 'string' ? message : '',
    fields: Object.entries(others)
      .toSorted(([a], [b]) => rankOf(a) - rankOf(b))
      .map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  };
}

/** What the line is about comes first, and which of the server's threads wrote it last; the others stay in their order. */
function rankOf(name: string): number {
  return name === 'job' || name === 'node' ? 0 : name === 'queue' ? 1 : name === 'thread' ? 3 : 2;
}

/** RFC 3339 with a zone, at the beginning of a line. */
const TIME_FIRST = /^\[?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))\]?(?= |$) ?/;

/** The time that a line begins with is shown as that of every other line; the line itself stands below, unfolded. */
function timeFirst(line: string): Pick<LogLine, 'time' | 'text'> {
  const [begin = '', time = ''] = TIME_FIRST.exec(line) ?? [];
  return { time, text: line.slice(begin.length) };
}

function tryJson(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** Programs of all kinds write their level as a word near the beginning. */
function levelWord(line: string): string {
  const word = /\b(trace|debug|info|warn(?:ing)?|error|fatal)\b/i.exec(line.slice(0, 80))?.[1]?.toLowerCase() ?? '';
  return word === 'warning' ? 'warn' : word;
}

const WRITTEN_TIME = /\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d+)?(?:Z|[+-]\d{2}:?\d{2})?/;

/** Milliseconds since 1970; undefined where the line tells no time. One without a zone is UTC, as servers write it. */
export function timeOfLine(line: string): number | undefined {
  const written = WRITTEN_TIME.exec(line.slice(0, 120))?.[0];
  if (written === undefined) return undefined;
  const text = written.replace(' ', 'T').replace(',', '.');
  const ms = Date.parse(/(Z|[+-]\d{2}:?\d{2})$/.test(text) ? text : `${text}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
