/** What the pages say at three in the morning: figures lead to their lists, and no two statements contradict each other. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Browser } from 'playwright-core';
import { valuesOf } from '../../web/src/api/metrics-text.ts';
import { spanText } from '../../web/src/parts/format.ts';
import { type Api, until } from '../support/api.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';
import { Tab, withBrowser } from './browser.ts';

let server: ServerProcess;
let browser: Browser;
let api: Api;

const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
const event = (eventType: string, minutes: number, more: object = {}): object => ({
  eventType,
  timestamp: ago(minutes),
  ...more,
});

const SLOW = 'slow: 64000 MiB at 200 MiB/s take 320 s, the notice is 120 s';

withServer({}, async (served) => {
  ({ server, api } = served);
  await api.put('/api/v1/node/here.node', { instance: { instanceId: 'i-here' } });
  const started = [event('Job-Creating', 61, { nodeOid: 'i-here', containerId: 'c' }), event('Job-Running', 60)];
  const job = (id: string, ...more: object[]): object => ({ id, queueName: 'day', events: [...started, ...more] });
  const jobs = [
    job('runs'),
    job('saves', event('Job-Checkpointing', 1)),
    job('is-saved', event('Job-Checkpointing', 10), event('Job-CheckpointSucceeded', 9, { detail: SLOW })),
    job('is-unsaved', event('Job-Checkpointing', 10), event('Job-CheckpointFailed', 9)),
    job('ended', event('Job-Succeeded', 5)),
    job('fails', event('Job-Failed', 4)),
    { id: 'elsewhere', queueName: 'day', events: [event('Job-Creating', 61, { nodeOid: 'i-gone' })] },
  ];
  assert.equal((await api.post('/api/v1/job', jobs)).status, 200);
});

withBrowser((started) => {
  browser = started;
});

test('the number of running jobs leads to a list of so many', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/', 'Overview');
  await tab.page.getByRole('link', { name: 'Jobs running now 4' }).click();
  await tab.page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  await tab.sees(/^4 jobs$/);
  await tab.page.getByRole('link', { name: 'Running 4', exact: true }).waitFor();
  assert.deepEqual(await tab.page.locator('nav[aria-label=Phases] [aria-current]').allTextContents(), ['Running 4']);
  await tab.page.getByRole('link', { name: 'Stranded 1', exact: true }).click();
  await tab.page.getByRole('link', { name: 'elsewhere' }).waitFor();
  await tab.sees(/^1 job$/);
  await tab.page.waitForURL(/phase=stranded/);
  await tab.close();
});

test('a node has one name, by which the pages lead to it', async () => {
  const tab = await Tab.open(browser, server.address, {
    isExpected: (fault) => /node\/i-here/.test(fault),
  });
  await tab.go('/jobs?q=ended', 'Jobs');
  await tab.page.getByRole('link', { name: 'here.node' }).click();
  await tab.page.getByRole('heading', { level: 1, name: 'Node here.node' }).waitFor();
  // An old address that holds the instance id leads there, too.
  await tab.go('/node?id=i-here', 'Node here.node');
  await tab.close();
});

test('what needs attention stands first, and each row leads to exactly its list or job', async () => {
  const tab = await Tab.open(browser, server.address);
  const rows = tab.page.getByRole('region', { name: 'Needs attention' });
  await tab.go('/', 'Overview');
  await rows.getByRole('link', { name: '1 job is stranded: its node is gone.' }).click();
  await tab.page.getByRole('link', { name: 'elsewhere' }).waitFor();
  await tab.sees(/^1 job$/);
  await tab.go('/', 'Overview');
  await rows.getByRole('link', { name: 'is-unsaved could not be saved at the last attempt.' }).click();
  await tab.page.getByRole('heading', { level: 1, name: 'Job is-unsaved' }).waitFor();
  assert.deepEqual(await tab.violations(), []);
  await tab.close();
});

test('each row that needs attention tells how long ago, and what is meant to be so can be put away', async () => {
  const tab = await Tab.open(browser, server.address);
  const rows = tab.page.getByRole('region', { name: 'Needs attention' });
  await tab.go('/', 'Overview');
  const failed = rows.getByRole('link', { name: /^warning: is-unsaved/ });
  await failed.getByText(/^for (9|1\d)\sm$/).waitFor();
  await rows
    .getByRole('link', { name: /stranded/ })
    .getByText(/^last event 1\sh/)
    .waitFor();
  await rows
    .getByRole('link', { name: /fails failed/ })
    .getByText(/^latest \d+\sm ago$/)
    .waitFor();
  const off = rows.getByRole('link', { name: 'Checkpoints are not switched on: agents save no job by themselves.' });
  await off.waitFor();
  await rows.getByRole('button', { name: 'Do not show this again' }).click();
  await off.waitFor({ state: 'detached' });
  await tab.page.reload();
  await failed.waitFor();
  assert.equal(await off.count(), 0);
  await tab.close();
});

test('the overview says why nodes stay late while the server suspects itself', async () => {
  const tab = await Tab.open(browser, server.address);
  // The server's own words; to be in doubt it would need a fleet that falls silent, and half a minute.
  const reason =
    '12 of 12 nodes fell silent at once. The cause may be this server or its network, so they are not marked lost before';
  const until = '2026-01-31T12:00:00Z';
  await tab.page.route('**/readyz', (route) =>
    route.fulfill({ json: { status: 'ready', reasons: [`${reason} ${until}`] } }),
  );
  await tab.go('/', 'Overview');
  const row = tab.page.getByRole('link', { name: `${reason} 2026-01-31.` });
  assert.equal(await row.getAttribute('href'), '/nodes?state=late');
  await tab.go('/health', 'Health');
  const told = tab.page.getByRole('list', { name: 'What the server doubts' });
  await told.getByText('not marked lost before 2026-01-31.').waitFor();
  assert.equal(await told.getByRole('link', { name: 'See the late nodes' }).getAttribute('href'), '/nodes?state=late');
  await tab.close();
});

