/** The guides as pages of the dashboard: all are there, their links lead somewhere, and they can be read in every look. */
import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { test } from 'node:test';
import type { Browser } from 'playwright-core';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';
import { LOOKS, Tab, withBrowser } from './browser.ts';

let server: ServerProcess;
let browser: Browser;

withServer({}, async (served) => {
  ({ server } = served);
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
      if (/^(https?:|\/(assets|favicon)|\/$)/.test(href)) continue;
      const [page = '', anchor] = href.split('#');
      const target = texts.get(page === '' ? path : page);
      if (target === undefined || (anchor !== undefined && !target.includes(`id="${anchor}"`)))
        broken.push(`${path} leads to ${href}`);
    }
  }
  assert.deepEqual(broken, []);
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
