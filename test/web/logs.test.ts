/** Logs in the browser: through a rotation without a lost line, and to a moment in the middle of a long one. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import type { Browser, Locator } from 'playwright-core';
import { type Api, until } from '../support/api.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';
import { Tab, withBrowser } from './browser.ts';

let server: ServerProcess;
let browser: Browser;
let api: Api;

withServer({}, (served) => {
  ({ server, api } = served);
});

withBrowser((started) => {
  browser = started;
});

/** As one types the moment from which on a log is to be shown. */
async function jump({ page }: Tab, text: string): Promise<void> {
  await page.getByRole('button', { name: /^From/ }).click();
  // What is typed at once goes there.
  await page
    .getByLabel(/^Or a time/)
    .and(page.locator(':focus'))
    .waitFor();
  await page.keyboard.press('Control+A');
  await page.keyboard.type(text);
  await page.keyboard.press('Enter');
}

test('a log is followed through its rotation: each line once', async () => {
  await api.configKv({ 'log.maxSizeMB': '1' });
  const tab = await Tab.open(browser, server.address);
  await tab.go('/logs?log=access', 'Logs');
  const asked = tab.page.waitForResponse(/follow=true.*words=needle|words=needle.*follow=true/);
  await tab.page.getByLabel('Only lines that contain').fill('needle');
  await asked;
  const rotations = (): number =>
    readdirSync(server.folders.log).filter((name) => name.startsWith('cairn-access.log.')).length;
  const noise = `/livez?${'p'.repeat(1_000)}`;
  let needles = 0;
  while (rotations() < 1) {
    await api.get(`/livez?needle=${++needles}`);
    await Promise.all(Array.from({ length: 64 }, () => api.get(noise)));
  }
  await api.get(`/livez?needle=${++needles}`);
  const last = tab.page.locator('.log-line', { hasText: `GET /livez?needle=${needles}` });
  await last.locator('.status-plain', { hasText: '200' }).waitFor();
  assert.equal(await tab.page.getByText('Any level').count(), 0, 'requests have no levels');
  await until(
    () => tab.page.getByRole('status').allInnerTexts(),
    (texts) => texts.some((text) => text.startsWith(`${needles} lines · following`)),
    `${needles} lines`,
    30_000,
  );
  await tab.close();
});

test('the page of a log is as high as the window, and on a phone its lines break between words', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await api.put('/api/v1/webhook/on-call', {
    url: 'https://hooks.example.com/a',
    types: ['node.lost'],
    format: 'cairn',
  });
  await tab.go('/logs', 'Logs');
  const line = page.locator('.log-text', { hasText: 'webhook.set' }).first();
  await line.waitFor();
  for (const height of [900, 901, 914, 768]) {
    await page.setViewportSize({ width: 1440, height });
    assert.ok(
      Number(await page.evaluate('document.documentElement.scrollHeight - innerHeight')) <= 0,
      `at ${height} px`,
    );
  }
  await page.setViewportSize({ width: 360, height: 780 });
  assert.match((await line.textContent()) ?? '', /audit action=webhook\.set/);
  assert.equal(await page.locator('.log-head').isVisible(), false);
  await tab.close();
});