test('the overview tells of a webhook that fails: the alarm itself is broken', async () => {
  const tab = await Tab.open(browser, server.address);
  const target = { url: 'https://hooks.example.com/cairn', types: ['node.lost'], format: 'cairn', nextAttempt: null };
  const failed = { id: '7', type: 'node.lost', time: new Date(Date.now() - 130_000).toISOString(), attempt: 1, ms: 9 };
  const webhooks = [
    { id: 'crew', ...target, state: 'ok', waiting: 0, setAside: 0, lost: 0, lastDelivery: null },
    {
      ...{ id: 'failures', ...target, state: 'failing', waiting: 4, setAside: 0, lost: 0 },
      nextAttempt: '2026-01-31T12:34:00.000Z',
      lastDelivery: { ...failed, status: 500, error: 'it answered 500' },
    },
  ];
  await tab.page.route('**/api/v1/webhook', (route) => route.fulfill({ json: webhooks }));
  await tab.go('/', 'Overview');
  const row = tab.page.getByRole('link', { name: 'Webhook failures is failing: 4 events wait.' });
  await row.waitFor();
  // A name may be a word of the sentence.
  assert.deepEqual(await row.locator('strong').allTextContents(), ['failures']);
  await row.click();
  await tab.arrives('Settings');
  await tab.page
    .getByRole('row', { name: /^failures.*Failing ?Failed [2-9] m ago: it answered 500 Next attempt Jan 31, \d\d:34/ })
    .waitFor();
  await tab.page.getByRole('row', { name: /^crew.*Not tried there since the server started/ }).waitFor();
  await tab.close();
});

test('the page of a node names the jobs that cannot be saved before the cloud takes it', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/node?id=here.node', 'Node here.node');
  const warned = tab.page.getByRole('list', { name: 'Jobs that cannot be saved in time' }).getByRole('listitem');
  await warned.getByText(SLOW).waitFor();
  assert.equal(await warned.count(), 1);
  await warned.getByRole('link', { name: 'is-saved' }).click();
  await tab.page.getByRole('heading', { level: 1, name: 'Job is-saved' }).waitFor();
  await tab.close();
});

