/** What an operator meets now and then: a long list, many series, a server that moves, ends or starts again. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser } from 'playwright-core';
import { Api, until } from '../support/api.ts';
import { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';
import { Tab, withBrowser } from './browser.ts';

let server: ServerProcess;
let browser: Browser;
let api: Api;

/** Jobs that the overview reads at once. */
const RUNNING_ROWS_MAX = 500;
const SPOT = { cores: 4, memoryInMB: 8192, instance: { instanceId: 'i-1', instanceType: 'm5.large', payType: 'Spot' } };

withServer({}, (served) => {
  ({ server, api } = served);
});

withBrowser((started) => {
  browser = started;
});

test('a node that falls silent is lost on the page without a reload, and lost on the overview', async (t) => {
  const own = await ServerProcess.start();
  t.after(() => own.dispose());
  const client = new Api(own.address);
  t.after(() => client.close());
  await client.configKv({ 'node.heartbeat': '1s', 'node.ttl': '2s' });
  const tab = await Tab.open(browser, own.address);
  await tab.go('/nodes?state=all', 'Nodes');
  await client.put('/api/v1/node/silent.node', { ...SPOT, instance: { ...SPOT.instance, instanceId: 'i-silent' } });
  await tab.page.getByRole('link', { name: 'silent.node' }).waitFor();
  await tab.page.getByRole('cell', { name: 'Lost' }).waitFor();
  await tab.page.getByRole('link', { name: 'Overview' }).click();
  await tab.page.getByRole('link', { name: '1 lost in 1 h' }).waitFor();
  // What happened before this page was opened is told, too.
  await tab.page.reload();
  await tab.page.getByRole('listitem').filter({ hasText: 'silent.node' }).filter({ hasText: 'Lost' }).waitFor();
  await tab.close();
});

test('all of a long list can be reached, and only the rows in sight are drawn', async () => {
  const rows = 3_000;
  for (let from = 0; from < rows; from += 1_000) {
    const jobs = Array.from({ length: 1_000 }, (_, i) => ({
      id: `long-${String(from + i).padStart(4, '0')}`,
      queueName: 'long',
    }));
    assert.equal((await api.post('/api/v1/job', jobs)).status, 200);
  }
  const tab = await Tab.open(browser, server.address);
  await tab.go('/jobs?queue=long&sort=id', 'Jobs');
  await tab.page.getByRole('link', { name: 'long-0000' }).waitFor();
  const toEnd = "{ const list = document.querySelector('.table-scroll'); list.scrollTop = list.scrollHeight; }";
  await until(
    async () => {
      await tab.page.evaluate(toEnd);
      return tab.page.getByRole('link', { name: 'long-2999' }).count();
    },
    (count) => count === 1,
    'the last row',
  );
  await tab.sees('3,000 jobs');
  assert.ok((await tab.page.getByRole('row').count()) < 100, 'rows out of sight are drawn');
  await tab.close();
});

