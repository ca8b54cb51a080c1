/** Positions in compiled modules, told as positions in their sources: only of what failed, because Node's own way reads the map of every module that is loaded. */
import { readFileSync } from 'node:fs';
import { SourceMap, type SourceMapPayload } from 'node:module';
import { dirname, resolve } from 'node:path';

const POSITION = /(?:file:\/\/)?(\/[^\s():]+\.js):(\d+):(\d+)/g;

/** The text of a stack; what has no map stays as it is. */
export function withSourcePositions(stack: string): string {
  return stack.replace(POSITION, (whole, file: string, line: string, column: string) => {
    const entry = mapOf(file)?.findEntry(Number(line) - 1, Number(column) - 1);
    if (!entry || !('originalSource' in entry)) return whole;
    return `${resolve(dirname(file), entry.originalSource)}:${entry.originalLine + 1}:${entry.originalColumn + 1}`;
  });
}

function mapOf(file: string): SourceMap | undefined {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as SourceMapPayload);
  } catch {
    return undefined;
  }
}
