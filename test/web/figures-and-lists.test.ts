/** Every figure of the overview leads to a list of exactly so many: also those that are of the last hour, or of a range. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser } from 'playwright-core';
import { type Api, until } from '../support/api.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';
import { PATIENT, quietly, Tab, withBrowser } from './browser.ts';
import { ago, playedJob } from './played-jobs.ts';

let server: ServerProcess;
let browser: Browser;
let api: Api;

withServer({}, async (served) => {
  ({ server, api } = served);
  const node = (id: string) => api.put(`/api/v1/node/${id}`, { instance: { instanceId: `i-${id}` } });
  await Promise.all(['gone-1', 'gone-2'].map(node));
  assert.equal((await api.configKv({ 'node.heartbeat': '1s', 'node.ttl': '2s' })).status, 200);
  await until(
    async () => (await api.get('/api/v1/node?state=lost')).json as unknown[],
    (lost) => lost.length === 2,
    'both nodes are lost',
  );
  const saving = { 'ckpt.ckptMode': 'iterative', 'ckpt.ckptInterval': '10m' };
  // No node is late before the test that makes it so, however slow the machine is.
  await api.configKv({ 'node.heartbeat': '30m', 'node.ttl': '2h', ...saving });
  await node('here');
  const jobs = [
    playedJob('runs-1', 'day', 50),
    playedJob('runs-2', 'night', 50),
    playedJob('saved-lately', 'night', 90, ['Job-Checkpointing', 3], ['Job-CheckpointSucceeded', 2]),
    playedJob('not-saved', 'night', 15, ['Job-Checkpointing', 3], ['Job-CheckpointFailed', 2]),
    playedJob('starts', 'night', 50, ['Job-Stopped', 40], ['Job-Restoring', 30]),
    playedJob('saves-1', 'day', 60, ['Job-Checkpointing', 50]),
    playedJob('saves-2', 'day', 60, ['Job-Checkpointing', 40]),
    playedJob('saves-3', 'day', 60, ['Job-Checkpointing', 2]),
    playedJob('failed-now-1', 'day', 60, ['Job-Failed', 5]),
    // More than what the page reads of them.
    ...Array.from({ length: 60 }, (_, i) => playedJob(`failed-now-${i + 2}`, 'night', 60, ['Job-Failed', 6])),
    playedJob('failed-today-1', 'day', 700, ['Job-Failed', 600]),
    playedJob('failed-today-2', 'day', 700, ['Job-Failed', 601]),
    playedJob('failed-this-week', 'day', 5_000, ['Job-Failed', 4_000]),
    playedJob('ended', 'day', 60, ['Job-Succeeded', 5]),
    {
      id: 'stranded',
      queueName: 'day',
      events: [{ eventType: 'Job-Creating', timestamp: ago(61), nodeOid: 'i-gone-1' }],
    },
  ];
  assert.equal((await api.post('/api/v1/job', jobs)).status, 200);
});

withBrowser((started) => {
  browser = started;
});

/** The first number of a text: `2 of 3 checkpoints` is about 2. */
const figureOf = (text: string): number => Number(/\d[\d,]*/.exec(text)?.[0].replaceAll(',', '') ?? Number.NaN);

async function listedAt(tab: Tab, href: string): Promise<number> {
  const isOfJobs = href.startsWith('/jobs');
  await tab.go(href, isOfJobs ? 'Jobs' : 'Nodes');
  const told = tab.page.getByText(
    isOfJobs ? /^([\d,]+ jobs?|No job (matches|is|has) .*)$/ : /^([\d,]+ nodes?|No node matches.*)$/,
  );
  const text = (await told.first().textContent()) ?? '';
  return text.startsWith('No ') ? 0 : figureOf(text);
}

