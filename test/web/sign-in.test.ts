/** Signing in, with a token, with name and password at an emulated pool, and by SRP. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { Api, until } from '../support/api.ts';
import { IDP_SETTINGS } from '../support/idp-settings.ts';
import { CONFIRMATION_CODE, CognitoEmulator, PASSWORD, POOL_ID } from '../support/providers/cognito-emulator.ts';
import { OidcIssuer } from '../support/providers/oidc-issuer.ts';
import { SrpPool } from '../support/providers/srp-pool.ts';
import { ServerProcess } from '../support/server-process.ts';
import { TokenIssuer } from '../support/token-issuer.ts';
import { startBrowser, Tab } from './browser.ts';

let browser: Browser;
let pool: CognitoEmulator;

before(async () => {
  browser = await startBrowser();
  pool = await CognitoEmulator.start();
  await pool.addUser('anna@example.org', 'admin');
  await pool.addUser('bert@example.org');
  await pool.inviteUser('cleo@example.org');
});

after(async () => {
  await browser?.close();
  await pool?.stop();
});

/** A server whose provider is on; ends with the test. */
async function guarded(
  t: { after: (end: () => unknown) => void },
  env: Readonly<Record<string, string>>,
  settings: object,
): Promise<ServerProcess> {
  const server = await ServerProcess.start({ env });
  t.after(() => server.dispose());
  const api = new Api(server.address);
  t.after(() => api.close());
  const enabled = await api.put('/api/v1/security/idp', { ...IDP_SETTINGS, ...settings });
  assert.equal(enabled.status, 200, enabled.text);
  return server;
}

const withPool = (t: { after: (end: () => unknown) => void }): Promise<ServerProcess> =>
  guarded(
    t,
    { CAIRN_IDP_JWKS_URI: pool.jwksUri, CAIRN_COGNITO_ENDPOINT: pool.url },
    { userPoolID: POOL_ID, clientID: pool.clientId },
  );

/** Refusals are what these tests provoke, and the pool is another origin that the page may ask. */
const isExpected = (fault: string): boolean =>
  /status of 40[013]|status of 500/.test(fault) || fault === `another origin: ${pool.url}/`;

async function giveName(tab: Tab, userName: string, password: string): Promise<void> {
  await tab.page.getByLabel('User name').fill(userName);
  await tab.page.getByLabel('Password').fill(password);
}

/** The emulator has no SRP: the page says so before it sends a password. */
async function signInPlainly(tab: Tab, userName: string, password: string): Promise<void> {
  await giveName(tab, userName, password);
  await tab.page.getByRole('button', { name: 'Sign in' }).click();
  await tab.sees('This user pool does not support SRP');
  await tab.shoot('sign-in-plain');
  await tab.page.getByRole('button', { name: 'Send password' }).click();
}

test('name and password sign an administrator in, after he has agreed to send the password; a reload keeps him; he signs out', async (t) => {
  const server = await withPool(t);
  const tab = await Tab.open(browser, server.address, { isExpected });
  await tab.go('/settings', 'Sign in');
  await tab.page.getByLabel('User name').waitFor();
  assert.deepEqual(await tab.violations(), []);
  await tab.shoot('sign-in-wide-light');
  // The one action is never greyed out: it says what is missing, at its field.
  await tab.page.getByRole('button', { name: 'Sign in' }).click();
  await tab.page.getByRole('alert').getByText('Enter the user name.').waitFor();
  await tab.page.getByRole('alert').getByText('Enter the password.').waitFor();
  assert.equal(await tab.page.evaluate('document.activeElement.name'), 'user');
  await signInPlainly(tab, 'anna@example.org', 'Wrong-123');
  // Back in the form, at the password; he has agreed already.
  await tab.page.getByRole('alert').getByText('Wrong user name or password.').waitFor();
  assert.equal(await tab.page.getByLabel('User name').inputValue(), 'anna@example.org');
  assert.equal(await tab.page.evaluate('document.activeElement.name'), 'password');
  assert.deepEqual(await tab.violations(), []);
  await tab.shoot('sign-in-wrong-wide-light');
  await tab.page.getByLabel('Password').fill(PASSWORD);
  await tab.page.getByRole('button', { name: 'Sign in' }).click();
  await tab.page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  await tab.sees('anna@example.org');
  await tab.page.getByLabel('Checkpoint interval').fill('20m');
  await tab.page.reload();
  await tab.page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  await tab.page.getByRole('button', { name: 'Sign out' }).click();
  await tab.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  const kept = (): Promise<string[]> =>
    tab.page.evaluate('Object.keys(sessionStorage).filter((key) => /cairn|cognito/i.test(key))');
  await until(kept, (keys) => keys.length === 0, 'nothing of him to stay in the tab');
  await tab.close();
});

