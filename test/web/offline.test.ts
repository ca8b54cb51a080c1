/** The dashboard while the server is away, and with addresses that ask for what there is not. One server at one address. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { Api, until } from '../support/api.ts';
import { freePort } from '../support/network/free-port.ts';
import { makeFolders, removeFolders, type ServerFolders, ServerProcess } from '../support/server-process.ts';
import { startBrowser, Tab } from './browser.ts';

let browser: Browser;
let folders: ServerFolders;
let server: ServerProcess;
let addr: string;

before(async () => {
  browser = await startBrowser();
  folders = await makeFolders();
  addr = `http://127.0.0.1:${await freePort()}`;
  server = await ServerProcess.start({ folders, addr });
  const api = new Api(addr);
  await api.put('/api/v1/node/off.node', { instance: { instanceId: 'i-off' } });
  await api.post('/api/v1/job', { id: 'off.job', queueName: 'off', events: [] });
  api.close();
});

after(async () => {
  await browser?.close();
  await server?.kill('SIGKILL');
  await removeFolders(folders);
});

const headingOf = (page: Page, name: string): Promise<void> =>
  page.getByRole('heading', { level: 1, name }).waitFor({ state: 'visible' });

const openPage = (page: Page, name: string): Promise<void> =>
  page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true }).click();

const PAGES_AHEAD = ['jobs', 'job', 'nodes', 'node', 'explore', 'logs', 'health', 'settings'];
/** Names of the files of pages that the browser has. */
const LOADED =
  "performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => name.includes('-page-'))";

/** Fetched ahead, without a visit. */
async function filesOfPages(page: Page): Promise<void> {
  await until(
    () => page.evaluate(LOADED) as Promise<string[]>,
    (names) => PAGES_AHEAD.every((ahead) => names.some((name) => name.includes(`${ahead}-page`))),
    'the files of all pages',
  );
}

test('while the server is away every page opens, figures stay with their age, and all resumes by itself', async () => {
  const tab = await Tab.open(browser, addr, { isExpected: () => true });
  const { page } = tab;
  await tab.go('/', 'Overview');
  await page.getByText('Jobs running').waitFor();
  await tab.sees('Live');
  await filesOfPages(page);
  await openPage(page, 'Nodes');
  // The overview names this node, too, until the page of nodes is drawn.
  await headingOf(page, 'Nodes');
  await page.getByRole('link', { name: 'off.node' }).waitFor();
  // Else not all that is shown would have an age.
  await tab.answered();

  await server.kill('SIGKILL');
  await tab.sees('Offline');
  await tab.sees(/^The server has not been reachable since .* Everything shown was loaded before/);
  assert.deepEqual(await tab.violations(), []);
  await page.getByRole('link', { name: 'off.node' }).waitFor();
  for (const name of ['Metrics', 'Logs', 'Health', 'Settings', 'Jobs', 'Overview']) {
    await openPage(page, name);
    await headingOf(page, name);
    // A log is no query, and has no age either before it is read.
    if (name === 'Logs') await tab.sees(/^The server has not been reachable since/);
    // It was checked before the server was heard last.
    if (name === 'Health') await tab.sees(/^The server has not been reachable since/);
    if (name === 'Settings') await tab.sees('Nothing can be changed until the server is back.');
    if (name === 'Metrics') {
      await tab.sees('Not loaded');
      // Sums that the overview has asked for stand beside charts that nobody has.
      await tab.sees(/^Counted at [\d: -]+ UTC/);
    }
  }
  // The figures of before, also where the range has moved on since.
  await page.getByText('Jobs running').waitFor();
  // How old they are stays in sight where the bar has scrolled away.
  assert.match((await page.locator('.connection').textContent()) ?? '', /^Offline since \d\d:\d\d$/);
  // Those of one range do not stand under the name of another.
  await page.getByText('6h', { exact: true }).click();
  await tab.sees('Saved in the last 6 hours');
  const saved = page.locator('.tile', { hasText: 'Saved in the last 6 hours' }).locator('.tile-value');
  assert.match((await saved.textContent()) ?? '', /[…–]$/);
  const trends = page.getByRole('region', { name: 'Trends' });
  await trends.getByText('Not loaded').nth(3).waitFor();
  assert.equal(await trends.locator('canvas').count(), 0, 'charts of another range');
  await openPage(page, 'Jobs');
  await tab.sees('Jobs will appear once the server answers');
  await tab.sees(
    /^The server has not been reachable since [\d: -]+ UTC \(\d+\s[ms] ago\)\. What is missing here was not loaded before; ages are as of then\. The page/,
  );
  assert.equal(await page.getByRole('button', { name: 'Export CSV' }).isDisabled(), true);
  // The overview counted them, and the page tells when.
  await page.getByText(/^Counted at [\d: -]+ UTC$/).waitFor();
  await openPage(page, 'Nodes');
  await tab.sees(/^The server has not been reachable since .* Everything shown was loaded before/);
  assert.equal(await page.getByText('Counted at').count(), 0, 'the bar tells it');
  await page.getByRole('navigation', { name: 'States' }).getByRole('link', { name: /^Lost/ }).click();
  await tab.sees('Nodes will appear once the server answers');
  await page.getByText(/^Counted at [\d: -]+ UTC$/).waitFor();
  await openPage(page, 'Jobs');
  // A search that the server does not answer has not found that there is nothing.
  await page.keyboard.press('Control+k');
  await page.keyboard.type('off.job');
  await page.getByText('The server does not answer: of jobs and nodes, those that were loaded are searched.').waitFor();
  assert.equal(await page.getByText('Nothing matches').count(), 0);
  await page.keyboard.press('Escape');
  await openPage(page, 'Health');
  assert.equal(await page.getByRole('button', { name: 'Download support bundle' }).isDisabled(), true);
  await openPage(page, 'Jobs');

  server = await ServerProcess.start({ folders });
  await tab.sees('Live');
  await page.getByRole('link', { name: 'off.job' }).waitFor();
  await page.getByText('The page reconnects by itself').waitFor({ state: 'detached' });
  assert.equal(await page.getByRole('button', { name: 'Export CSV' }).isDisabled(), false);
  const api = new Api(addr);
  await openPage(page, 'Nodes');
  await page.getByRole('link', { name: 'off.node' }).waitFor();
  await api.put('/api/v1/node/later.node', { instance: { instanceId: 'i-later' } });
  await page.getByRole('link', { name: 'later.node' }).waitFor();
  api.close();
  await tab.close();
});

