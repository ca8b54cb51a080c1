/** Logs in the browser: through a rotation without a lost line, and to a moment in the middle of a long one. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import type { Browser } from 'playwright-core';
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

test('a log is followed through its rotation: each line once', async () => {
  await api.configKv({ 'log.maxSizeMB': '1' });
  const tab = await Tab.open(browser, server.address);
  await tab.go('/logs?log=access', 'Logs');
  const asked = tab.page.waitForResponse(/follow=true.*q=needle|q=needle.*follow=true/);
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
  await tab.sees(`needle=${needles}`);
  await until(
    () => tab.page.getByRole('status').allInnerTexts(),
    (texts) => texts.includes(`${needles} lines · following`),
    `${needles} lines`,
    30_000,
  );
  await tab.close();
});

test('a long log opens at a moment, and its lines are chosen by level', async () => {
  const line = (second: number): string =>
    `${new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString()} ${second % 100 === 0 ? 'ERROR' : 'INFO'} step ${second} ${'.'.repeat(60)}\n`;
  const text = Array.from({ length: 5_000 }, (_, second) => line(second)).join('');
  await api.put('/api/v1/node/long.node', {});
  assert.equal((await api.post('/api/v1/nodes/long.node/files/var/log/app.log?offset=0', text)).status, 200);
  // A node that sends no figures: its charts ask, and are told 404.
  const isExpected = (fault: string): boolean => /metricValue/.test(fault);
  const tab = await Tab.open(browser, server.address, { isExpected, timeZone: 'Asia/Kolkata' });
  await tab.go('/node?id=long.node', 'Node long.node');
  await tab.sees('step 4999');
  // 00:39:05 in UTC.
  await tab.page.getByLabel('From this time on').fill('2026-01-01T06:09:05');
  await tab.sees('step 2345 ');
  assert.equal(await tab.page.getByText('step 2344 ').count(), 0);
  await tab.choose('Level', 'Error');
  await tab.sees('step 2400 ');
  assert.equal(await tab.page.getByText('INFO step').count(), 0);
  // The field is in the zone of the lines.
  await tab.page.evaluate("localStorage.setItem('cairn.zone', 'utc')");
  await tab.page.reload();
  assert.equal(await tab.page.getByLabel('From this time on').inputValue(), '2026-01-01T00:39:05');
  await tab.page.getByLabel('From this time on').fill('2026-01-01T00:50:00');
  await tab.sees('step 3000 ');
  assert.equal(await tab.page.getByText('step 2900 ').count(), 0);
  assert.deepEqual(await tab.violations(), []);
  await tab.close();
});
