/**
 * The fleet on bad days: no difference after a kill in the middle, and a difference where somebody tampers, because an oracle
 * that cannot fail proves nothing.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Api, until } from '../../support/api.ts';
import { assertNoDifference, comparedOf, startFleet } from '../../support/fleet-run.ts';
import { ServerProcess } from '../../support/server-process.ts';

/** WebSockets that the access log tells of. */
async function upgradesOf(server: ServerProcess): Promise<number> {
  return (await server.logText('cairn-access.log')).match(/"status":101/g)?.length ?? 0;
}

test('a server that is killed in the middle and started again has lost and doubled nothing', async (t) => {
  let server = await ServerProcess.start();
  t.after(() => server.dispose());
  const api = new Api(server.address);
  t.after(() => api.close());
  const { ended } = startFleet(server.address, '--duration', '4s', '--seed', '2');
  await until(
    () => api.get('/api/v1/job'),
    ({ json }) => json.length >= 20,
    'twenty jobs to have begun',
  );
  await server.kill('SIGKILL');
  server = await ServerProcess.start({ folders: server.folders });
  const run = await ended;
  assertNoDifference(run);
  assert.ok(run.report.failedTries > 0, 'the kill was felt');
  assert.equal(comparedOf(run.report, 'jobs').compared, 80);
});

test('WebSockets that a kill broke are opened again, and a fleet that is interrupted then has no difference', async (t) => {
  let server = await ServerProcess.start();
  t.after(() => server.dispose());
  // Longer than any server takes to come back, and ended when it has.
  const { child, ended } = startFleet(server.address, '--duration', '5m', '--jobs', '20');
  const before = await until(
    () => upgradesOf(server),
    (count) => count >= 5,
    'five WebSockets',
  );
  await server.kill('SIGKILL');
  server = await ServerProcess.start({ folders: server.folders });
  await until(
    () => upgradesOf(server),
    (count) => count > before,
    'a WebSocket after the kill',
    30_000,
  );
  child.kill('SIGINT');
  const run = await ended;
  assertNoDifference(run);
  assert.ok(run.report.sockets > before, `${run.report.sockets} WebSockets were opened`);
});

test('a fleet that is kept to HTTP opens no WebSocket and finds the same', async (t) => {
  const server = await ServerProcess.start();
  t.after(() => server.dispose());
  const run = await startFleet(server.address, '--duration', '3s', '--transport', 'http', '--batch', '10').ended;
  assertNoDifference(run);
  assert.ok(run.report.beats > 0);
  assert.deepEqual([run.report.sockets, run.report.socketBeats], [0, 0]);
});

test('an event and a sample behind the fleet’s back are found, and the exit code says so', async (t) => {
  const server = await ServerProcess.start();
  t.after(() => server.dispose());
  const api = new Api(server.address);
  t.after(() => api.close());
  const { ended } = startFleet(server.address, '--duration', '2s', '--prefix', 'tampered');
  const { json: jobs } = await until(
    () => api.get('/api/v1/job'),
    ({ json }) => json.length > 0,
    'a job to tamper with',
  );
  const { id, queueName, createdAt } = jobs[0];
  const noted = await api.post(`/api/v1/job/${id}/event`, { timestamp: createdAt, eventType: 'Job-Noted' });
  assert.equal(noted.status, 200);
  const sample = { objectId: `queue-${queueName}`, definitionId: 'jobSubmitted', time: createdAt, value: 1 };
  assert.equal((await api.post('/api/v1/metricValue', [sample])).json.accepted, 1);
  const { report, code } = await ended;
  assert.equal(code, 1);
  assert.equal(comparedOf(report, 'jobs').differences > 0, true);
  assert.equal(comparedOf(report, 'queue series').differences > 0, true);
  assert.ok(
    report.differenceTexts.some((text) => text.includes(id)),
    'the job is named',
  );
});
