/** Lists and texts as they are read: nothing overlaps in a narrow window, nothing is cut where it tells one thing from another. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser, Page, Route } from 'playwright-core';
import { Api, until } from '../support/api.ts';
import { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';
import { PATIENT, quietly, Tab, withBrowser } from './browser.ts';

let server: ServerProcess;
let browser: Browser;
let api: Api;

const JOB = 'align-9933d86c-1f52-4a6b-8a3e-009d904c';
const HOST = 'ip-10-12-149-20.eu-west-1.compute.internal';
const REASON = 'exit 137: out of memory (limit 31 GiB, resident set 31.2 GiB), killed by the control group';
/** What is shown of ids that do not end as they do, or are cut once more. */
const CUT =
  "[...document.querySelectorAll('.long-id')].filter((id) => id.scrollWidth > id.clientWidth || (id.lastElementChild.checkVisibility() ? id.lastElementChild : id).textContent.slice(-8) !== id.firstElementChild.textContent.slice(-8)).map((id) => id.lastElementChild.textContent)";

/** Ids are cut with the frame after the rows are there. */
async function idsFit(page: Page, what: string): Promise<void> {
  await until(
    () => page.evaluate(CUT),
    (cut) => (cut as string[]).length === 0,
    what,
  );
}

const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();

withServer({}, async (served) => {
  ({ server, api } = served);
  const instance = { instanceId: 'i-long', instanceType: 'm5.xlarge', zone: 'eu-west-1b', payType: 'Spot' };
  await api.put(`/api/v1/node/${HOST}`, { instance });
  const events = [
    { eventType: 'Job-Creating', timestamp: ago(60), nodeOid: 'i-long', containerId: 'c' },
    { eventType: 'Job-Running', timestamp: ago(59) },
    { eventType: 'Job-Checkpointing', timestamp: ago(30) },
    { eventType: 'Job-CheckpointFailed', timestamp: ago(29), detail: REASON },
  ];
  const long = {
    queueName: 'genomics/variant-calling-of-all-cohorts-of-this-year',
    name: 'Variant calling of cohort 17, second pass',
    events,
  };
  await api.post('/api/v1/job', [
    { id: JOB, ...long },
    { id: 'breaks', ...long, events: [...events, { eventType: 'Job-Failed', timestamp: ago(21), detail: REASON }] },
    { id: 'ends', ...long, events: [...events, { eventType: 'Job-Failed', timestamp: ago(20), detail: 'exit 1' }] },
  ]);
  // So many that only some of them are drawn; older than the others.
  const old = [{ eventType: 'Job-Running', timestamp: ago(600), containerId: 'c' }];
  await api.post(
    '/api/v1/job',
    Array.from({ length: 300 }, (_, i) => ({
      id: i % 2 ? `bulk-${i}` : `bulk-9933d86c-1f52-4a6b-8a3e-${'W'.repeat(i % 9)}-${i}`,
      ...{ queueName: 'bulk', events: old },
    })),
  );
  const gone = 'ip-10-12-149-21.eu-west-1.compute.internal';
  await api.put(`/api/v1/node/${gone}`, { instance: { ...instance, instanceId: 'i-gone' } });
  const moved = [
    { eventType: 'Job-Creating', timestamp: ago(400), nodeOid: 'i-gone', containerId: 'c' },
    { eventType: 'Job-Running', timestamp: ago(400) },
    { eventType: 'Job-Restoring', timestamp: ago(-10), nodeOid: 'i-long' },
    { eventType: 'Job-RestoreSucceeded', timestamp: ago(-11) },
  ];
  await api.post('/api/v1/job', { id: `moved-${JOB}`, ...long, events: moved });
  await api.post(`/api/v1/node/${gone}/interruption`, { action: 'terminate', time: ago(-2) });
  await api.delete(`/api/v1/node/${gone}`);
  const lines = Array.from({ length: 200 }, (_, i) => `${ago(25)} INFO step ${i}\n`).join('');
  const last = `${lines}${ago(20)} ERROR java.lang.OutOfMemoryError: heap\n${'\tat org.example.Align.run(Align.java:17)\n'.repeat(15)}`;
  await api.post(`/api/v1/nodes/${HOST}/files/jobs/ends/stderr.log?offset=0`, last);
});