test('the page of a queue names the jobs in trouble first, then those that run', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/queue?name=day', 'Queue day');
  await tab.sees('in trouble first, then the most unsaved work');
  const names = tab.page.locator('.job-rows tbody th a');
  await names.first().waitFor();
  assert.deepEqual((await names.allTextContents()).slice(0, 4), ['elsewhere', 'is-unsaved', 'fails', 'runs']);
  // What is now stands above what was in the range.
  await tab.page.locator('#first-jobs, .strip').nth(1).waitFor();
  assert.equal(await tab.page.locator('#first-jobs, .strip').first().getAttribute('id'), 'first-jobs');
  await tab.close();
});

test('of a stranded job whose node the server does not know, its own last event is told', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/jobs?phase=stranded', 'Jobs');
  const cell = tab.page.locator('.last-event');
  await cell.first().waitFor();
  assert.match((await cell.allTextContents()).join().replaceAll('\u00a0', ' '), /^Last event 1 h( \d m)? ago$/);
  await tab.close();
});

test('a job whose node goes is stranded on the open overview, although no event of the job tells', async () => {
  const tab = await Tab.open(browser, server.address);
  await api.put('/api/v1/node/going.node', { instance: { instanceId: 'i-going' } });
  // By the id of the node: events may name it so, too.
  const events = [event('Job-Creating', 2, { nodeOid: 'going.node', containerId: 'c' }), event('Job-Running', 1)];
  await api.post('/api/v1/job', { id: 'goes', queueName: 'day', events });
  await tab.go('/', 'Overview');
  await tab.sees('Live');
  await tab.sees('1 job is stranded: its node is gone.');
  await tab.page.getByRole('link', { name: 'Jobs running now 5' }).waitFor();
  await until(
    async () => (await api.get('/api/v1/node/going.node')).json as { lastHeartbeat: string },
    ({ lastHeartbeat }) => Date.now() - Date.parse(lastHeartbeat) > 2_000,
    'two seconds of silence',
  );
  assert.equal((await api.delete('/api/v1/node/going.node')).status, 200);
  await tab.sees('2 jobs are stranded: their nodes are gone.');
  await tab.page.getByRole('link', { name: 'Jobs running now 4' }).waitFor();
  await tab.go('/jobs?phase=stranded', 'Jobs');
  await tab.page
    .locator('.last-event')
    .filter({ hasText: /^Deregistered .* ago$/ })
    .waitFor();
  // It ran until then, not until the last heartbeat before: in the list and on its page, as its unsaved work is counted.
  const { createdAt, unsavedSeconds } = (await api.get('/api/v1/job/goes')).json;
  const { endedAt } = (await api.get('/api/v1/node/going.node')).json;
  const ran = (Date.parse(endedAt) - Date.parse(createdAt)) / 1_000;
  assert.equal(Math.round(ran - unsavedSeconds), 60, 'the minute before it began');
  await tab.page.getByRole('row', { name: /^goes/ }).getByText(spanText(ran), { exact: true }).waitFor();
  await tab.go('/job?id=goes', 'Job goes');
  await tab.page.getByText(`${spanText(ran)} until its node was deregistered`).waitFor();
  await tab.close();
});

test('unsaved work of stranded jobs is told apart from that of the job that runs, and both are in the sum', async () => {
  await api.put('/api/v1/node/left.node', { instance: { instanceId: 'i-left' } });
  const events = [event('Job-Creating', 301, { nodeOid: 'i-left', containerId: 'c' }), event('Job-Running', 300)];
  await api.post('/api/v1/job', { id: 'is-left', queueName: 'day', events });
  assert.equal((await api.delete('/api/v1/node/left.node')).status, 200);
  // Both grow while the test waits.
  const ofJobs = async (): Promise<number> => {
    const { json } = await api.get('/api/v1/job?phase=running&phase=stranded&fields=unsavedSeconds');
    return (json as { unsavedSeconds: number | null }[]).reduce(
      (sum, { unsavedSeconds }) => sum + (unsavedSeconds ?? 0),
      0,
    );
  };
  await until(
    async () => {
      const told = valuesOf((await api.get('/metrics')).text, 'cairn_unsaved_work_seconds');
      return told.reduce((sum, value) => sum + value, 0) - (await ofJobs());
    },
    (difference) => Math.abs(difference) < 60,
    'the sum to be that of the jobs that run and of the stranded ones',
  );
  const tab = await Tab.open(browser, server.address);
  await tab.go('/', 'Overview');
  const tile = tab.page.locator('.tile', { hasText: 'Unsaved work now' });
  await tile.getByText(/^Most of a running job: 1\sh(\s\d+\sm)? of/).waitFor();
  // What it leads to has all that it counts.
  assert.equal(await tile.getByRole('link').first().getAttribute('href'), '/jobs?sort=-unsaved');
  await tile.getByRole('link', { name: /^5\sh(\s\d+\sm)? of it stranded$/ }).click();
  await tab.page.getByRole('link', { name: 'is-left' }).waitFor();
  await tab.close();
});