test('each figure of the overview leads to a list of so many', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/', 'Overview');
  await tab.sees('61 jobs failed in the last hour: 60 in night');
  const row = tab.page.getByRole('row', { name: /^day/ });
  await row.getByRole('link', { name: '3', exact: true }).waitFor();
  // Unsaved work is a time, not a count.
  const links = (await tab.page.evaluate(
    `[...document.querySelectorAll('main a')].map((a) => [a.innerText, a.getAttribute('href')])
       .filter(([text, href]) => /^\\/(jobs|nodes)(\\?|$)/.test(href) && /\\d/.test(text) && !/^Unsaved/.test(text))`,
  )) as [text: string, href: string][];
  const found: string[] = [];
  const counts = new Map<string, number>();
  for (const [text, href] of links) {
    const listed = counts.get(href) ?? (await listedAt(tab, href));
    counts.set(href, listed);
    if (listed !== figureOf(text)) found.push(`${text.replaceAll(/\s+/g, ' ')}: ${listed} at ${href}`);
  }
  assert.deepEqual(found, []);
  const told = links.map(([text]) => text.replaceAll(/\s+/g, ' ')).join('\n');
  for (const figure of [
    /^\w+: 61 jobs failed in the last hour/m,
    /^\w+: 2 of 3 checkpoints in progress have taken more than 15 m/m,
    /^\w+: 2 nodes were lost in the last hour/m,
    /^2 lost in 1\sh/m,
    // Jobs that failed in the last 24 hours, in one of the queues.
    /^3$/m,
  ])
    assert.match(told, figure);
  await tab.close();
});

test('the running jobs with the most unsaved work stand first, however long the others have run', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/', 'Overview');
  const rows = tab.page.getByRole('region', { name: /^Unsaved work/ }).getByRole('listitem');
  await rows.first().getByText('saves-').first().waitFor();
  await rows.first().getByText('never saved').waitFor();
  await rows.last().getByText('saved-lately').first().waitFor();
  assert.equal(await rows.last().getByText('never saved').count(), 0);
  await tab.close();
});

test('unsaved work has one tint and one word, on the overview and in the list of the same jobs', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/', 'Overview');
  const rows = page.getByRole('region', { name: /^Unsaved work/ }).getByRole('listitem');
  await rows.filter({ hasText: 'runs-1' }).locator('.number.bad').waitFor();
  assert.equal(await rows.filter({ hasText: 'not-saved' }).locator('.bad').count(), 0);
  await page
    .getByRole('region', { name: /^Unsaved work/ })
    .getByRole('link', { name: 'Show all' })
    .click();
  const row = (id: string) => page.getByRole('row', { name: new RegExp(`^${id}`) });
  await row('runs-1').locator('.number > .bad').waitFor();
  await row('runs-1').getByText('never saved').waitFor();
  // One interval and a half: it may be.
  assert.equal(await row('not-saved').locator('.bad, .number > .warn').count(), 0);
  await row('not-saved').locator('.last-event-name.warn', { hasText: 'Checkpoint failed' }).waitFor();
  // So stands out what has been in progress for longer than one would expect, which tells for how long.
  for (const id of ['saves-1', 'saves-2'])
    await row(id)
      .getByText(/^Checkpointing for [45]\d\sm$/)
      .waitFor();
  const amiss = await page.locator('.last-event-name.warn').allTextContents();
  assert.deepEqual(amiss.toSorted(), ['Checkpoint failed ', 'Checkpointing ', 'Checkpointing ']);
  assert.deepEqual(await tab.violations(), []);
  await tab.go('/job?id=saves-1', 'Job saves-1');
  await tab.sees(/^A checkpoint has been in progress since .*\d\d:\d\d, for 5\d\sm\.$/);
  await tab.close();
});

