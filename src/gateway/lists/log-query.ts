/** What a log route is asked for beside the file: the last lines, lines with a text or a level, what comes (contract section 7). */
import { CodedError } from '../../base/errors.ts';
import type { LineTexts } from '../../base/lines/wanted-texts.ts';
import { LOG_LEVELS, type LogLevel } from '../../base/log-level.ts';
import { idSchema } from '../../protocol/id.ts';
import { textsOfWords, WORDS_MAX, wordsOf } from '../../protocol/lists/log-words.ts';

export interface LogQuery {
  /** Last lines; null for all. */
  readonly tail: number | null;
  readonly follow: boolean;
  /** Only lines that have these. */
  readonly texts: LineTexts;
  /** Following ends with this job too. */
  readonly job: string | null;
}

/** Lines of our own logs have levels; those of nodes may be anything. */
type LogKind = 'server' | 'access' | 'node';

const TEXT_LENGTH_MAX = 1_024;

/** Throws `invalid` with a reason for every bad parameter. */
export function logQueryOf(query: URLSearchParams, kind: LogKind = 'node'): LogQuery {
  const faults: Record<string, string> = {};
  const tail = query.get('tail');
  if (tail !== null && !/^\d{1,15}$/.test(tail)) faults['tail'] = 'is not a whole number of lines';
  const follow = query.get('follow');
  if (follow !== null && follow !== 'true' && follow !== 'false') faults['follow'] = 'is neither true nor false';
  const q = query.get('q');
  const words = query.get('words') ?? '';
  for (const [name, fault] of Object.entries({ q: faultOf(q ?? ''), words: faultOfWords(words) }))
    if (fault !== undefined) faults[name] = fault;
  const level = query.get('level');
  if (kind !== 'node' && level !== null && !isLevel(level)) faults['level'] = `is none of ${LOG_LEVELS.join(', ')}`;
  const job = query.get('job');
  if (job !== null && !idSchema.safeParse(job).success) faults['job'] = 'is not a job id';
  if (Object.keys(faults).length > 0) throw new CodedError('invalid', undefined, faults);
  const levels = kind !== 'node' && level !== null && isLevel(level) ? levelTexts(level, kind) : [];
  // The rarer one first: the search goes from one line that has it to the next.
  const texts = [
    ...(q ? [{ texts: [q] }] : []),
    ...textsOfWords(words),
    ...(levels.length === 0 ? [] : [{ texts: levels }]),
  ];
  return { tail: tail === null ? null : Number(tail), follow: follow === 'true', texts, job };
}

function faultOf(text: string): string | undefined {
  if (text.length > TEXT_LENGTH_MAX) return `has more than ${TEXT_LENGTH_MAX} characters`;
  return text.includes('\n') ? 'has a line break' : undefined;
}

function faultOfWords(words: string): string | undefined {
  return faultOf(words) ?? (wordsOf(words).length > WORDS_MAX ? `has more than ${WORDS_MAX} words` : undefined);
}

function isLevel(name: string): name is LogLevel {
  return LOG_LEVELS.some((level) => level === name);
}

/** A browser that leaves closes its streams (499): that refused nothing. */
const REFUSED = ['40', '41', '42', '43', '44', '45', '46', '47', '48'];

/** What the lines of this level and of worse ones contain, as they are written; none where every line is wanted. */
function levelTexts(level: LogLevel, kind: Exclude<LogKind, 'node'>): readonly string[] {
  const rank = LOG_LEVELS.indexOf(level);
  if (rank === 0) return [];
  if (kind === 'server') return LOG_LEVELS.slice(rank).map((name) => `"level":"${name}"`);
  const failed = '"status":5';
  if (rank < LOG_LEVELS.indexOf('warn')) return [];
  return level === 'warn' ? [...REFUSED.map((digits) => `"status":${digits}`), failed] : [failed];
}