test('an overview that was not opened before the server went shows nothing that is half of it', async () => {
  const tab = await Tab.open(browser, addr, { isExpected: () => true });
  const { page } = tab;
  await tab.go('/jobs', 'Jobs');
  await page.getByRole('link', { name: 'off.job' }).waitFor();
  await tab.sees('Live');
  await server.kill('SIGKILL');
  await tab.sees('Offline');
  await openPage(page, 'Overview');
  await tab.sees('The overview will appear once the server answers.');
  await tab.sees(/^The server has not been reachable since/);
  for (const part of ['Needs attention', 'Jobs running']) assert.equal(await page.getByText(part).count(), 0, part);
  // A time is not parted, wherever the line of a phone ends.
  for (const width of [340, 360, 390, 420, 450]) {
    await page.setViewportSize({ width, height: 844 });
    assert.equal(
      await page.evaluate("document.querySelector('.away time').getBoundingClientRect().height < 30"),
      true,
      `${width} px`,
    );
  }
  server = await ServerProcess.start({ folders });
  await page.getByText('Jobs running').waitFor();
  await tab.close();
});

test('while the server is away, a list that is here whole is filtered by phase and state', async () => {
  const tab = await Tab.open(browser, addr, { isExpected: () => true });
  const { page } = tab;
  const pill = (strip: string, name: RegExp): Promise<void> =>
    page.getByRole('navigation', { name: strip }).getByRole('link', { name }).click();
  const off = page.getByRole('link', { name: 'off.node' });
  await tab.go('/nodes?state=all', 'Nodes');
  await off.waitFor();
  await openPage(page, 'Jobs');
  await page.getByRole('link', { name: 'off.job' }).waitFor();
  await tab.sees('Live');
  await server.kill('SIGKILL');
  await tab.sees('Offline');
  await pill('Phases', /^Failed/);
  await tab.sees('No job has failed');
  await pill('Phases', /^Starting/);
  await page.getByRole('link', { name: 'off.job' }).waitFor();
  // A search of the server finds more than rows tell, as volumes.
  const search = page.getByLabel('Search id, name, queue, node, volume');
  await search.fill('OFF.j');
  await tab.sees('1 of the jobs that are loaded; others may appear once the server answers');
  await page.getByRole('link', { name: 'off.job' }).waitFor();
  assert.equal(await page.getByText('1970').count(), 0, 'a count that there is not has no time');
  await search.fill('elsewhere');
  await tab.sees('Jobs will appear once the server answers');
  await openPage(page, 'Nodes');
  await page.getByLabel('Search id, host').fill('I-OFF');
  await off.waitFor();
  await page.getByLabel('Search id, host').fill('elsewhere');
  await tab.sees('No node matches');
  await page.getByLabel('Search id, host').fill('');
  await pill('States', /^Lost/);
  await tab.sees('No node matches');
  await pill('States', /^Alive/);
  await off.waitFor();
  server = await ServerProcess.start({ folders });
  await tab.sees('Live');
  await tab.close();
});

