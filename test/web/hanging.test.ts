/** The dashboard at a server that takes calls and answers none: nothing breaks, so nothing but silence tells. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Api } from '../support/api.ts';
import { HangingProxy } from '../support/network/hanging-proxy.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';
import { Tab, withBrowser } from './browser.ts';

let server: ServerProcess;
let browser: Browser;
let api: Api;

withServer({}, async (served) => {
  ({ server, api } = served);
  await api.put('/api/v1/node/here.node', { instance: { instanceId: 'i-here' } });
  await api.post('/api/v1/job', { id: 'a.job', queueName: 'day', events: [] });
});

withBrowser((started) => {
  browser = started;
});

/** Longer than the silence after which a server is asked, and the time that it has to answer. */
const PATIENT = { timeout: 90_000 };

test('a server that hangs is away after a while: what was asked of it is given up, and all resumes by itself', async (t) => {
  const proxy = await HangingProxy.start(server.address);
  t.after(() => proxy.stop());
  const isExpected = (): boolean => true;
  const tab = await Tab.open(browser, proxy.address, { isExpected });
  const log = await Tab.open(browser, proxy.address, { isExpected });
  const form = await Tab.open(browser, proxy.address, { isExpected });
  const { page } = tab;
  await tab.go('/nodes', 'Nodes');
  await page.getByRole('link', { name: 'here.node' }).waitFor();
  await log.go('/logs', 'Logs');
  await log.sees(/ · following$/);
  await form.go('/settings?tab=ckpt', 'Settings');
  await form.page.getByLabel('Checkpoint interval', { exact: true }).fill('17m');
  await form.page.getByRole('button', { name: 'Review 1 change' }).click();
  const dialog = form.page.getByRole('dialog');
  await dialog.getByText('15m → becomes 17m').waitFor();
  for (const { page: one } of [tab, log, form]) await one.getByText('Live', { exact: true }).waitFor();

  proxy.hang();
  await dialog.getByRole('button', { name: 'Apply', exact: true }).click();
  await page.getByRole('navigation', { name: 'States' }).getByRole('link', { name: /^Lost/ }).click();
  await page.getByText('Loading nodes').waitFor();
  await page.getByText(/^Offline/).waitFor(PATIENT);
  await page.getByText('Nodes will appear once the server answers').waitFor(PATIENT);
  await log.page.getByText(/ · waiting for the server$/).waitFor(PATIENT);
  await dialog.getByText('The server did not answer: whether it made the change is not known').waitFor(PATIENT);

  proxy.pass();
  for (const { page: one } of [tab, log, form]) await one.getByText('Live', { exact: true }).waitFor(PATIENT);
  await page.getByText('No node matches').or(page.getByText('No nodes')).first().waitFor(PATIENT);
  await log.page.getByText(/ · following$/).waitFor(PATIENT);
  await form.page.getByText(/^Offline/).waitFor({ state: 'detached' });
  assert.equal(await page.getByText('Loading nodes').count(), 0);
  for (const one of [tab, log, form]) await one.close();
});
