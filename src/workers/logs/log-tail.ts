/**
 * Where the last N lines of an open file begin, found from its end: the cost is that of the lines, not of the file. With
 * texts, the last N lines that have them.
 */
import { LINE_SIZE_MAX } from '../../base/lines/line-filter.ts';
import { TextSearch } from '../../base/lines/text-search.ts';
import { hasTexts, type LineTexts, LookedAt, wantedBytes } from '../../base/lines/wanted-texts.ts';
import type { LogTail, LogTailTask } from '../task/task.ts';
import { readAt } from './log-read.ts';

const CHUNK_SIZE = 128 * 1024;
const NEWLINE = 0x0a;

export async function logTail(task: LogTailTask): Promise<LogTail> {
  const { fd, size, lines, texts } = task;
  const unfinished = texts.length === 0 ? size : await lineStart(fd, size);
  if (lines === null) return { start: 0, unfinished };
  if (lines === 0) return { start: size, unfinished };
  const start = texts.length === 0 ? lastLines(fd, size, lines) : lastMatches(fd, size, lines, texts);
  return { start: await start, unfinished };
}

/** Where the last line begins that has no line break yet; the end where there is none. */
async function lineStart(fd: number, size: number): Promise<number> {
  for await (const { bytes, from } of backwards(fd, size)) {
    const newline = bytes.lastIndexOf(NEWLINE);
    if (newline >= 0) return from + newline + 1;
    // A line this long is taken in pieces.
    if (size - from >= LINE_SIZE_MAX) return size;
  }
  return 0;
}

async function lastLines(fd: number, size: number, lines: number): Promise<number> {
  let left = lines;
  for await (const { bytes, from } of backwards(fd, size)) {
    // The break at the very end closes the last line; it does not begin another.
    let at = from + bytes.length === size ? bytes.length - 2 : bytes.length - 1;
    for (; at >= 0; at--) {
      at = bytes.lastIndexOf(NEWLINE, at);
      if (at < 0) break;
      if (--left === 0) return from + at + 1;
    }
  }
  return 0;
}

async function lastMatches(fd: number, size: number, lines: number, texts: LineTexts): Promise<number> {
  const groups = wantedBytes(texts);
  const wanted = groups.find(({ isExcluded }) => !isExcluded);
  const others = groups.filter((group) => group !== wanted);
  let left = lines;
  let start = size;
  // The beginning of a line whose end was read before.
  let tail: Buffer = Buffer.alloc(0);
  for await (const { bytes, from } of backwards(fd, size)) {
    const all = tail.length === 0 ? bytes : Buffer.concat([bytes, tail]);
    const first = from === 0 ? 0 : all.indexOf(NEWLINE) + 1;
    const whole = first === 0 && from > 0 && all.length < LINE_SIZE_MAX ? all.length : first;
    const looked = LookedAt.for(all, groups);
    const search = wanted && new TextSearch(looked.as(wanted), wanted.texts);
    for (let end = all.length; end > whole; ) {
      // Of what is left out there is no next place: each line is looked at.
      const found = search ? search.before(end) : end - 1;
      if (found < whole) break;
      const begin = found === 0 ? 0 : Math.max(whole, all.lastIndexOf(NEWLINE, found - 1) + 1);
      const line = looked.part(begin, lineEnd(all, found));
      end = begin;
      if (!hasTexts(line, others)) continue;
      start = from + begin;
      if (--left === 0) return start;
    }
    tail = all.subarray(0, whole);
  }
  return start;
}

function lineEnd(bytes: Buffer, at: number): number {
  const newline = bytes.indexOf(NEWLINE, at);
  return newline < 0 ? bytes.length : newline + 1;
}

async function* backwards(fd: number, size: number): AsyncGenerator<{ bytes: Buffer; from: number }> {
  for (let end = size; end > 0; ) {
    const from = Math.max(0, end - CHUNK_SIZE);
    const bytes = Buffer.allocUnsafe(end - from);
    const { bytesRead } = await readAt(fd, bytes, 0, bytes.length, from);
    yield { bytes: bytes.subarray(0, bytesRead), from };
    end = from;
  }
}