test('a list says of which time it is, and shows all when that is cleared', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/', 'Overview');
  const attention = tab.page.getByRole('region', { name: 'Needs attention' });
  await attention.getByRole('link', { name: /jobs failed in the last hour/ }).click();
  await tab.arrives('Jobs');
  const time = tab.page.getByRole('combobox', { name: 'Time' });
  assert.match((await time.textContent()) ?? '', /^Failed since (\w+ \d+, )?\d\d:\d\d/);
  await tab.sees(/^61 jobs$/);
  // The tabs count what their lists hold.
  await tab.page.getByRole('link', { name: 'Failed 61', exact: true }).waitFor();
  assert.deepEqual(await tab.violations(), []);
  await tab.choose('Time', 'Any time');
  await tab.sees(/^64 jobs$/);
  await tab.choose('Time', 'Failed in the last 24 hours');
  await tab.sees(/^63 jobs$/);
  assert.equal(await time.textContent(), 'Failed in the last 24 hours');
  // It stays what it is: in the address, and in the links of the tabs.
  assert.match(tab.page.url(), /range=24h/);
  await tab.page.getByRole('link', { name: /^Stranded/ }).click();
  await tab.page.waitForURL(/phase=stranded/);
  assert.equal(await time.textContent(), 'Changed in the last 24 hours');
  await tab.page.getByRole('link', { name: /^Failed/ }).click();
  await tab.sees(/^63 jobs$/);
  await tab.choose('Time', 'Any time');
  await tab.sees(/^64 jobs$/);
  await tab.go('/', 'Overview');
  await attention.getByRole('link', { name: /checkpoints in progress/ }).click();
  await tab.sees(/^Checkpointing since before /);
  await tab.go('/', 'Overview');
  await attention.getByRole('link', { name: /nodes were lost/ }).click();
  await tab.sees(/^Lost since /);
  await tab.page.getByRole('button', { name: 'Clear time' }).click();
  await tab.page.waitForURL(/nodes\?state=lost&sort=-lastHeartbeat$|nodes\?sort=-lastHeartbeat&state=lost$/);
  await tab.close();
});

test('a check that answers late does not push down the figures of a page that was open before', async () => {
  const tab = await Tab.open(browser, server.address);
  let answer: () => void = () => {};
  let answered = Promise.resolve();
  const findings = [1, 2, 3].map((i) => ({
    id: `${i}`,
    severity: 'warning',
    what: `Finding ${i}.`,
    remedy: 'Mend it.',
  }));
  await tab.page.addInitScript(PATIENT);
  await tab.page.route('**/readyz', quietly);
  await tab.page.route('**/api/v1/doctor', async (route) => {
    await answered;
    await route.fulfill({ json: { findings, checks: [] } });
  });
  const topOf = async (): Promise<number> => (await tab.page.locator('.figures').boundingBox())?.y ?? 0;
  await tab.go('/', 'Overview');
  await tab.sees('Finding 3.');
  await tab.sees('Jobs running now');
  const whole = await topOf();
  answered = new Promise((resolve) => {
    answer = resolve;
  });
  await tab.go('/', 'Overview');
  await tab.sees('Checking the server’s health');
  await tab.page.locator('.figures').waitFor();
  assert.equal(await topOf(), whole);
  answer();
  await tab.sees('Finding 3.');
  assert.equal(await topOf(), whole);
  await tab.close();
});

/** The waits for what is late, and for a hand that rests, end when the test says so: `window.goOn`, `window.rest`. */
const UNHURRIED = `{
  const plain = window.setTimeout;
  const names = { 700: 'goOn', 3000: 'rest' };
  window.setTimeout = (run, ms, ...more) => (names[ms] ? ((window[names[ms]] = run), 0) : plain(run, ms, ...more));
}`;

