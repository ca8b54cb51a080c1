/** Texts of workers and of people are shown as they are, on every page: nothing makes markup, an address or a script of one. */
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Browser } from 'playwright-core';
import { Api } from '../support/api.ts';
import { ServerProcess } from '../support/server-process.ts';
import { startBrowser, Tab } from './browser.ts';

/** Would be an element with a mark on it, and one that runs a script. */
const MARK = '<b data-forged>x</b>';
const TEXT = `"'>${MARK}<img src=x onerror="document.title='forged'">`;

let server: ServerProcess;
let browser: Browser;
let api: Api;

const ok = async (answer: ReturnType<Api['post']>): Promise<void> => {
  const { status, text } = await answer;
  assert.equal(status, 200, text);
};

before(async () => {
  browser = await startBrowser();
  server = await ServerProcess.start();
  api = new Api(server.address);
  const place = { zone: TEXT, instanceId: TEXT, instanceType: TEXT, region: TEXT, payType: TEXT };
  const machine = { ips: [TEXT], hostName: TEXT, cloud: TEXT, arch: TEXT, cpuModel: TEXT, cpuVendor: TEXT };
  await ok(api.put('/api/v1/node/n-1', { ...machine, cores: 2, memoryInMB: 1, instance: place }));
  const now = Date.now();
  const event = (eventType: string, ageMs: number): object => {
    const timestamp = new Date(now - ageMs).toISOString();
    return { timestamp, eventType, nodeOid: TEXT, containerId: TEXT, batchJobId: TEXT, volumnId: TEXT };
  };
  const events = [event('Job-Creating', 9_000), event('Job-Running', 8_000), event(TEXT, 7_000)];
  await ok(api.post('/api/v1/job', { id: 'j-1', queueName: 'q', name: TEXT, batchJobIds: [TEXT], events }));
  // Its node is not known, so the list shows what the job calls it.
  const elsewhere = [{ timestamp: new Date(now).toISOString(), eventType: 'Job-Creating', nodeOid: MARK }];
  await ok(api.post('/api/v1/job', { id: 'j-2', queueName: 'q', events: elsewhere }));
  await ok(api.post('/api/v1/nodes/n-1/files/jobs/j-1/out.log?offset=0', `${TEXT}\n`));
  await ok(
    api.put('/api/v1/metric/m-1', {
      name: TEXT,
      description: TEXT,
      unit: MARK,
      labels: [TEXT],
      aggregation: 'sum',
    }),
  );
  const time = new Date(now).toISOString();
  await ok(api.post('/api/v1/metricValue', [{ objectId: 'o-1', definitionId: 'm-1', time, value: 1 }]));
  await ok(api.configKv({ 'job.customTags': `a:${TEXT}`, 'security.idp.clientID': TEXT }));
});

after(async () => {
  api?.close();
  await browser?.close();
  await server?.dispose();
});

/** Address and heading of each page that shows texts. */
const PAGES: readonly (readonly [string, string | RegExp])[] = [
  ['/jobs', 'Jobs'],
  ['/job?id=j-1', 'Job j-1'],
  ['/nodes', 'Nodes'],
  ['/node?id=n-1', 'Node n-1'],
  ['/node?id=n-1&file=%2Fnodes%2Fn-1%2Fjobs%2Fj-1%2Fout.log', 'Node n-1'],
  ['/logs?log=access', 'Logs'],
  ['/explore?series=o-1/metricDef-m-1&range=7d', 'Metrics'],
  ['/settings?tab=history', 'Settings'],
  [`/jobs?q=${encodeURIComponent(TEXT)}`, 'Jobs'],
  [`/jobs?node=${encodeURIComponent(TEXT)}`, 'Jobs'],
  [`/job?id=${encodeURIComponent(TEXT)}`, /^Job/],
  [`/node?id=${encodeURIComponent(TEXT)}`, /^Node/],
];

test('no page makes anything of a text but a text', async () => {
  const tab = await Tab.open(browser, server.address, { isExpected: (fault) => /status of 4(04|22)/.test(fault) });
  for (const [path, heading] of PAGES) {
    await tab.go(path, heading);
    // A line of the access log, for the page that follows it and keeps only the last lines in sight.
    await api.get('/livez', { 'user-agent': TEXT });
    if (path === '/logs?log=access') {
      // What called is told where the line is opened.
      const lines = tab.page.locator('.log-line').filter({ hasText: '/livez' });
      await lines.last().locator('.log-toggle').dispatchEvent('click');
    }
    // Not all of it is seen at every width.
    await tab.page.getByText(MARK).first().waitFor({ state: 'attached' });
    const made = await tab.page.evaluate(
      "[document.querySelectorAll('[data-forged]').length, document.images.length, document.title === 'forged']",
    );
    assert.deepEqual(made, [0, 0, false], path);
  }
  await tab.close();
});
