/**
 * Finds the place in a log where its times pass a moment: a search by halves over byte ranges, so that a log of any size costs
 * some twenty small reads. Lines without a time belong to the one before.
 */
import { hasWords, textsOfWords } from '../../../src/protocol/lists/log-words.ts';
import { ask, withQuery } from '../api/request.ts';
import { type LogPlace, linesAround } from './lines-around.ts';
import { timeOfLine } from './log-line.ts';

/** Bytes of a probe: longer than most lines. */
const PROBE_BYTES = 16_384;
/** What is read and shown from the place on. */
const WINDOW_BYTES = 524_288;
/** What is read before it, where its surroundings are asked for. */
const LEAD_BYTES = 131_072;

export interface LogWindow {
  /** Complete lines from the moment on, or also before it; of too many those next to it. */
  readonly lines: readonly string[];
  /** Whether the log has lines before them. */
  readonly hasOlder: boolean;
  /** Whether the log goes on behind them. */
  readonly hasMore: boolean;
  /** Whether no line that was read tells a time, so that no moment can be found. */
  readonly isTimeless: boolean;
  /** Of a byte that was asked for. */
  readonly place?: LogPlace;
}

interface Wanted {
  /** Around this byte, in place of a moment: lines may tell no time. */
  readonly atByte: number | undefined;
  /** Milliseconds since 1970. */
  readonly atMs: number;
  /** Whether lines before the moment are wanted, too. */
  readonly isAround: boolean;
  /** Only lines that have these words; empty for all. */
  readonly q: string;
  /** Only lines of this level and of worse ones, which the server knows of its own logs; undefined for all. */
  readonly level: string | undefined;
  /** Lines that the answer may have. */
  readonly linesMax: number;
}

/** Rejects with ApiError. */
export async function seekLog(path: string, wanted: Wanted, signal: AbortSignal): Promise<LogWindow> {
  const { atByte, atMs, isAround, q, level, linesMax } = wanted;
  if (!isAround && isOwn(path) && (q !== '' || level !== undefined)) return searched(path, wanted, signal);
  // The beginning needs no time.
  const byte = atByte ?? (atMs <= 0 && !isAround ? 0 : undefined);
  if (byte !== undefined) return aroundByte(path, byte, { q, linesMax }, signal);
  const read = (start: number, length: number): Promise<Piece> => readPiece(path, start, length, signal);
  const { size } = await read(0, 1);
  let low = 0;
  let high = size;
  while (high - low > PROBE_BYTES) {
    const middle = Math.floor((low + high) / 2);
    const time = firstTime((await read(middle, PROBE_BYTES)).text, middle === 0);
    // Without a time there is nothing to go by: the earlier half is read on.
    if (time !== undefined && time < atMs) low = middle;
    else high = middle;
  }
  const begin = Math.max(0, low - (isAround ? LEAD_BYTES : 0));
  const { text } = await read(begin, WINDOW_BYTES);
  const isCut = begin + WINDOW_BYTES < size;
  const all = wholeLines(text, begin === 0, !isCut);
  const at = all.findIndex((line) => (timeOfLine(line) ?? Number.NEGATIVE_INFINITY) >= atMs);
  const end = at < 0 ? all.length : at;
  // Chosen behind the moment that was found in all: those without a time belong to the one before.
  const texts = textsOfWords(q);
  const chosen = (some: readonly string[]): string[] => some.filter((line) => hasWords(line, texts));
  const lead = isAround ? chosen(all.slice(0, end)).slice(-Math.floor(linesMax / 2)) : [];
  const lines = [...lead, ...chosen(all.slice(end))];
  const isTimeless = size > 0 && all.every((line) => timeOfLine(line) === undefined);
  return {
    lines: lines.slice(0, linesMax),
    hasOlder: begin > 0 || (!isAround && end > 0),
    hasMore: isCut || lines.length > linesMax,
    isTimeless,
  };
}

async function aroundByte(
  path: string,
  atByte: number,
  { q, linesMax }: Pick<Wanted, 'q' | 'linesMax'>,
  signal: AbortSignal,
): Promise<LogWindow> {
  const begin = Math.max(0, atByte - LEAD_BYTES);
  const { bytes, size } = await readBytes(path, begin, WINDOW_BYTES, signal);
  const isEnd = begin + bytes.length >= size;
  const { lines, place } = linesAround({ bytes, begin, isEnd, atByte, linesMax });
  const texts = textsOfWords(q);
  return {
    lines: lines.filter((line) => hasWords(line, texts)),
    hasOlder: place.fromByte > 0,
    hasMore: place.toByte < size,
    isTimeless: false,
    // Among some of the lines it is no other one.
    place: q === '' ? place : { ...place, aim: -1 },
  };
}

/** Bytes; what is appended meanwhile is not in it. Rejects with ApiError. */
export async function sizeOfLog(path: string): Promise<number> {
  return (await readBytes(path, 0, 1, new AbortController().signal)).size;
}

/** Whether it is a log of the server, of which every line has a time, and older lines are in files beside it. */
export function isOwn(path: string): boolean {
  return !path.startsWith('/nodes/');
}

/** What the server finds in all of the log, from the moment on. */
async function searched(path: string, { atMs, q, level, linesMax }: Wanted, signal: AbortSignal): Promise<LogWindow> {
  const response = await ask(withQuery(path, { words: q, level, tail: linesMax }), { signal });
  const lines = wholeLines(await response.text(), true, true);
  return {
    lines: lines.filter((line) => (timeOfLine(line) ?? atMs) >= atMs),
    hasOlder: false,
    hasMore: false,
    isTimeless: false,
  };
}

/** Milliseconds since 1970 of the first line that tells a time; undefined without one. Rejects with ApiError. */
export async function beginOfLog(path: string, signal: AbortSignal): Promise<number | undefined> {
  return firstTime((await readPiece(path, 0, PROBE_BYTES, signal)).text, true);
}

interface Piece {
  readonly text: string;
  readonly size: number;
}

async function readPiece(path: string, start: number, length: number, signal: AbortSignal): Promise<Piece> {
  const { bytes, size } = await readBytes(path, start, length, signal);
  return { text: new TextDecoder().decode(bytes), size };
}

async function readBytes(
  path: string,
  start: number,
  length: number,
  signal: AbortSignal,
): Promise<{ readonly bytes: Uint8Array; readonly size: number }> {
  const response = await ask(path, { headers: { range: `bytes=${start}-${start + length - 1}` }, signal });
  const size = Number(/\/(\d+)$/.exec(response.headers.get('content-range') ?? '')?.[1] ?? 0);
  return { bytes: new Uint8Array(await response.arrayBuffer()), size };
}

function firstTime(text: string, isBeginning: boolean): number | undefined {
  for (const line of wholeLines(text, isBeginning, false)) {
    const time = timeOfLine(line);
    if (time !== undefined) return time;
  }
  return undefined;
}

function wholeLines(text: string, isBeginning: boolean, isEnd: boolean): string[] {
  const lines = text.split('\n');
  if (!isBeginning) lines.shift();
  if (!isEnd || lines.at(-1) === '') lines.pop();
  return lines;
}
