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
/** So long is a page without an answer when none follows from the last: what it leads to is asked within two. */
const QUIET_FRAMES = 4;
const MACHINE = { zone: 'eu-west-1b', instanceType: 'r6a.8xlarge', payType: 'Spot', pricePerHour: 3.6 };
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

/**
 * In the page, before its own scripts. `shifts` is what moved, of the page itself: in the bar above it the word for the
 * connection changes when the stream is there. Its clock stands still, as an age that gains a digit moves what stands
 * beside it, rightly: so not the least shift is let pass. `sources` is what it asked, whatever times and numbers were
 * asked for: not streams, which have no end, nor who the reader is, as that is asked before. Its slow answer comes when
 * all that is asked besides is there and nothing follows from it.
 */
const WATCH = `
  const begun = Date.now();
  Date.now = () => begun;
  window.shifts = [];
  new PerformanceObserver((list) => {
    for (const { value, sources } of list.getEntries()) {
      const nodes = sources.map(({ node }) => node?.closest?.('*') ?? node?.parentElement);
      if (!nodes.every((node) => node?.closest('header'))) shifts.push([value, ...nodes.map((node) => node?.className ?? '')]);
    }
  }).observe({ type: 'layout-shift', buffered: true });
  const slow = sessionStorage.getItem('slow');
  window.sources = new Set();
  let asked = 0;
  let held = 0;
  const quiet = async (isQuiet) => {
    for (let frames = 0; frames < ${QUIET_FRAMES}; frames = isQuiet() ? frames + 1 : 0) await new Promise(requestAnimationFrame);
  };
  window.settled = () => quiet(() => asked === 0);
  const plain = window.fetch;
  window.fetch = async (address, init) => {
    const { pathname, searchParams } = new URL(address.url ?? address, location.href);
    if (!/^\\/(api\\/v1|metrics|readyz)/.test(pathname) || /^\\/api\\/v1\\/(event|security|logs)\\b/.test(pathname))
      return plain(address, init);
    const names = [...searchParams].map(([name, value]) => (/^(fields|state|phase)$/.test(name) ? name + '=' + value : name));
    const source = [pathname, ...names].join(' ');
    sources.add(source);
    asked += 1;
    try {
      const answer = await plain(address, init);
      await answer.clone().arrayBuffer();
      if (source === slow) {
        held += 1;
        await quiet(() => asked === held);
        held -= 1;
      }
      return answer;
    } finally {
      asked -= 1;
    }
  };`;

const PAGES = [
  ['/reclaims?range=24h', 'Spot reclaims', 'Where nodes were reclaimed'],
  ['/node?id=lost-1', 'Node lost-1', 'Details'],
  ['/node?id=late-1', 'Node late-1', 'Details'],
] as const;

for (const width of [1440, 360])
  test(`nothing moves on a page of nodes at ${width} pixels, whichever answer is the last`, async () => {
    const tab = await Tab.open(browser, server.address);
    const { page } = tab;
    await page.setViewportSize({ width, height: 900 });
    await page.addInitScript(WATCH);
    const moved: unknown[] = [];
    for (const [path, heading, last] of PAGES) {
      // The first visit tells what there is to wait for.
      const sources = new Set(['']);
      for (const slow of sources) {
        if (page.url() !== 'about:blank')
          await page.evaluate(`sessionStorage.setItem('slow', ${JSON.stringify(slow)})`);
        await tab.go(path, heading);
        await tab.sees(last);
        await page.evaluate('settled()');
        const shifts = (await page.evaluate('shifts')) as unknown[];
        if (shifts.length > 0) moved.push([path, slow, ...shifts]);
        if (slow === '') for (const source of (await page.evaluate('[...sources]')) as string[]) sources.add(source);
      }
      assert.ok(sources.size > 5, [...sources].join());
    }
    await tab.close();
    assert.deepEqual(moved, []);
  });
