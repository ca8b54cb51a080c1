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