test('the reasons that have no chip of their own have one together, which shows exactly their jobs', async () => {
  const details = ['no such command: x', 'no such command: x', 'exit 3', 'exit 4'];
  const jobs = details.map((detail, i) => ({
    id: `fails-${i}`,
    queueName: 'fails',
    events: [event('Job-Running', 9), event('Job-Failed', 4 + i, { detail })],
  }));
  assert.equal((await api.post('/api/v1/job', jobs)).status, 200);
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/jobs?phase=failed&queue=fails', 'Jobs');
  await tab.sees(/^4 jobs$/);
  await page.getByRole('button', { name: 'Other reasons 2', pressed: false }).click();
  await tab.sees(/^2 jobs$/);
  await page.getByRole('link', { name: 'fails-2' }).waitFor();
  assert.equal(await page.locator('.table-body .table-row').count(), 2);
  // The choice stands in the address, so that Back and a link have it, and the file has these rows.
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  const lines = readFileSync(await file.path(), 'utf8')
    .trimEnd()
    .split('\n');
  assert.deepEqual([lines.length, lines[1]?.includes('fails-2')], [3, true]);
  await page.getByRole('link', { name: 'fails-2' }).click();
  await tab.arrives('fails-2');
  await page.goBack();
  await tab.sees(/^2 jobs$/);
  await page.getByRole('button', { name: 'Other reasons 2', pressed: true }).click();
  await tab.sees(/^4 jobs$/);
  // Chosen by their status, the same jobs have the same columns; the phases are no less to choose from.
  await tab.go('/jobs?status=Failed&queue=fails', 'Jobs');
  await page.getByRole('button', { name: 'Other reasons 2', pressed: false }).click();
  await page.getByRole('row', { name: /^fails-2 .*exit 3/ }).waitFor();
  assert.deepEqual(await page.locator('nav[aria-label=Phases] [aria-current]').allTextContents(), ['All 4']);
  await tab.close();
});

test('Back undoes each choice of a list, and a search as one', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  const isAt = (search: string): Promise<void> => page.waitForURL((url) => url.search === search);
  await tab.go('/', 'Overview');
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Jobs', exact: true }).click();
  await tab.arrives('Jobs');
  await page
    .getByRole('navigation', { name: 'Phases' })
    .getByRole('link', { name: /^Running/ })
    .click();
  await isAt('?phase=running');
  const box = page.getByRole('searchbox', { name: /^Search id/ });
  await box.fill('s');
  await isAt('?phase=running&q=s');
  // As it comes from a message: what stands beside it is no part of it.
  await box.fill(' saves ');
  await isAt('?phase=running&q=saves');
  await page.getByRole('combobox', { name: 'Queue' }).click();
  await page.getByRole('option', { name: 'day' }).click();
  await isAt('?phase=running&q=saves&queue=day');
  await page.getByRole('columnheader', { name: /^Job/ }).getByRole('button').click();
  await isAt('?phase=running&q=saves&queue=day&sort=id');
  const steps = ['?phase=running&q=saves&queue=day', '?phase=running&q=saves', '?phase=running', ''];
  for (const search of steps) {
    await page.goBack();
    await isAt(search);
  }
  assert.equal(await box.inputValue(), '');
  await page.goBack();
  await tab.arrives('Overview');
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Nodes', exact: true }).click();
  await tab.arrives('Nodes');
  await page.getByRole('navigation', { name: 'States' }).getByRole('link', { name: /^Lost/ }).click();
  await page.waitForURL(/state=lost/);
  await page.goBack();
  await page.waitForURL((url) => !url.searchParams.has('state'));
  await tab.arrives('Nodes');
  await tab.close();
});

