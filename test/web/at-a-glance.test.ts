/** What the overview and Health show at a glance: of a server that has done nothing, in doubt, and on a phone. */
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import type { Browser } from 'playwright-core';
import { type Api, until } from '../support/api.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';
import { PATIENT, Tab, withBrowser } from './browser.ts';
import { playedJob } from './played-jobs.ts';

let server: ServerProcess;
let browser: Browser;
let api: Api;

const NODE = `${'a'.repeat(40)}.compute.internal`;

/** What the server finds where it has too little of the machine. */
const BY_LOAD = new Set(['flush', 'loop-lag']);

withServer({}, async (served) => {
  ({ server, api } = served);
});

withBrowser((started) => {
  browser = started;
});

test('a new server shows its first steps, not a dashboard that is then taken away, also while figures are slow', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await page.addInitScript(PATIENT);
  await page.addInitScript(
    "new MutationObserver(() => { if (document.body?.textContent.includes('Jobs running now')) window.wasDrawn = true; }).observe(document, { childList: true, subtree: true })",
  );
  await page.route('**/metrics/summary*', async (route) => {
    await page.waitForTimeout(1_200);
    await route.continue();
  });
  await tab.go('/', 'Overview');
  await tab.sees('With the first node');
  assert.equal(await page.evaluate('window.wasDrawn ?? false'), false);
  await tab.close();
});

test('a server that has done nothing shows what to do, and no figures of it', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/', 'Overview');
  await tab.sees('Get started');
  await tab.sees('With the first node');
  assert.equal(await tab.page.getByText('Saved in the last 24 hours').count(), 0);
  assert.equal(await tab.page.getByRole('group', { name: 'Range' }).count(), 0, 'a range of nothing');
  await api.put(`/api/v1/node/${NODE}`, { instance: { instanceId: 'i-here' } });
  const jobs = [
    playedJob('began-first', 'day', 50),
    playedJob('began-last', 'day', 20),
    playedJob('ended', 'day', 30, ['Job-Succeeded', 1]),
    playedJob(
      'unrestorable',
      'day',
      60,
      ['Job-Stopped', 40],
      ['Job-Restoring', 30],
      ['Job-RestoreFailed', 29, 'the image is gone'],
    ),
    playedJob('failed-1', 'day', 30, ['Job-Failed', 5]),
    playedJob('failed-2', 'day', 30, ['Job-Failed', 5]),
  ];
  assert.equal((await api.post('/api/v1/job', jobs)).status, 200);
  await tab.sees('Saved in the last 24 hours');
  await tab.page.getByRole('group', { name: 'Range' }).waitFor();
  await tab.close();
});

test('a single job that could not be restored is named with the reason', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/', 'Overview');
  await tab.page.getByRole('link', { name: 'unrestorable could not be restored: the image is gone' }).click();
  await tab.page.getByRole('heading', { level: 1, name: 'Job unrestorable' }).waitFor();
  await tab.close();
});

test('jobs that failed in the range are counted and drawn, and the job with the most unsaved work is named', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/', 'Overview');
  const failed = tab.page.locator('.strip > div', { hasText: 'Jobs failed' });
  await failed.getByRole('link', { name: '2', exact: true }).waitFor();
  await failed.getByText(/^\d+(\.\d)? % of \d+ ended$/).waitFor();
  // As many as in the queue, in the same range.
  const queue = tab.page.getByRole('row', { name: /^day/ });
  await queue.getByRole('cell', { name: '6', exact: true }).first().waitFor();
  assert.deepEqual((await queue.getByRole('cell').allTextContents()).slice(5, 7), ['6', '2']);
  await tab.page.getByRole('img', { name: /^Jobs: .*Failed from 2 to 2/ }).waitFor();
  const keys = tab.page.locator('.trends figure').first().locator('.chart-legend li');
  assert.deepEqual(await keys.locator('strong').allTextContents(), ['6', '2'], 'figures that need no pointer');
  const unsaved = tab.page.locator('.tile', { hasText: 'Unsaved work now' });
  // It goes on while the test waits.
  await unsaved.getByText(/^Most: 5\d\sm/).waitFor();
  await unsaved.getByRole('link', { name: 'began-first' }).waitFor();
  await unsaved.getByRole('link', { name: /^Unsaved work now/ }).click();
  await tab.page.waitForURL(/sort=-unsaved/);
  await tab.close();
});