test('rows that come late take room that was kept, the worst first, and the count waits for them', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await page.addInitScript(UNHURRIED);
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/v1/doctor', (route) => route.fulfill({ json: { findings: [], checks: [] } }));
  await page.route(/\/job\?phase=running&status=Checkpointing|\/job\/count\?by=phase$/, async (route) => {
    await held;
    await route.continue();
  });
  await tab.go('/', 'Overview');
  const ANSWERED = [
    '/readyz',
    '/doctor',
    'by=status',
    'state=late',
    'state=lost',
    'phase=failed',
    '/idp',
    '/summary',
    'unsavedSeconds',
    '/config',
  ];
  await page.waitForFunction(
    (names) =>
      names.every((name) =>
        performance.getEntriesByType('resource').some((entry) => entry.name.includes(name) && entry.duration > 0),
      ),
    ANSWERED,
  );
  await page.evaluate('goOn()');
  const attention = page.getByRole('region', { name: 'Needs attention' });
  const rows = async (): Promise<string[]> =>
    (await attention.locator('a .attention-text').allTextContents()).map((text) => text.slice(0, 20));
  await tab.sees('jobs failed in the last hour');
  await tab.sees('nodes were lost in the last hour');
  await tab.sees('Checking jobs, checkpoints');
  assert.equal(await attention.locator('.tab-count').count(), 0, 'a count that is not final');
  await attention.getByRole('link', { name: /nodes were lost/ }).click({ trial: true });
  const before = await rows();
  const topOf = async (): Promise<number> => (await page.locator('.figures').boundingBox())?.y ?? 0;
  const top = await topOf();
  release();
  await attention.locator('.tab-count').waitFor();
  assert.equal(await topOf(), top, 'the figures stand where they were');
  const drawn = await rows();
  assert.ok(drawn.length > before.length, 'the answers that came last add rows');
  assert.match(drawn[0] ?? '', /stranded/);
  assert.equal(await attention.locator('.tab-count').textContent(), `${drawn.length}`);
  await tab.close();
});

test('room that was kept for rows that did not come goes as the hand rests', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await page.addInitScript(UNHURRIED);
  await page.addInitScript("sessionStorage.setItem('cairn.attention-px', '900')");
  let release: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route('**/api/v1/doctor', async (route) => {
    await held;
    await route.fulfill({ json: { findings: [], checks: [] } });
  });
  await tab.go('/', 'Overview');
  await until(
    () => page.evaluate("typeof goOn === 'function' && (goOn(), true)"),
    (isOn) => isOn === true,
    'the wait for what is late',
  );
  const attention = page.getByRole('region', { name: 'Needs attention' });
  await tab.sees('Checking the server’s health');
  release();
  await attention.locator('.tab-count').waitFor();
  const height = async (): Promise<number> => (await attention.boundingBox())?.height ?? 0;
  assert.equal(await height(), 900);
  await page.evaluate('rest()');
  await until(height, (px) => px < 700, 'no room without rows');
  await tab.close();
});

test('jobs are stranded since their node was declared lost, in the list as on the overview', async () => {
  const { endedAt } = (await api.get('/api/v1/node/gone-1')).json as { endedAt: string };
  const tab = await Tab.open(browser, server.address);
  await tab.go('/jobs?phase=stranded', 'Jobs');
  const gone = tab.page.getByRole('row', { name: /^stranded/ }).locator('.last-event', { hasText: /^Lost / });
  assert.equal(await gone.locator('time').getAttribute('datetime'), endedAt);
  await tab.close();
});

test('reclaims that interrupted no job have no columns for jobs', async () => {
  await api.put('/api/v1/node/idle-spot', { instance: { instanceId: 'i-idle', payType: 'Spot' } });
  await api.post('/api/v1/node/idle-spot/interruption', { action: 'terminate', time: ago(-2) });
  await api.delete('/api/v1/node/idle-spot');
  const tab = await Tab.open(browser, server.address);
  await tab.go('/reclaims', 'Spot reclaims');
  await tab.page.getByRole('button', { name: 'Show it' }).click();
  const table = tab.page.locator('table.taken-rows');
  await table.getByRole('link', { name: 'idle-spot' }).waitFor();
  const heads = await table.getByRole('columnheader').allTextContents();
  assert.deepEqual(
    heads.map((head) => head.replace(/ UTC| [↑↓]/g, '')),
    ['Node', 'Last heartbeat', 'Notice'],
  );
  assert.equal(await table.getByRole('row').last().getByRole('cell').count(), 2);
  await tab.close();
});