test('a series is found by words of its name among many, and drawn under its name', async () => {
  for (let i = 0; i < 60; i++) {
    await api.put(`/api/v1/node/pick-${i}`, { ...SPOT, instance: { ...SPOT.instance, instanceId: `i-pick-${i}` } });
    await api.post(`/api/v1/node/pick-${i}/heartbeat`, { metrics: { cpuPercent: i, memoryUsedMB: i } });
  }
  const tab = await Tab.open(browser, server.address);
  await tab.go('/explore', 'Metrics');
  await tab.page.getByRole('button', { name: 'Add series' }).click();
  await tab.sees('More than 100; search with more words');
  const words = tab.page.getByLabel('Search by metric, queue or node');
  await words.fill('PICK-41 memory');
  await tab.page.getByText('More than 100').waitFor({ state: 'detached' });
  await tab.page.getByRole('option', { name: /Memory used of node pick-41/ }).click();
  await tab.sees('Memory used · node pick-41');
  // It stays open for another one, and says where no name fits.
  await words.fill('zzzz');
  await tab.sees('No series matches these words');
  // By keys alone: the arrows go through the hits, Enter puts one on the chart or takes it away.
  await words.fill('pick-42');
  const options = tab.page.getByRole('option');
  await until(
    () => options.allTextContents(),
    (all) => all.length > 1 && all.every((text) => text.includes('pick-42')),
    'the series of one node',
  );
  const marked = tab.page.locator('[role=option][data-highlighted]');
  await until(
    async () => {
      await words.press('ArrowDown');
      return marked.allTextContents();
    },
    ([text]) => text?.startsWith('Memory used of node pick-42') ?? false,
    'the other one to be highlighted',
  );
  await words.press('Enter');
  await tab.sees('Memory used · node pick-42');
  await tab.sees('2 of 5 series on the chart');
  assert.equal(await words.inputValue(), 'pick-42');
  await words.press('Enter');
  await tab.sees('1 of 5 series on the chart');
  // Hits by their name come before those that only their description has.
  await words.fill('cost');
  await tab.page.getByText('Found in their description').waitFor();
  const groups = await tab.page.locator('.pick .menu-label').allTextContents();
  assert.deepEqual([groups[0], groups.at(-1)], ['All queues', 'Found in their description']);
  await tab.page.getByRole('button', { name: 'Done' }).click();
  await words.waitFor({ state: 'detached' });
  // What is measured beside it leaves what is counted in the steps that it has alone.
  const at = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
  const events = [
    { eventType: 'Job-Running', timestamp: at(90) },
    { eventType: 'Job-Checkpointing', timestamp: at(80) },
    { eventType: 'Job-CheckpointSucceeded', timestamp: at(79) },
  ];
  assert.equal((await api.post('/api/v1/job', [{ id: 'picked', queueName: 'picked', events }])).status, 200);
  const series = ['jobSubmitted', 'checkpointTime'].map((name) => `system-total/metricDef-${name}`);
  await tab.go(`/explore?range=24h&series=${series.join(',')}`, 'Metrics');
  await tab.page.getByRole('rowheader', { name: /^Jobs submitted .*in steps of 10\sm$/ }).waitFor();
  await tab.close();
});

test('a measure is compared queue by queue, and the queues with the most of it have a chart each', async (t) => {
  const own = await ServerProcess.start();
  t.after(() => own.dispose());
  const client = new Api(own.address);
  t.after(() => client.close());
  const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
  const failures = (id: string, queueName: string, count: number) => ({
    id,
    queueName,
    events: [
      { eventType: 'Job-Running', timestamp: ago(300) },
      ...Array.from({ length: count }, (_, i) => [
        { eventType: 'Job-Checkpointing', timestamp: ago(290 - 10 * i) },
        { eventType: 'Job-CheckpointFailed', timestamp: ago(289 - 10 * i) },
      ]).flat(),
    ],
  });
  const jobs = [failures('a', 'few', 1), failures('b', 'many', 6), failures('c', 'none', 0)];
  assert.equal((await client.post('/api/v1/job', jobs)).status, 200);
  const tab = await Tab.open(browser, own.address);
  await tab.go('/explore', 'Metrics');
  const table = tab.page.getByRole('region', { name: 'By queue, table' });
  await table.getByRole('row', { name: /^3 queues/ }).waitFor();
  await tab.page.getByRole('combobox', { name: 'Measure' }).click();
  await tab.page.getByRole('option', { name: 'Checkpoint failures' }).click();
  await table.getByRole('row', { name: /^2 queues/ }).waitFor();
  assert.deepEqual(
    (await table.getByRole('row').allTextContents()).map((text) => text.replaceAll('\u00a0', ' ')).slice(1),
    ['many685.7 %Chart', 'few114.3 %Chart', '2 queues7Chart all'],
  );
  await until(
    () => Promise.all([0, 1].map((i) => table.locator('svg').nth(i).locator('rect').count())),
    (drawn) => drawn.every((bars) => bars > 0),
    'both courses to be drawn',
  );
  await table.getByRole('link', { name: 'Chart all' }).click();
  await tab.page.waitForURL(/charts=each/);
  await tab.page.locator('.explore .uplot').nth(1).waitFor();
  await tab.page.getByRole('combobox', { name: 'Charts' }).click();
  await tab.page.getByRole('option', { name: 'Together, by unit' }).click();
  await until(
    () => tab.page.locator('.explore .uplot').count(),
    (count) => count === 1,
    'the series to share a chart',
  );
  await tab.go('/queues', 'Queues');
  const failed = tab.page.getByRole('row', { name: /^many/ }).locator('[data-label^="Checkpoints failed"]');
  await failed.waitFor();
  assert.equal(await failed.textContent(), '6');
  // Its order can be sent, and is there after a way back.
  await tab.page.getByRole('button', { name: 'Checkpoints failed' }).click();
  await tab.page.waitForURL(/\?sort=-checkpoints-failed$/);
  await tab.page.getByRole('row', { name: /^many/ }).getByRole('link', { name: 'many' }).click();
  await tab.arrives('Queue many');
  await tab.page.goBack();
  await tab.page
    .getByRole('columnheader', { name: 'Checkpoints failed' })
    .and(tab.page.locator('[aria-sort=descending]'))
    .waitFor();
  await tab.close();
});

