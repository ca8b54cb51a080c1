/** The version of this program, from its package. */
import { readFileSync } from 'node:fs';

export const VERSION: string = readVersion();

function readVersion(): string {
  const path = new URL('../../../package.json', import.meta.url);
  return (JSON.parse(readFileSync(path, 'utf8')) as { version: string }).version;
}