test('a node that fell silent while the page was asked for is late in all places of the overview', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  let begin = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    begin = resolve;
  });
  await page.route('**/api/v1/event', async (route) => {
    await held;
    await route.continue();
  });
  const answered = page.waitForResponse(/state=late/);
  await tab.go('/', 'Overview');
  assert.deepEqual(await (await answered).json(), []);
  await api.configKv({ 'node.heartbeat': '1s' });
  // It is told an interval of a second, and then silent.
  await api.put('/api/v1/node/fell-silent', { instance: { instanceId: 'i-fell-silent' } });
  await until(
    async () => (await api.get('/api/v1/node?state=late')).json as unknown[],
    (late) => late.length === 1,
    'a late node',
  );
  begin();
  await page.getByRole('link', { name: '1 late', exact: true }).waitFor();
  await tab.sees('1 node is late with heartbeats.');
  await page.locator('.rows li', { hasText: 'fell-silent' }).getByText('Late', { exact: true }).waitFor();
  await tab.close();
});

test('on a phone the unsaved work of a job takes no room of its id, and says in words that it was never saved', async () => {
  const id = 'phone-1-tp7lms-job-000022';
  const begun = new Date(Date.now() - 24_600_000).toISOString();
  const events = ['Job-Creating', 'Job-Running'].map((eventType) => ({
    eventType,
    timestamp: begun,
    nodeOid: 'i-none',
  }));
  assert.equal((await api.post('/api/v1/job', { id, queueName: 'phones', events })).status, 200);
  const tab = await Tab.open(browser, server.address, { look: 'narrow-dark' });
  const { page } = tab;
  await tab.go(`/jobs?q=${id}`, 'Jobs');
  const row = page.locator('.table-body .table-row', { hasText: 'Never saved' });
  await row.waitFor();
  assert.equal(await row.locator('.long-id-cut').count(), 0);
  await tab.go('/queue?name=phones', 'Queue phones');
  await page.locator('.job-rows td[data-label="Unsaved"]').waitFor();
  const word = "getComputedStyle(document.querySelector('.job-rows td[data-label=\"Unsaved\"]'), '::before').content";
  assert.match(String(await page.evaluate(word)), /Never saved/);
  // Where the queue beside an id is long, no row of a search is wider than the others.
  const done = { id: 'phone-2-tp7lms-job-000022', queueName: 'phones/of low priority' };
  const ended = [{ eventType: 'Job-Succeeded', timestamp: new Date().toISOString() }];
  assert.equal((await api.post('/api/v1/job', { ...done, events: ended })).status, 200);
  await tab.search('tp7lms-job-00002');
  await page.locator('.palette-option', { hasText: 'Succeeded' }).waitFor();
  const over = `[...document.querySelectorAll('.palette-option')]
    .filter((row) => row.scrollWidth > row.clientWidth)
    .map((row) => row.textContent)`;
  assert.deepEqual(await page.evaluate(over), []);
  // What happened to a job stands at the left, one below the other.
  await tab.go(`/job?id=${id}`, `Job ${id}`);
  await page.locator('.job-events .table-body .cell').first().waitFor();
  const lefts = `[...document.querySelectorAll('.job-events .table-body .cell')]
    .filter((cell) => /^(Running|Creating)$/.test(cell.textContent.trim()))
    .map((cell) => Math.round(cell.getBoundingClientRect().left))`;
  const [left = 0, ...others] = (await page.evaluate(lefts)) as number[];
  assert.ok(left > 0 && left < 60 && others.every((px) => px === left), String([left, ...others]));
  await tab.close();
});

const ORDERED_BY = ['Stuck', 'Stranded', 'Most unsaved', 'Overdue', 'Never saved', 'Failed'];