test('of more running jobs than are read at once, the overview shows the one with the most unsaved work', async (t) => {
  const busy = await ServerProcess.start();
  t.after(() => busy.dispose());
  const client = new Api(busy.address);
  t.after(() => client.close());
  const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
  const saved = [
    { eventType: 'Job-Running', timestamp: ago(60) },
    { eventType: 'Job-Checkpointing', timestamp: ago(2) },
    { eventType: 'Job-CheckpointSucceeded', timestamp: ago(1) },
  ];
  const many = Array.from({ length: RUNNING_ROWS_MAX }, (_, i) => ({ id: `busy-${i}`, queueName: 'q', events: saved }));
  const late = { id: 'comes-last', queueName: 'q', events: [{ eventType: 'Job-Running', timestamp: ago(30) }] };
  assert.equal((await client.post('/api/v1/job', [...many, late])).status, 200);
  const tab = await Tab.open(browser, busy.address);
  await tab.go('/', 'Overview');
  const panel = tab.page.getByRole('region', { name: /^Unsaved work of running jobs, most first/ });
  await panel.getByRole('listitem').first().getByRole('link', { name: 'comes-last' }).waitFor();
  await tab.page.getByText(/^Most: 3\d\s/).waitFor();
  await tab.close();
});

test('a changed address leads the browser along', async (t) => {
  const moving = await ServerProcess.start();
  t.after(() => moving.dispose());
  const other = await ServerProcess.start();
  const { port } = new URL(other.address);
  // The port of a server that just ended is free, and nobody else was given it.
  await other.dispose();
  const next = `http://127.0.0.1:${port}`;
  const tab = await Tab.open(browser, moving.address, { isExpected: () => true });
  await tab.go('/settings?tab=server', 'Settings');
  await tab.page.getByLabel('Listen address').fill(next);
  await tab.page.getByRole('button', { name: 'Review 1 change' }).click();
  await tab.page.getByRole('button', { name: 'Apply' }).click();
  await tab.page.waitForURL(`${next}/settings?tab=server`);
  assert.equal(await tab.page.getByLabel('Listen address').inputValue(), next);
  await tab.close();
});

test('a page says when the server is away, and catches up when it is back', async (t) => {
  const first = await ServerProcess.start();
  t.after(() => first.dispose());
  const tab = await Tab.open(browser, first.address, { isExpected: () => true });
  await tab.go('/nodes', 'Nodes');
  await tab.sees('Live');
  await tab.answered();
  await first.kill('SIGTERM');
  await tab.sees('Offline');
  await tab.sees(/Everything shown was loaded before/);
  assert.deepEqual(await tab.violations(), []);
  const again = await ServerProcess.start({ folders: first.folders });
  t.after(() => again.dispose());
  const client = new Api(again.address);
  t.after(() => client.close());
  await until(
    () => client.put('/api/v1/node/after.restart', { ...SPOT, instance: { ...SPOT.instance, instanceId: 'i-after' } }),
    ({ status }) => status === 200,
    'a registration',
  );
  await tab.sees('Live');
  await tab.page.getByRole('link', { name: 'after.restart' }).waitFor();
  await tab.close();
});

test('a chart shows the points of another range, and is not made again for them', async () => {
  const now = new Date().toISOString();
  const jobs = [{ id: 'drawn', queueName: 'drawn', events: [{ eventType: 'Job-Created', timestamp: now }] }];
  assert.equal((await api.post('/api/v1/job', jobs)).status, 200);
  const tab = await Tab.open(browser, server.address);
  await tab.go('/?range=24h', 'Overview');
  const canvas = tab.page.locator('figure').filter({ hasText: /^Jobs/ }).locator('canvas');
  const pixels = (): Promise<string> =>
    canvas.evaluate((element) => (element as { toDataURL?: () => string }).toDataURL?.() ?? '');
  await canvas.waitFor();
  type Marked = { setAttribute?: (name: string, value: string) => void };
  await canvas.evaluate((element) => (element as Marked).setAttribute?.('data-kept', 'yes'));
  const ofDay = await pixels();
  await tab.page.getByText('7d', { exact: true }).click();
  await until(pixels, (now) => now !== ofDay, 'the chart of a week');
  assert.equal(await canvas.getAttribute('data-kept'), 'yes');
  // Other colours are another chart.
  await tab.page.emulateMedia({ colorScheme: 'dark' });
  await tab.page.locator('figure canvas:not([data-kept])').nth(3).waitFor();
  await tab.close();
});

