/** Explanations of jobs and nodes, from outside (contract section 14). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Explanation } from '../../src/protocol/explain/finding.ts';
import type { Api } from '../support/api.ts';
import { withServer } from '../support/with-server.ts';

let api: Api;
withServer({ args: ['--shards', '2'] }, (served) => {
  ({ api } = served);
});

const minutesAgo = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

async function explained(path: string): Promise<Explanation> {
  const answer = await api.get(path);
  assert.equal(answer.status, 200);
  return answer.json as Explanation;
}

test('a job is explained with the node that it runs on, named by its instance', async () => {
  await api.put('/api/v1/node/n-explain', { instance: { instanceId: 'i-explain' } });
  const detail = 'no-space: the image folder is full';
  const update = {
    id: 'j-explain',
    queueName: 'q',
    events: [
      { timestamp: minutesAgo(50), eventType: 'Job-Creating', nodeOid: 'i-explain' },
      { timestamp: minutesAgo(49), eventType: 'Job-Running' },
      { timestamp: minutesAgo(3), eventType: 'Job-Checkpointing' },
      { timestamp: minutesAgo(2), eventType: 'Job-CheckpointFailed', detail },
    ],
  };
  assert.equal((await api.post('/api/v1/job', update)).status, 200);
  const failing = await explained('/api/v1/job/j-explain/explain');
  assert.deepEqual(
    failing.findings.map(({ code }) => code),
    ['checkpoints-failing', 'never-checkpointed'],
  );
  assert.match(failing.summary, new RegExp(detail));
  assert.equal((await api.delete('/api/v1/node/n-explain')).status, 200);
  const stranded = await explained('/api/v1/job/j-explain/explain');
  assert.equal(stranded.findings[0]?.code, 'node-lost');
  assert.match(stranded.summary, /n-explain was deregistered/);
});

test('a drained node is explained with the jobs that still run there, until none does', async () => {
  await api.put('/api/v1/node/n-drained', { instance: { instanceId: 'i-drained' } });
  const begun = [
    { timestamp: minutesAgo(9), eventType: 'Job-Creating', nodeOid: 'i-drained' },
    { timestamp: minutesAgo(8), eventType: 'Job-Running' },
  ];
  await api.post('/api/v1/job', { id: 'j-drained', queueName: 'q', events: begun });
  await api.post('/api/v1/node/n-drained/drain', {});
  const told = async (): Promise<string | undefined> =>
    (await explained('/api/v1/node/n-drained/explain')).findings.find(({ code }) => code === 'drained')?.text;
  assert.equal(await told(), 'Draining: 1 job still runs here; it takes no new one.');
  await api.post('/api/v1/job/j-drained/event', [{ timestamp: minutesAgo(1), eventType: 'Job-Succeeded' }]);
  assert.equal(await told(), 'Drained: it takes no new job, and none runs here any more.');
});

test('a node is explained with what its agent said of itself', async () => {
  const agent = { version: '0.0.1', canCheckpoint: false, reason: 'there is no criu', time: minutesAgo(10) };
  await api.put('/api/v1/node/n-old', { agent });
  const { summary, findings } = await explained('/api/v1/node/n-old/explain');
  assert.deepEqual(findings.map(({ code }) => code).sort(), [
    'agent-old',
    'alive',
    'cannot-checkpoint',
    'clock-differs',
  ]);
  assert.match(summary, /^Its agent is of version 0\.0\.1/);
  const node = (await api.get('/api/v1/node/n-old')).json as { agent: { clockDifferenceMs: number } };
  assert.ok(Math.abs(node.agent.clockDifferenceMs + 600_000) < 60_000, `${node.agent.clockDifferenceMs} ms`);
});

test('what is not known has no explanation', async () => {
  for (const path of ['/api/v1/job/nobody/explain', '/api/v1/node/nobody/explain', '/api/v1/node/%20/explain'])
    assert.equal((await api.get(path)).status, 404, path);
});
