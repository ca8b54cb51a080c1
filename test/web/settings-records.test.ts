/** Records of settings: the history and the audit log, how they are searched, and what leads from them. One server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser, Locator } from 'playwright-core';
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

test('an earlier value is put back into the form of its setting, and applied only after the review', async () => {
  await set({ 'node.heartbeat': '20s' });
  await set({ 'node.heartbeat': '30s', 'ckpt.ckptOnSigTerm': 'true' });
  await set({ 'job.customTags': 'team:batch' });
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/settings?tab=history', 'Settings');
  const putBack = (text: string): Locator => page.getByRole('link', { name: text });
  await putBack('Put 20s back… for Heartbeat interval').waitFor();
  await putBack('Turn off again… for Checkpoint on SIGTERM').waitFor();
  // It was empty.
  await putBack('Put the earlier value back… for Resource tags').waitFor();
  assert.deepEqual(await tab.violations(), []);
  await page.getByLabel('Setting, value, person or time').fill('20s HEARTBEAT');
  await page.getByText('2 of 4 changes').waitFor();
  await tab.shoot('history-found-wide-light');

  await putBack('Put 20s back…').click();
  const field = page.getByLabel('Heartbeat interval');
  await page.locator('input:focus').waitFor();
  assert.equal(await field.inputValue(), '20s');
  assert.equal((await api.get('/api/v1/config')).json.node.heartbeat, '30s', 'nothing is applied by one click');
  // Back keeps what was searched for, and asks about the edit like any other.
  await page.goBack();
  await page.getByRole('dialog', { name: 'Leave without applying?' }).getByRole('button', { name: 'Leave' }).click();
  await page.getByText('2 of 4 changes').waitFor();
  await putBack('Put 20s back…').click();
  await page.getByRole('button', { name: 'Review 1 change' }).click();
  const review = page.getByRole('dialog', { name: 'Apply these changes?' });
  await review.getByText('30s → becomes 20s').waitFor();
  await review.getByRole('button', { name: 'Apply' }).click();
  await page.getByText('Applied.').waitFor();
  assert.equal((await api.get('/api/v1/config')).json.node.heartbeat, '20s');
  // What was handed over is taken once.
  await set({ 'node.heartbeat': '25s' });
  await page.reload();
  await until(
    () => field.inputValue(),
    (text) => text === '25s',
    'the present value, and not the one that was handed over',
  );
  assert.equal(await page.getByRole('button', { name: /^Review/ }).count(), 0);

  await tab.go('/settings?tab=history&q=20s', 'Settings');
  await page.getByText('4 of 6 changes').waitFor();
  await set({ 'node.heartbeat': '20s' });
  // The present value is not put back: the rows that led to another one still are.
  await page.getByText('5 of 7 changes').waitFor();
  assert.equal(await putBack('Put 20s back…').count(), 0);
  await page.getByRole('link', { name: 'Heartbeat interval', exact: true }).first().click();
  await page.locator('input:focus').waitFor();
  assert.match(page.url(), /tab=node#node\.heartbeat$/);
  assert.equal(await page.getByRole('button', { name: /^Review/ }).count(), 0);
  await tab.close();
});
