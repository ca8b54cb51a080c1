/** Pages of nodes are drawn once: nothing that stands there moves, whichever of their answers comes last. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser } from 'playwright-core';
import { type Api, until } from '../support/api.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';
import { Tab, withBrowser } from './browser.ts';

let server: ServerProcess;
let browser: Browser;

const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
const MACHINE = { zone: 'eu-west-1b', instanceType: 'r6a.8xlarge', payType: 'Spot', pricePerHour: 3.6 };
/** By how much the slowest of the answers is later than the others. */
const SLOW_MS = 400;
/** An age that gets a digit more moves what stands beside it: a ten thousandth of the page at most. What is pushed is a hundredth. */
const TICKS = 0.001;

withServer({ args: ['--shards', '1'] }, async (served) => {
  server = served.server;
  const { api } = served;
  await api.configKv({ 'node.heartbeat': '1s', 'node.ttl': '3s' });
  for (const id of ['lost-1', 'lost-2']) await register(api, id);
  await api.put('/api/v1/node/lost-3', { instance: { instanceId: 'i-lost-3', payType: 'OnDemand' } });
  const stateOf = async (id: string): Promise<string> =>
    ((await api.get(`/api/v1/node/${id}`)).json as { state: string }).state;
  for (const id of ['lost-1', 'lost-2', 'lost-3'])
    await until(
      () => stateOf(id),
      (state) => state === 'lost',
      'a lost node',
    );
  await api.configKv({ 'node.ttl': '24h' });
  for (const id of ['late-1', 'a-node-that-took-over']) await register(api, id);
  const metrics = { cpuPercent: 20, memoryUsedMB: 900, diskUsedMB: 2_000 };
  await api.post('/api/v1/heartbeat', [{ id: 'late-1', metrics }]);
  for (const [id, node] of [
    ['left', 'lost-1'],
    ['moved', 'lost-1'],
    ['also-moved', 'lost-2'],
    ['slow-to-save', 'late-1'],
  ])
    await api.post('/api/v1/job', { id, queueName: 'q', memoryInMB: 900_000, events: eventsOn(`i-${node}`) });
  for (const id of ['moved', 'also-moved'])
    await api.post(`/api/v1/job/${id}/event`, [
      { eventType: 'Job-Restoring', timestamp: ago(0), nodeOid: 'i-a-node-that-took-over' },
    ]);
  const name = 'var/log/messages.log';
  await api.request('POST', `/api/v1/nodes/late-1/files/${name}?offset=0`, {
    body: Buffer.from('INFO begun\n'),
    headers: { 'content-type': 'application/octet-stream' },
  });
  await until(
    () => stateOf('late-1'),
    (state) => state === 'late',
    'a late node',
  );
});

withBrowser((started) => {
  browser = started;
});

function register(api: Api, id: string): Promise<unknown> {
  return api.put(`/api/v1/node/${id}`, { instance: { ...MACHINE, instanceId: `i-${id}` } });
}

function eventsOn(nodeOid: string): object[] {
  return [
    { eventType: 'Job-Creating', timestamp: ago(130), nodeOid, containerId: 'c' },
    { eventType: 'Job-Running', timestamp: ago(130) },
    { eventType: 'Job-Checkpointing', timestamp: ago(62) },
    {
      eventType: 'Job-CheckpointSucceeded',
      timestamp: ago(61),
      detail: 'slow: 64000 MiB at 200 MiB/s take 320 s, the notice is 120 s',
    },
  ];
}

/** What is asked, whatever its times and numbers are. */
function sourceOf(address: string): string {
  const { pathname, searchParams } = new URL(address);
  const names = [...searchParams].map(([name, value]) =>
    /^(fields|state|phase)$/.test(name) ? `${name}=${value}` : name,
  );
  return [pathname, ...names].join(' ');
}

/** Streams have no end, and who the reader is has been asked before. */
function isAnswer({ pathname }: URL): boolean {
  return /^\/(api\/v1|metrics|readyz)/.test(pathname) && !/^\/api\/v1\/(event|security|logs)\b/.test(pathname);
}

/** Of the page itself: in the bar above it the word for the connection changes when the stream is there. */
const OBSERVE = `
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
      const nodes = sources.map(({ node }) => node?.closest?.('*') ?? node?.parentElement);
      if (!nodes.every((node) => node?.closest('header'))) shifts.push([value, ...nodes.map((node) => node?.className ?? '')]);
    }
  }).observe({ type: 'layout-shift', buffered: true });`;

for (const [path, heading, last] of [
  ['/reclaims?range=24h', 'Spot reclaims', 'By zone and instance type'],
  ['/node?id=lost-1', 'Node lost-1', 'Details'],
  ['/node?id=late-1', 'Node late-1', 'Details'],
] as const)
  for (const width of [1440, 360])
    test(`nothing moves on ${path} at ${width} pixels, whichever answer is the last`, async () => {
      const tab = await Tab.open(browser, server.address);
      const { page } = tab;
      await page.setViewportSize({ width, height: 900 });
      await page.addInitScript(OBSERVE);
      // The first visit tells what there is to wait for.
      const sources = new Set(['']);
      let slow = '';
      let asked = 0;
      await page.route(isAnswer, async (route) => {
        asked += 1;
        const source = sourceOf(route.request().url());
        if (slow === '') sources.add(source);
        const response = await route.fetch();
        if (source === slow) await page.waitForTimeout(SLOW_MS);
        await route.fulfill({ response });
        asked -= 1;
      });
      const moved: unknown[] = [];
      for (slow of sources) {
        await tab.go(path, heading);
        await tab.sees(last);
        // What an answer leads to is asked within two frames.
        const settled = async (): Promise<number> => {
          const before = asked;
          await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
          return before + asked;
        };
        await until(settled, (count) => count === 0, 'the last answer');
        const shifts = (await page.evaluate('shifts')) as [number, ...string[]][];
        if (shifts.reduce((sum, [value]) => sum + value, 0) > TICKS) moved.push([slow, ...shifts]);
      }
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await tab.close();
      assert.ok(sources.size > 5, [...sources].join());
      assert.deepEqual(moved, []);
    });