test('a long log opens at a moment, and its lines are chosen by level', async () => {
  const line = (second: number): string =>
    `${new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString()} ${second % 100 === 0 ? 'ERROR' : 'INFO'} step ${second} ${'.'.repeat(60)}\n`;
  const text = `${Array.from({ length: 5_000 }, (_, second) => line(second)).join('')}Killed\n`;
  await api.put('/api/v1/node/long.node', {});
  assert.equal((await api.post('/api/v1/nodes/long.node/files/var/log/app.log?offset=0', text)).status, 200);
  // A node that sends no figures: its charts ask, and are told 404.
  const tab = await Tab.open(browser, server.address, { timeZone: 'Asia/Kolkata' });
  await tab.go('/node?id=long.node', 'Node long.node');
  await tab.sees('step 4999');
  // A line without a time has its message below the others'; the zone of the times is told once.
  await tab.page.locator('.log-message', { hasText: /^Killed$/ }).waitFor();
  const zones = await tab.page.locator('.log-place').getByText(/GMT/).allTextContents();
  assert.match(zones.join(' and '), /^Jan 1,(?: 2026,)? GMT\+5:30$/);
  const lefts =
    "[...document.querySelectorAll('.log-message')].map((message) => Math.round(message.getBoundingClientRect().left))";
  assert.equal(new Set((await tab.page.evaluate(lefts)) as number[]).size, 1);
  // 00:39:05 in UTC.
  await jump(tab, '2026-01-01 06:09:05');
  await tab.sees('step 2345 ');
  assert.equal(await tab.page.getByText('step 2344 ').count(), 0);
  await tab.choose('Level', 'Error');
  await tab.sees('step 2400 ');
  assert.equal(await tab.page.locator('.level-info').count(), 0);
  // The time is in the zone of the lines.
  await tab.page.evaluate("localStorage.setItem('cairn.zone', 'utc')");
  await tab.page.reload();
  await tab.page.getByRole('button', { name: 'From 2026-01-01 00:39:05' }).waitFor();
  await jump(tab, 'half past nine');
  await tab.sees('Enter a time such as');
  assert.deepEqual(await tab.violations(), []);
  await tab.page.keyboard.press('Escape');
  await jump(tab, '2026-01-01 00:50');
  await tab.sees('step 3000 ');
  assert.equal(await tab.page.getByText('step 2900 ').count(), 0);
  // From there one goes on in either direction.
  await tab.page.getByRole('button', { name: 'Older lines' }).click();
  await tab.page.waitForURL(/around=2026-01-01T00%3A50/);
  await tab.sees('step 2900 ');
  assert.deepEqual(await tab.violations(), []);
  // A level is looked for in all of the log, not among its newest lines.
  await tab.go('/node?id=long.node&level=error', 'Node long.node');
  await tab.sees(/^51 lines · following · searched from 2026-01-01 00:00 on$/);
  await tab.sees('step 100 ');
  await api.post('/api/v1/nodes/long.node/files/var/log/plain.log?offset=0', 'one\ntwo\n');
  await tab.go('/node?id=long.node&file=%2Fnodes%2Flong.node%2Fvar%2Flog%2Fplain.log&level=error', 'Node long.node');
  await tab.sees('No line that was read tells a level');
  await tab.page.getByRole('button', { name: 'Show all lines' }).click();
  await tab.page.locator('.log-message', { hasText: /^two$/ }).waitFor();
  await tab.go(
    '/node?id=long.node&file=%2Fnodes%2Flong.node%2Fvar%2Flog%2Fplain.log&from=2026-01-01T00:50:00.000Z',
    'Node long.node',
  );
  await tab.sees('No line that was read tells a time');
  await tab.page.getByRole('button', { name: 'Show the newest lines' }).click();
  await tab.page.locator('.log-message', { hasText: /^two$/ }).waitFor();
  // A line without a time belongs to the one before, also where that one is not searched for.
  await tab.go('/node?id=long.node&from=2026-01-01T00:50:00.000Z&q=Killed', 'Node long.node');
  await tab.page.locator('.log-message', { hasText: /^Killed$/ }).waitFor();
  await tab.close();
});

test('of a log whose lines tell no time all can be read, by their place in it', async () => {
  const path = '/nodes/long.node/var/log/raw.log';
  const text = Array.from({ length: 4_000 }, (_, i) => `raw ${i + 1} ${'x'.repeat(90)}\n`).join('');
  await api.post(`/api/v1/nodes/long.node/files/var/log/raw.log?offset=0`, text);
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  const line = (number: number) => page.locator('.log-line', { hasText: new RegExp(`raw ${number}(?!\\d)`) });
  await tab.go(`/logs?log=node&node=long.node&file=${encodeURIComponent(path)}`, 'Logs');
  await line(4_000).waitFor();
  await page.getByRole('button', { name: 'Older lines' }).click();
  await page.waitForURL(/byte=\d+/);
  // The first of those that were there is in the middle, with what comes before it above.
  await line(3_001).waitFor();
  await line(2_999).waitFor();
  await tab.go(`/logs?log=node&node=long.node&file=${encodeURIComponent(path)}`, 'Logs');
  await page.getByRole('button', { name: 'From…' }).click();
  await page.getByRole('button', { name: 'The beginning' }).click();
  await line(1).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Older lines' }).count(), 0, 'it is the beginning');
  await tab.close();
});

test('a place that a log does not have any more is said to be gone, and the newest lines are one click away', async () => {
  const tab = await Tab.open(browser, server.address, { isExpected: (fault) => /status of 416/.test(fault) });
  await tab.go('/logs?byte=99999999', 'Logs');
  await tab.sees('The log is shorter than that by now');
  await tab.page.getByRole('button', { name: 'Show the newest lines' }).click();
  await tab.page.locator('.log-line').first().waitFor();
  await tab.close();
});

