/** What surrounds the pages: search over everything, keys, how things are shown, and settings that are not lost. One server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Api } from '../support/api.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';
import { Tab, withBrowser } from './browser.ts';

let browser: Browser;
let server: ServerProcess;
let api: Api;
/** A whole second a minute ago; older events than a week are counted nowhere. */
const begun = Math.floor(Date.now() / 1_000) - 60;

const at = (second: number): string => new Date((begun + second) * 1_000).toISOString();

withServer({}, (served) => {
  ({ server, api } = served);
});

withBrowser((started) => {
  browser = started;
});

test('the checklist of a new server ticks itself off while the first job is run and saved', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/', 'Overview');
  await tab.sees('0 of 5 done');
  await tab.sees('Live');
  assert.deepEqual(await tab.violations(), []);
  await page.getByRole('button', { name: 'Turn checkpoints on' }).click();
  await tab.sees('1 of 5 done');
  assert.equal((await api.get('/api/v1/config')).json.ckpt.ckptMode, 'iterative');
  await api.put('/api/v1/node/shell.node', { instance: { instanceId: 'i-shell' } });
  await tab.sees('2 of 5 done');
  // The commands of the step whose turn has come.
  await page.getByText('sudo cairn run --job first').waitFor();
  const running = [
    { eventType: 'Job-Creating', timestamp: at(1), nodeOid: 'i-shell', containerId: 'c', batchJobId: 'b' },
    { eventType: 'Job-Running', timestamp: at(2) },
  ];
  await api.post('/api/v1/job', { id: 'shell.job', queueName: 'shell/queue', events: running });
  await tab.sees('3 of 5 done');
  await page.getByText('sudo cairn job checkpoint first').waitFor();
  // Who comes back later finds one line of it, below what needs attention.
  await page.reload();
  await tab.sees('next: checkpoint the job');
  await page.getByText('sudo cairn job checkpoint first').waitFor({ state: 'hidden' });
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await page.getByText('sudo cairn job checkpoint first').waitFor();
  const saved = ['Checkpointing', 'CheckpointSucceeded', 'Succeeded'];
  const events = saved.map((name, i) => ({ eventType: `Job-${name}`, timestamp: at(3 + i) }));
  await api.post('/api/v1/job', { id: 'shell.job', queueName: 'shell/queue', events });
  await page.getByRole('heading', { name: 'Get started' }).waitFor({ state: 'detached' });
  await tab.close();
});

test('the palette finds jobs, nodes, queues, pages and settings by keys alone', async () => {
  // A node that sends no figures: its charts ask, and are told 404.
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/health', 'Health');
  const found: readonly (readonly [string, RegExp, RegExp])[] = [
    ['shell.job', /^shell\.job/, /\/job\?id=shell\.job$/],
    ['shell.no', /^shell\.node/, /\/node\?id=shell\.node$/],
    ['shell/qu', /^shell\/queue/, /\/queue\?name=shell%2Fqueue$/],
    ['metr', /^Metrics/, /\/explore$/],
    ['restore fail', /^Restore failed jobs0/, /\/jobs\?phase=restoring&status=RestoreFailed$/],
    ['never sav', /^Never saved jobs\d/, /\/jobs\?.*saved=never/],
    ['fail jobs in shell', /^Failed jobs in shell\/queue\d/, /\/jobs\?phase=failed&queue=shell%2Fqueue$/],
    ['stranded', /^Stranded jobs0/, /\/jobs\?phase=stranded$/],
    ['checkpoint int', /^Checkpoint interval/, /\/settings\?tab=ckpt#ckpt\.ckptInterval$/],
  ];
  for (const [text, option, address] of found) {
    await tab.search(text);
    await page.locator('[role=option][data-highlighted]', { hasText: option }).waitFor();
    assert.deepEqual(await tab.violations(), [], text);
    await page.keyboard.press('Enter');
    await page.waitForURL(address);
  }
  // A setting is found with its field.
  await page.getByLabel('Checkpoint interval').and(page.locator(':focus')).waitFor();
  // Who types faster than the server answers arrives, too.
  await page.getByRole('button', { name: /^Search/ }).click();
  await page.getByRole('dialog').locator('input:focus').waitFor();
  await page.keyboard.insertText('shell.job');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/job\?id=shell\.job$/);
  await page.getByRole('button', { name: /^Search/ }).click();
  await page.getByRole('dialog').locator('input:focus').waitFor();
  await page.keyboard.type('no such thing at all');
  await tab.sees('Nothing matches');
  // What no name has may stand in a reason, or in the log.
  await page.getByRole('option', { name: 'Failed jobs, by their reasons' }).waitFor();
  await page.getByRole('option', { name: 'The server log, for “no such thing at all”' }).click();
  await page.waitForURL(/\/logs\?q=no\+such\+thing\+at\+all$/);
  await tab.close();
});

