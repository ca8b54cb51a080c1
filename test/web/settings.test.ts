/** Settings of who may call: any OpenID Connect provider by its form, and service tokens. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser, Request } from 'playwright-core';
import { Api, until } from '../support/api.ts';
import { OidcIssuer } from '../support/providers/oidc-issuer.ts';
import { ServerProcess } from '../support/server-process.ts';
import { startBrowser, Tab } from './browser.ts';

let browser: Browser;
let server: ServerProcess;
let issuer: OidcIssuer;
let api: Api;

before(async () => {
  browser = await startBrowser();
  server = await ServerProcess.start();
  issuer = await OidcIssuer.start('keycloak', [`${server.address}/signed-in`]);
  api = new Api(server.address);
});

after(async () => {
  await browser?.close();
  await api?.close();
  await issuer?.stop();
  await server?.dispose();
});

async function looksRight(tab: Tab, name: string): Promise<void> {
  await tab.shoot(name);
  assert.deepEqual(await tab.violations(), [], name);
  assert.ok((await tab.overflow()) <= 0, `${name} is wider than the window`);
}

async function signIn(tab: Tab): Promise<void> {
  issuer.groups = ['admin'];
  await tab.page.getByRole('button', { name: 'Sign in' }).click();
  await tab.page.locator('input[name=login]').fill('anna');
  await tab.page.locator('input[name=password]').fill('whatever');
  await tab.page.locator('button[type=submit]').click();
  await tab.page.getByRole('button', { name: 'Continue' }).click();
  await tab.page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
}

/** The provider is on and the stream of events has ended before the answer comes. Settles once the page has it. */
async function answerAfterTheStream({ page }: Tab): Promise<{ readonly heard: Promise<unknown> }> {
  await page.route('**/api/v1/security/idp', async (route) => {
    if (route.request().method() !== 'PUT') return await route.continue();
    const response = await route.fetch();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await route.fulfill({ response }).catch(() => {});
  });
  const isChange = (request: Request): boolean => request.method() === 'PUT';
  const failed = page.waitForEvent('requestfailed', { predicate: isChange, timeout: 0 });
  failed.catch(() => {});
  return { heard: Promise.race([page.waitForEvent('requestfinished', isChange), failed]) };
}

/** Roles of who sends the token; the status where it is refused. */
async function callerOf(token: string): Promise<unknown> {
  const { status, json } = await api.get('/api/v1/security/me', { authorization: `Bearer ${token}` });
  return status === 200 ? (json as { roles: unknown }).roles : status;
}