withBrowser((started) => {
  browser = started;
});

/** Rows, and their texts, that do not fit where they stand. */
const unfit = (page: Page): Promise<string[]> =>
  page.evaluate(`[...document.querySelectorAll('.table-body .table-row')].flatMap((row) => {
    const place = row.getBoundingClientRect();
    return [...row.querySelectorAll('.cell')].filter((cell) => {
      const { top, bottom, left, right } = cell.getBoundingClientRect();
      return cell.textContent !== '' && (top < place.top || bottom > place.bottom + 1 || left < place.left || right > place.right + 1);
    }).map((cell) => cell.textContent);
  })`) as Promise<string[]>;

/** Cells of a table that leave its panel, or whose texts leave them. */
const outside = (table: string): string =>
  `(() => { const { right } = document.querySelector('${table}').closest('.panel').getBoundingClientRect(); return [...document.querySelectorAll('${table} :is(th, td)')].filter((cell) => cell.getBoundingClientRect().right > right || cell.scrollWidth > cell.clientWidth + 1).map((cell) => cell.textContent); })()`;

const TAB_LINE =
  "(() => { const style = getComputedStyle(document.querySelector('.tabs .active')); return [style.borderBottom, style.borderTopStyle].map((line) => line.split(' rgb')[0]).join(', '); })()";

for (const width of [360, 390, 768, 1024, 1440])
  test(`rows hold their texts at ${width} pixels, and lists are no wider than the window`, async () => {
    const tab = await Tab.open(browser, server.address);
    const { page } = tab;
    await page.setViewportSize({ width, height: 900 });
    for (const [path, heading] of [
      ['/jobs', 'Jobs'],
      ['/nodes', 'Nodes'],
      [`/job?id=${JOB}`, `Job ${JOB}`],
    ] as const) {
      await tab.go(path, heading);
      await page.locator('.table-body .table-row').first().waitFor();
      assert.deepEqual(await unfit(page), [], path);
      const inside =
        "(() => { const { scrollWidth, clientWidth } = document.querySelector('.table-scroll'); return scrollWidth - clientWidth; })()";
      assert.equal(await page.evaluate(inside), 0, `${path} scrolls sideways`);
      assert.ok((await tab.overflow()) <= 0, path);
      await idsFit(page, path);
      if (width < 400 && heading === 'Jobs') await page.getByPlaceholder('Search jobs', { exact: true }).waitFor();
    }
    await tab.go('/reclaims', 'Spot reclaims');
    // The filters below are pills: tabs of the same shape would be of the same rank.
    assert.equal(await page.evaluate(TAB_LINE), '2px solid, none', 'the tabs are no tabs');
    await page.locator('.reclaim-rows tbody tr').first().waitFor();
    assert.deepEqual(await page.evaluate(outside('.reclaim-rows')), [], 'cells beyond their panel');
    await page.locator('.taken-rows tbody tr').first().waitFor();
    assert.deepEqual(await page.evaluate(outside('.taken-rows')), [], 'single reclaims beyond their panel');
    const apart =
      "[...document.querySelectorAll('.reclaim-rows thead th')].filter((head) => getComputedStyle(head).textAlign !== getComputedStyle(head.querySelector('.sort')).textAlign).map((head) => head.textContent)";
    assert.deepEqual(await page.evaluate(apart), [], 'headings begin elsewhere than their columns');
    await tab.go(`/node?id=${HOST}`, `Node ${HOST}`);
    await page.locator('.job-rows tbody tr').first().waitFor();
    assert.deepEqual(await page.evaluate(outside('.job-rows')), [], 'jobs beyond their panel');
    await idsFit(page, 'ids of jobs and queues');
    if (width < 400) {
      await tab.go(`/job?id=${JOB}`, `Job ${JOB}`);
      // A phone has nothing to hover with: the reason is there in full.
      const detail = page.locator('.job-events .cell', { hasText: REASON });
      await detail.waitFor();
      const isWhole = detail.evaluate((cell) => {
        const { scrollWidth, clientWidth } = cell as unknown as Readonly<Record<'scrollWidth' | 'clientWidth', number>>;
        return scrollWidth <= clientWidth;
      });
      assert.equal(await isWhole, true, 'the reason is cut');
      // Each row is as high as its text: what was measured is placed a frame later.
      const covered = `new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => {
        const rows = [...document.querySelectorAll('.job-events .table-body .table-row')].map((row) => row.getBoundingClientRect());
        resolve(rows.filter(({ bottom }, i) => i + 1 < rows.length && bottom > rows[i + 1].top + 1).length);
      })))`;
      assert.equal(await page.evaluate(covered), 0, 'rows lie over each other');
      // So it is where a row stands in the place of another one.
      await tab.go('/job?id=ends', 'Job ends');
      const end = page.locator('.job-events .table-row', { hasText: /exit 1(?!\d)/ });
      await end.waitFor();
      await tab.choose('Kind of event', 'Checkpoints');
      await end.waitFor({ state: 'detached' });
      assert.equal(await page.evaluate(covered), 0, 'rows lie over each other where some are left out');
    }
    await tab.close();
  });

