/** What a reader arranges for himself: order by unsaved work, columns, saved views, ranges, the zone of times. One server. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { Api } from '../support/api.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';
import { Tab, withBrowser } from './browser.ts';

let server: ServerProcess;
let browser: Browser;
let api: Api;

const NOW = Date.now();
const ago = (minutes: number): string => new Date(NOW - minutes * 60_000).toISOString();
/** A running job that began so many minutes ago; the others say how long ago each of its checkpoints was. */
const job = (id: string, minutes: number, ...saved: number[]): object => ({
  id,
  queueName: 'views',
  events: [
    { eventType: 'Job-Creating', timestamp: ago(minutes + 1), nodeOid: 'i-views', containerId: 'c', batchJobId: 'b' },
    { eventType: 'Job-Running', timestamp: ago(minutes) },
    ...saved.flatMap((at) => [
      { eventType: 'Job-Checkpointing', timestamp: ago(at + 1) },
      { eventType: 'Job-CheckpointSucceeded', timestamp: ago(at) },
    ]),
  ],
});

withServer({}, async (served) => {
  ({ server, api } = served);
  await api.put('/api/v1/node/views.node', { instance: { instanceId: 'i-views' } });
  const ended = { id: 'ended', queueName: 'views', events: [{ eventType: 'Job-Failed', timestamp: ago(3) }] };
  const jobs = [job('middle', 40), job('least', 300, 10), job('most', 90), ended];
  assert.equal((await api.post('/api/v1/job', jobs)).status, 200);
});

withBrowser((started) => {
  browser = started;
});

const rowsOf = async (tab: Tab): Promise<string[]> =>
  (await tab.page.getByRole('table', { name: 'Jobs' }).getByRole('link').allTextContents()).filter((text) =>
    /^(least|middle|most|ended)/.test(text),
  );

test('jobs are sorted by unsaved work, the greatest first, and back', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/jobs?queue=views', 'Jobs');
  await page.getByRole('button', { name: 'Unsaved' }).click();
  await page.waitForURL(/sort=-unsaved/);
  await tab.sees(/^3 jobs with unsaved work$/);
  assert.deepEqual(await rowsOf(tab), ['most', 'middle', 'least']);
  assert.deepEqual(await page.locator('nav[aria-label=Phases] [aria-current]').allTextContents(), ['All 4']);
  await page.getByRole('columnheader', { name: 'Unsaved' }).and(page.locator('[aria-sort=descending]')).waitFor();
  await page.getByRole('button', { name: 'Unsaved' }).click();
  await page.waitForURL(/sort=unsaved/);
  await page.locator('[aria-sort=ascending]').waitFor();
  await page.getByRole('row').nth(1).getByRole('link', { name: 'least' }).waitFor();
  // Jobs of other phases have none: their list goes back to its own order.
  await page.getByRole('link', { name: /^Failed/ }).click();
  await tab.sees(/^1 job$/);
  assert.ok(!new URL(page.url()).searchParams.has('sort'), page.url());
  await tab.go('/jobs?sort=-unsaved&queue=views', 'Jobs');
  await tab.sees(/^3 jobs with unsaved work$/);
  // The file has the rows of the screen, in their order.
  const saving = page.waitForEvent('download');
  await page.getByRole('button', { name: 'Export CSV' }).click();
  const lines = (await readFile(await (await saving).path(), 'utf8')).trim().split(/\r?\n/);
  assert.deepEqual(
    lines.map((line) => line.split(',')[0]),
    ['id', 'most', 'middle', 'least'],
  );
  // With the figures of the screen, in seconds that a name tells.
  const [heads, first] = [lines[0]?.split(',') ?? [], lines[1]?.split(',') ?? []];
  for (const name of ['durationSeconds', 'unsavedSeconds'])
    assert.match(first[heads.indexOf(name)] ?? '', /^[1-9]\d+$/);
  await tab.close();
});

test('sorted by node, the jobs of a node stand together, whichever of its ids they name', async () => {
  for (const [name, instanceId] of [
    ['k.node', 'i-1'],
    ['b.node', 'z-1'],
  ])
    await api.put(`/api/v1/node/${name}`, { instance: { instanceId } });
  const placed = (id: string, nodeOid: string): object => ({
    id,
    queueName: 'placed',
    events: [{ eventType: 'Job-Creating', timestamp: ago(5), nodeOid, containerId: 'c' }],
  });
  const jobs = [placed('k-1', 'i-1'), placed('b-1', 'z-1'), placed('k-2', 'k.node'), placed('b-2', 'b.node')];
  assert.equal((await api.post('/api/v1/job', jobs)).status, 200);
  const tab = await Tab.open(browser, server.address);
  const names = async (): Promise<string[]> =>
    (await tab.page.getByRole('link', { name: /^[bk]-\d$/ }).allTextContents()).map((text) => text.slice(0, 3));
  await tab.go('/jobs?queue=placed&sort=nodeOid', 'Jobs');
  await tab.sees(/^4 jobs$/);
  assert.deepEqual(await names(), ['b-1', 'b-2', 'k-1', 'k-2']);
  await tab.go('/jobs?queue=placed&sort=-nodeOid', 'Jobs');
  await tab.sees(/^4 jobs$/);
  assert.deepEqual(await names(), ['k-1', 'k-2', 'b-1', 'b-2']);
  await tab.close();
});