test('what was searched for is marked, and the lines around a hit are one click away, as is the way back', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/node?id=long.node&q=step%202345', 'Node long.node');
  await page.locator('mark', { hasText: /^step 2345$/ }).waitFor();
  await page.locator('.log-line', { hasText: 'step 2345' }).click();
  await page.getByRole('button', { name: 'Show the lines around it' }).click();
  await page.waitForURL(/around=2026-01-01T00%3A39%3A05/);
  await tab.sees('step 2340 ');
  await tab.sees('step 2350 ');
  assert.match((await page.locator('.log-line-aimed').textContent()) ?? '', /step 2345 /);
  await tab.sees(/lines around 2026-01-01 .*39:05/);
  await page.getByRole('button', { name: /^Around 2026-01-01/ }).click();
  await page.getByRole('button', { name: 'The end' }).waitFor();
  await page.keyboard.press('Escape');
  assert.equal(await page.locator('mark').count(), 0);
  assert.deepEqual(await tab.violations(), []);
  await page.goBack();
  await page.locator('mark', { hasText: /^step 2345$/ }).waitFor();
  // In any order and case, each is marked where it stands.
  await tab.go('/node?id=long.node&q=2345+STEP', 'Node long.node');
  await page.locator('mark', { hasText: /^2345$/ }).waitFor();
  await page.locator('mark', { hasText: /^step$/ }).waitFor();
  // A field as it is shown.
  await tab.go('/logs?q=addr%3Dhttp+READY', 'Logs');
  await page
    .locator('.log-line', { hasText: /ready/ })
    .locator('mark', { hasText: /^http$/ })
    .waitFor();
  // Of requests the status is marked, too.
  await api.get('/api/v1/node/one-that-never-was');
  await tab.go('/logs?log=access&q=404+NEVER', 'Logs');
  await page.locator('.log-level mark', { hasText: /^404$/ }).first().waitFor();
  await tab.close();
});

test('of short lines and several of a moment, the one that was asked for is marked', async () => {
  // 23 bytes a line: what is read before the moment has more lines than a page keeps.
  const line = (i: number): string =>
    `${new Date(Date.UTC(2026, 0, 1) + Math.floor(i / 5) * 1000).toISOString().slice(0, 19)}Z ${'abcde'[i % 5]}\n`;
  const text = Array.from({ length: 30_000 }, (_, i) => line(i)).join('');
  await api.put('/api/v1/node/brief.node', {});
  assert.equal((await api.post('/api/v1/nodes/brief.node/files/var/log/app.log?offset=0', text)).status, 200);
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  const aimed = page.locator('.log-line-aimed');
  await tab.go('/node?id=brief.node&around=2026-01-01T00:50:00.000Z', 'Node brief.node');
  assert.match((await aimed.textContent()) ?? '', /00:50:00a/);
  await tab.sees(/^5,000 lines around 2026-01-01 .*50.* · the log goes on$/);
  await page.locator('.log-line', { hasText: '00:50:00d' }).click();
  await page.getByRole('button', { name: 'Show the lines around it' }).click();
  await page.locator('.log-line-aimed', { hasText: '00:50:00d' }).waitFor();
  assert.equal(await aimed.count(), 1);
  await tab.close();
});

test('the log of a worker node is reached from the page of logs, and shown there', async () => {
  for (const id of ['told.node', 'silent.node']) await api.put(`/api/v1/node/${id}`, {});
  const text = '2026-01-01T00:00:00Z the node speaks\n';
  assert.equal((await api.post('/api/v1/nodes/told.node/files/var/log/app.log?offset=0', text)).status, 200);
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  // It takes minutes until a node is lost.
  await page.route(/\/api\/v1\/node\?.*state=lost/, (route) =>
    route.fulfill({ json: [{ id: 'zz.lost', state: 'lost', lastHeartbeat: new Date().toISOString() }] }),
  );
  await tab.go('/logs', 'Logs');
  await page.getByRole('link', { name: 'Worker nodes' }).click();
  // Those in trouble come first; on a slow machine others of this file are late by now.
  const heads = page.getByRole('rowheader').filter({ hasText: /^(zz\.lost|told\.node|silent\.node)$/ });
  await heads.first().getByText('zz.lost').waitFor();
  await tab.choose('State', 'Lost');
  await page.getByRole('link', { name: 'silent.node' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'zz.lost' }).waitFor();
  await tab.choose('State', 'Any state');
  await page.getByLabel('Search nodes').fill('told');
  await page.getByRole('link', { name: 'silent.node' }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'told.node' }).click();
  await page.locator('.log-line', { hasText: 'the node speaks' }).waitFor();
  assert.deepEqual(await tab.violations(), []);
  // Its address shows the same log, and leads back to the others.
  await page.reload();
  await page.locator('.log-line', { hasText: 'the node speaks' }).waitFor();
  await page.getByRole('button', { name: 'Clear Node' }).click();
  await page.getByRole('link', { name: 'silent.node' }).click();
  await tab.sees('This node has sent no log');
  await tab.close();
});