for (const width of [360, 390])
  test(`on a phone of ${width} pixels a reason of two lines keeps off the divider, and no label has no value`, async () => {
    const tab = await Tab.open(browser, server.address, { look: 'narrow-light' });
    const { page } = tab;
    await page.setViewportSize({ width, height: 800 });
    await tab.go('/jobs?phase=failed', 'Jobs');
    const row = page.getByRole('row', { name: /^breaks/ });
    await row.waitFor();
    const room = (await page.evaluate(`(() => {
      const [first, second] = document.querySelectorAll('.table-body .table-row');
      const row = [first, second].find(({ textContent }) => textContent.startsWith('breaks'));
      const [place, reason] = [row, row.querySelector('.cell:nth-child(3)')].map((element) => element.getBoundingClientRect());
      const apart = Math.abs(first.getBoundingClientRect().top - second.getBoundingClientRect().top);
      return [reason.height, place.bottom - reason.bottom, apart - place.height];
    })()`)) as [number, number, number];
    assert.ok(room[0] > 28 && room[1] >= 6 && Math.abs(room[2]) < 1.5, room.join());
    await tab.go('/jobs?q=ends', 'Jobs');
    await page.getByRole('row', { name: /^ends/ }).waitFor();
    assert.equal(await page.locator('.table-body .cell-label').count(), 0, 'it is labelled what there is not');
    await tab.close();
  });

test('on a phone the page scrolls, not a box within it, few rows are drawn, and filters are behind one button', async () => {
  const tab = await Tab.open(browser, server.address, { look: 'narrow-light' });
  const { page } = tab;
  await tab.go('/jobs?queue=bulk', 'Jobs');
  const rows = page.locator('.table-body .table-row');
  await rows.first().waitFor();
  const isBox =
    "(() => { const { scrollHeight, clientHeight } = document.querySelector('.table-scroll'); return scrollHeight > clientHeight; })()";
  assert.equal(await page.evaluate(isBox), false, 'the list scrolls by itself');
  await page.evaluate('window.scrollTo(0, 9_000)');
  await page.locator('.table-body .table-row[aria-rowindex="112"]').waitFor();
  assert.ok((await rows.count()) < 40, `${await rows.count()} rows are drawn`);
  await page.evaluate('window.scrollTo(0, 0)');
  const queue = page.getByRole('combobox', { name: 'Queue' });
  assert.equal(await queue.count(), 0);
  await page.getByRole('button', { name: 'Filter 1', exact: true }).click();
  await queue.waitFor();
  // The command that connects the first node has room, too.
  await page.route('**/api/v1/node?*', (route) => route.fulfill({ json: [] }));
  await tab.go('/nodes', 'Nodes');
  await tab.sees('sudo cairn agent --server');
  assert.ok((await tab.overflow()) <= 0);
  await tab.close();
});

