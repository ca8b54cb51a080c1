/** What /metrics shows of a server that has something to show (contract section 13). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Api, until } from '../../support/api.ts';
import { promtool, withPrometheus } from '../../support/operations/prometheus.ts';
import { withServer } from '../../support/with-server.ts';

let api: Api;

withServer({ addr: 'https://127.0.0.1:0' }, (served) => {
  api = served.api;
});

const NAMES = [
  'cairn_jobs',
  'cairn_nodes',
  'cairn_work_at_risk_seconds',
  'cairn_oldest_checkpoint_seconds',
  'cairn_job_metric_total',
  'cairn_node_interruptions_total',
  'cairn_data_bytes',
  'cairn_disk_free_bytes',
  'cairn_commit_seconds',
  'cairn_certificate_end_timestamp_seconds',
  'cairn_build_info',
];

const text = async (): Promise<string> => (await api.get('/metrics')).text;

test('every promised metric is there, with the values of the jobs and nodes that were sent', async () => {
  await api.put('/api/v1/node/n-1', { id: 'n-1', instance: { instanceId: 'i-1', payType: 'Spot' } });
  await api.put('/api/v1/node/n-2', { id: 'n-2', instance: { instanceId: 'i-2', payType: 'Spot' } });
  await api.delete('/api/v1/node/n-2');
  await api.post('/api/v1/node/n-1/interruption', { action: 'terminate', time: new Date().toISOString() });
  const now = Date.now();
  const time = (seconds: number): string => new Date(now - seconds * 1000).toISOString();
  const events = [
    { timestamp: time(300), eventType: 'Job-Creating', nodeOid: 'i-1' },
    { timestamp: time(290), eventType: 'Job-Running' },
  ];
  await api.post('/api/v1/job', { id: 'j-1', queueName: 'q', events });
  const ended = [...events, { timestamp: time(270), eventType: 'Job-Succeeded' }];
  await api.post('/api/v1/job', { id: 'j-2', queueName: 'q', events: ended });
  const metrics = await until(text, (found) => /cairn_jobs\{status="Succeeded",queue="q"\} 1/.test(found), 'the jobs');
  for (const name of NAMES) assert.match(metrics, new RegExp(`^# TYPE ${name} `, 'm'), name);
  assert.match(metrics, /^cairn_jobs\{status="Running",queue="q"\} 1$/m);
  assert.match(metrics, /^cairn_nodes\{state="alive",pay_type="Spot"\} 1$/m);
  assert.match(metrics, /^cairn_nodes\{state="deregistered",pay_type="Spot"\} 1$/m);
  assert.match(metrics, /^cairn_job_metric_total\{definition="jobSubmitted",queue="q"\} 2$/m);
  assert.match(metrics, /^cairn_job_metric_total\{definition="runtime",queue="q"\} 20$/m);
  assert.match(metrics, /^cairn_commit_seconds_count [1-9]/m);
  const numberOf = (name: string): number =>
    Number(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(metrics)?.[1]);
  for (const name of ['cairn_work_at_risk_seconds', 'cairn_oldest_checkpoint_seconds'])
    assert.ok(numberOf(name) >= 290, `${name} is ${numberOf(name)}`);
  assert.ok(numberOf('cairn_certificate_end_timestamp_seconds') > Date.now() / 1000);
});

test('promtool objects to nothing', withPrometheus(), async () => {
  assert.equal(promtool(['check', 'metrics'], await text()), '');
});