test('errors and warnings are counted over all lines that are loaded, and a bar leads to its lines', async () => {
  // Two moments, between which there is a course.
  for (const interval of ['1m', '90s']) await api.configKv({ 'ckpt.ckptInterval': interval });
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/logs', 'Logs');
  // A slow machine has warnings of its own.
  await page.getByRole('button', { name: /^\d+ warnings?$/ }).click();
  await page.waitForURL(/level=warn/);
  await page.locator('.log-line').first().waitFor();
  assert.equal(await page.locator('.level-info').count(), 0);
  await tab.sees(/^\d+ lines? · following · searched from .* on$/);
  await page.getByRole('img', { name: /^Lines over time: 0 errors, [1-9]\d* warnings?$/ }).waitFor();
  // The server knows that there are none; so it does where the words are what no line has.
  await tab.go('/logs?level=error', 'Logs');
  await tab.sees('No errors');
  await tab.go('/logs?level=warn&q=zzz', 'Logs');
  await tab.sees('No line of this level has all of these words');
  await Promise.all(Array.from({ length: 200 }, () => api.get('/livez')));
  await tab.go('/logs?log=access', 'Logs');
  await page.locator('.log-line').first().waitFor();
  await page.locator('[data-index="0"]').waitFor({ state: 'detached' });
  // Where in the course the lines in sight are: at its end, and, after a click, at its beginning.
  const sight = (): Promise<string> =>
    page.evaluate(`(() => {
      const box = (one) => document.querySelector(one)?.getBoundingClientRect() ?? { left: NaN, right: NaN };
      const [all, part] = [box('.log-course svg'), box('.log-sight')];
      return [part.left - all.left < 8 ? 'beginning' : '', all.right - part.right < 8 ? 'end' : ''].filter(Boolean).join(' ');
    })()`);
  await until(sight, (is) => is === 'end', 'the end in sight');
  await page.getByRole('img', { name: /^Lines over time: 0 failed/ }).click({ position: { x: 2, y: 20 } });
  await page.locator('[data-index="0"]').waitFor();
  await until(sight, (is) => is === 'beginning', 'the beginning in sight');
  // What the pointer is over is told in the place of the counts.
  await page.locator('.log-counts', { hasText: /\d\d:\d\d:\d\d: [1-9]\d* requests?$/ }).waitFor();
  await page.mouse.move(0, 0);
  // Requests have no levels; those that were refused are found all the same.
  await api.get('/api/v1/node/nobody-has-this-id');
  await page.getByRole('button', { name: /^\d+ refused \(4xx\)$/ }).waitFor();
  // Also where it is not among the lines that are loaded.
  for (let i = 0; i < 20; i++) await Promise.all(Array.from({ length: 64 }, () => api.get('/livez')));
  await page.reload();
  await page.locator('.log-line').first().waitFor();
  await page.getByText('None refused or failed').waitFor();
  await tab.choose('Status', 'Refused or failed (4xx, 5xx; not 499)');
  await tab.sees(/ · searched from \d{4}-\d\d-\d\d \d\d:\d\d(:\d\d)? on$/);
  // A log that begins after the moment that was asked for says so.
  await tab.go(`/logs?log=access&from=${new Date(Date.now() - 86_400_000).toISOString()}`, 'Logs');
  await tab.sees(
    / · the log begins at .*; what was before is in cairn-access\.log\.1, in the log folder of the server/,
  );
  // Far behind the lines that one reads from there on.
  await api.configKv({ 'log.maxSizeMB': '10' });
  const noise = `/livez?${'p'.repeat(1_000)}`;
  for (let i = 0; i < 12; i++) await Promise.all(Array.from({ length: 64 }, () => api.get(noise)));
  await api.get('/api/v1/node/nor-this-id');
  await tab.go(`/logs?log=access&level=warn&from=${new Date(Date.now() - 86_400_000).toISOString()}`, 'Logs');
  await page.locator('.log-line', { hasText: 'nor-this-id' }).waitFor();
  await tab.go('/logs?log=access&level=warn', 'Logs');
  await page.locator('.log-line', { hasText: 'nobody-has-this-id' }).locator('.status-warn').waitFor();
  await until(
    () => page.locator('.log-line .status-plain').count(),
    (count) => count === 0,
    'no request that succeeded',
  );
  // Of a long log the end is read.
  await tab.go('/node?id=long.node', 'Node long.node');
  await tab.sees(/^Newest 1,000 lines · following$/);
  await tab.close();
});