test('the form is there, whichever question learns first that one must sign in', async (t) => {
  const server = await withPool(t);
  const isHere = (fault: string): boolean => isExpected(fault) || /ERR_FAILED/.test(fault);
  const tab = await Tab.open(browser, server.address, { isExpected: isHere });
  // The stream of events is refused last, and was given up by then.
  await tab.page.route(/\/api\/v1\/event$/, () => {});
  // What fails is asked again, unless the page believes that the server is away.
  let asked = 0;
  await tab.page.route('**/security/idp', (route) => (++asked > 2 ? route.continue() : route.abort()));
  await tab.go('/nodes', 'Sign in');
  await tab.page.getByLabel('User name').waitFor();
  assert.equal(await tab.page.getByText('The server cannot be reached.').count(), 0);
  await tab.close();
});

test('a provider that another enables is where one signs in at once', async (t) => {
  const server = await ServerProcess.start({
    env: { CAIRN_IDP_JWKS_URI: pool.jwksUri, CAIRN_COGNITO_ENDPOINT: pool.url },
  });
  t.after(() => server.dispose());
  const tab = await Tab.open(browser, server.address, { isExpected });
  await tab.go('/settings?tab=identity', 'Settings');
  await tab.sees('The identity provider is off.');
  const api = new Api(server.address);
  t.after(() => api.close());
  const settings = { ...IDP_SETTINGS, userPoolID: POOL_ID, clientID: pool.clientId };
  assert.equal((await api.put('/api/v1/security/idp', settings)).status, 200);
  await tab.page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  await tab.page.getByLabel('User name').waitFor();
  await tab.close();
});

test('another tab of the browser is signed in and out with the first', async (t) => {
  const server = await withPool(t);
  const tab = await Tab.open(browser, server.address, { isExpected });
  await tab.go('/nodes', 'Sign in');
  await signInPlainly(tab, 'anna@example.org', PASSWORD);
  await tab.page.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();
  const other = await tab.another();
  await other.goto(`${server.address}/jobs`);
  await other.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  await other.getByText('anna@example.org').waitFor();
  await tab.page.getByRole('button', { name: 'Sign out' }).click();
  await other.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
  await tab.close();
});

test('who is no administrator sees the settings, and that he may not change them', async (t) => {
  const server = await withPool(t);
  const tab = await Tab.open(browser, server.address, { isExpected });
  await tab.go('/settings', 'Sign in');
  await signInPlainly(tab, 'bert@example.org', PASSWORD);
  await tab.sees('Changes need an administrator, a member of admin or root.');
  await tab.shoot('settings-read-only-wide-light');
  assert.equal(await tab.page.getByLabel('Checkpoint interval').isDisabled(), true);
  assert.equal(await tab.page.getByLabel('Checkpoint interval').inputValue(), '15m');
  assert.deepEqual(await tab.violations(), []);
  await tab.page.getByRole('link', { name: 'History' }).click();
  await tab.sees('Only administrators can see who changed what');
  await tab.close();
});

test('an invited user chooses a password of his own', async (t) => {
  const server = await withPool(t);
  const tab = await Tab.open(browser, server.address, { look: 'narrow-dark', isExpected });
  await tab.go('/nodes', 'Sign in');
  await signInPlainly(tab, 'cleo@example.org', PASSWORD);
  await tab.page.getByLabel('New password').waitFor();
  await tab.shoot('sign-in-new-password-narrow-dark');
  assert.deepEqual(await tab.violations(), []);
  assert.ok((await tab.overflow()) <= 0, 'wider than the window');
  await tab.page.getByLabel('New password').fill('Own-Secret-1');
  await tab.page.getByRole('button', { name: 'Set password' }).click();
  await tab.page.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();
  await tab.close();
});

test('a new account is confirmed with the code that the pool sends', async (t) => {
  const server = await withPool(t);
  const tab = await Tab.open(browser, server.address, { isExpected });
  await tab.go('/nodes', 'Sign in');
  await tab.page.getByRole('button', { name: 'Create an account' }).click();
  await giveName(tab, 'dora@example.org', 'Dora-Secret-1');
  await tab.page.getByLabel('Email (optional)').fill('dora@example.org');
  await tab.page.getByRole('button', { name: 'Create account' }).click();
  await tab.page.getByLabel('Confirmation code').fill('000000');
  await tab.page.getByRole('button', { name: 'Confirm' }).click();
  await tab.page.getByRole('alert').waitFor();
  await tab.page.getByLabel('Confirmation code').fill(CONFIRMATION_CODE);
  await tab.page.getByRole('button', { name: 'Confirm' }).click();
  await tab.page.getByRole('button', { name: 'Send password' }).click();
  await tab.page.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();
  await tab.page.getByTitle('Sign out dora@example.org').waitFor();
  await tab.close();
});