test('a delivery of a webhook is one line, also of a long id, and why one failed is told to its end', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await page.setViewportSize({ width: 1_440, height: 900 });
  const one = { type: 'job.event', node: null, eventType: 'Job-CheckpointSucceeded', ms: 1_200 };
  const job = 'variant-calling-9933d86c-1f52-4a6b-8a3e-009d904cd5a5';
  const reason = 'it answered 500: an error of the gateway, try again in a minute or ask the owner of the address';
  const deliveries = [
    { ...one, id: '1', job, time: ago(1), attempt: 1, status: 200, error: null },
    {
      ...one,
      id: '2',
      job: null,
      eventType: null,
      type: 'webhook.test',
      time: ago(2),
      attempt: 1,
      status: 200,
      error: null,
    },
    { ...one, id: '3', job, time: ago(3), attempt: 3, status: 500, error: reason },
  ];
  const hook = { id: 'crew', url: 'https://hooks.example.com/', types: ['job.event'], format: 'cairn', state: 'ok' };
  const counts = { paused: false, waiting: 0, setAside: 0, lost: 0, nextAttempt: null, lastDelivery: null };
  await page.route('**/api/v1/webhook', (route) => route.fulfill({ json: [{ ...hook, ...counts }] }));
  await page.route('**/api/v1/webhook/crew', (route) => route.fulfill({ json: { ...hook, ...counts, deliveries } }));
  await tab.go('/settings?tab=webhooks', 'Settings');
  await page.getByRole('button', { name: 'More for crew' }).click();
  await page.getByRole('menuitem', { name: 'Deliveries' }).click();
  const rows = page.getByRole('region', { name: 'Deliveries of crew' }).getByRole('listitem');
  await rows.nth(2).waitFor();
  for (const row of [rows.nth(0), rows.nth(1)])
    assert.ok(((await row.boundingBox())?.height ?? 99) < 40, 'it has two lines');
  // Enough of the id to tell what it is of; nothing where the whole of it has room.
  for (const row of [rows.nth(0), rows.nth(2)])
    assert.match((await row.locator('.long-id-shown').textContent()) ?? '', /^(variant-.*904cd5a5)?$/);
  await rows.nth(0).getByText('Delivered, 200').waitFor();
  await rows.nth(1).getByText('Test', { exact: true }).waitFor();
  const fault = rows.nth(2).getByText(`I${reason.slice(1)}`, { exact: true });
  assert.equal(await fault.evaluate((one) => one.scrollWidth <= one.clientWidth), true, 'the reason is cut');
  await tab.close();
});

