/** A folder that is gone when the test is. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';

export function temporaryFolder(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'cairn-agent-test-'));
  context.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
