/** An operator's tasks, counted in clicks. What he types or chooses by the keyboard is not counted. */
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
  // A node is late a moment after it registered, and not lost before the last test, however slow the machine is.
  await api.configKv({ 'ckpt.ckptMode': 'iterative', 'node.heartbeat': '1s', 'node.ttl': '1h' });
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
    {
      id: 'broken-job',
      queueName: 'day',
      events: [...begun('i-late', 10), { eventType: 'Job-Failed', timestamp: ago(1), detail: 'exit 3' }],
    },
    { id: 'waiting-job', queueName: 'day', events: begun('i-late', 20) },
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
  // A node that sends no figures: its charts ask, and are told 404.
  const tab = await Tab.open(browser, server.address);
  await tab.page.addInitScript(`window.clicks = 0; addEventListener('pointerdown', () => window.clicks++, true);`);
  return { tab, clicks: () => tab.page.evaluate('window.clicks') as Promise<number> };
}

test('why a job stalled: two clicks and its name', async () => {
  const { tab, clicks } = await counting();
  await tab.go('/', 'Overview');
  await tab.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Jobs' }).click();
  await tab.arrives('Jobs');
  await tab.page.getByLabel('Search id, name, queue, node, volume').pressSequentially('stalled');
  await tab.page.getByRole('link', { name: 'done-job' }).waitFor({ state: 'detached' });
  // The list of the whole word: that of a part of it goes as one clicks.
  await tab.page.waitForURL(/q=stalled$/);
  await tab.sees(/^1 job$/);
  await tab.page.getByRole('link', { name: 'stalled-job' }).click();
  await tab.sees(/its node gone\.node was deregistered (at|on) .*\. The job has not been restored since\./);
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
  await tab.arrives('Nodes');
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
  await tab.page.getByRole('columnheader', { name: 'Last month', exact: true }).waitFor();
  const row = tab.page.getByRole('row', { name: 'night' });
  await row.getByRole('cell', { name: QUEUE_SAVED }).waitFor();
  assert.ok((await clicks()) <= 2, `${await clicks()} clicks`);
  await tab.close();
});

test('what was saved this month: one click', async () => {
  const { tab, clicks } = await counting();
  // Another month may begin while this file runs.
  await tab.page.clock.setFixedTime(endedAt);
  await tab.go('/', 'Overview');
  await tab.page.getByText('This month', { exact: true }).click();
  await tab.sees('Saved this month');
  const row = tab.page.getByRole('row', { name: 'night' });
  await row.getByRole('cell', { name: QUEUE_SAVED }).waitFor();
  assert.equal(await clicks(), 1);
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
  await tab.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Jobs' }).click();
  await tab.arrives('Jobs');
  await tab.page.getByRole('link', { name: 'done-job' }).click();
  const download = tab.page.waitForEvent('download');
  await tab.page.getByRole('button', { name: 'Log bundle' }).click();
  const bytes = await readFile(await (await download).path());
  assert.deepEqual([...bytes.subarray(0, 2)], [0x1f, 0x8b], 'gzip');
  assert.ok((await clicks()) <= 3, `${await clicks()} clicks`);
  await tab.close();
});

test('what failed, and why: three clicks', async () => {
  const { tab, clicks } = await counting();
  await tab.go('/', 'Overview');
  await tab.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Jobs' }).click();
  await tab.arrives('Jobs');
  await tab.page.getByRole('link', { name: 'Failed 1', exact: true }).click();
  await tab.page.getByRole('link', { name: 'broken-job' }).click();
  await tab.sees(/^Failed (at|on) .*: exit 3/);
  assert.equal(await clicks(), 3);
  await tab.close();
});

test('how a stranded job goes on: two clicks', async () => {
  const { tab, clicks } = await counting();
  await tab.go('/', 'Overview');
  await tab.page.getByRole('link', { name: '1 job is stranded' }).click();
  await tab.arrives('Jobs');
  await tab.page.getByRole('link', { name: 'stalled-job' }).click();
  await tab.sees('Run the job again on another node, with the same id and the same command as before');
  assert.equal(await clicks(), 2);
  await tab.close();
});