test('what may be lost comes before how it went, unless both fit into the first screen', async () => {
  for (const look of ['narrow-light', 'wide-light'] as const) {
    const tab = await Tab.open(browser, server.address, { look });
    await tab.go('/', 'Overview');
    await tab.page.locator('.trends figure').first().waitFor();
    // Both at one moment: what comes late above them moves both.
    const isRiskFirst = await tab.page.evaluate(
      `((of) => of('#risk') < of('.trends'))((name) => document.querySelector(name).getBoundingClientRect().top)`,
    );
    assert.equal(isRiskFirst, look === 'narrow-light', look);
    await tab.close();
  }
});

test('what changed is not called nothing before it is known', async () => {
  const tab = await Tab.open(browser, server.address);
  // What was before the page was opened is asked for by position, and is not answered here.
  await tab.page.route(/lastEventId=/, () => {});
  await tab.page.route(/phase=failed/, (route) => route.fulfill({ json: [] }));
  await tab.go('/', 'Overview');
  await tab.sees('Loading what changed');
  assert.equal(await tab.page.getByText('Nothing notable yet').count(), 0);
  await tab.close();
});

test('what the server doubts stands on Health, which then does not call it healthy', async () => {
  const tab = await Tab.open(browser, server.address);
  const reason = '12 of 12 nodes fell silent at once';
  await tab.page.route('**/readyz', (route) => route.fulfill({ json: { status: 'ready', reasons: [reason] } }));
  await tab.go('/health', 'Health');
  await tab.page.getByRole('list', { name: 'What the server doubts' }).getByText(reason).waitFor();
  await tab.sees('Support bundle');
  assert.equal(await tab.page.getByText('The server is healthy.').count(), 0);
  await tab.close();
});

test('a server without a backup is healthy until that is late, and what the fleet needs is told apart', async () => {
  const tab = await Tab.open(browser, server.address);
  // Of this server and not of this machine, whose processor the other tests take.
  await tab.page.route('**/api/v1/doctor', async (route) => {
    const answer = await route.fetch();
    const report = (await answer.json()) as { findings: { id: string }[] };
    await route.fulfill({ json: { ...report, findings: report.findings.filter(({ id }) => !BY_LOAD.has(id)) } });
  });
  await tab.go('/health', 'Health');
  const verdict = tab.page.locator('.finding-good');
  await verdict.getByText('The server is healthy.').waitFor();
  const backup = tab.page.getByRole('listitem').filter({ hasText: 'no backup yet' });
  await backup.getByText('–').waitFor();
  await backup.getByText('sudo cairn backup --to FILE').waitFor();
  const guide = (await backup.getByRole('link', { name: 'guide' }).getAttribute('href')) ?? '';
  const document = await (await fetch(new URL(guide, server.address))).text();
  assert.match(document, new RegExp(`id="${guide.split('#')[1]}"`));
  assert.equal(await tab.page.locator('main .warn').count(), 0);
  await tab.page.getByRole('link', { name: /^\d+ things? needs? attention$/ }).waitFor();
  assert.equal(await verdict.getByRole('link').count(), 0);
  await tab.close();
});

test('all queues stand on a page of their own, which a search narrows', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/', 'Overview');
  await tab.page.getByRole('link', { name: 'Jobs', exact: true }).first().click();
  await tab.arrives('Jobs');
  const views = tab.page.getByRole('navigation', { name: 'Views of jobs' });
  await views.getByRole('link', { name: 'Queues' }).click();
  await tab.arrives('Queues');
  await tab.page.getByRole('row', { name: /^day/ }).waitFor();
  assert.equal(await views.getByRole('link', { name: 'Jobs' }).getAttribute('href'), '/jobs');
  assert.deepEqual(await tab.violations(), []);
  await tab.page.getByRole('searchbox').fill('nigh');
  await tab.sees('No queue has that name');
  assert.equal(await tab.page.getByRole('row', { name: /^day/ }).count(), 0);
  await tab.close();
});

