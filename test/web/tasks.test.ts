/** What an operator does on the pages, against a real server. More in `test/web/more-tasks.test.ts`. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Api } from '../support/api.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';
import { Tab, withBrowser } from './browser.ts';

let server: ServerProcess;
let browser: Browser;
let api: Api;

const SPOT = { cores: 4, memoryInMB: 8192, instance: { instanceId: 'i-1', instanceType: 'm5.large', payType: 'Spot' } };

withServer({}, (served) => {
  ({ server, api } = served);
});

withBrowser((started) => {
  browser = started;
});

test('a fresh server tells what to do first, until the checkpoint mode is chosen on the page it leads to', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/', 'Overview');
  await tab.sees('0 of 5 done');
  await tab.page.getByRole('link', { name: 'Open the checkpoint settings' }).click();
  await tab.choose('Checkpoint mode', 'iterative');
  await tab.page.getByLabel('Checkpoint interval').fill('soon');
  await tab.sees('Checkpoint interval is not a duration');
  await tab.page.locator('.setting-bad', { hasText: 'is not a duration' }).waitFor();
  assert.equal(await tab.page.getByRole('button', { name: 'Review 2 changes' }).isDisabled(), true);
  await tab.page.getByLabel('Checkpoint interval').fill('10m');
  await tab.page.getByRole('button', { name: 'Review 2 changes' }).click();
  await tab.page.getByRole('dialog').getByText('15m → becomes 10m').waitFor();
  assert.equal((await api.get('/api/v1/config')).json.ckpt.ckptMode, 'unknown', 'nothing is applied by looking');
  await tab.page.getByRole('button', { name: 'Apply' }).click();
  await tab.sees('Applied');
  const { ckpt } = (await api.get('/api/v1/config')).json;
  assert.deepEqual([ckpt.ckptMode, ckpt.ckptInterval], ['iterative', '10m0s']);
  await tab.page.getByRole('link', { name: 'History' }).click();
  await tab.page.getByRole('cell', { name: 'ckpt.ckptInterval' }).waitFor();
  await tab.go('/', 'Overview');
  await tab.sees('1 of 5 done');
  // The next step has opened by itself.
  // A machine that has nothing of Cairn gets it by the first line, whatever this server is called there.
  await tab.page.getByLabel('Address of this server, as workers reach it').fill('http://cairn.internal:8080/');
  await tab.page.getByText('curl -fsS http://cairn.internal:8080/api/v1/scripts/install-agent | sudo sh').waitFor();
  await tab.page.getByRole('button', { name: 'Make a join token' }).click();
  await tab.page.getByText(/install-agent \| sudo sh -s -- --join-token [\w-]+\.[\w-]+\.[\w-]+/).waitFor();
  await tab.page.getByText(/cairn agent --server http:\S+ --join-token [\w-]+\.[\w-]+\.[\w-]+/).waitFor();
  await tab.close();
});

test('a node that registers appears without a reload, and so does its goodbye', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/nodes', 'Nodes');
  await tab.sees('No node is running');
  await tab.sees('Live');
  await api.put('/api/v1/node/live.node', { ...SPOT, instance: { ...SPOT.instance, instanceId: 'i-live' } });
  await tab.page.getByRole('link', { name: 'live.node' }).waitFor();
  await api.delete('/api/v1/node/live.node');
  await tab.sees('No node is running');
  await tab.page.getByRole('navigation', { name: 'States' }).getByRole('link', { name: /^All/ }).click();
  await tab.page.getByRole('cell', { name: 'Deregistered' }).waitFor();
  await tab.close();
});

test('why a job stalled is two clicks away: its lanes, its events, its work at risk, its bundle', async () => {
  await api.put('/api/v1/node/stall.node', SPOT);
  const at = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
  const events = [
    { eventType: 'Job-Creating', timestamp: at(50), nodeOid: 'i-1', containerId: 'c1', batchJobId: 'b1' },
    { eventType: 'Job-Running', timestamp: at(40) },
    { eventType: 'Job-Checkpointing', timestamp: at(30) },
    { eventType: 'Job-CheckpointSucceeded', timestamp: at(29) },
    { eventType: 'Job-Checkpointing', timestamp: at(10) },
    { eventType: 'Job-CheckpointFailed', timestamp: at(9), detail: 'io-uring: process 7 uses io_uring' },
    { eventType: 'Job-Running', timestamp: at(9) },
  ];
  await api.post('/api/v1/job', { id: 'stall.job', queueName: 'night/low', events });
  const tab = await Tab.open(browser, server.address);
  await tab.go('/', 'Overview');
  await tab.page.getByRole('link', { name: 'stall.job' }).first().click();
  await tab.page.getByRole('heading', { level: 1, name: 'Job stall.job' }).waitFor();
  await tab.page.getByRole('img', { name: /^i-1: .*running .*checkpointing/ }).waitFor();
  await tab.sees('1 of 2');
  await tab.sees(/^Last failure .* ago: io-uring: process 7 uses io_uring/);
  await tab.page.getByRole('cell', { name: 'Checkpoint failed' }).waitFor();
  await tab.page.getByText(/^Its last checkpoint failed: /).waitFor();
  // The address holds the id with its dot, so a reload shows the same.
  await tab.page.reload();
  await tab.page.getByRole('heading', { level: 1, name: 'Job stall.job' }).waitFor();
  const download = tab.page.waitForEvent('download');
  await tab.page.getByRole('button', { name: 'Log bundle' }).click();
  const bytes = await readFile(await (await download).path());
  assert.deepEqual([...bytes.subarray(0, 2)], [0x1f, 0x8b], 'gzip');
  await tab.close();
});

test('a job page shows what the job cost and saved, and with which formulas', async () => {
  const price = { payType: 'Spot', pricePerHour: 0.5, onDemandPricePerHour: 2 };
  await api.put('/api/v1/node/cost.node', { instance: { instanceId: 'i-cost', ...price } });
  const at = (minute: number): string => new Date(Date.UTC(2026, 0, 1, 8, minute)).toISOString();
  const events = [
    { eventType: 'Job-Creating', timestamp: at(0), nodeOid: 'i-cost', containerId: 'c', batchJobId: 'b' },
    { eventType: 'Job-Running', timestamp: at(0) },
    { eventType: 'Job-Succeeded', timestamp: at(120) },
  ];
  await api.post('/api/v1/job', { id: 'cost.job', queueName: 'night', events });
  const tab = await Tab.open(browser, server.address);
  await tab.go('/job?id=cost.job', 'Job cost.job');
  const total = tab.page.getByRole('row', { name: /^Total/ });
  await total.getByRole('cell', { name: '$1.00', exact: true }).waitFor();
  await total.getByRole('cell', { name: '$3.00', exact: true }).waitFor();
  await tab.page.getByText('How it is computed').click();
  await tab.sees('saved by spot = run time on Spot nodes × (on-demand price − price)');
  await tab.close();
});

test('filters and order of the jobs stand in the address', async () => {
  await api.post('/api/v1/job', [
    { id: 'filter-a', queueName: 'red', events: [{ eventType: 'Job-Running', timestamp: '2026-01-01T00:00:00Z' }] },
    { id: 'filter-b', queueName: 'blue', events: [{ eventType: 'Job-Failed', timestamp: '2026-01-02T00:00:00Z' }] },
  ]);
  const tab = await Tab.open(browser, server.address);
  await tab.go('/jobs?q=filter-', 'Jobs');
  await tab.page.getByRole('link', { name: 'filter-a' }).waitFor();
  await tab.choose('Status', 'Failed');
  await tab.page.getByRole('link', { name: 'filter-a' }).waitFor({ state: 'detached' });
  await tab.page.getByRole('link', { name: 'filter-b' }).waitFor();
  await tab.page.getByRole('button', { name: 'Queue' }).click();
  await tab.page.waitForURL(/q=filter-&status=Failed&sort=queueName/);
  await tab.page.reload();
  await tab.page.getByRole('link', { name: 'filter-b' }).waitFor();
  assert.equal(await tab.page.getByRole('link', { name: 'filter-a' }).count(), 0);
  await tab.close();
});

test('a log is followed, searched and paused', async () => {
  await api.put('/api/v1/node/log.node', {});
  const append = async (text: string): Promise<void> => {
    const size = (await api.post('/api/v1/nodes/log.node/files/var/log/app.log?offset=0', '')).json;
    const offset = size?.fields?.size ?? size?.size ?? 0;
    const answer = await api.post(`/api/v1/nodes/log.node/files/var/log/app.log?offset=${offset}`, text);
    assert.equal(answer.status, 200);
  };
  await append('INFO first line\nERROR second line\n');
  // A node that sends no figures: its charts ask, and are told 404.
  const tab = await Tab.open(browser, server.address);
  await tab.go('/node?id=log.node', 'Node log.node');
  // The level stands in a column of its own.
  await tab.sees('first line');
  await append('INFO third line\n');
  await tab.sees('third line');
  await tab.page.getByLabel('Only lines that contain').fill('ERROR');
  await tab.page.getByText('first line').waitFor({ state: 'detached' });
  await tab.sees('second line');
  await tab.page.getByRole('button', { name: 'Pause' }).click();
  await tab.sees('paused');
  await tab.close();
});
