/** A folder for one test, gone when it ends. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { atEnd } from './at-end.ts';

export function temporaryFolder(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-test-'));
  atEnd(t, () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