test('of a list that is here in part, what is here is shown while the server is away, and called a part', async () => {
  const tab = await Tab.open(browser, addr, { isExpected: () => true });
  const { page } = tab;
  await page.route(/\/api\/v1\/job\?/, async (route) => {
    // The next page does not come.
    if (route.request().url().includes('cursor=next')) return;
    // The server may go while it is asked.
    const response = await route.fetch().catch(() => null);
    if (response === null) return route.abort().catch(() => undefined);
    const link = '</api/v1/job?cursor=next&limit=200>; rel="next"';
    return route.fulfill({ response, headers: { ...response.headers(), link } });
  });
  await tab.go('/jobs', 'Jobs');
  await page.getByRole('link', { name: 'off.job' }).waitFor();
  await tab.sees('Live');
  await server.kill('SIGKILL');
  await tab.sees('Offline');
  const phases = page.getByRole('navigation', { name: 'Phases' });
  await phases.getByRole('link', { name: /^Starting/ }).click();
  await tab.sees('1 of the jobs that are loaded; others may appear once the server answers');
  await page.getByRole('link', { name: 'off.job' }).waitFor();
  await phases.getByRole('link', { name: /^Failed/ }).click();
  await tab.sees('Jobs will appear once the server answers');
  server = await ServerProcess.start({ folders });
  await tab.sees('Live');
  // What the list asks again as the server is back may be on its way.
  await page.unrouteAll({ behavior: 'ignoreErrors' });
  await tab.close();
});

test('a queue that was not opened before the server went says when its figures were counted, and how many jobs failed', async () => {
  const api = new Api(addr);
  const failed = { eventType: 'Job-Failed', timestamp: new Date().toISOString(), eventDetails: 'exit 1' };
  await api.post('/api/v1/job', { id: 'off.failed', queueName: 'off', events: [failed] });
  api.close();
  const tab = await Tab.open(browser, addr, { isExpected: () => true });
  const { page } = tab;
  await tab.go('/queues', 'Queues');
  await page.getByRole('row', { name: /^off/ }).getByRole('link', { name: '1', exact: true }).last().waitFor();
  await tab.sees('Live');
  const isHere = (names: string[]): boolean => names.some((name) => name.includes('queue-page'));
  await until(() => page.evaluate(LOADED) as Promise<string[]>, isHere, 'the file of the page of a queue');
  await server.kill('SIGKILL');
  await tab.sees('Offline');
  await page.getByRole('link', { name: 'off', exact: true }).click();
  await headingOf(page, 'Queue off');
  await page.getByText(/^Counted at /).waitFor();
  const jobs = page.getByRole('figure').filter({ hasText: 'Jobs' }).first();
  assert.match((await jobs.textContent()) ?? '', /Failed0*1/);
  server = await ServerProcess.start({ folders });
  await tab.sees('Live');
  await tab.close();
});

