/** The guides as pages of the dashboard: all are there, their links lead somewhere, and they can be read in every look. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import type { Browser, Locator } from 'playwright-core';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';
import { LOOKS, Tab, withBrowser } from './browser.ts';

let server: ServerProcess;
let browser: Browser;

withServer({}, async (served) => {
  ({ server } = served);
  const began = {
    eventType: 'Job-Running',
    timestamp: new Date().toISOString(),
    nodeOid: 'n',
    containerId: 'c',
    batchJobId: 'b',
  };
  const events = [{ ...began, eventType: 'Job-Creating' }, began];
  assert.equal((await served.api.post('/api/v1/job', { id: 'guided', queueName: 'q', events })).status, 200);
});
withBrowser((started) => {
  browser = started;
});

const NAMES = ['guide', 'reference'].flatMap((folder) =>
  readdirSync(`docs/${folder}`)
    .filter((file) => file.endsWith('.md'))
    .map((file) => `/docs/${folder}/${file.replace(/\.md$/, '.html')}`),
);

test('every guide is a page, each of its links leads to something, and the list names all', async () => {
  const texts = new Map<string, string>();
  for (const path of [...NAMES, '/docs/index.html']) {
    const response = await fetch(server.address + path);
    assert.equal(response.status, 200, path);
    assert.match(response.headers.get('content-type') ?? '', /^text\/html/);
    texts.set(path, await response.text());
  }
  const broken: string[] = [];
  for (const [path, text] of texts) {
    const listed = [...text.matchAll(/<li><a href="(\/docs\/(?:guide|reference)\/[^"]+)"/g)].map(([, href]) => href);
    for (const name of NAMES) if (!listed.includes(name)) broken.push(`${path} does not list ${name}`);
    for (const [, href = ''] of text.matchAll(/href="([^"]+)"/g)) {
      if (/^(https?:|\/(assets|favicon)|\/(api\/)?$)/.test(href)) continue;
      const [page = '', anchor] = href.split('#');
      const target = texts.get(page === '' ? path : page);
      if (target === undefined || (anchor !== undefined && !target.includes(`id="${anchor}"`)))
        broken.push(`${path} leads to ${href}`);
    }
  }
  assert.deepEqual(broken, []);
});

test('placeholders of a sentence are shown, and an address that is written out is no link', async () => {
  const page = async (name: string): Promise<string> => (await fetch(`${server.address}/docs/${name}.html`)).text();
  const configuration = await page('reference/configuration');
  for (const shown of ['&lt;region&gt;_&lt;id&gt;', '/&lt;name&gt;-access.log', 'viewer@&lt;queue&gt;'])
    assert.ok(configuration.includes(shown), shown);
  assert.match(configuration, /<td>https:\/\/0\.0\.0\.0:443<\/td>/);
  assert.match(await page('reference/commands'), /after-&lt;schema&gt;/);
});

test('the index says of each document what it is for, and leads to the reference of the API', async () => {
  const index = await (await fetch(`${server.address}/docs/index.html`)).text();
  const rows = [...index.matchAll(/<li><a href="([^"]+)">[^<]+<\/a><p>([^<]*)<\/p><\/li>/g)];
  assert.deepEqual(
    rows.slice(0, 2).map(([, href]) => href),
    ['/docs/guide/tutorial.html', '/docs/guide/first-saved-job.html'],
  );
  assert.deepEqual(rows.map(([, href]) => href).sort(), [...NAMES, '/api/'].sort());
  const silent = rows.filter(([, , purpose = '']) => !purpose.endsWith('.')).map(([, href]) => href);
  assert.deepEqual(silent, [], 'they have no line in web/src/documents/purposes.ts');
  assert.match(index, /<link rel="preload" href="\/assets\/inter[^"]+\.woff2" as="font"/);
});

test('on a phone a document begins at the top, and the lists above it open without a script', async () => {
  const context = await browser.newContext({ viewport: { width: 390, height: 844 }, javaScriptEnabled: false });
  const page = await context.newPage();
  const links = page.getByRole('navigation', { name: 'Documents' }).getByRole('link');
  const contents = page.getByRole('navigation', { name: 'On this page' }).getByRole('link');
  const title = page.getByRole('heading', { level: 1 });
  await page.goto(`${server.address}/docs/guide/troubleshoot.html`);
  assert.ok(((await title.boundingBox())?.y ?? Number.POSITIVE_INFINITY) < 150);
  assert.deepEqual([await links.count(), await contents.count()], [0, 0]);
  await page.getByText('All documents').click();
  await page.getByText('On this page').click();
  assert.deepEqual([await links.count(), await contents.count()], [NAMES.length, 7]);
  await page.goto(`${server.address}/docs/reference/configuration.html`);
  const sentence = await page.locator('td.prose').first().boundingBox();
  assert.ok((sentence?.width ?? 0) >= 224, `${sentence?.width} px for a sentence`);
  // A page is as wide as its window; what is wider scrolls by itself.
  for (const name of NAMES) {
    await page.goto(server.address + name);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth'), 390, name);
  }
  await context.close();
});

test('on a phone a table of two columns has room, and a wider one shows that more lies behind its edge', async () => {
  const tab = await Tab.open(browser, server.address, { look: 'narrow-light' });
  const { page } = tab;
  const tables = page.locator('.wide');
  const hidden = (table: Locator): Promise<number> =>
    table.evaluate((element) => {
      const { scrollWidth, clientWidth } = element as unknown as Readonly<
        Record<'scrollWidth' | 'clientWidth', number>
      >;
      return scrollWidth - clientWidth;
    });
  await tab.go('/docs/guide/operate.html', 'Operations');
  assert.equal(await hidden(tables.first()), 0, 'the table of files scrolls');
  await tab.go('/docs/reference/metrics.html', 'Metrics');
  const wide = tables.filter({ hasText: 'onDemandSavings' }).first();
  assert.ok((await hidden(wide)) > 0, 'five columns on a phone');
  const edge = 'getComputedStyle(document.querySelector(".wide")).backgroundAttachment';
  assert.match(String(await page.evaluate(edge)), /^local, local, scroll, scroll/);
  await tab.close();
});

test('in a wide window all lists are open: documents on one side of the text, what is on the page on the other', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  const box = async (selector: string) => {
    const found = await page.locator(selector).first().boundingBox();
    assert.ok(found, selector);
    return { left: found.x, right: found.x + found.width, top: found.y, width: found.width };
  };
  await tab.go('/docs/guide/troubleshoot.html', 'Troubleshooting');
  const [documents, text, contents] = [await box('.documents'), await box('.text'), await box('.contents li')];
  assert.ok(documents.right <= text.left && text.right <= contents.left && contents.top < text.top + 100);
  await page.getByRole('link', { name: 'A job looks wrong' }).click();
  await page.waitForURL(/#a-job-looks-wrong$/);
  await tab.go('/docs/reference/configuration.html', 'Configuration');
  assert.equal(await page.locator('.contents').count(), 0);
  assert.ok((await box('td.prose')).width >= 350);
  await tab.close();
});

test('the palette finds guides by their titles, and opens them', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  const first = page.locator('[role=option][data-highlighted]');
  await tab.go('/health', 'Health');
  await tab.search('API ref');
  await first.getByText('API reference').waitFor();
  await page.getByRole('combobox').fill('doc');
  await page.getByRole('group', { name: 'Guides' }).getByText('Documentation').waitFor();
  await page.getByRole('combobox').fill('trouble');
  await first.filter({ hasText: 'Guide: Troubleshooting' }).waitFor();
  assert.deepEqual(await tab.violations(), []);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/docs\/guide\/troubleshoot\.html$/);
  await tab.arrives('Troubleshooting');
  await tab.close();
});

test('a guide that a remedy names is a link to it', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  const slow = {
    id: 'loop-lag',
    severity: 'warning',
    what: 'It is slow.',
    remedy: 'Give it more (see the sizing guide).',
  };
  await page.route('**/api/v1/doctor', (route) => route.fulfill({ json: { findings: [slow], checks: [] } }));
  await tab.go('/health', 'Health');
  await page.getByRole('link', { name: 'sizing guide' }).click();
  await tab.arrives('How large a machine');
  const remedy = 'Look up the code in the guide on jobs; it says what to do.';
  const failing = { code: 'checkpoints-failing', severity: 'warning', text: 'Saves fail.', remedy };
  await page.route('**/explain', (route) => route.fulfill({ json: { summary: 'Fails.', findings: [failing] } }));
  await tab.go('/job?id=guided', 'Job guided');
  await page.getByRole('link', { name: 'guide on jobs' }).click();
  await tab.arrives('Jobs under the agent');
  await tab.close();
});

test('from About to a guide and back, in every look, without a finding of axe or a page that is too wide', async () => {
  for (const look of LOOKS) {
    const tab = await Tab.open(browser, server.address, { look });
    await tab.go('/settings?tab=about', 'Settings');
    await tab.page.getByRole('link', { name: 'Troubleshooting' }).click();
    await tab.arrives('Troubleshooting');
    assert.deepEqual(await tab.violations(), [], look);
    assert.ok((await tab.overflow()) <= 0, `${look}: wider than its window`);
    await tab.shoot(`documents-${look}`);
    await tab.page.getByRole('link', { name: 'Errors', exact: true }).first().click();
    await tab.arrives('Errors');
    await tab.page.getByRole('link', { name: '← Dashboard' }).click();
    await tab.arrives('Overview');
    await tab.close();
  }
});