test('a narrow overview leaves out columns of queues that nobody acts on, so that the others are in sight', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.page.setViewportSize({ width: 1024, height: 768 });
  await tab.go('/', 'Overview');
  const heads = tab.page.getByRole('region', { name: 'Queues' }).getByRole('columnheader');
  const names = (): Promise<string> => heads.allTextContents().then((all) => all.join(' '));
  await until(names, (all) => / Failed .*Cost/.test(all) && !/Starting|Restored|Core-hours/.test(all), 'few columns');
  await tab.page.setViewportSize({ width: 1440, height: 900 });
  await until(names, (all) => /Starting .* Restored .*Core-hours/.test(all), 'all columns');
  await tab.close();
});

test('where all rows of a list change at once their elements stay, with other ids, and the focus does not', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await page.setViewportSize({ width: 1024, height: 900 });
  await tab.go('/jobs?queue=bulk', 'Jobs');
  const rows = page.locator('.table-body .table-row');
  await rows.first().getByRole('link').first().focus();
  await page.evaluate("window.before = document.querySelector('.table-body .table-row')");
  await page.evaluate("document.querySelector('.table-scroll').scrollTop = 5_000");
  await page.locator('.table-body .table-row[aria-rowindex="135"]').waitFor();
  assert.equal(await page.evaluate('before === document.querySelector(".table-body .table-row")'), true);
  assert.equal(await page.evaluate('document.activeElement === document.body'), true, 'the focus is on another row');
  const others =
    "[...document.querySelectorAll('.table-body .table-row')].filter((row) => { const link = row.querySelector('a'); return new URL(link.href).searchParams.get('id') !== (link.querySelector('.long-id') ? link.querySelector('.long-id').firstElementChild : link).textContent; }).length";
  assert.equal(await page.evaluate(others), 0);
  await idsFit(page, 'ids to have room');
  await tab.close();
});

test('an id is shown as it is: no sign is drawn in place of its characters, and machines are told apart', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/jobs', 'Jobs');
  const node = page.getByRole('link', { name: 'ip-10-12-149-20', exact: true }).first();
  await node.waitFor();
  assert.equal(await node.getAttribute('title'), `${HOST} · i-long`);
  const styleOf =
    "(({ fontVariantLigatures, fontVariantNumeric }) => [fontVariantLigatures, fontVariantNumeric])(getComputedStyle(document.querySelector('.table-body a')))";
  assert.deepEqual(await page.evaluate(styleOf), ['no-contextual', 'normal']);
  await tab.close();
});

test('a search for a node that no longer runs leads to it', async () => {
  await api.put('/api/v1/node/old.node', { instance: { instanceId: 'i-0ld' } });
  assert.equal((await api.delete('/api/v1/node/old.node')).status, 200);
  const tab = await Tab.open(browser, server.address);
  await tab.go('/nodes?q=i-0ld', 'Nodes');
  await tab.page.getByRole('link', { name: 'Show 1 match in other states' }).click();
  await tab.page.getByRole('row').filter({ hasText: 'Deregistered' }).getByRole('link', { name: 'old' }).waitFor();
  await tab.close();
});

test('of a failed job’s output the end is in sight, where the reason is', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/job?id=ends', 'Job ends');
  const output = page.locator('.last-output');
  await output.getByText('java.lang.OutOfMemoryError').waitFor();
  const rest =
    "(({ scrollHeight, scrollTop, clientHeight }) => scrollHeight - scrollTop - clientHeight)(document.querySelector('.last-output'))";
  assert.ok(((await page.evaluate(rest)) as number) <= 1);
  assert.equal(await output.locator('.level-error').count(), 1);
  await tab.close();
});

