/** Lists as one works through them: what a card tells on a phone. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser, Locator } from 'playwright-core';
import type { Api } from '../support/api.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';
import { Tab, withBrowser } from './browser.ts';

let server: ServerProcess;
let browser: Browser;
let api: Api;

const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
const event = (eventType: string, minutes: number, more: object = {}): object => ({
  eventType,
  timestamp: ago(minutes),
  ...more,
});
const LONG_QUEUE = 'a-queue-of-a-name-that-is-longer-than-a-phone-is-wide';

withServer({}, async (served) => {
  ({ server, api } = served);
  await api.put('/api/v1/node/first.node', { instance: { instanceId: 'i-first' } });
  const began = (minutes: number): object[] => [
    event('Job-Creating', minutes + 1, { nodeOid: 'i-first', containerId: 'c' }),
    event('Job-Running', minutes),
  ];
  const jobs = [
    { id: 'goes-on', queueName: LONG_QUEUE, events: began(173) },
    {
      id: 'breaks',
      queueName: 'day',
      events: [...began(90), event('Job-Failed', 65, { detail: 'out-of-memory: the container was killed' })],
    },
    { id: 'waits', queueName: 'day', events: [event('Job-Submitted', 3)] },
  ];
  assert.equal((await api.post('/api/v1/job', jobs)).status, 200);
});

withBrowser((started) => {
  browser = started;
});

const plain = async (of: Locator): Promise<string> => ((await of.textContent()) ?? '').replaceAll('\u00a0', ' ');

for (const width of [360, 390])
  test(`on a phone of ${width} pixels a card tells of queue and node, why a job failed, and ages as exact as spans`, async () => {
    const tab = await Tab.open(browser, server.address, { look: 'narrow-light' });
    const { page } = tab;
    await page.setViewportSize({ width, height: 844 });
    const card = (id: string): Locator => page.locator('.table-body .table-row', { hasText: id });
    await tab.go('/jobs?q=goes-on', 'Jobs');
    await card('goes-on').getByText('first.node').waitFor();
    assert.match(
      await plain(card('goes-on')),
      /^goes-onRunningRunning 2 h 5\d m agoNever saved 2 h 5\d ma-queue-[a-z-]*wide · first\.node$/,
    );
    // The longer name is cut, in its line: the node is whole.
    const isCut = (name: string): Promise<boolean> =>
      card('goes-on')
        .locator(name)
        .evaluate((element) => {
          const { scrollWidth, clientWidth } = element as unknown as Record<'scrollWidth' | 'clientWidth', number>;
          return scrollWidth > clientWidth;
        });
    assert.deepEqual([await isCut('.job-place-queue'), await isCut('.job-place-node')], [true, false]);
    const beyond = `(() => {
      const row = document.querySelector('.table-body .table-row').getBoundingClientRect();
      const foot = document.querySelector('.card-foot').getBoundingClientRect();
      return [row.bottom - foot.bottom >= 4, foot.height < 24, foot.right <= row.right];
    })()`;
    assert.deepEqual(await page.evaluate(beyond), [true, true, true], 'the line has no room in its card');

    // The reason stands in the list of all jobs as well.
    await tab.go('/jobs?q=breaks', 'Jobs');
    await card('breaks').getByText('out-of-memory: the container was killed').waitFor();
    assert.match(await plain(card('breaks')), /^breaksFailedout-of-memory.*killed 1 h \d m agoday · first\.node$/);
    // Without a node there is none.
    await tab.go('/jobs?q=waits', 'Jobs');
    await card('waits').waitFor();
    assert.match(await plain(card('waits')), /day$/);
    // What is hidden in columns is hidden in cards.
    await page.getByRole('button', { name: 'Columns' }).click();
    await page.getByRole('menuitemcheckbox', { name: 'Queue' }).click();
    await page.keyboard.press('Escape');
    await tab.go('/jobs?q=breaks', 'Jobs');
    await card('breaks').getByText('first.node').waitFor();
    assert.match(await plain(card('breaks')), /agofirst\.node$/);
    await tab.close();
  });
