/**
 * `cairn fleet`: a simulated fleet that speaks the worker protocol to a real server, and compares what the server answers
 * with its own model. The product's load tool, demonstration and oracle at once; it shares no code with the server beyond
 * the words of the protocol.
 */

import type { CommandInput } from '../src/base/command-input.ts';
import { UsageError } from '../src/base/usage-error.ts';
import { isLoopback } from '../src/protocol/config/loopback.ts';
import { isGood, renderReport, reportOf } from './report.ts';
import { type FleetOptions, readOptions } from './run/options.ts';
import { persistenceOf } from './run/run-context.ts';
import { type FinishedRun, runFleet } from './run/run-fleet.ts';
import { RunStats } from './run/run-stats.ts';
import { askServer, NoServer } from './run/server-facts.ts';
import type { Comparison } from './verify/comparison.ts';
import { verify } from './verify/verify.ts';
import { Client } from './wire/client.ts';

const BAD_USAGE = 2;
/** Reading everything back takes seconds; a server that is gone by then is given up after this. */
const VERIFY_MS_MAX = 600_000;

/** Resolves with the exit code: 0 without any difference or error, 1 with one, 2 where it could not begin. */
export async function fleetCommand({ values }: CommandInput): Promise<number> {
  try {
    return await play(readOptions(values, process.env, Date.now()));
  } catch (error) {
    if (!(error instanceof NoServer)) throw error;
    process.stderr.write(`cairn fleet: ${error.message}\n`);
    return BAD_USAGE;
  }
}

async function play(options: FleetOptions): Promise<number> {
  const client = new Client(options);
  try {
    const { spanSecondsMax, ...server } = await askServer(client, isLoopback(options.server.hostname));
    if (options.durationSeconds * options.speed > spanSecondsMax) {
      throw new UsageError(
        `cannot simulate ${options.durationSeconds} s at speed ${options.speed}: this server keeps ${spanSecondsMax} s of history`,
      );
    }
    const finished = await runFleet(options, client, server);
    const report = reportOf(
      options.server,
      finished,
      options.verify ? await compare(finished, options.quiet) : undefined,
    );
    process.stdout.write(options.json ? `${JSON.stringify(report, null, 2)}\n` : renderReport(report));
    return isGood(report) ? 0 : 1;
  } finally {
    client.close();
  }
}

/** With figures of its own: questions are not the load that the report measures. */
function compare({ run, jobs, ownSamples }: FinishedRun, quiet: boolean): Promise<Comparison> {
  if (!quiet) process.stderr.write('reading back\n');
  const persistence = persistenceOf(new RunStats(), AbortSignal.timeout(VERIFY_MS_MAX));
  return verify({ ...run, persistence }, jobs, ownSamples);
}