test('Health saves a support bundle, without secrets, and tells what could not be read', async () => {
  const tab = await Tab.open(browser, server.address, { isExpected: (fault) => /config\/history/.test(fault) });
  await tab.page.route('**/config/history', (route) =>
    route.fulfill({ status: 403, json: { statusCode: 403, errorCode: 2005, message: 'User is not privileged' } }),
  );
  await tab.go('/health', 'Health');
  const saving = tab.page.waitForEvent('download');
  await tab.page.getByRole('button', { name: 'Download support bundle' }).click();
  const file = await saving;
  assert.match(file.suggestedFilename(), /^cairn-support-[\d-]+T[\d-]+\.tar\.gz$/);
  const tar = gunzipSync(await readFile(await file.path())).toString();
  for (const name of ['config.json', 'doctor.json', 'metrics.txt', 'server.log', 'server-access.log', 'missing.txt'])
    assert.match(tar, new RegExp(`cairn-support-[\\dT-]+/${name}`), name);
  assert.match(tar, /"ttl": "/);
  await tab.sees('Left out: config-history.json: User is not privileged.');
  assert.deepEqual(await tab.violations(), []);
  await tab.close();
});

test('a queue that nobody knows is told as such, without charts of nothing', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/queue?name=nihgt', 'Queue nihgt');
  await tab.sees('No job is in a queue of this name, and none was in the last 24 hours');
  assert.equal(await tab.page.locator('.trends').count(), 0);
  await tab.page.getByRole('link', { name: 'See all queues' }).click();
  await tab.arrives('Queues');
  await tab.close();
});

test('what is explained names settings as their fields do and leads to them, and has commands to copy', async () => {
  const tab = await Tab.open(browser, server.address);
  const text =
    'Run cairn agent check there, and read its log (journalctl -u cairn-agent). It is lost once the time in node.ttl has passed.';
  const finding = { code: 'late', severity: 'warning', text: 'Late.', since: null, evidence: [], remedy: text };
  await tab.page.route('**/explain', (route) => route.fulfill({ json: { summary: 'Late.', findings: [finding] } }));
  await tab.go(`/node?id=${NODE}`, `Node ${NODE}`);
  const setting = tab.page.getByRole('list', { name: 'How it is' }).getByRole('link', { name: 'Lost after' });
  assert.equal(await setting.getAttribute('href'), '/settings?tab=node#node.ttl');
  // Each command is copied with one click, whether it stands in brackets or not.
  assert.equal(await tab.page.getByRole('button', { name: 'Copy the command' }).count(), 2);
  await tab.close();
});

test('metrics begins with charts of what most come for, each of which leads to its own page', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/explore', 'Metrics');
  await tab.page.getByRole('img', { name: /^Jobs submitted: Submitted from \d+ to \d+/ }).waitFor();
  const card = (label: string) => tab.page.locator('.start-card', { hasText: label });
  await card('Jobs submitted').locator('.trend-sum', { hasText: /^\d+$/ }).waitFor();
  await card('Checkpoints')
    .locator('.chart-legend li', { hasText: /^Succeeded/ })
    .locator('strong', { hasText: /^\d+$/ })
    .waitFor();
  await tab.page.getByRole('link', { name: 'Jobs submitted' }).click();
  await tab.page.waitForURL(/series=system-total%2FmetricDef-jobSubmitted/);
  await tab.page.getByRole('row', { name: /all queues/ }).waitFor();
  await tab.go('/explore?start=2020-01-01T00:00:00Z&end=2020-01-02T00:00:00Z', 'Metrics');
  await tab.page.locator('.starts .u-over').nth(3).waitFor();
  const beyond = `[...document.querySelectorAll('.starts .chart-plot')].map((plot) => {
    const [text, axes] = ['.chart-empty', '.u-over'].map((part) => plot.querySelector(part).getBoundingClientRect());
    return Math.max(axes.left - text.left, text.right - axes.right);
  })`;
  const px = (await tab.page.evaluate(beyond)) as number[];
  assert.ok(
    px.every((one) => one <= 0),
    `what says that there are no values covers the axes: ${px.join()} px`,
  );
  assert.deepEqual(await tab.violations(), []);
  await tab.close();
});

