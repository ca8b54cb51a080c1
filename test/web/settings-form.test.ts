/** Forms of settings: what is to be corrected is named and reached, in the words of the page. One server. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';
import { Tab, withBrowser } from './browser.ts';

let browser: Browser;
let server: ServerProcess;

withServer({}, (served) => {
  ({ server } = served);
});

withBrowser((started) => {
  browser = started;
});

test('what is to be corrected is named at the foot, leads to its field, and is told in the words of the page', async () => {
  const tab = await Tab.open(browser, server.address, { isExpected: (fault) => /status of 422/.test(fault) });
  const { page } = tab;
  await page.setViewportSize({ width: 1024, height: 480 });
  await tab.go('/settings?tab=node', 'Settings');
  await page.getByLabel('Heartbeat interval').fill('4m');
  await page.getByLabel('Log cleanup interval').fill('soon');
  const alert = page.getByRole('alert').filter({ hasText: 'Heartbeat interval must be' });
  await alert.getByText('Heartbeat interval must be at most half of “Lost after” (5m).').waitFor();
  const foot = page.locator('.form-end');
  await foot.getByText('Correct first: Heartbeat interval, Log cleanup interval.').waitFor();
  assert.deepEqual(await tab.violations(), []);
  await tab.shoot('marked-settings-medium-light');
  // Again and again.
  for (const name of ['Heartbeat interval', 'Log cleanup interval', 'Heartbeat interval']) {
    await foot.getByRole('button', { name }).click();
    const field = page.getByLabel(name);
    assert.equal(await field.evaluate((one) => one === one.ownerDocument.activeElement), true, name);
    const box = await field.boundingBox();
    assert.ok(box && box.y > 50 && box.y + box.height < 400, `${name} is out of sight: ${JSON.stringify(box)}`);
  }
  // The other setting is on the same page: the edits stay.
  await alert.getByRole('link', { name: 'Lost after' }).click();
  await page.locator('.setting', { hasText: 'node.ttl' }).locator('input:focus').waitFor();
  assert.equal(await page.getByRole('dialog').count(), 0);
  assert.equal(await page.getByLabel('Heartbeat interval').inputValue(), '4m');

  await page.getByRole('button', { name: 'Discard changes' }).click();
  await tab.go('/settings?tab=log', 'Settings');
  await page.getByLabel('Rotate at').fill('20');
  await page.getByLabel('Log file').fill('/etc/x.log');
  await page.getByRole('button', { name: 'Review 2 changes' }).click();
  const review = page.getByRole('dialog', { name: 'Apply these changes?' });
  await review.getByRole('button', { name: 'Apply', exact: true }).click();
  const fault = review.getByRole('alert');
  await fault.waitFor();
  // As near to the values as to the buttons.
  const [rows, told] = [await review.locator('.rows').boundingBox(), await fault.boundingBox()];
  assert.ok(rows && told && told.y - rows.y - rows.height <= 24, JSON.stringify([rows, told]));
  await page.keyboard.press('Escape');
  await review.waitFor({ state: 'detached' });
  await foot.getByText('The server refused Log file.').waitFor();
  await foot.getByRole('button', { name: 'Log file' }).click();
  assert.equal(await page.getByLabel('Log file').evaluate((one) => one === one.ownerDocument.activeElement), true);
  await tab.close();
});