test('a session is renewed without a word, before it ends and where the server takes its token no more', async (t) => {
  const server = await withPool(t);
  const tab = await Tab.open(browser, server.address, { isExpected });
  await tab.page.clock.install();
  await tab.go('/nodes', 'Sign in');
  await signInPlainly(tab, 'anna@example.org', PASSWORD);
  await tab.page.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();
  const token = (): Promise<string> =>
    tab.page.evaluate("JSON.parse(sessionStorage.getItem('cairn.session')).accessToken");
  const first = await token();
  // The emulator's tokens last a day.
  await tab.page.clock.fastForward('23:59:30');
  const second = await until(token, (next) => next !== first, 'a token before the first one ends');
  await tab.page.evaluate(`{
    const session = JSON.parse(sessionStorage.getItem('cairn.session'));
    sessionStorage.setItem('cairn.session', JSON.stringify({ ...session, accessToken: 'refused' }));
  }`);
  await tab.page.reload();
  await tab.page.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();
  await until(token, (next) => next !== 'refused', 'a token in the place of the refused one');
  await tab.sees('Live');
  assert.notEqual(second, first);
  await tab.close();
});

test('by SRP the password never leaves the browser', async (t) => {
  const issuer = await TokenIssuer.start();
  t.after(() => issuer.stop());
  const user = { poolName: 'AbCdEf123', userName: 'anna', password: 'Never-Sent-1' };
  const srp = await SrpPool.start(issuer, user);
  t.after(() => srp.stop());
  const server = await guarded(t, { CAIRN_IDP_ISSUER: issuer.url, CAIRN_COGNITO_ENDPOINT: srp.url }, {});
  const tab = await Tab.open(browser, server.address, {
    isExpected: (fault) => /status of 40[01]/.test(fault) || fault === `another origin: ${srp.url}/`,
  });
  await tab.go('/nodes', 'Sign in');
  await giveName(tab, 'anna', 'Guessed-1');
  await tab.page.getByRole('button', { name: 'Sign in' }).click();
  await tab.page.getByRole('alert').getByText('Wrong user name or password.').waitFor();
  await giveName(tab, 'anna', user.password);
  await tab.page.getByRole('button', { name: 'Sign in' }).click();
  await tab.page.getByRole('heading', { level: 1, name: 'Nodes' }).waitFor();
  assert.equal(srp.calls.length, 4, 'two calls a try');
  assert.doesNotMatch(srp.calls.join('\n'), /Never-Sent|Guessed/);
  await tab.close();
});

test('another provider takes a token; a wrong one is refused there, and the page does without a password', async (t) => {
  const issuer = await TokenIssuer.start();
  t.after(() => issuer.stop());
  const server = await guarded(t, { CAIRN_IDP_ISSUER: issuer.url }, {});
  const tab = await Tab.open(browser, server.address, { isExpected: (fault) => /40[13]/.test(fault) });
  await tab.go('/settings?tab=history', 'Sign in');
  assert.equal(await tab.page.getByLabel('Password').count(), 0);
  const sign = async (token: string): Promise<void> => {
    await tab.page.getByLabel('Access token').fill(token);
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
  };
  await sign('wrong');
  await tab.page.getByRole('alert').getByText('Token invalid').waitFor();
  assert.deepEqual(await tab.violations(), []);
  await sign(await issuer.token({ groups: ['admin'] }));
  await tab.page.getByRole('cell', { name: 'security.idp.enabled' }).waitFor();
  await tab.sees('Live');
  await tab.close();
});

test('an OpenID Connect provider: the user leaves for its page, and comes back as an administrator', async (t) => {
  const server = await ServerProcess.start();
  t.after(() => server.dispose());
  const issuer = await OidcIssuer.start('keycloak', [`${server.address}/signed-in`]);
  t.after(() => issuer.stop());
  const api = new Api(server.address);
  t.after(() => api.close());
  const settings = { ...issuer.settings, adminGroups: 'admin', scopes: 'openid offline_access api' };
  assert.equal((await api.put('/api/v1/security/idp', settings)).status, 200);
  issuer.groups = ['admin'];
  const { origin } = new URL(issuer.url);
  // The provider’s own page is not ours.
  const isExpected = (fault: string): boolean =>
    /status of 40[01]/.test(fault) || fault.includes(origin) || fault.includes('fonts.googleapis.com');
  const tab = await Tab.open(browser, server.address, { isExpected });
  await tab.go('/settings?tab=job', 'Sign in');
  await tab.signInAtProvider('anna');
  await tab.page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
  assert.match(tab.page.url(), /\/settings\?tab=job$/);
  await tab.sees('anna');
  assert.equal(await tab.page.getByText('read only').count(), 0);
  assert.deepEqual(await tab.violations(), []);
  // A second answer of the provider, or one that a stranger sends, is to no question of this tab.
  await tab.page.goto(`${server.address}/signed-in?code=stolen&state=made-up`);
  await tab.sees('this sign-in was not begun in this tab');
  await tab.close();
});