test('a webhook: four clicks, its name and its address; what is wrong is said before it is saved', async () => {
  const { tab, clicks } = await counting();
  await tab.go('/', 'Overview');
  await tab.page.getByRole('link', { name: 'Settings' }).click();
  await tab.page.getByRole('link', { name: 'Webhooks' }).click();
  await tab.page.getByRole('button', { name: 'Add a webhook' }).click();
  await tab.page.getByLabel('Name').fill('night-watch');
  await tab.page.getByLabel('URL').fill('hooks.example.com');
  await tab.sees('URL is not a whole address that begins with https:// or http://');
  await tab.page.getByLabel('URL').fill('https://hooks.example.com/cairn');
  await tab.page.getByRole('button', { name: 'Save webhook' }).click();
  await tab.sees('night-watch is saved.');
  assert.equal(await clicks(), 4);
  assert.equal((await api.delete('/api/v1/webhook/night-watch')).status, 200);
  await tab.close();
});

test('a line of the log: one click and the words', async () => {
  const { tab, clicks } = await counting();
  await tab.go('/', 'Overview');
  await tab.page.getByRole('link', { name: 'Logs', exact: true }).click();
  await tab.page.getByLabel('Only lines that contain').fill('gone.node');
  await tab.page.locator('.log-line').filter({ hasText: 'gone.node' }).first().waitFor();
  assert.ok((await clicks()) <= 1, `${await clicks()} clicks`);
  await tab.close();
});

test('this week beside the last: one click', async () => {
  const { tab, clicks } = await counting();
  await tab.go('/', 'Overview');
  await tab.page.getByText('7d', { exact: true }).click();
  await tab.sees('Saved in the last 7 days');
  // Of the week before nothing is known, so nothing is compared.
  assert.equal(await tab.page.locator('.tile-value').last().locator('.change').count(), 0);
  assert.equal(await clicks(), 1);
  await tab.close();
});

test('which queue saves most: one click', async () => {
  const { tab, clicks } = await counting();
  await tab.go('/', 'Overview');
  const table = tab.page.getByRole('region', { name: 'Queues, table' });
  const names = (): Promise<string[]> => table.locator('tbody').getByRole('rowheader').allTextContents();
  await table.getByRole('row', { name: 'night' }).getByRole('cell', { name: QUEUE_SAVED }).waitFor();
  assert.deepEqual(await names(), ['day', 'night']);
  await table.getByRole('button', { name: 'Saved', exact: true }).click();
  await table
    .getByRole('columnheader', { name: 'Saved', exact: true })
    .and(tab.page.locator('[aria-sort=descending]'))
    .waitFor();
  assert.deepEqual(await names(), ['night', 'day']);
  assert.equal(await clicks(), 1);
  await tab.close();
});

test('the stranded jobs of one queue: one click', async () => {
  const { tab, clicks } = await counting();
  await tab.go('/', 'Overview');
  const table = tab.page.getByRole('region', { name: 'Queues, table' });
  await table.getByRole('row', { name: 'day' }).locator('[data-label=Stranded] a').click();
  await tab.page.getByRole('link', { name: 'stalled-job' }).waitFor();
  await tab.sees(/^1 job$/);
  assert.equal(await clicks(), 1);
  await tab.close();
});

test('which settings were changed, when and by whom: two clicks', async () => {
  const { tab, clicks } = await counting();
  await tab.go('/', 'Overview');
  await tab.page.getByRole('link', { name: 'Settings' }).click();
  await tab.page.getByRole('link', { name: 'History' }).click();
  const row = tab.page.getByRole('row').filter({ hasText: 'ckpt.ckptMode' });
  await row.getByRole('cell', { name: 'iterative' }).waitFor();
  await row.getByRole('cell', { name: '127.0.0.1' }).waitFor();
  assert.equal(await clicks(), 2);
  await tab.close();
});

test('the lines of a node’s log with a word in them: two clicks and the word', async () => {
  const text = '2026-01-01T00:00:00Z INFO mounted\n2026-01-01T00:00:01Z ERROR no space left on /scratch\n';
  assert.equal((await api.post('/api/v1/nodes/late.node/files/var/log/agent.log?offset=0', text)).status, 200);
  const { tab, clicks } = await counting();
  await tab.go('/', 'Overview');
  await tab.page.getByRole('link', { name: 'Nodes', exact: true }).click();
  await tab.arrives('Nodes');
  await tab.page.getByRole('link', { name: 'late.node' }).click();
  await tab.page.getByLabel('Only lines that contain').fill('scratch');
  await tab.sees('1 line · following');
  await tab.page.locator('.log-line').filter({ hasText: 'no space left' }).waitFor();
  assert.ok((await clicks()) <= 2, `${await clicks()} clicks`);
  await tab.close();
});