test('the lines of a log that are here stay while the server is away: no filter asks it for others', async () => {
  const tab = await Tab.open(browser, addr, { isExpected: () => true });
  const { page } = tab;
  await page.setViewportSize({ width: 1_440, height: 900 });
  await tab.go('/logs?log=access', 'Logs');
  await page.locator('.log-line').nth(20).waitFor();
  await tab.sees('Live');
  await server.kill('SIGKILL');
  await tab.sees('Offline');
  assert.equal(await page.getByLabel('Only lines that contain').isDisabled(), true);
  assert.equal(await page.getByRole('combobox', { name: 'Status' }).isDisabled(), true);
  assert.equal(await page.getByRole('button', { name: 'Pause' }).isDisabled(), true);
  // How lines are drawn asks the server for nothing.
  await page.getByRole('button', { name: 'Wrap' }).click();
  await page.locator('.log-wrapped').waitFor();
  await page.getByRole('button', { name: 'Wrap' }).click();
  await page.getByRole('button', { name: 'Copy the command' }).waitFor();
  // The last line stays in sight, although the bar makes the log lower.
  const hiddenPx = `(() => {
    const log = document.querySelector('.log');
    return log.scrollHeight - log.scrollTop - log.clientHeight;
  })()`;
  await until(
    () => page.evaluate(hiddenPx) as Promise<number>,
    (px) => px < 22,
    'the last line',
  );
  assert.ok((await page.locator('.log-line').count()) > 0);
  // The bar above takes its room from the lines, not from what is below them.
  assert.ok(Number(await page.evaluate('document.documentElement.scrollHeight')) <= 900);
  server = await ServerProcess.start({ folders });
  await tab.sees('Live');
  await page.locator('input[aria-label="Only lines that contain"]:enabled').waitFor();
  await tab.close();
});

test('while the server is away, the page of a job or node that a list has tells what the list tells', async () => {
  const tab = await Tab.open(browser, addr, { isExpected: () => true });
  const { page } = tab;
  const facts = page.getByLabel('In short');
  const factsOf = async (): Promise<string> => (await facts.textContent()) ?? '';
  await tab.go('/nodes', 'Nodes');
  await page.getByRole('link', { name: 'off.node' }).waitFor();
  await openPage(page, 'Jobs');
  await page.getByRole('link', { name: 'off.job' }).waitFor();
  await tab.sees('Live');
  await filesOfPages(page);
  await server.kill('SIGKILL');
  await tab.sees('Offline');
  await page.getByRole('link', { name: 'off.job' }).click();
  await headingOf(page, 'Job off.job');
  await tab.sees('The rest of the job will appear once the server answers.');
  assert.match(await factsOf(), /Starting.*Queue\s*off.*Submitted.*Duration.*Restores\s*0$/);
  await tab.sees(/^The server has not been reachable since/);
  assert.deepEqual(await tab.violations(), []);
  await openPage(page, 'Nodes');
  await page.getByRole('link', { name: 'off.node' }).click();
  await headingOf(page, 'Node off.node');
  assert.match(await factsOf(), /^StateAlive.*Last heartbeat/);
  await page.getByRole('region', { name: 'Details' }).getByText('i-off').waitFor();
  await tab.sees(/^The server has not been reachable since/);
  assert.deepEqual(await tab.violations(), []);
  server = await ServerProcess.start({ folders });
  await tab.sees('Live');
  await page.goBack();
  await page.goBack();
  await headingOf(page, 'Job off.job');
  await page.getByRole('heading', { name: 'Timeline' }).waitFor();
  assert.equal(await facts.count(), 1, 'what the list told has made way');
  await tab.close();
});

test('a page that was opened while the server is away does not say since when', async () => {
  const tab = await Tab.open(browser, addr, { isExpected: () => true });
  await tab.page.route('**/api/v1/**', (route) => route.abort());
  await tab.go('/jobs', 'Jobs');
  await tab.sees(/^The server cannot be reached\. The page reconnects/);
  assert.equal((await tab.page.locator('.connection').textContent())?.trim(), 'Offline');
  await tab.close();
});

test('a page whose file cannot be fetched says so within the shell, and opens when the server is back', async () => {
  const tab = await Tab.open(browser, addr, { isExpected: () => true });
  const { page } = tab;
  const isHealthPage = (url: URL): boolean => url.pathname.includes('health-page');
  await page.route(isHealthPage, (route) => route.abort());
  await tab.go('/nodes', 'Nodes');
  await tab.sees('Live');
  await server.kill('SIGKILL');
  await tab.sees('Offline');
  await openPage(page, 'Health');
  await page.getByRole('alert').getByText('This page cannot be loaded: the server cannot be reached').waitFor();
  await page.getByRole('link', { name: 'Overview', exact: true }).waitFor();
  await page.unroute(isHealthPage);
  server = await ServerProcess.start({ folders });
  await headingOf(page, 'Health');
  await tab.sees('The server is healthy.');
  await server.kill('SIGKILL');
  await tab.sees('The server was healthy.');
  assert.equal(await page.getByText('The server is healthy.').count(), 0);
  server = await ServerProcess.start({ folders });
  await tab.sees('The server is healthy.');
  await tab.close();
});

