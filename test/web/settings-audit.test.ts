/** Records of settings: where they lead, how they tell a change, and how they are read with keys and fingers. One server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { type Api, until } from '../support/api.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';
import { Tab, withBrowser } from './browser.ts';

let browser: Browser;
let server: ServerProcess;
let api: Api;

withServer({}, (served) => {
  ({ server, api } = served);
});

withBrowser((started) => {
  browser = started;
});

async function set(kvMap: Readonly<Record<string, string>>): Promise<void> {
  assert.equal((await api.configKv(kvMap)).status, 200, JSON.stringify(kvMap));
}

async function open(): Promise<{ tab: Tab; page: Page }> {
  const tab = await Tab.open(browser, server.address);
  return { tab, page: tab.page };
}

/** Which row is marked, whether the keyboard is in it, and whether it is in sight below the bar. */
const AIMED = `[...document.querySelectorAll('tr[aria-current]')].map((row) => {
  const { top, bottom } = row.getBoundingClientRect();
  const is = [row === document.activeElement, top >= 50 && bottom <= window.innerHeight];
  return [row.cells[0].firstChild.textContent, ...is].join(' ');
}).join()`;

async function isAimedAt(page: Page, name: string): Promise<void> {
  await until(
    () => page.evaluate(AIMED),
    (told) => told === `${name} true true`,
    'one row to be marked, in sight and focused',
  );
}