test('of two logs one is the current one', async () => {
  const tab = await Tab.open(browser, server.address);
  const current = tab.page.locator('nav[aria-label=Logs] [aria-current]');
  const lit = tab.page.locator('nav[aria-label=Logs] .active');
  for (const [path, name] of [
    ['/logs', 'Server'],
    ['/logs?log=access', 'Access'],
    ['/logs?q=x', 'Server'],
  ] as const) {
    await tab.go(path, 'Logs');
    await tab.page
      .locator('.log-state')
      .getByText(/lines?( ·|$)/)
      .first()
      .waitFor();
    assert.deepEqual([await current.allTextContents(), await lit.allTextContents()], [[name], [name]]);
  }
  await tab.close();
});

/** Longer than a page waits for an answer before it shows the others. */
const SLOW_MS = 1_200;

/** Where each part of the page is, and how high. */
const BOXES =
  "[...document.querySelectorAll('main section, main figure, main dl')].map((part) => { const { top, height } = part.getBoundingClientRect(); return [Math.round(top + scrollY), Math.round(height)].join(' '); })";

/** From the plot to the lower end of its times. */
const TIMES_PX = 20;

test('the pointer on a chart shows its values and moves nothing', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/?range=24h', 'Overview');
  const plot = page.locator('.trends .u-over').first();
  await plot.waitFor();
  await tab.sees('Unsaved work');
  await page.getByText('Checking').waitFor({ state: 'detached' });
  const before = await page.evaluate(BOXES);
  await plot.hover({ position: { x: 40, y: 40 } });
  // In every chart of the page, beside the names of its lines and below the plot: nothing lies over a curve, or over its times.
  await page.locator('.trends figure:last-child .chart-moment').waitFor();
  await page.locator('.trends figure:last-child .chart-legend strong', { hasText: /\d|–/ }).first().waitFor();
  const over = `[...document.querySelectorAll('.chart-moment')].filter((moment) => {
    const plot = moment.parentElement.querySelector('.u-over').getBoundingClientRect();
    const { top, bottom } = moment.getBoundingClientRect();
    return top < plot.bottom + ${TIMES_PX} || bottom > moment.closest('.panel').getBoundingClientRect().bottom;
  }).length`;
  assert.equal(await page.evaluate(over), 0);
  assert.deepEqual(await page.evaluate(BOXES), before);
  await tab.close();
});

test('the same hour stands below itself in all charts of a page', async () => {
  const series = ['jobSubmitted', 'jobCost'].map((name) => `system-total/metricDef-${name}`);
  const tab = await Tab.open(browser, server.address);
  for (const path of ['/explore', `/explore?series=${series.join()}`]) {
    await tab.go(path, 'Metrics');
    await tab.page.locator('.u-over').nth(1).waitFor();
    const lefts = (await tab.page.evaluate(
      `[...document.querySelectorAll('.chart-plot')].map((plot) => {
        const over = plot.querySelector('.u-over').getBoundingClientRect();
        return [over.left - plot.getBoundingClientRect().left, over.width].join();
      })`,
    )) as string[];
    assert.ok(lefts.length >= 2, path);
    assert.deepEqual([...new Set(lefts)].length, 1, `${path}: ${lefts.join(' ')}`);
  }
  await tab.close();
});

