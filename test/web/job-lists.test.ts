/** Lists as one works through them: what a card tells on a phone, and the row that one comes back to. */
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { Browser, Locator, Page } from 'playwright-core';
import { type Api, until } from '../support/api.ts';
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
const MANY = 120;

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
    {
      id: 'saved-once',
      queueName: 'late',
      events: [...began(173), event('Job-Checkpointing', 121), event('Job-CheckpointSucceeded', 120)],
    },
    {
      id: 'unsaved',
      queueName: LONG_QUEUE,
      events: [...began(173), event('Job-Checkpointing', 163), event('Job-CheckpointFailed', 162)],
    },
    { id: 'hangs', queueName: 'day', events: [...began(173), event('Job-Restoring', 162, { nodeOid: 'i-first' })] },
    { id: 'waits', queueName: 'day', events: [event('Job-Submitted', 3)] },
    ...Array.from({ length: MANY }, (_, i) => ({
      id: `many-${String(i).padStart(3, '0')}`,
      queueName: i < 3 ? `queue-${i}` : 'many',
      events: began(30),
    })),
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
    const isCut = (name: string, id = 'goes-on'): Promise<boolean> =>
      card(id)
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

    // What failed is whole, whatever stands beside it.
    await tab.go('/jobs?q=unsaved', 'Jobs');
    await card('unsaved').getByText('Never saved').waitFor();
    assert.equal(await isCut('.last-event-name', 'unsaved'), false, 'that a checkpoint failed is cut');

    // A step that hangs tells for how long.
    await tab.go('/jobs?q=hangs', 'Jobs');
    await card('hangs').locator('.warn', { hasText: 'Restoring' }).waitFor();
    assert.match(await plain(card('hangs')), /Restoring for 2 h 4\d m/);

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

/** Where the list, or the page, is scrolled to. */
const scrolled = (page: Page): Promise<unknown> =>
  page.evaluate("[document.querySelector('main .table-scroll')?.scrollTop ?? 0, window.scrollY].map(Math.round)");

/** Opens the row by its link, goes back, and expects to be in it, where the list was. */
async function comesBackTo(
  tab: Tab,
  link: Locator,
  open: () => Promise<void>,
  meanwhile = (): Promise<void> => Promise.resolve(),
): Promise<void> {
  const { page } = tab;
  const here = page.url();
  const name = await link.textContent();
  const before = await scrolled(page);
  await open();
  await page.waitForURL((url) => url.href !== here);
  await page.locator('main h1').waitFor();
  await meanwhile();
  await page.goBack();
  await page.waitForURL(here);
  await until(
    () =>
      page.evaluate('document.activeElement.closest("main [role=row], main tbody tr")?.querySelector("a").textContent'),
    (focused) => focused === name,
    `the focus in the row of ${name}`,
  );
  assert.deepEqual(await scrolled(page), before, `the list of ${name} is scrolled elsewhere`);
}

