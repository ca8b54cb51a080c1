/** Reclaims of spot nodes, from outside (decision 0199). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ReclaimList, reclaimListSchema } from '../../../src/protocol/lists/reclaim.ts';
import type { WorkerNode } from '../../../src/protocol/node.ts';
import type { Answer, Api } from '../../support/api.ts';
import { withServer } from '../../support/with-server.ts';

let api: Api;
withServer({ args: ['--shards', '2'] }, (served) => {
  ({ api } = served);
});

async function ok(answer: Promise<Answer>): Promise<Answer> {
  const got = await answer;
  assert.equal(got.status, 200, got.text);
  return got;
}

async function reclaims(query = ''): Promise<ReclaimList> {
  const { json } = await ok(api.get(`/api/v1/reclaim${query}`));
  return reclaimListSchema.parse(json);
}

const register = (id: string, payType: string, pricePerHour: number): Promise<Answer> =>
  ok(api.put(`/api/v1/node/${id}`, { instance: { instanceId: `i-${id}`, zone: 'z', payType, pricePerHour } }));

test('a node that the cloud takes after a notice is told with what became of its jobs', async () => {
  await register('taken', 'spot', 0.36);
  await register('next', 'Spot', 0.72);
  await register('kept', 'OnDemand', 1);
  const startMs = Date.now();
  const after = (seconds: number): string => new Date(startMs + seconds * 1_000).toISOString();
  const began = [
    { timestamp: after(-900), eventType: 'Job-Creating', nodeOid: 'i-taken' },
    { timestamp: after(-900), eventType: 'Job-Running' },
    { timestamp: after(-300), eventType: 'Job-Checkpointing' },
    { timestamp: after(-290), eventType: 'Job-CheckpointSucceeded' },
  ];
  for (const id of ['j-moved', 'j-left']) await ok(api.post('/api/v1/job', { id, queueName: 'q', events: began }));
  assert.deepEqual((await reclaims()).reclaims, [], 'nothing was taken yet');
  const notice = { action: 'terminate', time: after(120) };
  for (const id of ['taken', 'kept']) await ok(api.post(`/api/v1/node/${id}/interruption`, notice));
  const [going] = (await reclaims()).reclaims;
  assert.deepEqual(
    [going?.nodeId, going?.state, going?.jobs.map(({ outcome }) => outcome)],
    ['taken', 'alive', ['running', 'running']],
  );
  const moved = [
    { timestamp: after(1), eventType: 'Job-Stopped' },
    { timestamp: after(31), eventType: 'Job-Restoring', nodeOid: 'i-next' },
    { timestamp: after(36), eventType: 'Job-RestoreSucceeded' },
  ];
  await ok(api.post('/api/v1/job/j-moved/event', moved));
  await ok(api.delete('/api/v1/node/taken'));
  const { totals, reclaims: rows, isComplete } = await reclaims();
  assert.deepEqual([totals.reclaims, totals.noticed, totals.jobs, isComplete], [1, 1, 2, true]);
  const [row] = rows;
  const { receivedAt, ...given } = row?.notice ?? {};
  assert.deepEqual(given, notice);
  assert.ok(receivedAt !== undefined && Date.parse(receivedAt) >= startMs, 'it tells when the notice came');
  const node = (await ok(api.get('/api/v1/node/taken'))).json as WorkerNode;
  assert.deepEqual([row?.time, row?.state, node.interruption], [node.lastHeartbeat, 'deregistered', notice]);
  const jobs = Object.fromEntries(row?.jobs.map((job) => [job.id, job]) ?? []);
  const { queueName, outcome, nodeOid } = jobs['j-moved'] ?? {};
  assert.deepEqual([queueName, outcome, nodeOid, jobs['j-left']?.outcome], ['q', 'restored', 'i-next', 'stranded']);
  // Run from the last save to its last sign, at the price of the node that repeats it.
  const { repeatedSeconds = 0, cost = 0 } = jobs['j-moved'] ?? {};
  assert.equal(repeatedSeconds, (Date.parse(node.lastHeartbeat) - Date.parse(after(-300))) / 1_000);
  assert.equal(cost, (repeatedSeconds / 3_600) * 0.72);
});

test('the range, the node and the limit are checked, and every fault is named', async () => {
  assert.deepEqual((await reclaims('?node=i-next')).reclaims, []);
  assert.equal((await reclaims('?node=i-taken&limit=1')).reclaims.length, 1);
  const range = '?start=2026-01-01T00:00:00Z&end=2026-01-02T00:00:00Z';
  const { start, end, totals } = await reclaims(range);
  assert.deepEqual([start, end, totals.reclaims], ['2026-01-01T00:00:00.000Z', '2026-01-02T00:00:00.000Z', 0]);
  const { status, json } = await api.get('/api/v1/reclaim?start=soon&end=2026-01-02T00:00:00Z&limit=0&zone=a');
  assert.equal(status, 422);
  assert.deepEqual(Object.keys(json.fields).sort(), ['limit', 'start', 'zone']);
  const turned = await api.get('/api/v1/reclaim?start=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z');
  assert.deepEqual([turned.status, turned.json.fields], [422, { start: 'is after end' }]);
});