test('on paper tables have their headings, rows do not lie over each other, and the ground is white', async () => {
  const tab = await Tab.open(browser, server.address, { look: 'wide-dark' });
  const { page } = tab;
  for (const [path, heading, column] of [
    ['/?range=24h', 'Overview', 'Stranded'],
    ['/jobs', 'Jobs', 'Job'],
  ] as const) {
    await page.emulateMedia({ media: 'screen' });
    await tab.go(path, heading);
    const head = page.getByRole('columnheader', { name: column, exact: true });
    await head.waitFor();
    await page.emulateMedia({ media: 'print' });
    await head.getByRole('button').waitFor();
  }
  const drawn = (): Promise<number> => page.locator('.table-body .table-row').count();
  const inSight = await drawn();
  await page.evaluate("window.dispatchEvent(new Event('beforeprint'))");
  assert.ok((await drawn()) > 2 * inSight, 'only the rows in sight are printed');
  // Every column of a table is there, on a sheet that is narrower than the window.
  const rows = (await page.evaluate(
    "[...document.querySelectorAll('.table-body .table-row')].map((row) => { const { top, bottom } = row.getBoundingClientRect(); return [top, bottom]; })",
  )) as [number, number][];
  assert.deepEqual(await unfit(page), []);
  assert.ok(
    rows.every(([top], i) => i === 0 || top >= (rows[i - 1]?.[1] ?? 0) - 1),
    JSON.stringify(rows),
  );
  assert.equal(await page.evaluate('getComputedStyle(document.body).backgroundColor'), 'rgb(255, 255, 255)');
  // Every column of a table is there, on a sheet that is narrower than the window.
  await page.emulateMedia({ media: 'screen' });
  await tab.go('/?range=24h', 'Overview');
  const hours = page.getByRole('columnheader', { name: 'Core-hours' });
  await hours.waitFor();
  await page.emulateMedia({ media: 'print' });
  await page.setViewportSize({ width: 718, height: 1_000 });
  await hours.waitFor();
  await tab.close();
});

/** A page whose shifts are kept: how much of it moved without its reader's doing, and what. */
async function watched(width: number): Promise<{ tab: Tab; shifts: () => Promise<[number, ...string[]][]> }> {
  const tab = await Tab.open(browser, server.address);
  await tab.page.setViewportSize({ width, height: 900 });
  await tab.page.addInitScript(PATIENT);
  await tab.page.addInitScript(`
    window.shifts = [];
    new PerformanceObserver((list) => {
      for (const { value, sources } of list.getEntries()) shifts.push([value, ...sources.map(({ node, previousRect, currentRect }) => (node?.className ?? '') + ' ' + previousRect.top + ' → ' + currentRect.top)]);
    }).observe({ type: 'layout-shift', buffered: true });`);
  return { tab, shifts: () => tab.page.evaluate('shifts') as Promise<[number, ...string[]][]> };
}

const isStill = (shifts: readonly [number, ...string[]][]): void =>
  assert.ok(shifts.reduce((sum, [value]) => sum + value, 0) <= 0.02, JSON.stringify(shifts));

test('what a page shows first stays where it is while the rest comes', async () => {
  const { tab, shifts } = await watched(1440);
  await tab.go('/job?id=ends', 'Job ends');
  await tab.page.locator('.last-output').waitFor();
  await tab.sees('Cost and savings');
  isStill(await shifts());
  await tab.close();
});

for (const width of [390, 768, 1440])
  test(`answers that come one after the other move nothing at ${width} pixels`, async () => {
    for (const [path, heading, slow, last] of [
      ['/settings?tab=about', 'Settings', '**/api/v1/config', 'Listens on'],
      ['/settings?tab=tokens', 'Settings', '**/serviceToken', 'No service tokens yet'],
      ['/settings?tab=tokens', 'Settings', '**/security/idp', 'The identity provider is off'],
      ['/?range=24h', 'Overview', '**/readyz', 'Unsaved work now'],
      ['/?range=24h', 'Overview', '**/api/v1/doctor', 'Unsaved work now'],
    ] as const) {
      const { tab, shifts } = await watched(width);
      let isAnswered = false;
      for (const own of ['**/readyz', '**/api/v1/doctor']) await tab.page.route(own, quietly);
      await tab.page.route(slow, async (route) => {
        await tab.page.waitForTimeout(SLOW_MS);
        await quietly(route);
        isAnswered = true;
      });
      await tab.go(path, heading);
      await tab.sees(last);
      await until(
        async () => isAnswered,
        (now) => now,
        `${slow} to be answered`,
      );
      await tab.page.getByText('Checking').waitFor({ state: 'detached' });
      await tab.page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      isStill(await shifts());
      await tab.close();
    }
  });