test('unsaved work of which nothing is known is none of 0 s, in a list, its file, a queue and a node', async () => {
  // It was saved, and no event says since when it runs.
  const events = [
    { eventType: 'Job-Creating', timestamp: ago(60), nodeOid: 'i-untold', containerId: 'c' },
    { eventType: 'Job-CheckpointSucceeded', timestamp: ago(30) },
  ];
  await api.put('/api/v1/node/untold.node', { instance: { instanceId: 'i-untold' } });
  assert.equal((await api.post('/api/v1/job', { id: 'untold', queueName: 'untold', events })).status, 200);
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  const isUnknown = (): Promise<void> =>
    page
      .getByRole('row', { name: /^untold/ })
      .getByText('unknown', { exact: true })
      .waitFor();
  await tab.go('/jobs?queue=untold', 'Jobs');
  await isUnknown();
  const [file] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Export CSV' }).click(),
  ]);
  const [heads = '', row = ''] = (await readFile(await file.path(), 'utf8')).split(/\r?\n/);
  assert.equal(row.split(',')[heads.split(',').indexOf('unsavedSeconds')], '', row);
  await tab.go('/queue?name=untold', 'Queue untold');
  await isUnknown();
  await tab.go('/node?id=untold.node', 'Node untold.node');
  await isUnknown();
  await tab.close();
});

test('a list at its top follows by itself; under the pointer it moves no row, and counts what is new', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await page.clock.install();
  const arrives = async (id: string, eventType: string): Promise<void> => {
    const events = [{ eventType, timestamp: new Date().toISOString() }];
    assert.equal((await api.post('/api/v1/job', [{ id, queueName: 'arriving', events }])).status, 200);
  };
  const names = (): Promise<string[]> => page.locator('.table-body .cell:first-child').allTextContents();
  await arrives('first', 'Job-Running');
  await tab.go('/jobs?queue=arriving', 'Jobs');
  await page.getByRole('link', { name: 'first' }).waitFor();
  await tab.sees('Live');
  await arrives('second', 'Job-Running');
  await page.getByRole('link', { name: 'second' }).waitFor();
  await page.getByRole('row', { name: /^first/ }).hover();
  await arrives('third', 'Job-Running');
  await arrives('first', 'Job-Failed');
  await page.getByRole('button', { name: '1 new at the top' }).waitFor();
  await page.getByRole('row', { name: /^first Failed/ }).waitFor();
  assert.deepEqual(await names(), ['second', 'first'], 'rows moved under the pointer');
  // Lists of the last hours move on every five minutes; this one has no range.
  await page.clock.fastForward('05:00');
  assert.ok(await page.getByRole('button', { name: '1 new at the top' }).isVisible(), 'what is new was forgotten');
  assert.deepEqual(await tab.violations(), []);
  await page.getByRole('button', { name: '1 new at the top' }).click();
  await page.getByRole('link', { name: 'third' }).waitFor();
  assert.deepEqual(await names(), ['first', 'third', 'second']);
  // The whole row opens the job.
  await page
    .getByRole('row', { name: /^third/ })
    .locator('.badge')
    .click();
  await tab.arrives('Job third');
  await tab.close();
});