test('back in a list one is in the row that was opened, by a key or the pointer, and the list where it was', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/jobs?sort=id&queue=many', 'Jobs');
  const ids = page.locator('.table-body .table-row .cell:first-child a');
  await ids.nth(3).waitFor();
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await comesBackTo(tab, page.locator('main a:focus'), () => page.keyboard.press('Enter'));
  // The keys go on from there, also where the focus went elsewhere meanwhile.
  await page.locator('main h1').click();
  await page.keyboard.press('j');
  assert.equal(await page.locator('main a:focus').textContent(), 'many-005');
  // Far down, by a click beside the link, and by the link of the node.
  await page.locator('.table-scroll').evaluate((list) => list.scrollTo(0, 1_800));
  const row = page.locator('.table-row', { hasText: 'many-050' });
  await row.waitFor();
  await comesBackTo(tab, row.locator('a').first(), () => row.locator('.badge').click());
  await comesBackTo(tab, row.locator('a').first(), () => row.getByRole('link', { name: 'first.node' }).click());
  // A list that is read again meanwhile keeps both.
  assert.equal(
    (await api.post('/api/v1/job', { id: 'many-new', queueName: 'many', events: [event('Job-Creating', 0)] })).status,
    200,
  );
  await page.keyboard.press('k');
  assert.equal(await page.locator('main a:focus').textContent(), 'many-049');
  await comesBackTo(tab, page.locator('main a:focus'), () => page.keyboard.press('Enter'));

  // What Back undoes of the list itself leads to no row.
  await page.getByRole('link', { name: /^Running/ }).click();
  await page.waitForURL(/phase=running/);
  await page.goBack();
  await page.waitForURL((url) => !url.search.includes('phase'));
  await ids.nth(3).waitFor();
  assert.equal(await page.locator('.table-body a:focus').count(), 0);

  for (const [path, heading] of [
    ['/nodes', 'Nodes'],
    ['/queues', 'Queues'],
  ] as const) {
    await tab.go(path, heading);
    const link = page.locator('.table-body .table-row, main tbody tr').first().locator('a').first();
    await link.waitFor();
    await comesBackTo(tab, link, () => link.click());
  }
  await tab.close();
});

test('after a while elsewhere the list is read again, and one comes back to the row all the same', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await page.clock.install();
  await tab.go('/jobs?sort=id&queue=many', 'Jobs');
  await page.locator('.table-body .table-row').first().waitFor();
  await page.locator('.table-scroll').evaluate((list) => list.scrollTo(0, 1_800));
  const row = page.locator('.table-row', { hasText: 'many-050' });
  await row.waitFor();
  // What was read is forgotten after five minutes.
  await comesBackTo(
    tab,
    row.locator('a').first(),
    () => row.locator('.badge').click(),
    () => page.clock.fastForward('06:00'),
  );
  await tab.close();
});

test('on a phone one comes back to the card that was opened, where the page was', async () => {
  const tab = await Tab.open(browser, server.address, { look: 'narrow-light' });
  const { page } = tab;
  await page.setViewportSize({ width: 390, height: 844 });
  await tab.go('/jobs?sort=id&queue=many', 'Jobs');
  await page.locator('.table-body .table-row').first().waitFor();
  await page.evaluate('window.scrollTo(0, 4_000)');
  const row = page.locator('.table-row', { hasText: 'many-050' });
  await row.waitFor();
  await comesBackTo(tab, row.locator('a').first(), () => row.locator('.badge').click());
  await tab.close();
});

/** Until the end of the test jobs are to be saved every twenty minutes. */
async function saveOften(t: TestContext): Promise<void> {
  t.after(() => api.configKv({ 'ckpt.ckptMode': 'none' }));
  await api.configKv({ 'ckpt.ckptMode': 'iterative', 'ckpt.ckptInterval': '20m0s' });
}

