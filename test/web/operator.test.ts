/** An operator's five tasks, counted in clicks. What he types or chooses by the keyboard is not counted. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { Api, until } from '../support/api.ts';
import { ServerProcess } from '../support/server-process.ts';
import { startBrowser, Tab } from './browser.ts';

let server: ServerProcess;
let browser: Browser;
let api: Api;
/** When the job of the queue `night` ended. */
let endedAt: Date;

const QUEUE_SAVED = '$0.60';

before(async () => {
  browser = await startBrowser();
  server = await ServerProcess.start();
  api = new Api(server.address);
  // A node is late a moment after it registered, and lost five minutes later.
  await api.configKv({ 'ckpt.ckptMode': 'iterative', 'node.heartbeat': '1s' });
  const instance = { instanceType: 'm5.large', payType: 'Spot', pricePerHour: 0.4, onDemandPricePerHour: 1 };
  await api.put('/api/v1/node/gone.node', { instance: { ...instance, instanceId: 'i-gone' } });
  await api.put('/api/v1/node/late.node', { instance: { ...instance, instanceId: 'i-late' } });
  endedAt = new Date(Date.now() - 1_000);
  const ago = (minutes: number): string => new Date(endedAt.getTime() - minutes * 60_000).toISOString();
  const begun = (nodeOid: string, minutes: number) => [
    { eventType: 'Job-Creating', timestamp: ago(minutes + 1), nodeOid, containerId: 'c', batchJobId: 'b' },
    { eventType: 'Job-Running', timestamp: ago(minutes) },
  ];
  const jobs = [
    { id: 'stalled-job', queueName: 'day', events: begun('i-gone', 30) },
    // An hour at 0.40 instead of 1.00.
    {
      id: 'done-job',
      queueName: 'night',
      events: [...begun('i-late', 60), { eventType: 'Job-Succeeded', timestamp: ago(0) }],
    },
  ];
  assert.equal((await api.post('/api/v1/job', jobs)).status, 200);
  await api.delete('/api/v1/node/gone.node');
});

after(async () => {
  api?.close();
  await browser?.close();
  await server?.dispose();
});

/** A tab that counts the clicks of its user; it stays on one page of the dashboard's. */
async function counting(): Promise<{ tab: Tab; clicks: () => Promise<number> }> {
  const tab = await Tab.open(browser, server.address);
  await tab.page.addInitScript(`window.clicks = 0; addEventListener('pointerdown', () => window.clicks++, true);`);
  return { tab, clicks: () => tab.page.evaluate('window.clicks') as Promise<number> };
}

test('why a job stalled: two clicks and its name', async () => {
  const { tab, clicks } = await counting();
  await tab.go('/', 'Overview');
  await tab.page.getByRole('link', { name: 'Jobs', exact: true }).click();
  await tab.page.getByLabel('Search id, name, queue, node, volume').pressSequentially('stalled');
  await tab.page.getByRole('link', { name: 'done-job' }).waitFor({ state: 'detached' });
  await tab.page.getByRole('link', { name: 'stalled-job' }).click();
  await tab.sees(/Its node gone\.node was deregistered .* ago\. The job has not been restored since\./);
  assert.ok((await clicks()) <= 3, `${await clicks()} clicks`);
  await tab.close();
});

test('which nodes are late: one click', async () => {
  await until(
    async () => (await api.get('/api/v1/node?state=late')).json as unknown[],
    (nodes) => nodes.length === 1,
    'a late node',
  );
  const { tab, clicks } = await counting();
  await tab.go('/', 'Overview');
  await tab.page.getByRole('link', { name: '1 late' }).click();
  await tab.page.getByRole('cell', { name: 'late.node' }).waitFor();
  await tab.page.getByRole('cell', { name: 'Late', exact: true }).waitFor();
  assert.equal(await clicks(), 1);
  await tab.close();
});

test('what was saved last month in each queue: two clicks from any page', async () => {
  const { tab, clicks } = await counting();
  // The browser's calendar is a month on, so that last month is the one in which the job ended.
  await tab.page.clock.setFixedTime(new Date(endedAt.getFullYear(), endedAt.getMonth() + 1, 15, 12));
  await tab.go('/nodes', 'Nodes');
  await tab.page.getByRole('link', { name: 'Overview' }).click();
  await tab.page.getByText('Last month', { exact: true }).click();
  await tab.page.getByRole('heading', { name: 'Queues in last month' }).waitFor();
  const row = tab.page.getByRole('row', { name: 'night' });
  await row.getByRole('cell', { name: QUEUE_SAVED }).waitFor();
  assert.ok((await clicks()) <= 2, `${await clicks()} clicks`);
  await tab.close();
});

test('another interval between checkpoints: three clicks and the value', async () => {
  const { tab, clicks } = await counting();
  await tab.go('/', 'Overview');
  await tab.page.getByRole('link', { name: 'Settings' }).click();
  await tab.page.getByLabel('Checkpoint interval').fill('25m');
  await tab.page.getByRole('button', { name: 'Review 1 change' }).click();
  await tab.page.getByRole('button', { name: 'Apply' }).click();
  await tab.sees('Applied');
  assert.equal((await api.get('/api/v1/config')).json.ckpt.ckptInterval, '25m0s');
  assert.ok((await clicks()) <= 3, `${await clicks()} clicks`);
  await tab.close();
});

test('the log bundle of a job: three clicks', async () => {
  const { tab, clicks } = await counting();
  await tab.go('/', 'Overview');
  await tab.page.getByRole('link', { name: 'Jobs', exact: true }).click();
  await tab.page.getByRole('link', { name: 'done-job' }).click();
  const download = tab.page.waitForEvent('download');
  await tab.page.getByRole('button', { name: 'Log bundle' }).click();
  const bytes = await readFile(await (await download).path());
  assert.deepEqual([...bytes.subarray(0, 2)], [0x1f, 0x8b], 'gzip');
  assert.ok((await clicks()) <= 3, `${await clicks()} clicks`);
  await tab.close();
});
