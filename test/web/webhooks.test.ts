/** Webhooks: no name is taken twice, and what is never sent is not offered. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import type { Api } from '../support/api.ts';
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

const TARGET = { url: 'https://hooks.example.com/cairn', types: ['node.lost'], format: 'cairn' };

async function put(id: string, more: object = {}): Promise<void> {
  assert.equal((await api.put(`/api/v1/webhook/${id}`, { ...TARGET, ...more })).status, 200);
}

async function open(width = 1_440): Promise<{ tab: Tab; page: Page }> {
  const tab = await Tab.open(browser, server.address);
  await tab.page.setViewportSize({ width, height: 900 });
  return { tab, page: tab.page };
}

test('a new webhook does not take the name of another, which would be overwritten', async () => {
  await put('on-call');
  const { tab, page } = await open();
  await tab.go('/settings?tab=webhooks', 'Settings');
  await page.getByRole('row', { name: /^on-call/ }).waitFor();
  await page.getByRole('button', { name: 'Add a webhook' }).click();
  const form = page.getByRole('form', { name: 'Add a webhook' });
  const save = form.getByRole('button', { name: 'Save webhook' });
  await form.getByLabel('URL').fill('https://other.example.com/');
  await form.getByLabel('Name').fill('on-call');
  const fault = 'Name on-call exists already: change that webhook instead';
  await form.getByRole('textbox', { name: 'Name', description: fault, exact: true }).waitFor();
  assert.equal(await save.isDisabled(), true);
  assert.equal(await save.getAttribute('title'), 'Correct the marked fields first');
  await form.getByLabel('Name').press('Enter');
  assert.deepEqual(await tab.violations(), []);

  await form.getByLabel('Name').fill('on call');
  await form.getByText('Name has other characters than A-Z, a-z, 0-9 and . _ : @ -').waitFor();
  await form.getByLabel('Name').fill('on-call-2');
  await save.click();
  await page.getByText('on-call-2 is saved.').waitFor();
  const { json } = await api.get('/api/v1/webhook/on-call');
  assert.equal((json as { url: string }).url, TARGET.url);
  await tab.close();
  for (const id of ['on-call', 'on-call-2']) await api.delete(`/api/v1/webhook/${id}`);
});

test('no webhook is added before the names of the others are known', async () => {
  const { tab, page } = await open();
  await page.route('**/api/v1/webhook', () => {
    // It stays open.
  });
  await tab.go('/settings?tab=webhooks', 'Settings');
  await page.getByRole('button', { name: 'Add a webhook' }).click();
  const form = page.getByRole('form', { name: 'Add a webhook' });
  await form.getByLabel('Name').fill('on-call');
  await form.getByLabel('URL').fill(TARGET.url);
  const save = form.getByRole('button', { name: 'Save webhook' });
  assert.equal(await save.getAttribute('title'), 'Wait until the list of webhooks is loaded');
  assert.equal(await save.isDisabled(), true);
  await tab.close();
});

test('with a queue only job events are sent: the form offers no others', async () => {
  await put('night', { types: ['job.event', 'node.lost'], eventTypes: ['Job-Failed'], queue: 'night' });
  const { tab, page } = await open();
  await tab.go('/settings?tab=webhooks', 'Settings');
  const row = page.getByRole('row', { name: /^night/ });
  await row.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Change…' }).click();
  const form = page.getByRole('form', { name: 'Change the webhook night' });
  const queue = form.getByLabel('Queue');
  const lost = form.getByLabel(/^Node lost/);
  await form.getByText('with one, no events of nodes or settings are sent').waitFor();
  assert.deepEqual([await lost.isChecked(), await lost.isDisabled()], [false, true]);
  assert.equal(await form.getByLabel(/^Job removed/).isDisabled(), false);
  // What was chosen is back as soon as it can be sent.
  await queue.fill('');
  assert.deepEqual([await lost.isChecked(), await lost.isDisabled()], [true, false]);
  await queue.fill('night');
  await form.getByLabel(/^Job event/).uncheck();
  await form.getByText('Events need at least one choice').waitFor();
  await form.getByLabel(/^Job event/).check();
  assert.deepEqual(await tab.violations(), []);
  await form.getByRole('button', { name: 'Save webhook' }).click();
  await page.getByText('night is saved.').waitFor();
  const { json } = await api.get('/api/v1/webhook/night');
  assert.deepEqual((json as { types: string[] }).types, ['job.event']);
  await page.getByRole('button', { name: 'Done' }).click();
  await tab.close();
  await api.delete('/api/v1/webhook/night');
});
