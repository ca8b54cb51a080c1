/** The guard of a dump (`shim/hold.c`): it stops the job, runs CRIU, and puts right what a killed CRIU leaves in the job. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { promisify } from 'node:util';

const run = promisify(execFile);
/** Thousands of threads take a second. */
const RELEASE_MS = 60_000;

export interface HoldReport {
  /** From the first process that stopped to the last one that went on. */
  readonly frozenMs: number;
  /** How CRIU ended: its exit code, or the number of the signal that killed it. */
  readonly code: number | null;
  readonly signal: number | null;
}

export interface HeldDump {
  readonly program: string;
  readonly record: string;
  readonly report: string;
  readonly image: string;
  readonly init: number;
}

export function holdArgs({ record, report, image, init }: HeldDump, engine: readonly string[]): string[] {
  return ['dump', '--record', record, '--report', report, '--image', image, '--init', String(init), '--', ...engine];
}

/** Pure. Null where the guard did not come to its end. */
export function holdReportIn(text: string): HoldReport | null {
  const frozen = /^frozen (\d+)$/m.exec(text)?.[1];
  const end = /^(code|signal) (\d+)$/m.exec(text);
  if (frozen === undefined || !end) return null;
  const number = Number(end[2]);
  const isCode = end[1] === 'code';
  return { frozenMs: Number(frozen) / 1_000, code: isCode ? number : null, signal: isCode ? null : number };
}

/** Lets a job go on whose guard was killed. Throws where that is not possible. */
export async function releaseHeld(program: string | null, record: string): Promise<void> {
  if (program === null || !(existsSync(record) || existsSync(`${record}.done`))) return;
  await run(program, ['release', '--record', record], { timeout: RELEASE_MS });
}