test('the list that is shown, as a file: three clicks', async () => {
  const { tab, clicks } = await counting();
  await tab.go('/', 'Overview');
  await tab.page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Jobs' }).click();
  await tab.arrives('Jobs');
  await tab.page.getByRole('link', { name: 'Failed 1', exact: true }).click();
  await tab.sees(/^1 job$/);
  const download = tab.page.waitForEvent('download');
  await tab.page.getByRole('button', { name: 'Export CSV' }).click();
  assert.match((await download).suggestedFilename(), /^jobs-failed-\d{4}-\d\d-\d\d\.csv$/);
  const lines = (await readFile(await (await download).path(), 'utf8')).trim().split(/\r?\n/);
  assert.equal(lines.length, 2, 'the heading and the one job that failed');
  // With the name of its node, which the job calls by its instance.
  assert.match(lines[0] ?? '', /^id,name,queueName,phase,status,node,nodeOid,/);
  assert.match(lines[1] ?? '', /^broken-job,[^,]*,[^,]*,failed,Failed,late\.node,/);
  assert.equal(await clicks(), 3);
  await tab.close();
});

test('save a job now: four clicks', async () => {
  const { tab, clicks } = await counting();
  await tab.go('/', 'Overview');
  await tab.page.getByRole('link', { name: /^Jobs running now \d/ }).click();
  await tab.arrives('Jobs');
  await tab.page.getByRole('link', { name: 'waiting-job' }).click();
  await tab.page.getByRole('button', { name: 'Checkpoint now' }).click();
  await tab.sees(/^Checkpoint ordered/);
  assert.ok((await clicks()) <= 4, `${await clicks()} clicks`);
  await tab.close();
});

test('figures between two moments in UTC: four clicks and the moments', async () => {
  const { tab, clicks } = await counting();
  const { page } = tab;
  await tab.go('/', 'Overview');
  await page.getByRole('button', { name: 'View', exact: true }).click();
  await page.getByRole('menuitemradio', { name: 'UTC', exact: true }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('menu').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Custom' }).click();
  const form = page.getByRole('dialog', { name: 'Custom range' });
  await form.getByText('Times are in UTC.').waitFor();
  const inUtc = (ms: number): string => new Date(ms).toISOString().slice(0, 16);
  await form.getByLabel('From').fill(inUtc(endedAt.getTime() - 3_600_000));
  await form.getByLabel('To').fill(inUtc(endedAt.getTime() + 120_000));
  await form.getByRole('button', { name: 'Apply' }).click();
  await tab.sees('Saved in the chosen range');
  await page.getByRole('row', { name: 'night' }).getByRole('cell', { name: QUEUE_SAVED }).waitFor();
  assert.equal(await clicks(), 4);
  await tab.close();
});

test('a node that hangs is kept from new jobs, then taken out, so that its jobs may run elsewhere: four clicks', async () => {
  const { tab, clicks } = await counting();
  await tab.go('/nodes', 'Nodes');
  await tab.page.getByRole('link', { name: 'late.node' }).click();
  await tab.page.getByRole('button', { name: 'Drain' }).click();
  await tab.page.getByRole('button', { name: 'Undo drain' }).waitFor();
  assert.equal((await api.get('/api/v1/node/late.node')).json.drained, true);
  await tab.page.getByRole('button', { name: 'Deregister' }).click();
  await tab.page.getByRole('dialog').getByText('Its running job (').waitFor();
  await tab.page.getByRole('dialog').getByRole('button', { name: 'Deregister' }).click();
  await tab.page.getByText('Deregistered', { exact: true }).first().waitFor();
  assert.equal((await api.get('/api/v1/job/waiting-job')).json.phase, 'stranded');
  assert.equal(await clicks(), 4);
  await tab.close();
});