test('the list of nodes tells what would be lost with each, and how many are in each state', async () => {
  const tab = await Tab.open(browser, server.address);
  await api.put('/api/v1/node/idle.node', { instance: { instanceId: 'i-idle' } });
  await tab.go('/nodes?sort=-unsaved', 'Nodes');
  const rows = tab.page.getByRole('table', { name: 'Nodes' }).getByRole('row');
  await rows
    .nth(1)
    .getByRole('cell', { name: /^1 h [12]\d m/ })
    .waitFor();
  await rows.nth(1).getByRole('cell', { name: '2', exact: true }).waitFor();
  assert.match((await rows.nth(2).textContent()) ?? '', /idle\.node/);
  await tab.page.getByRole('navigation', { name: 'States' }).getByRole('link', { name: 'In service 2' }).waitFor();
  assert.deepEqual(await tab.violations(), []);
  await tab.go(`/node?id=${NODE}`, `Node ${NODE}`);
  await tab.page.getByRole('heading', { name: /^Jobs 2 running, 1 h [12]\d m/ }).waitFor();
  await tab.close();
});

test('an id that is cut stands in the line of its tile, and sums lead to how they came about', async () => {
  const id = `${'long-name-of-a-job-'.repeat(6)}end`;
  await api.post('/api/v1/job', playedJob(id, 'day', 90));
  const tab = await Tab.open(browser, server.address);
  await tab.page.setViewportSize({ width: 1280, height: 900 });
  await tab.go('/', 'Overview');
  await tab.page.locator('.tile-most .long-id-cut').waitFor();
  const below = await tab.page.evaluate(`(() => {
    const line = document.querySelector('.tile-most');
    const range = document.createRange();
    range.selectNodeContents(line.firstChild);
    const shown = line.querySelector('.long-id-shown').getBoundingClientRect();
    return Math.abs(shown.top - range.getBoundingClientRect().top);
  })()`);
  assert.ok((below as number) < 4, `the id stands ${below} px off its line`);
  const hours = tab.page.locator('.strip > div', { hasText: 'Core-hours' });
  await hours.getByRole('link').click();
  await tab.page.waitForURL(/explore\?.*series=system-total%2FmetricDef-coreTime/);
  await tab.close();
});

test('the first figures do not wait until all of very many running jobs are read, and what is not read is not told', async () => {
  const jobs = Array.from({ length: 600 }, (_, i) => playedJob(`many-${i}`, 'many', 100));
  assert.equal((await api.post('/api/v1/job', jobs)).status, 200);
  await api.configKv({ 'ckpt.ckptMode': 'iterative', 'ckpt.ckptInterval': '15m' });
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await page.addInitScript(PATIENT);
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/job\?phase=running&.*limit=10000/, async (route) => {
    await released;
    await route.continue();
  });
  await tab.go('/', 'Overview');
  await tab.sees('Jobs running now');
  await tab.sees(/At least \d+ running jobs have more than/);
  assert.equal(await page.locator('.tile-most').count(), 0);
  release();
  await tab.sees(/(All|\d+ of) \d+ running jobs have more than/);
  await page.locator('.tile-most').waitFor();
  await tab.close();
});

test('one who goes back to the overview is put where he left it', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await page.setViewportSize({ width: 1280, height: 600 });
  await tab.go('/', 'Overview');
  await page.getByRole('region', { name: 'Queues', exact: true }).waitFor();
  await page.evaluate('window.scrollTo(0, 700)');
  const top = (await page.evaluate('window.scrollY')) as number;
  assert.ok(top > 300, `the page is long: ${top} px`);
  // By itself, as a click would bring the link into the middle.
  await page.evaluate('document.querySelector(\'.panel-head a[href^="/jobs"]\').click()');
  await page.getByRole('heading', { level: 1, name: 'Jobs' }).waitFor();
  await page.goBack();
  await page.getByRole('heading', { level: 1, name: 'Overview' }).waitFor();
  await until(
    () => page.evaluate('window.scrollY'),
    (px) => px === top,
    'the page where it was left',
  );
  await tab.close();
});
