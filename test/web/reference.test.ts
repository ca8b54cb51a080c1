/** The reference page of the API at /api/: it shows the server's own description, and tries calls with the caller's token. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { ServerProcess } from '../support/server-process.ts';
import { startBrowser, Tab } from './browser.ts';

let server: ServerProcess;
let browser: Browser;

before(async () => {
  browser = await startBrowser();
  server = await ServerProcess.start();
});

after(async () => {
  await browser.close();
  await server.dispose();
});

test('a call is tried from the page, and carries the token of the session', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await page.addInitScript(
    `sessionStorage.setItem('cairn.session', '${JSON.stringify({ accessToken: 'the-token', userName: '', isRenewable: false })}')`,
  );
  await page.goto(`${server.address}/api/`);
  await page.getByText('Count jobs by phase, status or queue').first().click();
  const asked = page.waitForRequest((request) => request.url().includes('/api/v1/job/count'));
  await page.getByRole('button', { name: 'Execute' }).first().click();
  const request = await asked;
  assert.equal((await request.allHeaders())['authorization'], 'Bearer the-token');
  assert.equal((await request.response())?.status(), 200);
  await tab.close();
});

test('without a token that the server takes, the page leads to the sign-in page', async () => {
  const tab = await Tab.open(browser, server.address, { isExpected: (fault) => fault.includes('401') });
  await tab.page.route('**/api/v1/openapi.json', (route) => route.fulfill({ status: 401, body: '{}' }));
  await tab.page.goto(`${server.address}/api/`);
  await tab.sees('Sign in to read this page.');
  assert.equal(await tab.page.getByRole('link', { name: 'Sign in' }).getAttribute('href'), '/');
  await tab.close();
});