test('each phase lists what matters in it: jobs without a volume are counted, and where those are that ended', async () => {
  const at = (minute: number): string => new Date(Date.now() - 3_600_000 + minute * 60_000).toISOString();
  const stoppedAndRunAgain = ['Running', 'Checkpointing', 'CheckpointSucceeded', 'Stopped', 'Creating', 'Running'];
  const begun = [{ eventType: 'Job-Creating', timestamp: at(0), nodeOid: 'i-phases', containerId: 'c' }];
  const jobs = [
    { id: 'waits', events: [...begun, { eventType: 'Volume-Unready', timestamp: at(1), volumnId: 'vol-1' }] },
    { id: 'begins', events: begun },
    { id: 'broke', events: [...begun, { eventType: 'Job-Failed', timestamp: at(2), detail: 'exit code 3' }] },
    { id: 'done', events: [...begun, { eventType: 'Job-Succeeded', timestamp: at(2) }] },
    {
      id: 'goes-on',
      events: [...begun, ...stoppedAndRunAgain.map((name, i) => ({ eventType: `Job-${name}`, timestamp: at(i + 2) }))],
    },
  ].map((job) => ({ ...job, queueName: 'phases' }));
  await api.put('/api/v1/node/phases.node', { instance: { instanceId: 'i-phases' } });
  assert.equal((await api.post('/api/v1/job', jobs)).status, 200);
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  const heads = async (): Promise<string> => (await page.getByRole('columnheader').allTextContents()).join();
  await tab.go('/jobs?phase=starting&queue=phases', 'Jobs');
  await page.getByRole('link', { name: 'begins' }).waitFor();
  assert.doesNotMatch(await heads(), /Unsaved|Last checkpoint/);
  await page.getByRole('button', { name: /^No volume\s*1$/ }).click();
  await page.getByRole('link', { name: 'begins' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'waits' }).waitFor();
  await page.getByRole('button', { name: /^No volume/, pressed: true }).click();
  await page.getByRole('link', { name: 'begins' }).waitFor();
  await tab.go('/jobs?phase=succeeded&queue=phases', 'Jobs');
  await page.getByRole('link', { name: 'done' }).waitFor();
  assert.match(await heads(), /^Job,Succeeded/);
  assert.doesNotMatch(await heads(), /Phase|Unsaved/);
  await page.setViewportSize({ width: 1_024, height: 768 });
  await tab.go('/jobs?phase=failed&queue=phases', 'Jobs');
  await page.getByRole('link', { name: 'broke' }).waitFor();
  assert.match(await heads(), /Node/);
  await tab.go('/job?id=goes-on', 'Job goes-on');
  await tab.sees(/ · over 2 runs$/);
  await tab.search('no volume');
  await page.getByRole('option', { name: 'Starting jobs with no volume' }).click();
  await page.waitForURL(/status=VolumeUnready/);
  await tab.close();
});

test('the rows of a reason that is chosen far down begin at the first of them', async () => {
  const failed = (i: number) => [
    { eventType: 'Job-Creating', timestamp: new Date(Date.now() - 3_600_000).toISOString(), nodeOid: 'i-phases' },
    {
      eventType: 'Job-Failed',
      timestamp: new Date(Date.now() - 60_000 * i).toISOString(),
      detail: `exit code ${i % 2}`,
    },
  ];
  const jobs = Array.from({ length: 80 }, (_, i) => ({ id: `far-${i}`, queueName: 'far', events: failed(i) }));
  assert.equal((await api.post('/api/v1/job', jobs)).status, 200);
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/jobs?phase=failed&queue=far', 'Jobs');
  const list = page.getByRole('region', { name: 'Jobs, scrolling' });
  await page.getByRole('link', { name: 'far-0' }).waitFor();
  await list.evaluate((box) => box.scrollTo(0, 900));
  await page.getByRole('link', { name: 'far-0' }).waitFor({ state: 'detached' });
  await page.getByRole('button', { name: /^exit code 0/ }).click();
  await page.getByRole('link', { name: 'far-0' }).waitFor();
  assert.equal(await list.evaluate((box) => box.scrollTop), 0);
  await tab.close();
});
