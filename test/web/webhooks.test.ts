/** Webhooks: no name is taken twice, what is never sent is said, and deliveries are read on a phone as well. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { EVENT_TYPES } from '../../src/protocol/event.ts';
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

const TARGET = { url: 'https://hooks.example.com/cairn', types: ['node.lost'], format: 'cairn' };
const ago = (seconds: number): string => new Date(Date.now() - seconds * 1_000).toISOString();

async function put(id: string, more: object = {}): Promise<void> {
  assert.equal((await api.put(`/api/v1/webhook/${id}`, { ...TARGET, ...more })).status, 200);
}

async function open(width = 1_440): Promise<{ tab: Tab; page: Page }> {
  const tab = await Tab.open(browser, server.address);
  await tab.page.setViewportSize({ width, height: 900 });
  return { tab, page: tab.page };
}

/** What is shown of the webhooks in place of what the server has. */
async function show(page: Page, more: object, deliveries: readonly object[] = []): Promise<void> {
  const counts = { paused: false, state: 'ok', waiting: 0, setAside: 0, lost: 0, nextAttempt: null };
  const hook = { id: 'crew', ...TARGET, ...counts, lastDelivery: null, ...more };
  await page.route('**/api/v1/webhook', (route) => route.fulfill({ json: [hook] }));
  await page.route('**/api/v1/webhook/crew', (route) => route.fulfill({ json: { ...hook, deliveries } }));
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

test('with a queue only job events are sent: the form offers no others, and the list names those that never come', async () => {
  await put('night', { types: ['job.event', 'node.lost'], eventTypes: ['Job-Failed'], queue: 'night' });
  const { tab, page } = await open();
  await tab.go('/settings?tab=webhooks', 'Settings');
  const row = page.getByRole('row', { name: /^night/ });
  await row.getByText('Job event: failed, queue night').waitFor();
  await row.getByText('Not sent: Node lost (it has no queue)', { exact: true }).waitFor();
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
  await row.getByText('Not sent').waitFor({ state: 'detached' });
  await tab.close();
  await api.delete('/api/v1/webhook/night');
});

/** Lines of the events of a row. */
const LINES = `(() => {
  const cell = document.querySelector('.webhook-table .record-detail');
  const range = document.createRange();
  range.selectNodeContents(cell);
  return Math.ceil(range.getBoundingClientRect().height / parseFloat(getComputedStyle(cell).lineHeight));
})()`;

test('what a webhook hears of has room in the list: all events are two words, three are few lines', async () => {
  const { tab, page } = await open();
  await show(page, { types: EVENT_TYPES });
  await tab.go('/settings?tab=webhooks', 'Settings');
  await page.getByText('All events', { exact: true }).waitFor();
  const eventTypes = ['Job-Failed', 'Job-Stopped', 'Job-CheckpointFailed'];
  await show(page, { types: ['job.event'], eventTypes, queue: 'genomics-night' });
  for (const [width, lines] of [
    [1_440, 3],
    [1_280, 4],
  ] as const) {
    await page.setViewportSize({ width, height: 900 });
    await tab.go('/settings?tab=webhooks', 'Settings');
    await page.getByText(/^Job event: failed or stopped or checkpoint failed/).waitFor();
    assert.ok(Number(await page.evaluate(LINES)) <= lines, `${width} pixels`);
  }
  await tab.close();
});

test('a webhook tells by the second when it is tried again, and how what was set aside is sent', async () => {
  const { tab, page } = await open();
  const lastDelivery = { type: 'node.lost', time: ago(30), error: 'it answered 500' };
  await show(page, { state: 'failing', waiting: 4, setAside: 3, nextAttempt: ago(-50), lastDelivery });
  await tab.go('/settings?tab=webhooks', 'Settings');
  const row = page.getByRole('row', { name: /^crew/ });
  const soon = row.getByText(/^in\s\d+\ss$/);
  const first = await soon.textContent();
  await until(
    () => soon.textContent(),
    (text) => text !== first,
    'the seconds to go on',
  );
  const aside = row.locator('[data-label="Set aside"]');
  assert.match((await aside.getAttribute('title')) ?? '', /^Events that were given up:.*Replay sends them\.$/);
  assert.match((await aside.getAttribute('class')) ?? '', /\bwarn\b/);
  // Of a new address nothing is known, and it seems to be all right.
  await show(page, { setAside: 3 });
  await tab.go('/settings?tab=webhooks', 'Settings');
  await row.getByText('Replay sends what is set aside').waitFor();
  await tab.close();
});

test('on a phone a delivery has a line for what it is of, and one for how it went; the list begins below the bar', async () => {
  const { tab, page } = await open(390);
  const one = { type: 'job.event', job: null, node: null, eventType: null, status: 200, ms: 1_200, error: null };
  const node = { ...one, type: 'node.lost', node: 'ip-10-0-0-4' };
  const job = { ...one, job: 'variant-calling-9933d86c-1f52-4a6b-8a3e-009d904cd5a5' };
  const deliveries = [
    { ...node, id: '1', time: ago(70), attempt: 5 },
    { ...job, id: '2', time: ago(700), attempt: 3, eventType: 'Job-CheckpointSucceeded' },
    ...Array.from({ length: 40 }, (_, i) => ({
      ...{ ...one, job: 'job-1', id: `${i + 3}`, time: ago(900 + i), attempt: 1, eventType: 'Job-Failed' },
    })),
  ];
  await show(page, {}, deliveries);
  await tab.go('/settings?tab=webhooks', 'Settings');
  await page.getByRole('button', { name: 'More for crew' }).click();
  await page.getByRole('menuitem', { name: 'Deliveries' }).click();
  const panel = page.getByRole('region', { name: 'Deliveries of crew' });
  const rows = panel.getByRole('listitem');
  // Beside whether it was delivered, “Failed” would be about that.
  await rows.nth(2).getByText('Job failed', { exact: true }).waitFor();
  await rows.nth(1).getByText('Checkpoint succeeded', { exact: true }).waitFor();
  for (const i of [0, 1]) {
    const [id, attempt] = await Promise.all([
      rows.nth(i).getByRole('link').boundingBox(),
      rows
        .nth(i)
        .getByText(/^attempt \d$/)
        .boundingBox(),
    ]);
    assert.ok(id && attempt && id.y + id.height <= attempt.y, `row ${i}: ${JSON.stringify({ id, attempt })}`);
    assert.ok(id.width > 70, `${id.width} px for the id`);
    assert.ok(((await rows.nth(i).boundingBox())?.height ?? 99) < 65, 'more than two lines');
  }
  await until(
    () => panel.evaluate((box) => box.getBoundingClientRect().top),
    (top) => top >= 50 && top < 200,
    'the list to begin below the bar',
  );
  assert.ok((await tab.overflow()) <= 0);
  await tab.close();
});

test('a webhook gets a new secret through its form, which is shown once and asks before it goes', async () => {
  const { tab, page } = await open(1_440);
  await show(page, {});
  let sent: string | undefined;
  await page.route('**/api/v1/webhook/crew', async (route) => {
    if (route.request().method() !== 'PUT') return route.fallback();
    sent = (route.request().postDataJSON() as { secret?: string }).secret;
    return route.fulfill({ json: { id: 'crew' } });
  });
  await tab.go('/settings?tab=webhooks', 'Settings');
  await page.getByRole('button', { name: 'More for crew' }).click();
  await page.getByRole('menuitem', { name: 'Change' }).click();
  await page.getByLabel('Make a new secret.').check();
  await page.getByRole('button', { name: 'Save webhook' }).click();
  await page.getByText('it is shown only once').waitFor();
  assert.match(sent ?? '', /^whsec_[A-Za-z0-9+/]{43}=$/);
  await page.getByText(sent ?? '').waitFor();
  await page.locator('.dialog-close').click();
  await page.getByRole('dialog', { name: 'Close without copying?' }).waitFor();
  await tab.close();
});
