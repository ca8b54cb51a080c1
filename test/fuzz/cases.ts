/** Requests that were once answered wrongly, kept in `test/fuzz/cases/`, one file each. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { RawRequest } from './raw-connection.ts';

const READABLE_SIZE_MAX = 2_000;
const FOLDER = join('test', 'fuzz', 'cases');

export interface FuzzCase extends RawRequest {
  readonly name: string;
  /** What was wrong. */
  readonly fault: string;
}

interface StoredCase {
  readonly fault: string;
  readonly methods: readonly string[];
  /** Latin-1, so that it can be read, or (where it is long) compressed and in base 64. */
  readonly text?: string;
  readonly gzip?: string;
}

export function keptCases(): FuzzCase[] {
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => {
      const stored = JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as StoredCase;
      const { fault, methods, text, gzip } = stored;
      const bytes = gzip === undefined ? Buffer.from(text ?? '', 'latin1') : gunzipSync(Buffer.from(gzip, 'base64'));
      return { name, fault, methods, bytes };
    });
}

/** The file that holds it from now on. */
export function keepCase({ bytes, methods }: RawRequest, fault: string): string {
  const path = join(FOLDER, `${createHash('sha256').update(bytes).digest('hex').slice(0, 12)}.json`);
  const isLong = bytes.length > READABLE_SIZE_MAX;
  const form = isLong ? { gzip: gzipSync(bytes).toString('base64') } : { text: bytes.toString('latin1') };
  const stored: StoredCase = { fault: fault.slice(0, 200), methods, ...form };
  writeFileSync(path, `${JSON.stringify(stored, null, 2)}\n`);
  return path;
}