test('j and k go from row to row of a list, and Enter opens the row', async () => {
  await api.put('/api/v1/node/shell.node-2', { instance: { instanceId: 'i-shell-2' } });
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/nodes', 'Nodes');
  await page.getByRole('link', { name: 'shell.node-2' }).waitFor();
  const reached = (name: string): Promise<void> =>
    page.getByRole('link', { name, exact: true }).and(page.locator(':focus')).waitFor();
  for (const [key, name] of [
    ['j', 'shell.node'],
    ['j', 'shell.node-2'],
    ['j', 'shell.node-2'],
    ['k', 'shell.node'],
  ] as const) {
    await page.keyboard.press(key);
    await reached(name);
  }
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/node\?id=shell\.node$/);
  await api.delete('/api/v1/node/shell.node-2');
  // Where one types they are text.
  await tab.go('/jobs', 'Jobs');
  await page.getByLabel('Search id, name, queue, node, volume').pressSequentially('jk');
  await page.waitForURL(/\/jobs\?q=jk$/);
  await tab.close();
});

test('the palette begins with what was opened last, elsewhere than here', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/node?id=shell.node', 'Node shell.node');
  await tab.go('/queue?name=shell%2Fqueue', 'Queue shell/queue');
  await tab.go('/job?id=shell.job', 'Job shell.job');
  await tab.search('');
  const recent = page.getByRole('group', { name: 'Recent' }).getByRole('option');
  await recent.first().waitFor();
  assert.deepEqual(await recent.locator('.palette-label').allTextContents(), ['shell/queue', 'shell.node']);
  await page.keyboard.press('Enter');
  await tab.arrives('Queue shell/queue');
  await page.keyboard.press('g');
  await page.keyboard.press('q');
  await tab.arrives('Queues');
  await tab.close();
});

test('of many jobs the palette offers what begins with the text first, then those in trouble, and a way to all', async () => {
  const began = (second: number) => [
    { eventType: 'Job-Creating', timestamp: at(second), nodeOid: 'i-shell', containerId: 'c', batchJobId: 'b' },
    { eventType: 'Job-Running', timestamp: at(second + 1) },
  ];
  const failed = [...began(1), { eventType: 'Job-Failed', timestamp: at(3) }];
  const running = Array.from({ length: 210 }, (_, i) => ({ id: `run-${i}`, events: began(10) }));
  const jobs = [...running, { id: 'failed-by-name', events: failed }].map((job) => ({
    ...job,
    name: 'haplotype caller',
  }));
  const all = [...jobs, { id: 'haplotype-17', events: failed }, { id: 'my-haplotype', events: failed }];
  const posted = await api.post(
    '/api/v1/job',
    all.map((job) => ({ queueName: 'callers', ...job })),
  );
  assert.equal(posted.status, 200);
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/health', 'Health');
  await tab.search('haplo');
  // Keys that come slowly are searched for one by one.
  await page.locator('.palette-list[aria-busy=false]').waitFor();
  const jobsFound = page.getByRole('group', { name: 'Jobs' });
  await jobsFound.getByRole('option', { name: 'Show all jobs that match' }).waitFor();
  assert.equal(await jobsFound.getByRole('option').count(), 7);
  const ids = (await jobsFound.locator('.palette-label').allTextContents()).map((id) => id.trim());
  assert.deepEqual(ids.slice(0, 3), ['haplotype-17', 'my-haplotype', 'failed-by-name']);
  assert.deepEqual(await tab.violations(), []);
  // What still has the text stays while the server looks for it, and what has not goes.
  await page.route(/q=my-h/, () => {});
  const asked = page.waitForRequest(/q=my-h/);
  await page.getByRole('combobox').fill('my-h');
  await asked;
  assert.deepEqual(await jobsFound.locator('.palette-label').allTextContents(), [
    'my-haplotype',
    'Show all jobs that match',
  ]);
  await page.getByRole('combobox').fill('run-20');
  await page.getByRole('option', { name: 'Show all 11 jobs that match' }).click();
  await page.waitForURL(/\/jobs\?q=run-20$/);
  await tab.sees(/^11 jobs$/);
  await tab.close();
});