test('columns that are hidden stay hidden in this browser, and come back', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/jobs', 'Jobs');
  await page.getByRole('columnheader', { name: 'Restores' }).waitFor();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Restores' }).click();
  await page.getByRole('columnheader', { name: 'Restores', includeHidden: true }).waitFor({ state: 'detached' });
  assert.equal(
    await page.getByRole('menuitemcheckbox', { name: 'Job', exact: true }).count(),
    0,
    'the row has no name',
  );
  assert.deepEqual(await tab.violations(), []);
  await page.reload();
  await page.getByRole('columnheader', { name: 'Phase' }).waitFor();
  assert.equal(await page.getByRole('columnheader', { name: 'Restores' }).count(), 0);
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.getByRole('menuitemcheckbox', { name: 'Restores' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('columnheader', { name: 'Restores' }).waitFor();
  await tab.close();
});

test('a view is saved under a name, and found again in its list and by the palette', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/jobs?phase=failed&queue=views', 'Jobs');
  await page.getByRole('button', { name: 'Saved views' }).click();
  await page.getByLabel('Name of this view').fill('What failed');
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.getByRole('list', { name: 'Saved views' }).getByRole('link', { name: 'What failed' }).waitFor();
  assert.deepEqual(await tab.violations(), []);
  await tab.go('/health', 'Health');
  await page.getByRole('button', { name: 'Saved views' }).click();
  await page.getByRole('link', { name: 'What failed' }).click();
  await page.waitForURL(/\/jobs\?phase=failed&queue=views$/);
  await tab.sees(/^1 job$/);
  await tab.go('/health', 'Health');
  await tab.search('What failed');
  await page.getByRole('option', { name: /What failed/ }).waitFor();
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/jobs\?phase=failed&queue=views$/);
  await page.getByRole('button', { name: 'Saved views' }).click();
  await page.getByRole('button', { name: 'Remove What failed' }).click();
  await tab.sees('No view is saved yet.');
  await tab.close();
});

const RANGED: readonly (readonly [string, string])[] = [
  ['/', 'Overview'],
  ['/queue?name=views', 'Queue views'],
  ['/reclaims', 'Spot reclaims'],
  ['/node?id=views.node', 'Node views.node'],
  ['/explore?series=system-total/metricDef-checkpointSuccess', 'Metrics'],
];

test('every page with charts takes a range between two moments, and keeps it in the address', async () => {
  const tab = await Tab.open(browser, server.address, {
    timeZone: 'Asia/Kolkata',
  });
  const { page } = tab;
  for (const [path, heading] of RANGED) {
    await tab.go(path, heading);
    await page.getByRole('button', { name: 'Custom' }).click();
    await tab.sees('Times are in your zone, Asia/');
    await page.getByLabel('From', { exact: true }).fill('2026-01-10T08:00');
    await page.getByLabel('To', { exact: true }).fill('2026-01-09T08:00');
    await page.getByRole('button', { name: 'Apply' }).click();
    await tab.sees('The start must be before the end.');
    if (path === '/') assert.deepEqual(await tab.violations(), []);
    await page.getByLabel('To', { exact: true }).fill('2026-01-11T09:30');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.waitForURL((url) => url.searchParams.get('start') === '2026-01-10T02:30:00.000Z');
    assert.equal(new URL(page.url()).searchParams.get('end'), '2026-01-11T04:00:00.000Z');
    await page.reload();
    await page.getByRole('button', { name: /Jan 10.*08:00.*Jan 11.*09:30/ }).waitFor();
    await page.getByText('7d', { exact: true }).click();
    await page.waitForURL((url) => url.searchParams.get('range') === '7d' && !url.searchParams.has('start'));
  }
  await page.getByRole('button', { name: 'Custom' }).click();
  await page.getByLabel('From', { exact: true }).and(page.locator(':focus')).waitFor();
  await page.getByRole('button', { name: 'Yesterday' }).click();
  await page.waitForURL((url) => url.searchParams.get('range') === 'yesterday');
  // The dialog, which has a button of that name too, may still be closing.
  await page.getByRole('button', { name: 'Yesterday', expanded: false }).click();
  // Midnight in Kolkata.
  assert.match(await page.getByLabel('From', { exact: true }).inputValue(), / 00:00$/);
  await page.getByRole('button', { name: 'Today' }).click();
  await page.waitForURL((url) => url.searchParams.get('range') === 'today');
  await page.getByRole('button', { name: 'Today', expanded: false }).waitFor();
  await tab.close();
});

test('a timeline is divided where hours begin in the zone that the reader chose', async () => {
  const tab = await Tab.open(browser, server.address, { timeZone: 'Asia/Kolkata' });
  const { page } = tab;
  await tab.go('/job?id=least', 'Job least');
  const labels = (): Promise<string[]> => page.locator('.lane-scale > span').allTextContents();
  await page.locator('.lane-scale > span').first().waitFor();
  // Five hours in steps of an hour: round where the reader's clock is, half past elsewhere.
  assert.ok(
    (await labels()).every((label) => label.endsWith(':00') || !label.includes(':')),
    `${await labels()}`,
  );
  await page.getByRole('button', { name: 'View', exact: true }).click();
  await page.getByRole('menuitemradio', { name: 'UTC' }).click();
  await page.keyboard.press('Escape');
  await page.locator('.lane-scale > span').first().waitFor();
  assert.ok(
    (await labels()).every((label) => label.endsWith(':00') || !label.includes(':')),
    `${await labels()}`,
  );
  await tab.close();
});
