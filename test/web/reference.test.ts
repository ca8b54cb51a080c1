/** The reference page of the API at /api/: it shows the server's own description, and tries calls with the caller's token. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { Api } from '../support/api.ts';
import { OidcIssuer } from '../support/providers/oidc-issuer.ts';
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

/** Tries a call; the request that the page sends for it. */
async function tryCount(page: Page) {
  await page.getByText('Count jobs by phase, status or queue').first().click();
  const asked = page.waitForRequest((request) => request.url().includes('/api/v1/job/count'));
  await page.getByRole('button', { name: 'Execute' }).first().click();
  return asked;
}

test('a call is tried from the page, and carries the token of the session', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await page.addInitScript(
    `sessionStorage.setItem('cairn.session', '${JSON.stringify({ accessToken: 'the-token', userName: '', isRenewable: false })}')`,
  );
  await page.goto(`${server.address}/api/`);
  const request = await tryCount(page);
  assert.equal((await request.allHeaders())['authorization'], 'Bearer the-token');
  assert.equal((await request.response())?.status(), 200);
  await tab.close();
});

test('the reference wears the colours of the dashboard, light and dark, and leads back to it', async () => {
  for (const [look, ground] of [
    ['wide-light', 'rgb(255, 255, 255)'],
    ['wide-dark', 'rgb(22, 31, 36)'],
  ] as const) {
    const tab = await Tab.open(browser, server.address, { look });
    await tab.page.goto(`${server.address}/api/`);
    await tab.page.getByText('Count jobs by phase, status or queue').first().waitFor();
    const shown = (await tab.page.evaluate(
      `getComputedStyle(document.querySelector('openapi-explorer')).backgroundColor`,
    )) as string;
    assert.equal(shown, ground);
    await tab.page.getByRole('link', { name: '← Dashboard' }).click();
    await tab.arrives('Overview');
    await tab.close();
  }
});

test('the first page names every operation, and each name leads to it', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  const { paths } = (await (await fetch(`${server.address}/api/v1/openapi.json`)).json()) as {
    paths: Record<string, Record<string, unknown>>;
  };
  const described = Object.entries(paths).flatMap(([path, methods]) =>
    ['get', 'post', 'put', 'patch', 'delete'].filter((method) => methods[method]).map((method) => `${method} ${path}`),
  );
  await page.goto(`${server.address}/api/`);
  const links = page.locator('.groups a');
  await links.first().waitFor();
  await page.getByText(`curl -H "Authorization: Bearer $TOKEN" "${server.address}/api/v1/job?limit=10"`).waitFor();
  const shown = (await page.evaluate(
    `[...document.querySelectorAll('.groups a')].map((a) => a.querySelector('.method').textContent.toLowerCase() + ' ' + a.querySelector('.path').textContent)`,
  )) as string[];
  assert.deepEqual(shown.sort(), described.sort());
  const inMenu = (await page.evaluate(
    `[...document.querySelector('openapi-explorer').shadowRoot.querySelectorAll('.nav-bar-path')].map((item) => '#?route=' + item.dataset.contentId).filter((id) => !id.includes('=cmp--'))`,
  )) as string[];
  const led = (await page.evaluate(
    `[...document.querySelectorAll('.groups a')].map((a) => a.getAttribute('href'))`,
  )) as string[];
  assert.deepEqual(led.sort(), inMenu.sort());
  await page.getByRole('link', { name: 'GET /api/v1/job/{id}/explain' }).click();
  await page.locator('.mono-font').getByText('/api/v1/job/{id}/explain').waitFor();
  await tab.close();
});

test('the address of an operation leads to it, and one search finds operations by their names', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await page.goto(`${server.address}/api/#?route=post-/api/v1/job`);
  await page.getByRole('heading', { level: 2, name: 'Report job updates', exact: true }).waitFor();
  await tab.sees('Report job updates: one, or an array of at most 1,000');
  assert.equal(await page.getByRole('button', { name: 'Search', exact: true }).count(), 0);
  await page.getByRole('textbox', { name: 'Search operations' }).fill('reclaim');
  await page.locator('.nav-bar-path').getByText('Report job updates').waitFor({ state: 'detached' });
  const found = await page.locator('.nav-bar-path').allTextContents();
  assert.ok(
    found.some((text) => /reclaim/i.test(text)),
    `${found}`,
  );
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

test('who signed in at a real provider tries calls with his token, in this tab and in another', async (t) => {
  const guarded = await ServerProcess.start();
  t.after(() => guarded.dispose());
  const issuer = await OidcIssuer.start('keycloak', [`${guarded.address}/signed-in`]);
  t.after(() => issuer.stop());
  const api = new Api(guarded.address);
  t.after(() => api.close());
  const settings = { ...issuer.settings, adminGroups: 'admin', scopes: 'openid offline_access api' };
  assert.equal((await api.put('/api/v1/security/idp', settings)).status, 200);
  issuer.groups = ['staff'];
  const { origin } = new URL(issuer.url);
  // The provider’s own page is not ours.
  const isExpected = (fault: string): boolean =>
    fault.includes('status of 401') || fault.includes(origin) || fault.includes('fonts.googleapis.com');
  const tab = await Tab.open(browser, guarded.address, { isExpected });
  const foreign: string[] = [];
  await tab.go('/nodes', 'Sign in');
  await tab.signInAtProvider('anna');
  await tab.page.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();
  const other = await tab.another();
  other.on('request', (request) => {
    if (!/^(blob|data):/.test(request.url()) && new URL(request.url()).origin !== guarded.address)
      foreign.push(request.url());
  });
  for (const page of [other, tab.page]) {
    await page.goto(`${guarded.address}/api/`);
    const request = await tryCount(page);
    const [, claims = ''] = ((await request.allHeaders())['authorization'] ?? '').split('.');
    assert.equal(JSON.parse(Buffer.from(claims, 'base64url').toString()).iss, issuer.url);
    assert.equal((await request.response())?.status(), 200);
  }
  assert.deepEqual(foreign, []);
  await tab.close();
});