test('a provider is enabled by its issuer, its faults stand at their fields; then a service token is made and revoked', async () => {
  const { origin } = new URL(issuer.url);
  // The provider’s own page is not ours; the refusals are what the test provokes.
  const isExpected = (fault: string): boolean =>
    /status of 4(01|22)/.test(fault) || fault.includes(origin) || fault.includes('fonts.googleapis.com');
  const tab = await Tab.open(browser, server.address, { look: 'narrow-dark', isExpected });
  const { page } = tab;

  await tab.go('/settings?tab=tokens', 'Settings');
  await tab.sees('The identity provider is off: workers and programs need no token.');
  await tab.sees('Needs the identity provider');
  await page.getByRole('button', { name: 'Make a join token' }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Make a service token' }).count(), 0);
  await looksRight(tab, 'service-tokens-off-narrow-dark');

  await page.getByRole('link', { name: 'Turn the identity provider on' }).click();
  // The choice comes first.
  await page.getByLabel('Another OpenID Connect provider').waitFor();
  assert.equal(await page.locator('main').getByRole('textbox').count(), 0);
  await page.getByLabel('Another OpenID Connect provider').check();
  const alert = (text: string): Promise<void> => page.getByRole('alert').getByText(text).waitFor();
  await page.getByLabel('Issuer').fill('http://login.example.com');
  await page.getByLabel('Client').fill(issuer.clientId);
  await page.getByLabel('Administrator groups').fill('');
  // What was entered is not lost without a word.
  await page.goBack();
  await page.getByRole('dialog', { name: 'Leave without applying?' }).getByRole('button', { name: 'Stay' }).click();
  await page.getByRole('button', { name: 'Turn on' }).click();
  await alert('Issuer is not https: http is allowed on loopback only');
  await alert('Administrator groups is missing, such as admin,root');
  // The first of them is in sight, and what turning it on comes to is said before.
  await page.locator('input[aria-invalid=true]:focus').waitFor();
  assert.equal(await page.getByLabel('Issuer').evaluate((one) => one === one.ownerDocument.activeElement), true);
  await tab.sees(/^Turning it on signs you out: sign in again at the provider as a member of an administrator group/);
  await looksRight(tab, 'provider-faults-narrow-dark');

  await page.getByLabel('Administrator groups').fill('admin');
  await page.getByLabel('Groups claim').fill('realm_access.roles');
  await page.getByLabel('Scopes').fill('openid api');
  await page.getByLabel('Issuer').fill(`${issuer.url}/`);
  await page.getByRole('button', { name: 'Turn on' }).click();
  await alert(`Issuer calls itself ${issuer.url}: use that`);
  await alert('Nothing was changed: see what is marked above.');
  await page.getByLabel('Issuer').fill(issuer.url);
  await page.getByLabel('Your access token').fill(await issuer.token(['admin']));
  const { heard } = await answerAfterTheStream(tab);
  await page.getByRole('button', { name: 'Turn on' }).click();
  await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  assert.equal(((await heard) as Request).failure(), null, 'it was given up, as the stream of events had ended');
  await signIn(tab);
  await page.getByRole('button', { name: 'Turn off' }).waitFor();
  assert.equal(await page.getByLabel('Issuer').inputValue(), issuer.url);
  assert.equal(await page.getByLabel('Groups claim').inputValue(), 'realm_access.roles');
  assert.equal(await page.getByLabel('Your access token').inputValue(), '');

  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ colorScheme: 'light' });
  await page.getByRole('link', { name: 'Tokens' }).click();
  await tab.sees('No service tokens yet');
  await page.getByRole('button', { name: 'Make a service token' }).click();
  const form = page.getByRole('form', { name: 'Make a service token' });
  await form.getByRole('button', { name: 'Make the token' }).click();
  await alert('Name is empty');
  await form.getByLabel('Name').fill('nightly report');
  await form.getByLabel('Queues').fill('genomics, night');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Keep editing' }).click();
  await form.getByLabel('Valid for').fill('3651d');
  await form.getByRole('button', { name: 'Make the token' }).click();
  await alert('Valid for is no time of at most ten years');
  await form.getByLabel('Valid for').fill('30d');
  await form.getByRole('button', { name: 'Make the token' }).click();
  const token = (await form.locator('.made-token code').textContent()) ?? '';
  await form.getByRole('button', { name: 'Copy' }).waitFor();
  assert.deepEqual(await callerOf(token), ['viewer@genomics|night']);
  assert.deepEqual(await tab.violations(), []);
  await page.keyboard.press('Escape');
  await page
    .getByRole('dialog', { name: 'Close without copying?' })
    .getByRole('button', { name: 'Close' })
    .last()
    .click();
  const row = page.getByRole('row', { name: /^nightly report Viewer genomics, night/ });
  await row.waitFor();
  await looksRight(tab, 'service-tokens-wide-light');

  await page.reload();
  await row.waitFor();
  assert.equal((await page.content()).includes(token), false, 'it is shown once');
  assert.doesNotMatch((await row.textContent()) ?? '', /UTC|GMT/, 'the headings name the zone');
  const question = page.getByRole('dialog', { name: 'Revoke the service token nightly report?' });
  await row.getByRole('button', { name: 'Revoke' }).click();
  // The key that was pressed too often changes nothing.
  await question.locator('button:focus').getByText('Cancel').waitFor();
  await question.getByRole('button', { name: 'Cancel' }).click();
  assert.notEqual(await callerOf(token), 401);
  await row.getByRole('button', { name: 'Revoke' }).click();
  assert.deepEqual(await tab.violations(), []);
  await question.getByRole('button', { name: 'Revoke' }).click();
  await tab.sees('No service tokens yet');
  await until(
    () => callerOf(token),
    (caller) => caller === 401,
    'the revoked token to be refused',
  );
  await tab.close();
});