test('what needs attention is as high while the last check is on its way as it is then', async (t) => {
  const calm = await ServerProcess.start();
  t.after(() => calm.dispose());
  const client = new Api(calm.address);
  t.after(() => client.close());
  assert.equal((await client.put('/api/v1/node/calm.node', {})).status, 200);
  const tab = await Tab.open(browser, calm.address);
  const { page } = tab;
  // So narrow that what it says at the end takes more than the line it says meanwhile.
  await page.setViewportSize({ width: 320, height: 900 });
  const asked: Route[] = [];
  await page.route('**/api/v1/doctor', (route) => void asked.push(route));
  await tab.go('/', 'Overview');
  await page.getByText(/^Checking the server’s health…?$/).waitFor();
  const height = async (): Promise<number | undefined> => (await page.locator('.attention').boundingBox())?.height;
  const before = await height();
  // Rows that may come take as much on a slow machine; what it says at the end has its room by itself.
  assert.ok(await page.locator('.attention-reserved').boundingBox(), 'no room for what it says at the end');
  for (const route of asked) await route.fulfill({ json: { findings: [], checks: [] } });
  await page.getByText('Checking').waitFor({ state: 'detached' });
  await page.getByText('All clear.').waitFor();
  assert.equal(await height(), before);
  await tab.close();
});

/** How many lines each short cell of the first row takes. */
const LINES =
  "[...document.querySelectorAll('tbody tr:first-child :is(.record-title:not(:has(.webhook-name)), .webhook-name, .webhook-target, .record-meta)')].filter((cell) => cell.checkVisibility()).map((cell) => Math.round(cell.getBoundingClientRect().height / parseFloat(getComputedStyle(cell).lineHeight)))";

for (const width of [390, 768])
  test(`records of settings and webhooks are stacks whose words stay whole at ${width} pixels`, async () => {
    // Of which there are none here: what came of a delivery may take two lines.
    const types = ['node.interruption', 'node.drained'];
    const target = { url: 'https://billing.example.com/cairn', types, format: 'cairn' };
    assert.equal((await api.put('/api/v1/webhook/billing-export', target)).status, 200);
    assert.equal((await api.put('/api/v1/configKV', { kvMap: { 'node.ttl': `${width}s` } })).status, 200);
    const tab = await Tab.open(browser, server.address);
    const { page } = tab;
    await page.setViewportSize({ width, height: 900 });
    for (const [name, title] of [
      ['history', 'Lost after'],
      ['audit', 'Settings changed'],
      ['webhooks', 'billing-export'],
    ] as const) {
      await tab.go(`/settings?tab=${name}`, 'Settings');
      await page.locator('tbody tr').first().getByText(title, { exact: true }).waitFor();
      const heights = await page.evaluate(LINES);
      assert.deepEqual(new Set(heights as number[]), new Set([1]), `${name}: a word breaks`);
      assert.equal(await page.evaluate("getComputedStyle(document.querySelector('thead')).position"), 'absolute', name);
      assert.ok((await tab.overflow()) <= 0, name);
    }
    // On a phone one control leads to each page of the settings.
    if (width === 390) await tab.choose('Settings', 'Checkpoints');
    else await page.getByRole('navigation', { name: 'Settings' }).getByRole('link', { name: 'Checkpoints' }).click();
    await page.getByLabel('Checkpoint interval').waitFor();
    assert.match(page.url(), /tab=ckpt$/);
    assert.ok((await tab.overflow()) <= 0);
    await tab.close();
  });