/** Stored as the agent sends it, behind what is there. */
let storedBytes = 0;
async function append(count: number, more: object = {}): Promise<void> {
  const line = (i: number): string =>
    `${JSON.stringify({ time: '2026-01-01T00:00:00.250Z', level: 'warn', message: `restore ${i} failed`, job: 'job.7', node: 'live.node', ...more })}\n`;
  const text = Array.from({ length: count }, (_, i) => line(i)).join('');
  const path = `/api/v1/nodes/live.node/files/var/log/agent.log?offset=${storedBytes}`;
  assert.equal((await api.post(path, text)).status, 200);
  storedBytes += text.length;
}

test('a line unfolds as names and values, with links; a reader who scrolled up is not torn away', async () => {
  await api.put('/api/v1/node/live.node', {});
  await append(400);
  await append(1, { message: 'the last one', image: { layers: 3 } });
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/node?id=live.node', 'Node live.node');
  const last = page.locator('.log-line', { hasText: 'the last one' });
  // Beside long fields a message that has room is whole.
  await append(1, { message: 'a message that tells what became of it', job: 'j'.repeat(300) });
  const isWhole = page.locator('.log-message', { hasText: 'what became of it' });
  assert.deepEqual(
    await isWhole.evaluate((message) => [message.scrollWidth - message.clientWidth, message.textContent?.length]),
    [0, 38],
  );
  await last.getByText('the last one').click();
  const details = last.locator('.log-more');
  await details.getByText('{"layers":3}').waitFor();
  // It was at the lower edge: what it unfolds is in sight, and no line is cut at rest.
  const hidden =
    "(() => { const bottom = (name) => document.querySelector(name).getBoundingClientRect().bottom; return bottom('.log-more') - bottom('.log'); })()";
  await until(
    () => page.evaluate(hidden),
    (px) => Number(px) <= 0,
    'the details in sight',
  );
  assert.equal(await page.evaluate("document.querySelector('.log').clientHeight % 22"), 0, 'a line is cut');
  assert.equal(await details.getByRole('link', { name: 'job.7' }).getAttribute('href'), '/job?id=job.7');
  assert.equal(await details.getByRole('link', { name: 'live.node' }).getAttribute('href'), '/node?id=live.node');
  assert.deepEqual(await tab.violations(), []);
  // By keys alone, from line to line.
  await last.getByRole('button', { name: 'Details of the line' }).press('Enter');
  await details.waitFor({ state: 'detached' });
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('Enter');
  await page.locator('.log-line-open', { hasText: 'restore 399 failed' }).waitFor();
  await page.keyboard.press('Enter');
  await page.locator('.log').evaluate((log) => {
    (log as unknown as { scrollTop: number }).scrollTop = 4_000;
  });
  await page.getByText('restore 190 failed').waitFor();
  await tab.sees(/ · new lines arrive below$/);
  await append(3, { message: 'news' });
  await page.getByRole('button', { name: '3 new lines' }).waitFor();
  assert.equal(await page.getByText('news').count(), 0, 'the reader was torn away');
  await page.getByRole('button', { name: '3 new lines' }).click();
  await page.getByText('news').last().waitFor();
  await tab.close();
});

