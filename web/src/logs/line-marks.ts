/** When a line of a log was written, and how bad it is: what the strip above the lines is drawn from. Pure. */
import { LOG_LEVELS } from '../../../src/base/log-level.ts';
import { readLogLine, timeOfLine } from './log-line.ts';

export type Tone = 'bad' | 'warn' | 'plain';

export interface LineMark {
  /** Milliseconds since 1970; NaN where the line does not tell. */
  readonly ms: number;
  /** A level of LOG_LEVELS; empty where the line does not tell. */
  readonly level: string;
  readonly tone: Tone;
}

export function markOf(text: string): LineMark {
  const { time, level, request } = readLogLine(text);
  // As a line's own details have it, also where its time is written in another form.
  const ms = time === '' ? timeOfLine(text) : Date.parse(time);
  return { ms: ms ?? Number.NaN, level, tone: request ? toneOfStatus(request.status) : toneOfLevel(level) };
}

function toneOfLevel(level: string): Tone {
  return level === 'error' || level === 'fatal' ? 'bad' : level === 'warn' ? 'warn' : 'plain';
}

/** A browser that leaves a page closes its stream: nobody refused it. */
export const CLOSED_BY_CLIENT = 499;

export function toneOfStatus(status: number): Tone {
  if (status === CLOSED_BY_CLIENT) return 'plain';
  return status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'plain';
}

/** A line without a level belongs to the one before; where levels are chosen it is left out. A request that was refused is a warning. */
export function isAtLeast({ level: named, tone }: LineMark, least: string | undefined): boolean {
  if (least === undefined) return true;
  const level = named || LEVEL_OF[tone];
  const names: readonly string[] = LOG_LEVELS;
  return names.indexOf(level) >= names.indexOf(least);
}

const LEVEL_OF: Readonly<Record<Tone, string>> = { bad: 'error', warn: 'warn', plain: '' };

export type Counts = Readonly<Record<Tone, number>>;

export function countsOf(marks: readonly LineMark[]): Counts {
  const counts = { bad: 0, warn: 0, plain: 0 };
  for (const { tone } of marks) counts[tone]++;
  return counts;
}

export interface Course {
  /** Milliseconds since 1970, of the first and the last line. */
  readonly startMs: number;
  readonly endMs: number;
  /** One after the other, of equal length. */
  readonly bars: readonly (Counts & { readonly startMs: number })[];
}

/** Milliseconds since 1970. */
export type Ends = readonly [firstMs: number, lastMs: number];

/** The first and the last moment that lines tell, which are in the order of time; undefined where none tells one. */
export function endsOf(marks: readonly LineMark[]): Ends | undefined {
  const hasTime = ({ ms }: LineMark): boolean => !Number.isNaN(ms);
  const [first, last] = [marks.find(hasTime), marks.findLast(hasTime)];
  return first && last ? [first.ms, last.ms] : undefined;
}

const BARS = 90;

/**
 * `all`: from the first to the last of these, also where only some are drawn. Undefined without two moments to tell apart. A line
 * without a time stands with the one before it.
 */
export function courseOf(marks: readonly LineMark[], all = marks): Course | undefined {
  const times = all.flatMap(({ ms }) => (Number.isNaN(ms) ? [] : [ms]));
  const startMs = times.reduce((least, ms) => Math.min(least, ms), Number.POSITIVE_INFINITY);
  const endMs = times.reduce((most, ms) => Math.max(most, ms), Number.NEGATIVE_INFINITY);
  if (!(endMs > startMs)) return undefined;
  const stepMs = (endMs - startMs) / BARS;
  const bars = Array.from({ length: BARS }, (_, i) => ({ startMs: startMs + i * stepMs, bad: 0, warn: 0, plain: 0 }));
  let at = 0;
  for (const { ms, tone } of marks) {
    if (!Number.isNaN(ms)) at = Math.min(BARS - 1, Math.floor((ms - startMs) / stepMs));
    const bar = bars[at];
    if (bar) bar[tone]++;
  }
  return { startMs, endMs, bars };
}