test('a record of a webhook leads to its row while there is one, and records of tokens to the tokens', async () => {
  const target = { url: 'https://hooks.example.com/cairn', types: ['node.lost'], format: 'cairn' };
  const fillers = Array.from({ length: 20 }, (_, i) => `hook-${i + 10}`);
  for (const id of [...fillers, 'ops-hook', 'gone-hook'])
    assert.equal((await api.put(`/api/v1/webhook/${id}`, target)).status, 200);
  await api.delete('/api/v1/webhook/gone-hook');
  await api.post('/api/v1/security/nodeToken', { ttl: '24h' });
  await api.delete('/api/v1/security/nodeToken');
  const { tab, page } = await open();
  await tab.go('/settings?tab=audit', 'Settings');
  const gone = page.getByRole('row', { name: /Webhook removed gone-hook/ });
  const link = page.getByRole('link', { name: 'ops-hook', exact: true });
  await link.waitFor();
  assert.equal(await gone.getByRole('link').count(), 0, 'what is gone is no link');
  assert.deepEqual(await tab.violations(), []);
  await tab.shoot('audit-links-wide-light');
  await link.click();
  await page.waitForURL(/tab=webhooks#ops-hook$/);
  await isAimedAt(page, 'ops-hook');
  assert.deepEqual(await tab.violations(), []);
  await page.goBack();
  const made = page.getByRole('row', { name: /Join token made For any new node Valid until/ });
  await made.getByRole('link').waitFor();
  await page
    .getByRole('row', { name: /Join token revoked All that were made before$/ })
    .getByRole('link')
    .click();
  await page.waitForURL(/tab=tokens#join-tokens$/);
  await page.getByRole('heading', { name: 'Join tokens' }).waitFor();
  await tab.close();
  for (const id of [...fillers, 'ops-hook']) await api.delete(`/api/v1/webhook/${id}`);
});

test('a record of a service token leads to its row, and of one that was revoked nowhere', async () => {
  const { tab, page } = await open();
  const time = new Date().toISOString();
  const by = { time, who: 'anna', from: '10.0.0.7', action: 'serviceToken.made' };
  const json = ['report', 'old'].map((name, i) => ({
    ...{ ...by, seq: 9 - i, target: `service token id-${name}` },
    detail: { name, role: 'viewer', queues: null, expiresAt: time },
  }));
  // Without a provider the server makes none.
  await page.route('**/api/v1/audit?*', (route) => route.fulfill({ json }));
  const token = { id: 'id-report', name: 'report', role: 'viewer', queues: null };
  const tokens = [{ ...token, createdAt: time, createdBy: 'anna', expiresAt: time }];
  await page.route('**/api/v1/security/serviceToken', (route) => route.fulfill({ json: tokens }));
  await tab.go('/settings?tab=audit', 'Settings');
  const link = page.getByRole('link', { name: 'report', exact: true });
  await link.waitFor();
  assert.equal(
    await page
      .getByRole('row', { name: /made old/ })
      .getByRole('link')
      .count(),
    0,
  );
  await link.click();
  await isAimedAt(page, 'report');
  await tab.close();
});

test('a map that was empty, or becomes so, is told entry by entry: in the history, the audit log and the review', async () => {
  await set({ 'job.customTags': 'team:beta,cost-centre:4711' });
  await set({ 'job.customTags': '' });
  const { tab, page } = await open();
  for (const name of ['history', 'audit']) {
    await tab.go(`/settings?tab=${name}&q=customTags`, 'Settings');
    const told = page.locator('tbody .change-values');
    await told.nth(1).waitFor();
    assert.deepEqual(
      (await told.allInnerTexts()).map((text) => text.split(/\n+/).filter((line) => !/^is /.test(line))),
      [
        ['− team: beta', '− cost-centre: 4711'],
        ['+ team: beta', '+ cost-centre: 4711'],
      ],
      name,
    );
    // Both tell the address alike.
    assert.equal(await page.locator('td .muted', { hasText: /^\(127\.0\.0\.1\)$/ }).count(), 2, name);
  }
  await tab.go('/settings?tab=job', 'Settings');
  await page.getByLabel('Resource tags').fill('team:beta');
  await page.getByRole('button', { name: 'Review 1 change' }).click();
  await page.getByRole('dialog').getByText('+ team: beta is added').waitFor();
  await tab.close();
});

test('what is applied in a form is in the history as soon as one goes back', async () => {
  await set({ 'node.heartbeat': '20s' });
  await set({ 'node.heartbeat': '30s' });
  const { tab, page } = await open();
  await tab.go('/settings?tab=history&q=heartbeat', 'Settings');
  await page.getByRole('button', { name: 'Put 20s back… for Heartbeat interval' }).click();
  await page.getByRole('button', { name: 'Review 1 change' }).click();
  // Before one goes back; the event that tells of the change asks only for what is shown.
  const asked = page.waitForResponse('**/api/v1/config/history');
  await page.getByRole('dialog').getByRole('button', { name: 'Apply' }).click();
  await asked;
  await page.goBack();
  await page.locator('tbody tr').first().getByText('30s → becomes 20s').waitFor();
  await tab.close();
});

/** As if the server kept these many records, all of another kind than those of this file. */
async function keep(page: Page, count: number): Promise<void> {
  const time = new Date().toISOString();
  const other = { time, who: 'anonymous', from: '127.0.0.1', action: 'backup.made', target: 'backup b', detail: {} };
  await page.route('**/api/v1/audit?*', (route) => {
    const asked = new URL(route.request().url()).searchParams;
    const before = Number(asked.get('before') ?? count + 1);
    const length = Math.min(Number(asked.get('limit')), before - 1);
    return route.fulfill({ json: Array.from({ length }, (_, i) => ({ ...other, seq: before - 1 - i })) });
  });
}

test('with older records the keyboard goes on at the first of them', async () => {
  const { tab, page } = await open();
  await keep(page, 103);
  await tab.go('/settings?tab=audit', 'Settings');
  await page.getByRole('button', { name: 'Show older' }).press('Enter');
  await page.getByText('103 records', { exact: true }).waitFor();
  await until(
    () => page.evaluate('[...document.querySelectorAll("tbody tr")].indexOf(document.activeElement)'),
    (at) => at === 100,
    'the first of the older rows to have the keyboard',
  );
  await tab.close();
});

test('however many records are counted, no control above them moves', async () => {
  const { tab, page } = await open();
  await keep(page, 103);
  const controls = [
    page.getByRole('searchbox'),
    page.locator('.segments'),
    page.getByRole('button', { name: 'Export CSV' }),
  ];
  const places = async (): Promise<number[]> => {
    const boxes = await Promise.all(controls.map((one) => one.boundingBox()));
    return boxes.flatMap((box) => (box ? [box.x, box.x + box.width, box.y] : []));
  };
  // The name of the chosen range is bold.
  const isStill = async (before: readonly number[]): Promise<void> => {
    const after = await places();
    assert.ok(after.length === 9 && after.every((px, i) => Math.abs(px - (before[i] ?? 0)) <= 2), `${before} ${after}`);
  };
  for (const width of [1_440, 1_280]) {
    await page.setViewportSize({ width, height: 900 });
    await tab.go('/settings?tab=audit', 'Settings');
    await page.getByText('The newest 100 records').waitFor();
    const first = await places();
    await page.getByText('24h', { exact: true }).click();
    await page.getByText('103 of 103 records').waitFor();
    await isStill(first);
    await page.getByRole('searchbox').fill('nobody');
    await page.getByText('0 of 103 records').waitFor();
    await isStill(first);
  }
  await tab.close();
});

test('on a phone a finger reaches what puts a value back, and rows are no higher for it', async () => {
  await set({ 'log.maxSizeMB': '20' });
  const { tab, page } = await open();
  await page.setViewportSize({ width: 390, height: 844 });
  await tab.go('/settings?tab=history&q=maxSizeMB', 'Settings');
  const button = page.getByRole('button', { name: /^Put 10/ });
  const heights = async (): Promise<number[]> =>
    Promise.all([button, page.locator('tbody tr').first()].map(async (one) => (await one.boundingBox())?.height ?? 0));
  const [, row] = await heights();
  const cdp = await page.context().newCDPSession(page);
  await cdp.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  await until(heights, ([height = 0]) => height >= 32, 'a button for a finger');
  assert.equal((await heights())[1], row);
  assert.ok((await tab.overflow()) <= 0);
  await tab.close();
});
