/** Records of settings: the history and the audit log, how they are searched, and what leads from them. One server. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
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
  assert.equal((await api.configKv(kvMap)).status, 200, JSON.stringify(kvMap));
}

test('an earlier value is put back into the form of its setting, and applied only after the review', async () => {
  await set({ 'node.heartbeat': '20s' });
  await set({ 'node.heartbeat': '30s', 'ckpt.ckptOnSigTerm': 'true' });
  await set({ 'job.customTags': 'team:batch' });
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/settings?tab=history', 'Settings');
  const putBack = (text: string): Locator => page.getByRole('button', { name: text });
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

test('the audit log is of a time, which stands in its address, and what is shown is saved as a file', async () => {
  await set({ 'node.ttl': '6m' });
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  // As if one record were of an earlier month: no test waits for that.
  await page.route('**/api/v1/audit?*', async (route) => {
    const response = await route.fetch();
    const records = (await response.json()) as { time: string }[];
    const json = records.map((one, i) =>
      i === records.length - 1 ? { ...one, time: '2026-01-05T12:00:00.000Z' } : one,
    );
    await route.fulfill({ response, json });
  });
  await tab.go('/settings?tab=audit', 'Settings');
  await page.getByText(/^\d+ records$/).waitFor();
  const rows = page.locator('tbody tr');
  const all = await rows.count();
  await page.getByText('24h', { exact: true }).click();
  await page.getByText(`${all - 1} of ${all} records`).waitFor();
  assert.match(page.url(), /range=24h/);
  assert.equal(await rows.count(), all - 1);
  assert.deepEqual(await tab.violations(), []);
  await tab.shoot('audit-range-wide-light');
  // A changed setting leads to its field.
  const setting = rows.getByRole('link').first();
  const name = (await setting.textContent()) ?? '';
  await setting.click();
  await page.waitForURL(/tab=(\w+)#\1\.\w+$/);
  await page.getByText(name, { exact: true }).first().waitFor();
  // Who is sent its address sees the same; words and time are both asked for.
  await tab.go('/settings?tab=audit&start=2026-01-05T00:00:00.000Z&end=2026-01-06T00:00:00.000Z', 'Settings');
  await page.getByText(`1 of ${all} records`).waitFor();
  await rows.getByText('2026-01-05').waitFor();
  await page.getByRole('searchbox').fill('zzz');
  await tab.sees('No record in the chosen range matches “zzz”');
  await page.getByRole('button', { name: 'Clear the search' }).click();
  await page.getByText(`1 of ${all} records`).waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const file = await download;
  assert.match(file.suggestedFilename(), /^audit-\d{4}-\d\d-\d\d\.csv$/);
  const lines = (await readFile(await file.path(), 'utf8')).trim().split('\r\n');
  assert.equal(lines[0], 'seq,time,who,from,action,target,detail');
  assert.equal(lines.length, 2, lines.join('\n'));
  assert.match(lines[1] ?? '', /^\d+,2026-01-05T12:00:00.000Z,anonymous,127\.0\.0\.1,/);
  await page.getByText('Any time', { exact: true }).click();
  await page.getByText(/^\d+ records$/).waitFor();
  assert.match(page.url(), /tab=audit$/);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByLabel('Range').selectOption('1h');
  await page.getByText(`${all - 1} of ${all} records`).waitFor();
  assert.ok((await tab.overflow()) <= 0);
  await tab.close();
});

test('a search of the audit log reads on until it finds something, and the file has all that it would find', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  // As if the newest hundred were of something else.
  await page.route('**/api/v1/audit?*', async (route) => {
    const url = new URL(route.request().url());
    const isFirst = !url.searchParams.has('before');
    const other = { who: 'anonymous', from: '127.0.0.1', action: 'job.removed', target: 'job j', detail: {} };
    const newest = Array.from({ length: Number(url.searchParams.get('limit')) }, (_, i) => {
      return { ...other, seq: 99_999 - i, time: new Date().toISOString() };
    });
    await route.fulfill(isFirst ? { json: newest } : { response: await route.fetch() });
  });
  await tab.go('/settings?tab=audit&q=settings', 'Settings');
  await page.locator('tbody tr').first().waitFor();
  await page.getByText(/^\d of \d+ records$/).waitFor();
  const download = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const lines = (await readFile(await (await download).path(), 'utf8')).trim().split('\r\n');
  assert.equal(lines.length - 1, await page.locator('tbody tr').count());
  await tab.close();
});

test('a history of a hundred changes says that it has no older ones, and leads to the audit log with the same words', async () => {
  for (let i = 0; i < 100; i++) await set({ 'node.ttl': `${i % 2 === 0 ? 6 : 5}m` });
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/settings?tab=history&q=heartbeat', 'Settings');
  await tab.sees('No change matches “heartbeat”');
  await page.getByRole('link', { name: 'Older ones are in the audit log' }).click();
  await page.waitForURL(/tab=audit&q=heartbeat/);
  await page.locator('tbody tr').first().waitFor();
  await tab.go('/settings?tab=history', 'Settings');
  await tab.sees('The last 100 changes');
  await tab.close();
});

test('the review shows both values of a setting whole, however long they are', async () => {
  await set({ 'job.customTags': `team:${'batch-'.repeat(15)}` });
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/settings?tab=job', 'Settings');
  await page.getByLabel('Resource tags').fill(`team:${'genomics-'.repeat(10)},owner:${'somebody.'.repeat(6)}`);
  await page.getByRole('button', { name: 'Review 1 change' }).click();
  await page.locator('.change-values').last().waitFor();
  const outside = `[...document.querySelectorAll('.change-row > *')].filter((one) => {
    const box = one.closest('.rows').getBoundingClientRect();
    return one.scrollWidth > one.clientWidth + 1 || one.getBoundingClientRect().right > box.right + 1;
  }).length`;
  for (const width of [1_440, 390]) {
    await page.setViewportSize({ width, height: 900 });
    assert.equal(await page.evaluate(outside), 0, `at ${width}`);
  }
  await tab.close();
});