test('where the reader wants it, a line goes on below; the browser keeps that', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await api.post('/api/v1/nodes/told.node/files/var/log/wide.log?offset=0', `${'wide '.repeat(200)}\n`);
  await tab.go('/logs?log=node&node=told.node&file=%2Fnodes%2Ftold.node%2Fvar%2Flog%2Fwide.log', 'Logs');
  const height = async (): Promise<number> => (await page.locator('.log-line').first().boundingBox())?.height ?? 0;
  await until(height, (px) => px === 22, 'a line of one row');
  await page.getByRole('button', { name: 'Wrap' }).click();
  await until(height, (px) => px >= 44, 'a line of several rows');
  await page.reload();
  await until(height, (px) => px >= 44, 'a line of several rows after the page came again');
  assert.deepEqual(await tab.violations(), []);
  await page.getByRole('button', { name: 'Wrap' }).click();
  await until(height, (px) => px === 22, 'a line of one row again');
  await tab.close();
});

test('in a window of 1,024 px the job of a failure is in sight; the day that all lines are of is told once', async () => {
  const tab = await Tab.open(browser, server.address, { timeZone: 'Asia/Kolkata' });
  const { page } = tab;
  await page.setViewportSize({ width: 1024, height: 768 });
  const failure = { message: 'checkpoint failed', job: 'prod-000017.job', queue: 'render.night', detail: 'no-space' };
  await append(1, { ...failure, detail: `no-space: ${'the image needs more room than there is '.repeat(5)}` });
  await tab.go('/node?id=live.node', 'Node live.node');
  const line = page.locator('.log-line', { hasText: 'no-space' });
  await line.waitFor();
  assert.match((await line.textContent()) ?? '', /^05:30:00\.250warncheckpoint failed job=prod-000017\.job no-space/);
  await page.locator('.log-head').getByText('Jan 1, 2026, GMT+5:30').or(page.getByText('Jan 1, GMT+5:30')).waitFor();
  const box = async (of: Locator): Promise<{ x: number; width: number }> =>
    (await of.boundingBox()) ?? assert.fail('it is not drawn');
  const job = await box(line.getByRole('link', { name: 'prod-000017.job' }));
  const log = await box(page.locator('.log'));
  assert.ok(job.x + job.width < log.x + log.width, 'the job is cut');
  // What went wrong is whole where it has room, however long the fields behind it are.
  await append(1, { ...failure, detail: 'no-time: 40 s needed', path: 'p'.repeat(200) });
  const detail = page.locator('.log-detail', { hasText: '40 s needed' });
  await detail.waitFor();
  assert.equal(await detail.evaluate((text) => text.scrollWidth - text.clientWidth), 0);
  // The head stands where the lines have what it names.
  const [head, level] = [page.locator('.log-head .log-level'), line.locator('.log-level')];
  assert.equal(Math.round((await box(head)).x - (await box(level)).x), 0, 'the head stands beside its column');
  // A line of another day says so; of two days no one is told for all.
  await append(1, { message: 'the next day', time: '2026-01-01T20:00:00.250Z' });
  await page.getByText('2026-01-02 01:30:00.250').waitFor();
  await page.locator('.log-head').getByText('Time, GMT+5:30').waitFor();
  await tab.close();
});

test('new lines of a log that is followed lie over no others, also where each is as high as its text', async () => {
  const tab = await Tab.open(browser, server.address, { look: 'narrow-light' });
  const { page } = tab;
  await tab.go('/logs?log=access', 'Logs');
  await page.locator('.log-line').first().waitFor();
  await page.evaluate(`(() => {
    window.seen = { frames: 0, lines: 0, covered: 0 };
    const look = () => {
      const rows = [...document.querySelectorAll('.log-line')].map((row) => [Number(row.dataset.index), row.getBoundingClientRect()]);
      rows.sort(([a], [b]) => a - b);
      const covers = ([index, { top }], i) => i > 0 && rows[i - 1][0] === index - 1 && top < rows[i - 1][1].bottom - 2;
      seen.frames++;
      seen.lines = Math.max(seen.lines, ...rows.map(([index]) => index));
      if (rows.some(covers)) seen.covered++;
      requestAnimationFrame(look);
    };
    look();
  })()`);
  const before = (await page.evaluate('seen.lines')) as number;
  for (let i = 0; i < 40; i++) {
    await api.get(`/livez?${'long '.repeat(30).trim().replaceAll(' ', '-')}`);
    await page.evaluate('new Promise((done) => requestAnimationFrame(done))');
  }
  await until(
    () => page.evaluate('seen') as Promise<{ lines: number }>,
    ({ lines }) => lines >= before + 30,
    'new lines',
  );
  assert.equal(await page.evaluate('seen.covered'), 0);
  await tab.close();
});