test('the order of queues by trouble is told by columns: how many jobs are overdue, and how many were never saved', async (t) => {
  await saveOften(t);
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await page.setViewportSize({ width: 1_440, height: 900 });
  await tab.go('/queues', 'Queues');
  const heads = page.getByRole('columnheader');
  await heads.filter({ hasText: /^Overdue$/ }).waitFor();
  const cell = (queue: string, label = 'Overdue'): Locator =>
    page.locator('.queue-table tbody tr', { hasText: queue }).locator(`td[data-label="${label}"]`);
  // Of the other queues the jobs run for less than two intervals.
  const told = [LONG_QUEUE, 'late', 'queue-1'].map((queue) =>
    Promise.all(
      ['Overdue', 'Never saved'].map((label) =>
        cell(queue, label).evaluate((td) => `${td.querySelector('a, span')?.className} ${td.textContent}`),
      ),
    ),
  );
  assert.deepEqual(await Promise.all(told), [
    ['warn 2', 'bad 2'],
    ['warn 1', 'muted 0'],
    // Its job has only just begun.
    ['muted 0', 'ink 1'],
  ]);
  const names = await page.locator('.queue-table tbody th').allTextContents();
  assert.deepEqual(names.slice(0, 2), [LONG_QUEUE, 'late']);
  // A narrow window has it as well: by it the queues are sorted.
  await page.setViewportSize({ width: 1_024, height: 768 });
  await heads.filter({ hasText: /^Starting$/ }).waitFor({ state: 'detached' });
  await heads.filter({ hasText: /^Overdue$/ }).waitFor();
  assert.ok((await tab.overflow()) <= 0);
  // A small one rather than what a queue cost; what is of the range stands apart from what is now.
  for (const width of [690, 621]) {
    await page.setViewportSize({ width, height: 768 });
    await heads.filter({ hasText: /^Cost$/ }).waitFor({ state: 'detached' });
    await heads.filter({ hasText: /^Overdue$/ }).waitFor();
    assert.ok((await tab.overflow()) <= 0);
    const groups = page.locator('.column-groups th:visible');
    const spans = await groups.evaluateAll((all) => all.map((th) => `${th.textContent} ${th.getAttribute('colspan')}`));
    assert.deepEqual(spans, ['Now 6', 'In\u00a024\u00a0h 1']);
  }
  await page.setViewportSize({ width: 1_440, height: 900 });
  await cell(LONG_QUEUE, 'Never saved').getByRole('link').click();
  await page.waitForURL(/saved=never/);
  await tab.sees(/^2 jobs$/);
  for (const id of ['goes-on', 'unsaved']) await page.getByRole('link', { name: id, exact: true }).waitFor();
  await page.goBack();
  await cell('late').getByRole('link').click();
  await tab.sees(/^1 job$/);
  await page.getByRole('link', { name: 'saved-once' }).waitFor();
  // The range of the list is that of the page of a queue, and of the list that it leads back to.
  await tab.go('/queues?range=7d', 'Queues');
  await page.getByRole('link', { name: 'late', exact: true }).click();
  await page.getByRole('heading', { name: 'Queue late' }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('range'), '7d');
  await page.getByRole('link', { name: 'All queues' }).click();
  await page.getByRole('heading', { name: 'Queues', exact: true }).waitFor();
  assert.equal(new URL(page.url()).searchParams.get('range'), '7d');
  await tab.close();
});

test('on a phone the overdue and the never saved jobs of a queue share a line, and a long name moves no figure', async (t) => {
  await saveOften(t);
  const tab = await Tab.open(browser, server.address, { look: 'narrow-light' });
  const { page } = tab;
  await page.setViewportSize({ width: 390, height: 844 });
  await tab.go('/queues', 'Queues');
  const placed = (queue: string): Promise<[string, number, number][]> =>
    page
      .locator('.queue-table tbody tr', { hasText: queue })
      .locator('td:visible')
      .evaluateAll((cells) =>
        cells.map((cell) => {
          const { x, y, height } = cell.getBoundingClientRect();
          return [`${cell.getAttribute('data-label')} ${cell.textContent}`, Math.round(x), Math.round(y + height / 2)];
        }),
      );
  await page.locator('td[data-label="Never saved"] a').first().waitFor();
  const long = await placed(LONG_QUEUE);
  const [overdue, never] = ['Overdue 2', 'Never saved 2'].map((text) => long.find(([told]) => told === text));
  assert.ok(overdue && never && Math.abs(overdue[2] - never[2]) <= 1, JSON.stringify(long));
  // All cards have their figures in line.
  const leftOf = (cells: [string, number, number][]): number[] => cells.map(([, x]) => x).slice(0, 3);
  assert.deepEqual(leftOf(long), leftOf(await placed('queue-1')));
  await tab.choose('Sort', 'Most never saved first');
  await page.waitForURL(/sort=-never-saved$/);
  const counts = (): Promise<number[]> =>
    page
      .locator('.queue-table tbody td[data-label="Never saved"]')
      .evaluateAll((cells) => cells.map((cell) => Number(cell.textContent)));
  await until(counts, ([first = 0, ...others]) => first > 2 && Math.max(...others) <= first, 'the most first');
  await tab.close();
});

