/** What the server finds about a job or a node, and what to do (contract section 14). */

import { colorOf } from '../output/colors.ts';
import { printJson, printRows } from '../output/rows.ts';
import type { Row } from '../output/values.ts';
import type { Session } from './session.ts';

interface Explanation {
  readonly summary: string;
  readonly findings: readonly (Row & {
    readonly severity: string;
    readonly text: string;
    readonly remedy?: string | null;
  })[];
}

export async function printExplanation({ client, screen }: Session, path: string): Promise<void> {
  const text = await client.text(path);
  if (screen.form === 'json') return printJson(screen, text);
  const { summary, findings } = JSON.parse(text) as Explanation;
  if (screen.form !== 'table') return printRows(screen, [], findings);
  await screen.print(`${summary}\n`);
  for (const { severity, text: what, remedy } of findings) {
    await screen.print(`${screen.paint(severity, colorOf(severity))}: ${what}\n`);
    if (remedy) await screen.print(`  remedy: ${remedy}\n`);
  }
}
