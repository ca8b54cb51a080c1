/** The dashboard at a server that takes calls and answers none: nothing breaks, so nothing but silence tells. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser } from 'playwright-core';
import { type Api, until } from '../support/api.ts';
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
  const jobs = await Tab.open(browser, proxy.address, { isExpected });
  const all = [tab, log, form, jobs];
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
  await jobs.go('/jobs', 'Jobs');
  await jobs.page.getByRole('link', { name: 'a.job' }).waitFor();
  for (const { page: one } of all) await one.getByText('Live', { exact: true }).waitFor();
  // What the palette needs is loaded once it was open.
  await jobs.search('a.j');
  await jobs.page.keyboard.press('Escape');
  const lastAskedMs = Date.now();
  const answer = page.waitForResponse(/state=late/);
  await page.getByRole('navigation', { name: 'States' }).getByRole('link', { name: /^Late/ }).click();
  await answer;

  proxy.hang();
  await jobs.page.getByRole('searchbox').fill('a.j');
  await dialog.getByRole('button', { name: 'Apply', exact: true }).click();
  await page.getByRole('navigation', { name: 'States' }).getByRole('link', { name: /^Lost/ }).click();
  await page.getByText('Loading nodes').waitFor();
  await page.getByText(/^Offline/).waitFor(PATIENT);
  await page.getByText('Nodes will appear once the server answers').waitFor(PATIENT);
  await log.page.getByText(/ · waiting for the server$/).waitFor(PATIENT);
  await dialog.getByText('The server did not answer: whether it made the change is not known').waitFor(PATIENT);
  assert.equal(await dialog.getByRole('button', { name: 'Apply', exact: true }).isDisabled(), true);
  // No earlier than what the page shows.
  const since = await page.locator('.away time').first().getAttribute('datetime');
  assert.ok(Date.parse(since ?? '') >= lastAskedMs, `${since} is before the last answer`);
  // What was counted of all jobs is not counted of those that are searched for.
  await jobs.page.getByText(/^Offline/).waitFor(PATIENT);
  await jobs.page.getByRole('link', { name: 'All –', exact: true }).waitFor();
  await jobs.page.getByRole('link', { name: 'a.job' }).waitFor();
  assert.equal(await jobs.page.getByText('1970').count(), 0);
  await jobs.search('a.j');
  await jobs.page.getByRole('option').filter({ hasText: 'a.job' }).waitFor();
  await jobs.page.keyboard.press('Escape');

  proxy.pass();
  for (const { page: one } of all) await one.getByText('Live', { exact: true }).waitFor(PATIENT);
  await page.getByText('No node matches').or(page.getByText('No nodes')).first().waitFor(PATIENT);
  await log.page.getByText(/ · following$/).waitFor(PATIENT);
  await form.page.getByText(/^Offline/).waitFor({ state: 'detached' });
  assert.equal(await page.getByText('Loading nodes').count(), 0);
  // The server may have had the change all the same: what became of it is told.
  await until(
    async () => [(await api.get('/api/v1/config')).json.ckpt.ckptInterval, await dialog.textContent()] as const,
    ([interval, text]) =>
      text?.includes(`The server is back, and has ${interval === '17m0s' ? '' : 'not '}made the change`) === true,
    'what became of the change',
  );
  for (const one of all) await one.close();
});
