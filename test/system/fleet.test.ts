/** The fleet against a real server: no difference on a good day. More in `test/system/fleet/troubles.test.ts`. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { type TestContext, test } from 'node:test';
import type { Report } from '../../fleet/report.ts';
import { assertNoDifference, comparedOf, startFleet } from '../support/fleet-run.ts';
import { ServerProcess } from '../support/server-process.ts';

const COMPARED = [
  ...['jobs', 'single jobs', 'all nodes', 'queue series', 'system total series', 'node series', 'posted series'],
  ...['summary', 'metric entries', 'node log lists', 'node log files'],
];

/** What a fleet reports that finds no difference on a server of its own. */
async function reportOf(t: TestContext, duration: string): Promise<Report> {
  const server = await ServerProcess.start({ addr: 'https://127.0.0.1:0' });
  t.after(() => server.dispose());
  const run = await startFleet(server.address, '--duration', duration, '--batch', '10').ended;
  assertNoDifference(run);
  return run.report;
}

test('a fleet finds everything as it told it, over HTTPS and with heartbeats in frames of several', async (t) => {
  let report = await reportOf(t, '3s');
  // On a busy machine no node comes to the first piece of its log in that time.
  if (report.logBytes === 0) report = await reportOf(t, '30s');
  assert.ok(report.socketBeats > 0);
  // A machine that has too much to do may cost a handshake, and then some beats go over HTTP.
  assert.ok(report.socketBeats === report.beats || report.failedTries > 0, `${report.socketBeats} of ${report.beats}`);
  for (const what of COMPARED) assert.ok(comparedOf(report, what).compared > 0, what);
});

test('a fleet without a server, or with bad options, does not begin', async () => {
  for (const args of [
    ['--server', 'http://127.0.0.1:1'],
    ['--nodes', 'many'],
  ]) {
    const child = spawn(process.execPath, ['bundle/src/main.js', 'fleet', ...args], { stdio: 'ignore' });
    assert.equal(await new Promise((resolve) => child.once('exit', resolve)), 2, args.join(' '));
  }
});
