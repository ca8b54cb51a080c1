/** What a line of a log says: Cairn's own are JSON, a workload's are anything. Pure. */
import { LOG_LEVELS } from '../../../src/base/log-level.ts';

export interface LogLine {
  /** RFC 3339; empty where the line does not tell. */
  readonly time: string;
  /** A level of LOG_LEVELS; empty where the line does not tell. */
  readonly level: string;
  readonly text: string;
  /** The other fields, as `name=value`. */
  readonly fields: string;
}

const LEVELS: ReadonlySet<string> = new Set(LOG_LEVELS);

export function readLogLine(line: string): LogLine {
  const json = line.startsWith('{') ? tryJson(line) : undefined;
  if (!json) return { time: '', level: levelWord(line), text: line, fields: '' };
  const { time, level, message, ...others } = json;
  const fields = Object.entries(others).map(
    ([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`,
  );
  return {
    time: typeof time === 'string' ? time : '',
    level: typeof level === 'string' && LEVELS.has(level) ? level : '',
    text: typeof message === 'string' ? message : '',
    fields: fields.join(' '),
  };
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
