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
  assert.equal((await api.put('/api/v1/configKV', { kvMap })).status, 200, JSON.stringify(kvMap));
}

async function open(): Promise<{ tab: Tab; page: Page }> {
  const tab = await Tab.open(browser, server.address);
  return { tab, page: tab.page };
}

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