/** As a browser has a tab that was opened behind others, until one looks at it. */
const BEHIND = `{
  let isHidden = true;
  Object.defineProperty(document, 'hidden', { get: () => isHidden });
  Object.defineProperty(document, 'visibilityState', { get: () => (isHidden ? 'hidden' : 'visible') });
  window.look = (isLookedAt) => {
    isHidden = !isLookedAt;
    document.dispatchEvent(new Event('visibilitychange'));
  };
}`;

test('tabs behind others hold no connection, so that more than six open; one that is looked at follows the server', async () => {
  const context = await browser.newContext();
  context.setDefaultTimeout(30_000);
  await context.addInitScript(BEHIND);
  const pages: Page[] = [];
  for (let i = 0; i < 8; i++) {
    const page = await context.newPage();
    await page.goto(`${addr}/${i % 2 === 0 ? 'nodes' : 'logs'}`);
    await (i % 2 === 0 ? page.getByRole('link', { name: 'off.node' }) : page.locator('.log-line').first()).waitFor();
    pages.push(page);
  }
  const [first] = pages as [Page];
  const opened = first.waitForRequest(/\/api\/v1\/event$/);
  await first.evaluate('look(true)');
  const stream = await opened;
  await first.getByText('Live', { exact: true }).waitFor();
  const ended = first.waitForEvent('requestfailed', (request) => request === stream);
  await first.evaluate('look(false)');
  await ended;
  // What happened meanwhile is there once it is looked at again.
  const api = new Api(addr);
  await api.put('/api/v1/node/behind.node', { instance: { instanceId: 'i-behind' } });
  await first.evaluate('look(true)');
  await first.getByRole('link', { name: 'behind.node' }).waitFor();
  await api.delete('/api/v1/node/behind.node');
  api.close();
  // A server that goes while nobody looks: what is shown is as old as the last look.
  await first.getByText('Live', { exact: true }).waitFor();
  const rests = first.waitForEvent('requestfailed', (request) => request.url().endsWith('/api/v1/event'));
  await first.evaluate('look(false)');
  await rests;
  const leftMs = Date.now();
  await server.kill('SIGKILL');
  await first.evaluate('look(true)');
  await first.getByText('Everything shown was loaded before').waitFor();
  const from = (await first.locator('.away time').first().getAttribute('datetime')) ?? '';
  assert.ok(Date.parse(from) <= leftMs, `${from} after ${new Date(leftMs).toISOString()}`);
  server = await ServerProcess.start({ folders });
  await context.close();
});

/** Address, heading, what is named, and what stands in the address after it. */
const BAD_ADDRESSES: readonly (readonly [string, string, string, string])[] = [
  ['/?range=banana', 'Overview', 'range=banana', '/'],
  ['/settings?tab=foo', 'Settings', 'tab=foo', '/settings'],
  ['/jobs?status=Dancing&queue=off', 'Jobs', 'status=Dancing', '/jobs?queue=off'],
  ['/nodes?sort=beauty', 'Nodes', 'sort=beauty', '/nodes'],
  [
    '/explore?series=system-total/metricDef-runtime&start=xx',
    'Metrics',
    'start=xx',
    '/explore?series=system-total%2FmetricDef-runtime',
  ],
];

test('an address that asks for what there is not is named and put right; the shell stays', async () => {
  const tab = await Tab.open(browser, addr, { isExpected: (fault) => /status of 404/.test(fault) });
  const { page } = tab;
  for (const [path, heading, named, after] of BAD_ADDRESSES) {
    await tab.go(path, heading);
    await page.getByRole('status').filter({ hasText: named }).waitFor();
    await page.waitForURL(addr + after);
    await page.getByRole('link', { name: 'Overview', exact: true }).waitFor();
  }
  assert.deepEqual(await tab.violations(), []);
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await page.getByText('in the address is unknown').waitFor({ state: 'detached' });
  // An id that looks like a number stays what it is.
  await tab.go('/job?id=1e5', 'Job 1e5');
  await tab.close();
});