test('queues are sorted by each of their headings, also by one of three words, and the address keeps it', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/queues', 'Queues');
  const heading = (name: string) => page.getByRole('columnheader', { name });
  await heading('Failed of ended').getByRole('button').click();
  await page.waitForURL(/sort=-failed-of-ended$/);
  await page.reload();
  await page.locator('th[aria-sort="descending"]', { hasText: 'Failed of ended' }).waitFor();
  await heading('Restoring').getByRole('button').click();
  await page.waitForURL(/sort=-restoring$/);
  assert.equal(await page.getByText('in the address is unknown').count(), 0);
  // A narrower window has fewer columns rather than figures off its edge.
  let shown: string[] = [];
  for (const width of [621, 760, 861, 1_001, 1_024, 1_230, 1_430, 1_440, 1_570]) {
    await page.setViewportSize({ width, height: 768 });
    await tab.sees(width > 1_560 ? /was never saved\.$/ : /A wider window shows more columns\.$/);
    const table = page.getByRole('region', { name: 'Queues, table' });
    const [needed = 0, room = 0] = (await table.evaluate((box) => [box.scrollWidth, box.clientWidth])) as number[];
    assert.ok(needed <= room, `${needed} of ${room} px at ${width}`);
    // What a narrower one shows is there as well, and in each what the order looks at.
    const headings = await table.locator('thead tr').last().getByRole('columnheader').allTextContents();
    assert.deepEqual(
      shown.filter((one) => !headings.includes(one)),
      [],
      `gone at ${width}`,
    );
    assert.ok(
      ORDERED_BY.every((one) => headings.includes(one)),
      `${headings} at ${width}`,
    );
    shown = headings;
  }
  await tab.close();
});

test('no figure of the range before stands under the name of the next; what cannot be read is told, and rows open', async () => {
  const tab = await Tab.open(browser, server.address, { isExpected: (fault) => /status of 500/.test(fault) });
  const { page } = tab;
  await tab.go('/queues', 'Queues');
  const submitted = page.locator('tfoot td[data-label^="Submitted"]');
  const known = await submitted.textContent();
  assert.match(known ?? '', /^\d+$/);
  await page.setViewportSize({ width: 1_570, height: 800 });
  let isBroken = true;
  await page.route('**/api/v1/metrics/summary?*', (route) =>
    isBroken ? route.fulfill({ status: 500, json: { errorCode: 1, message: 'no disk' } }) : route.continue(),
  );
  await page.getByRole('radio', { name: '7d' }).check({ force: true });
  await tab.sees('In the last 7 days');
  assert.notEqual(await submitted.textContent(), known);
  await tab.sees('Could not load all figures');
  isBroken = false;
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.locator('tfoot td[data-label^="Submitted"]', { hasText: /^\d+$/ }).waitFor();
  assert.equal(await page.getByText('Could not load').count(), 0);
  // Anywhere in the row.
  await page.locator('.queue-table tbody tr').first().locator('td').last().click();
  await page.waitForURL(/\/queue\?name=/);
  await tab.close();
});

test('a queue whose job was never saved is as red as the job, and on a phone its failures tell of which range they are', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/queues', 'Queues');
  const most = page.locator('[data-label="Most unsaved"] a');
  await most.first().waitFor();
  const tones = await most.evaluateAll((links) => links.map((link) => [link.title, link.className]));
  assert.ok(tones.some(([title]) => title?.endsWith(', never saved')));
  for (const [title, tone] of tones) assert.equal(tone === 'bad', title?.endsWith(', never saved'), `${title} ${tone}`);
  await tab.sees(/: amber, or red where it was never saved\./);
  await page.setViewportSize({ width: 390, height: 844 });
  await tab.go('/queues?range=7d', 'Queues');
  const labels = page.locator('tbody tr').first().locator('td:visible');
  await labels.last().waitFor();
  const shown = await labels.evaluateAll((cells) => cells.map((cell) => cell.getAttribute('data-label')));
  assert.ok(shown.includes('Failed in 7\u00a0d'), shown.join());
  assert.ok(!shown.includes('Failed'));
  const cut = `[...document.querySelectorAll('.queue-table td')].filter((cell) => cell.scrollWidth > cell.clientWidth).length`;
  assert.equal(await page.evaluate(cut), 0);
  // Where a label takes two lines, its figure stands beside the others.
  await page.setViewportSize({ width: 360, height: 800 });
  await tab.go('/queues?range=month', 'Queues');
  await labels.last().waitFor();
  assert.equal(await page.evaluate(cut), 0);
  assert.ok((await tab.overflow()) <= 0);
  await tab.close();
});