test('g and another key opens a page, / goes to its search, ? lists the keys; in a text they are text', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/', 'Overview');
  await page.keyboard.press('g');
  await page.keyboard.press('j');
  await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  await page.keyboard.press('/');
  await page.keyboard.type('g n?');
  const search = page.getByLabel('Search id, name, queue, node, volume');
  assert.equal(await search.inputValue(), 'g n?');
  await search.fill('');
  // Escape leaves it once it is empty; the arrow goes to the rows.
  await page.keyboard.press('Escape');
  await page.locator('.table-body .table-row').first().waitFor();
  await page.keyboard.press('j');
  await page.locator('.table-body .table-row:has(a:focus-visible)').waitFor();
  assert.equal(await search.inputValue(), '');
  await page.keyboard.press('/');
  await page.keyboard.press('ArrowDown');
  // The row is marked: a ring around its link would be cut, or would cut its text.
  await page.locator('.table-body .table-row:has(a:focus-visible)').waitFor();
  const ring = `getComputedStyle(document.activeElement.closest('.table-row')).outlineStyle`;
  assert.equal(await page.evaluate(ring), 'solid');
  await page.keyboard.press('?');
  await page.getByRole('dialog', { name: 'Keys' }).getByText('Go to Nodes').waitFor();
  assert.deepEqual(await tab.violations(), []);
  await page.keyboard.press('Escape');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  await tab.close();
});

test('theme, zone and density hold over a reload', async () => {
  const tab = await Tab.open(browser, server.address, { look: 'narrow-light' });
  const { page } = tab;
  await tab.go('/job?id=shell.job', 'Job shell.job');
  await page.getByRole('button', { name: 'View', exact: true }).click();
  await page.getByRole('menuitemradio', { name: 'Dark' }).click();
  await page.getByRole('menuitemradio', { name: 'UTC', exact: true }).click();
  await page.getByRole('menuitemradio', { name: 'Compact' }).click();
  assert.deepEqual(await tab.violations(), []);
  await page.reload();
  await page
    .getByText(`${at(1).slice(0, 10)} ${at(1).slice(11, 19)} UTC`)
    .first()
    .waitFor();
  assert.deepEqual(
    await page.evaluate('[document.documentElement.dataset.theme, document.documentElement.dataset.density]'),
    ['dark', 'compact'],
  );
  await tab.close();
});

test('edits of settings are not lost without a question, and a warning is shown before and after', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/settings', 'Settings');
  await page.getByRole('switch', { name: 'Checkpoint on SIGTERM' }).click();
  const interval = page.locator('.setting', { has: page.getByLabel('Checkpoint interval') });
  const high = async (): Promise<number | undefined> => (await interval.boundingBox())?.height;
  const before = await high();
  // The server has no days.
  await page.getByLabel('Checkpoint interval').fill('1 d');
  assert.equal(await page.getByLabel('Checkpoint interval').inputValue(), '24h');
  await page.getByLabel('Checkpoint interval').fill('1m');
  const warning = 'Checkpoint interval is 1m, below 2m';
  await page.getByRole('status').filter({ hasText: warning }).waitFor();
  assert.equal(await high(), before, 'what is below moves as a warning comes');
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Nodes' }).click();
  await page.getByRole('dialog', { name: 'Leave without applying?' }).getByText('2 changes are not applied').waitFor();
  await page.getByRole('button', { name: 'Stay' }).click();
  assert.equal(await page.getByLabel('Checkpoint interval').inputValue(), '1m');
  await page.getByRole('button', { name: 'Review 2 changes' }).click();
  const review = page.getByRole('dialog', { name: 'Apply these changes?' });
  await review.getByText(warning).waitFor();
  await review.getByText('Jobs take it with the next heartbeat of their node').waitFor();
  assert.deepEqual(await tab.violations(), []);
  await page.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('Applied.').waitFor();
  // At the field, and beside what was done.
  await page.locator('output').filter({ hasText: warning }).waitFor();
  const { ckpt } = (await api.get('/api/v1/config')).json;
  assert.deepEqual([ckpt.ckptInterval, ckpt.ckptOnSigTerm], ['1m0s', true]);
  // Nothing is left to lose.
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'History' }).click();
  const row = page.getByRole('row').filter({ hasText: 'Checkpoint interval' });
  await row.getByRole('cell', { name: /becomes 1m\b/ }).waitFor();
  await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Audit log' }).click();
  const done = page.getByRole('row').filter({ hasText: 'Settings changed' });
  await done.getByText('Checkpoint interval: 15m → becomes 1m').waitFor();
  await page.getByLabel('Person, action, setting or time').fill('settings heartbeat');
  await page.getByText(/^0 of \d+ records?$/).waitFor();
  await page.getByLabel('Person, action, setting or time').fill('anonymous interval');
  await page.getByText(/^1 of \d+ records?$/).waitFor();
  await done.waitFor();
  // Who is sent its address sees the same records.
  await tab.go(page.url().slice(server.address.length), 'Settings');
  await page.getByText(/^1 of \d+ records?$/).waitFor();
  await tab.close();
});