test('how the test of a webhook went is told once, beside its state, and no button moves', async () => {
  await api.put('/api/v1/configKV', { kvMap: { 'security.webhooks.privateTargets': 'true' } });
  const target = { url: 'http://127.0.0.1:9/', types: ['node.lost'], format: 'cairn' };
  assert.equal((await api.put('/api/v1/webhook/nobody', target)).status, 200);
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  for (const width of [1_440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await tab.go('/settings?tab=webhooks', 'Settings');
    const row = page.getByRole('row', { name: /^nobody/ });
    const test = row.getByRole('button', { name: 'Test' });
    const before = Object.values((await test.boundingBox()) ?? {});
    await test.click();
    await row.getByText(/^Test failed \d+\ss ago: nothing listens at 127\.0\.0\.1:9$/).waitFor();
    await row.getByText('Failing', { exact: true }).waitFor();
    await row.getByRole('status').getByText('Test failed: nothing listens').waitFor();
    const after = Object.values((await test.boundingBox()) ?? {});
    const moved = before.map((px, i) => Math.abs(px - (after[i] ?? 0)));
    assert.ok(moved.length === 4 && Math.max(...moved) < 0.5, `${moved} at ${width} pixels`);
    assert.deepEqual(await tab.violations(), []);
    assert.ok((await tab.overflow()) <= 0);
  }
  await tab.close();
  assert.equal((await api.delete('/api/v1/webhook/nobody')).status, 200);
});

test('after Back the keys go on from the row that was opened, and what a list is filtered by is cleared at once', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/jobs?sort=id', 'Jobs');
  const focused = (): Promise<string | null> => page.locator(':focus').textContent();
  const ids = page.locator('.table-body .table-row .cell:first-child a');
  await ids.nth(3).waitFor();
  const [, second, third] = await ids.allTextContents();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  assert.equal(await focused(), second);
  await page.keyboard.press('Enter');
  await tab.arrives(/^Job /);
  await page.goBack();
  await ids.nth(3).waitFor();
  await page.keyboard.press('j');
  assert.equal(await focused(), third);

  await tab.go('/jobs?phase=running&queue=day&status=Running&range=24h&q=run&sort=-unsaved&saved=never', 'Jobs');
  const time = page.getByRole('combobox', { name: 'Time' });
  assert.equal(await time.textContent(), 'Running in the last 24 hours');
  await page.getByRole('button', { name: 'Clear filters' }).click();
  await page.waitForURL((url) => url.search === '?phase=running&sort=-unsaved');
  await page.getByRole('button', { name: 'Clear filters' }).waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('searchbox', { name: /^Search id/ }).inputValue(), '');

  // The tab counts what its list has, also where the counts were read at another moment.
  await page.route('**/api/v1/job/count**', async (route) => {
    const response = await route.fetch();
    const told = (await response.json()) as { counts: Record<string, number> };
    await route.fulfill({ json: { ...told, counts: { ...told.counts, running: 99, failed: 98 } } });
  });
  await tab.go('/jobs?phase=running', 'Jobs');
  const end = page.getByText(/^\d+ jobs$/);
  await page.getByRole('link', { name: 'Failed 98', exact: true }).waitFor();
  await page
    .getByRole('link', { name: `Running ${parseInt((await end.textContent()) ?? '', 10)}`, exact: true })
    .waitFor();
  await page.unroute('**/api/v1/job/count**');

  // Of jobs that run one sees at once which were never saved; what they cannot be is not offered.
  await tab.go('/jobs?phase=running', 'Jobs');
  await page.getByRole('button', { name: /^Never saved \d/ }).waitFor();
  await page.getByRole('combobox', { name: 'Status' }).click();
  await page.getByRole('option', { name: 'Checkpoint failed' }).waitFor();
  assert.equal(await page.getByRole('option', { name: 'Succeeded', exact: true }).count(), 0);
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: /^Never saved \d/ }).click();
  await page.waitForURL(/saved=never/);
  await page.getByRole('button', { name: /^Never saved \d/, pressed: true }).waitFor();

  // Where there is little room, what is asked at night comes before what all of them have in common.
  await page.setViewportSize({ width: 1024, height: 768 });
  await until(
    () => page.getByRole('columnheader').allTextContents(),
    (heads) => heads.includes('Node') && heads.includes('Last checkpoint') && !heads.includes('Phase'),
    'the node and the last checkpoint in place of the phase',
  );
  await tab.close();
});

test('a queue tells why jobs of it were not restored, and its order by trouble is one click away', async () => {
  const events = [
    event('Job-Creating', 61, { nodeOid: 'i-here' }),
    event('Job-Running', 60),
    event('Job-Restoring', 9),
    event('Job-RestoreFailed', 8, { detail: 'no-image: no image verifies' }),
  ];
  assert.equal((await api.post('/api/v1/job', { id: 'not-restored', queueName: 'hurt', events })).status, 200);
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/queue?name=hurt', 'Queue hurt');
  await page
    .getByRole('row', { name: /^not-restored/ })
    .getByText('no image verifies')
    .waitFor();
  await tab.go('/queues', 'Queues');
  const names = page.locator('.queue-table tbody th');
  await names.first().waitFor();
  const byTrouble = await names.allTextContents();
  await page.getByRole('button', { name: 'Queue', exact: true }).click();
  await page.waitForURL(/sort=queue/);
  // A radio button takes no text: the keys of the page go on.
  await page.getByRole('radio', { name: '7d' }).check({ force: true });
  await page.keyboard.press('/');
  assert.equal(await page.locator('input[type=search]:focus').count(), 1);
  await page.goBack();
  await page.getByRole('button', { name: 'In trouble first' }).click();
  await page.waitForURL((url) => url.search === '');
  assert.deepEqual(await names.allTextContents(), byTrouble);
  assert.equal(await page.getByRole('button', { name: 'In trouble first' }).count(), 0);
  await tab.close();
});
