/** Fleets of `cairn fleet` for tests: small ones, and what they report. */
import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import type { Report } from '../../fleet/report.ts';

/** Nodes, jobs and speed of a fleet that lives through everything in some seconds. */
const SMALL = ['--nodes', '25', '--jobs', '80', '--speed', '600', '--json', '--quiet'];

export interface FleetRun {
  readonly report: Report;
  readonly code: number | null;
}

export function startFleet(
  server: string,
  ...args: readonly string[]
): { child: ChildProcess; ended: Promise<FleetRun> } {
  const child = spawn(process.execPath, ['bundle/src/main.js', 'fleet', '--server', server, ...SMALL, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const out: Buffer[] = [];
  const faults: Buffer[] = [];
  child.stdout?.on('data', (chunk: Buffer) => out.push(chunk));
  child.stderr?.on('data', (chunk: Buffer) => faults.push(chunk));
  const ended = new Promise<FleetRun>((resolve, reject) => {
    child.once('close', (code) => {
      try {
        resolve({ report: JSON.parse(Buffer.concat(out).toString()) as Report, code });
      } catch {
        reject(new Error(`the fleet ended with ${code} and no report; it said: ${Buffer.concat(faults).toString()}`));
      }
    });
  });
  return { child, ended };
}

export function assertNoDifference({ report, code }: FleetRun): void {
  assert.deepEqual(report.differenceTexts, []);
  assert.deepEqual(report.errorTexts, []);
  assert.equal(code, 0);
}

export function comparedOf({ compared }: Report, what: string): { compared: number; differences: number } {
  const line = compared?.find((item) => item.what === what);
  assert.ok(line, `${what} was compared`);
  return line;
}