test('a chip that would choose all jobs of a list is left out', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  const chip = page.getByRole('button', { name: /^Never saved/ });
  await tab.go('/jobs?phase=running', 'Jobs');
  await chip.waitFor();
  await tab.go('/jobs?phase=running&queue=many', 'Jobs');
  await page
    .getByRole('link', { name: /^many-/ })
    .first()
    .waitFor();
  await tab.sees(/^\d+ jobs$/);
  assert.equal(await chip.count(), 0);
  // One that is chosen stays, to be left again.
  await tab.go('/jobs?phase=running&queue=many&sort=-unsaved&saved=never', 'Jobs');
  await chip.waitFor();
  await tab.close();
});

test('a long name of a queue pushes no figure off the window, and headings are as high whatever stands below', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  const box = page.getByRole('region', { name: 'Queues, table' });
  const headPx = (): Promise<number> =>
    page.locator('.queue-table thead tr:last-child').evaluate((row) => row.getBoundingClientRect().height);
  const link = page.getByRole('link', { name: LONG_QUEUE });
  await tab.go('/queues', 'Queues');
  await link.waitFor();
  assert.equal(await link.getAttribute('title'), LONG_QUEUE);
  for (const width of [621, 720, 861, 1_280, 1_440, 1_570]) {
    await page.setViewportSize({ width, height: 800 });
    const [needed = 0, room = 0] = await box.evaluate((section) => [section.scrollWidth, section.clientWidth]);
    assert.ok(needed <= room, `${needed} of ${room} px at ${width}`);
    const namePx = await link.evaluate((name) => name.getBoundingClientRect().height);
    assert.ok(namePx > 30 && namePx < 70, `a name ${namePx} px high at ${width}`);
    const before = await headPx();
    assert.ok(before < 66, `headings ${before} px high at ${width}`);
    await page.getByRole('button', { name: 'Most unsaved' }).click();
    await page.waitForURL(/sort=-most-unsaved$/);
    assert.equal(await headPx(), before, `an arrow moves the rows at ${width}`);
    await page.getByRole('button', { name: 'In trouble first' }).click();
    await page.waitForURL((url) => url.search === '');
  }
  // The queues of the overview: what is of the range stands apart in a small window as well.
  await page.setViewportSize({ width: 800, height: 800 });
  await tab.go('/?range=7d', 'Overview');
  const groups = page.locator('.column-groups th');
  await groups.first().waitFor();
  const spans = await groups.evaluateAll((all) => all.map((th) => `${th.textContent} ${th.getAttribute('colspan')}`));
  assert.deepEqual(spans, ['Now 4', 'In\u00a07\u00a0d 2']);
  await tab.close();
});

test('on the page of a queue an id has the room that phase and status do not need, and those never saved are counted', async (t) => {
  await saveOften(t);
  const events = [event('Job-Creating', 91, { nodeOid: 'i-first' }), event('Job-Running', 90)];
  const jobs = [28, 194].map((i) => ({ id: `prod-job-${String(i).padStart(6, '0')}`, queueName: 'ids', events }));
  assert.equal((await api.post('/api/v1/job', jobs)).status, 200);
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/queue?name=ids', 'Queue ids');
  for (const name of ['2 overdue', '2 never saved']) await page.getByRole('link', { name }).waitFor();
  const cut = "document.querySelectorAll('.job-rows .long-id-cut').length";
  for (const width of [640, 720, 800, 900, 1_000, 1_280]) {
    await page.setViewportSize({ width, height: 800 });
    await until(
      () => page.evaluate(cut),
      (count) => count === 0,
      `whole ids at ${width}`,
    );
  }
  await tab.close();
});
