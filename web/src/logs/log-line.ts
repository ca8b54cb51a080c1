/** What a line of a log says: Cairn's own are JSON, a workload's are anything. Pure. */
import { LOG_LEVELS } from '../../../src/base/log-level.ts';

type Field = readonly [name: string, value: string];

export interface LogLine {
  /** RFC 3339; empty where the line does not tell. */
  readonly time: string;
  /** A level of LOG_LEVELS; empty where the line does not tell. */
  readonly level: string;
  readonly text: string;
  /** What the event is about and what went wrong are told apart: the first must be in sight where the second has no room. */
  readonly detail: string;
  /** Of a line of the access log: how the request ended, and after how long. */
  readonly request?: { readonly status: number; readonly took: string };
  /** The other fields, what tells most first. */
  readonly fields: readonly Field[];
  /** What is read only where the line is looked at by itself. */
  readonly rest: readonly Field[];
}

const LEVELS: ReadonlySet<string> = new Set(LOG_LEVELS);

export function readLogLine(line: string): LogLine {
  const json = line.startsWith('{') ? tryJson(line) : undefined;
  if (!json) return { ...plainLine(line), detail: '', fields: [], rest: [] };
  const { time, level, ...said } = json;
  const { message, ...others } = withMessage(said);
  const begin = { time: timeText(time), level: levelName(level) };
  if (message === undefined && isRequest(others)) return { ...begin, detail: '', ...requestOf(others) };
  const { detail, ...about } = others;
  const all = fieldsOf(about).toSorted(([a], [b]) => rankOf(a) - rankOf(b));
  return {
    ...begin,
    text: textOf(message),
    detail: textOf(detail),
    fields: all.filter(([name]) => !REST.has(name)),
    rest: all.filter(([name]) => REST.has(name)),
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

/** Loggers that write JSON (pino, bunyan, slog, zap) call the message so. */
function withMessage({ msg, ...others }: Readonly<Record<string, unknown>>): Record<string, unknown> {
  if (msg === undefined) return others;
  return typeof msg === 'string' && others['message'] === undefined ? { message: msg, ...others } : { msg, ...others };
}

/** Some of them write milliseconds since 1970. */
function timeText(time: unknown): string {
  if (typeof time === 'string') return time;
  return typeof time === 'number' && Math.abs(time) <= LAST_MS ? new Date(time).toISOString() : '';
}

/** The last moment that a `Date` has. */
const LAST_MS = 8.64e15;

/** By name, in capitals or not, or by the numbers of pino and bunyan: 10 is the first, 60 the last. */
function levelName(level: unknown): string {
  if (typeof level === 'number') return LOG_LEVELS[Math.ceil(level / 10) - 1] ?? '';
  const name = typeof level === 'string' ? level.toLowerCase() : '';
  return LEVELS.has(name) ? name : name === 'warning' ? 'warn' : '';
}

/** Which thread wrote it, where it stands in a record that is proven by hashes, and when a worker says that it happened. */
const REST: ReadonlySet<string> = new Set(['thread', 'audit', 'hash', 'at']);

/** What the line is about comes first; the others stay in their order. */
function rankOf(name: string): number {
  return isAbout(name) ? 0 : name === 'queue' ? 1 : 2;
}

/** Whether the field names the one thing that the line is about. */
export function isAbout(name: string): boolean {
  return name === 'job' || name === 'node';
}

function fieldsOf(json: Readonly<Record<string, unknown>>): Field[] {
  return Object.entries(json).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]);
}

type Request = Readonly<Record<'method' | 'url', string> & Record<'status' | 'ms', number>>;

function isRequest(json: Readonly<Record<string, unknown>>): json is Request {
  const isText = typeof json['method'] === 'string' && typeof json['url'] === 'string';
  return isText && typeof json['status'] === 'number' && typeof json['ms'] === 'number';
}

/** `count`: of requests that share a line. `user`: whose they were, where it is known. */
function requestOf({ method, url, ...others }: Request): Pick<LogLine, 'text' | 'request' | 'fields' | 'rest'> {
  const { status, ms } = others;
  const all = fieldsOf(others);
  const isFirst = ([name, value]: Field): boolean => name === 'count' || (name === 'user' && value !== 'anonymous');
  return {
    text: `${method} ${url}`,
    request: { status, took: ms < 1_000 ? `${ms.toFixed(1)} ms` : `${(ms / 1_000).toFixed(1)} s` },
    fields: all.filter(isFirst),
    rest: all.filter((field) => !isFirst(field)),
  };
}

/** RFC 3339 with a zone, at the beginning of a line. */
const TIME_FIRST = /^\[?(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?(?:Z|[+-]\d\d:\d\d))\]?(?= |$) ?/;

/** A level as the first word of a line. `Error: …` is no level: programs write the names of their errors so. */
const LEVEL_FIRST = /^\[?(?:TRACE|DEBUG|INFO|WARN(?:ING)?|ERROR|FATAL)\]?:?\s+(?=\S)/;

/** The time and the level that a line begins with are shown as those of every other line. */
function plainLine(line: string): Pick<LogLine, 'time' | 'level' | 'text'> {
  const [begin = '', time = ''] = TIME_FIRST.exec(line) ?? [];
  return { time, level: levelWord(line), text: line.slice(begin.length).replace(LEVEL_FIRST, '') };
}

function tryJson(line: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(line) as Record<string, unknown>;
  } catch {
    return undefined;
  }
}

/** Programs of all kinds write their level as a word near the beginning; a part of a name or of a path is none. */
const LEVEL_WORD = /(?<![\w./\\$-]|::)(trace|debug|info|warn(?:ing)?|error|fatal)(?![\w/\\$(-]|::|\.\w)/i;

/** What a shell, a runtime or the kernel says of a process that it ends. */
const FATAL =
  /\b(?:segmentation fault|bus error|illegal instruction|floating point exception|core dumped|out of memory)\b|^(?:panic:|terminate called\b)|(?:^|\bline \d+: +\d+ )(?:killed|aborted|terminated)(?=$|\s{2}|\s*\()/i;

function levelWord(line: string): string {
  if (FATAL.test(line)) return 'fatal';
  const word = LEVEL_WORD.exec(line.slice(0, 80))?.[1]?.toLowerCase() ?? '';
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