test('an operator makes node tokens and manages webhooks, and reads the rest', async () => {
  const admin = { authorization: `Bearer ${await issuer.token(['admin'])}` };
  const change = { kvMap: { 'security.roles': 'crew:operator,guests:viewer' } };
  assert.equal((await api.request('PUT', '/api/v1/configKV', { body: change, headers: admin })).status, 200);
  const tab = await Tab.open(browser, server.address, { isExpected: (fault) => /status of 40[13]/.test(fault) });
  const { page } = tab;
  issuer.groups = ['crew'];
  await page.goto(`${server.address}/settings?tab=tokens`);
  await page.getByRole('button', { name: 'Use an access token' }).click();
  await page.getByLabel('Access token').fill(await issuer.token(['crew']));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  await page.getByRole('button', { name: 'Make a join token' }).click();
  await page.getByRole('form', { name: 'Make a join token' }).getByRole('button', { name: 'Make the token' }).click();
  await page.getByText('The token is valid until').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await tab.sees('Only administrators can see service tokens');
  // A phone has room for the way out; the name of who is signed in stands in the menu.
  await page.setViewportSize({ width: 360, height: 780 });
  assert.ok((await tab.overflow()) <= 0, 'signed in, the page is wider than a phone');
  await page.getByRole('button', { name: 'Sign out' }).waitFor();
  await page.getByRole('button', { name: 'View', exact: true }).click();
  await page.getByRole('menu').getByText('read only').waitFor();
  await page.keyboard.press('Escape');
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.getByRole('link', { name: 'Webhooks' }).click();
  await page.getByRole('button', { name: 'Add a webhook' }).click();
  await page.getByLabel('Name').fill('crew');
  await page.getByLabel('URL').fill('https://hooks.example.com/cairn');
  await page.getByRole('button', { name: 'Save webhook' }).click();
  await page.getByText('crew is saved.').waitFor();
  await page.getByRole('button', { name: 'Done' }).click();
  await page.getByRole('row', { name: /^crew/ }).getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Change…' }).click();
  const form = page.getByRole('form', { name: 'Change the webhook crew' });
  await form.getByLabel(/^Job removed/).check();
  await form.getByLabel('Queue').fill('night');
  await page.getByRole('button', { name: 'Save webhook' }).click();
  await page.getByText('crew is saved.').waitFor();
  await page.keyboard.press('Escape');
  await page
    .getByRole('row', { name: /hooks.example.com ?\/cairn Job event: failed, Job removed, queue night/ })
    .waitFor();
  await page.getByRole('link', { name: 'Checkpoints' }).click();
  await tab.sees('Changes need an administrator');
  assert.equal(await page.getByLabel('Checkpoint interval').isDisabled(), true);
  await tab.close();
});

test('roles are rows: a group is added, its text is the server’s, and undone it is gone', async () => {
  const tab = await Tab.open(browser, server.address, { isExpected: (fault) => /status of 40[13]/.test(fault) });
  const { page } = tab;
  await page.goto(`${server.address}/settings?tab=security`);
  await page.getByRole('button', { name: 'Use an access token' }).click();
  await page.getByLabel('Access token').fill(await issuer.token(['admin']));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  const roles = page.getByRole('group', { name: 'Roles by group' });
  await roles.getByLabel('Group').first().waitFor();
  const before = await roles.getByLabel('Group').count();
  await roles.getByRole('button', { name: 'Add a group' }).click();
  await roles.getByLabel('Group').last().fill('night:crew');
  await roles.getByLabel('Queues').last().fill('night, genomics');
  assert.deepEqual(await tab.violations(), []);
  await page.getByRole('button', { name: 'Review 1 change' }).click();
  await tab.sees('+ night%3Acrew: viewer@night|genomics');
  await page.keyboard.press('Escape');
  await page.getByRole('button', { name: 'Discard changes' }).click();
  assert.equal(await roles.getByLabel('Group').count(), before);
  await tab.close();
});

test('a viewer is told who may make tokens and see webhooks, and sees no form that does nothing', async () => {
  const tab = await Tab.open(browser, server.address, { isExpected: (fault) => /status of 40[13]/.test(fault) });
  const { page } = tab;
  await page.goto(`${server.address}/settings?tab=webhooks`);
  await page.getByRole('button', { name: 'Use an access token' }).click();
  await page.getByLabel('Access token').fill(await issuer.token(['guests']));
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await tab.sees('Only operators and administrators can see webhooks');
  await tab.sees(/with the role viewer\. Ask an administrator, a member of \w+, for the role operator\.$/);
  // The menu says so before one goes there.
  await page.getByRole('link', { name: 'Audit log , no access' }).waitFor();
  await page.getByRole('link', { name: 'Tokens , no access' }).click();
  await tab.sees('Only operators and administrators can see tokens');
  assert.equal(await page.locator('main').getByRole('textbox').count(), 0);
  assert.equal(await page.locator('main').getByRole('button').count(), 0);
  const admin = { authorization: `Bearer ${await issuer.token(['admin'])}` };
  await api.request('PUT', '/api/v1/node/looked-at', {
    body: { instance: { instanceId: 'i-looked-at' } },
    headers: admin,
  });
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Nodes' }).click();
  await page.getByRole('link', { name: 'looked-at' }).click();
  await tab.sees('Needs the role operator or admin');
  for (const name of ['Drain', 'Deregister'])
    assert.equal(await page.getByRole('button', { name, exact: true }).isDisabled(), true, name);
  await tab.close();
});
