/** What the pages of nodes say of machines that are gone, drained or many. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser } from 'playwright-core';
import { explainNode } from '../../src/protocol/explain/explain-node.ts';
import type { WorkerNode } from '../../src/protocol/node.ts';
import { type Api, until } from '../support/api.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';
import { Tab, withBrowser } from './browser.ts';

let server: ServerProcess;
let browser: Browser;
let api: Api;

const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
const NODES = ['gpu-2', 'gpu-10', 'gpu-9', 'taken', 'cheap', 'idle'];
const LONG_ID = 'calling-5f45943f-d778-b7d4-3b83-fcf420000042';
const LONG_INSTANCE = 'i-0acbedaa24f3e0b8d';
const TAKEN = ['taken', 'idle', 'cheap'];

withServer({ args: ['--shards', '1'] }, async (served) => {
  ({ server, api } = served);
  await api.configKv({ 'node.heartbeat': '1h', 'node.ttl': '24h' });
  for (const id of NODES) {
    const instance = {
      instanceId: id === 'gpu-10' ? LONG_INSTANCE : `i-${id}`,
      zone: 'eu-west-1b',
      instanceType: 'r6a.8xlarge',
      payType: 'Spot',
    };
    await api.put(`/api/v1/node/${id}`, {
      instance: { ...instance, pricePerHour: id === 'cheap' ? 0.01 : 3.6 },
      agent: { version: '0.1.0', engine: 'criu', canCheckpoint: id !== 'gpu-9' },
    });
  }
  const began = (nodeOid: string, savedAgo = 62): object[] => [
    { eventType: 'Job-Creating', timestamp: ago(130), nodeOid, containerId: 'c' },
    { eventType: 'Job-Running', timestamp: ago(130) },
    { eventType: 'Job-Checkpointing', timestamp: ago(savedAgo) },
    { eventType: 'Job-CheckpointSucceeded', timestamp: ago(savedAgo - 1) },
  ];
  for (const id of ['left', 'moved']) await api.post('/api/v1/job', { id, queueName: 'q', events: began('i-taken') });
  await api.post('/api/v1/job', { id: 'here', queueName: 'q', events: began('i-gpu-2') });
  await api.post('/api/v1/job', { id: LONG_ID, queueName: 'genomics/variant-calling', events: began('i-gpu-9') });
  await api.post('/api/v1/job', { id: 'little', queueName: 'q', events: began('i-cheap', 2) });
  for (const id of TAKEN) {
    await api.post(`/api/v1/node/${id}/interruption`, { action: 'terminate', time: ago(-2) });
    await api.delete(`/api/v1/node/${id}`);
  }
  const { lastHeartbeat } = (await api.get('/api/v1/node/taken')).json as { lastHeartbeat: string };
  const after = (seconds: number): string => new Date(Date.parse(lastHeartbeat) + seconds * 1_000).toISOString();
  await api.post('/api/v1/job/moved/event', [
    { eventType: 'Job-Restoring', timestamp: after(30), nodeOid: 'i-gpu-9' },
    { eventType: 'Job-RestoreSucceeded', timestamp: after(42) },
  ]);
  await api.post('/api/v1/node/gpu-10/drain', {});
  const name = `var/log/${'of-a-program-with-a-long-name-'.repeat(3)}/messages.log`;
  await api.request('POST', `/api/v1/nodes/gpu-9/files/${name}?offset=0`, {
    body: Buffer.from('INFO begun\n'),
    headers: { 'content-type': 'application/octet-stream' },
  });
});

withBrowser((started) => {
  browser = started;
});

const plain = (text: string | null): string => (text ?? '').replaceAll('\u00a0', ' ').replace(/\s+/g, ' ').trim();

test('a single reclaim is told with its jobs, what became of them, and what it cost', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/reclaims?range=24h', 'Spot reclaims');
  const row = page.locator('.taken-rows tbody tr');
  await row.first().waitFor();
  // The newest first, though it is not the dearest, and none that interrupted nothing.
  const names = async (): Promise<string[]> => (await row.locator('th a').allTextContents()).map((name) => name.trim());
  assert.deepEqual(await names(), ['cheap', 'taken']);
  // Names of nodes come by a question of their own.
  await row
    .last()
    .getByRole('link', { name: /^gpu-9$/ })
    .waitFor();
  // Some 62 minutes since the checkpoint in each of two jobs, at $3.60.
  const text = plain(await row.last().textContent());
  assert.match(text, /^taken ?eu-west-1b · r6a\.8xlarge.* (2 m|1 m \d+ s) notice ?(2 m|1 m \d+ s) before/);
  assert.match(text, /left stranded/);
  assert.match(text, /moved restored in 42 s on gpu-9/);
  assert.match(text, /2 h \d+ m\$[78]\.\d\d$/);
  const tile = page.locator('.strip > div', { hasText: 'Work lost' });
  assert.match(plain(await tile.textContent()), /^Work lost ?2 h \d+ m that cost \$[78]\.\d\d$/);
  await page.getByText(/^1 more reclaim interrupted no job/).waitFor();
  await page.getByRole('button', { name: 'Show it' }).click();
  assert.deepEqual(await names(), ['idle', 'cheap', 'taken']);
  const single = page.getByRole('region', { name: 'Single reclaims, table' });
  await single.getByRole('button', { name: 'Node' }).click();
  assert.deepEqual(await names(), ['cheap', 'idle', 'taken']);
  await row.getByRole('link', { name: 'taken' }).click();
  await page.getByText(/^This reclaim will cost \$[78]\.\d\d: 2/).waitFor();
  await tab.close();
});

test('the page of a node that is gone names the jobs that are stranded there, and what to do', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/node?id=taken', 'Node taken');
  const stranded = tab.page.getByRole('list', { name: 'How it is' });
  await stranded.waitFor();
  assert.equal(await tab.page.locator('.finding').count(), 1);
  const text = plain(await stranded.textContent());
  const told =
    /^Deregistered at [\d: -]+\. The cloud reclaimed this machine .*\. 1 job is stranded here with 1 h \d m of unsaved work: left\. ?Run it again/;
  assert.match(text, told);
  assert.equal(await stranded.getByRole('link', { name: 'left' }).getAttribute('href'), '/job?id=left');
  await tab.close();
});

test('a drained node is called so, and its button is the only remedy', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/node?id=gpu-10', 'Node gpu-10');
  await page.locator('.fact-line .badge', { hasText: /^Drained$/ }).waitFor();
  await page.getByText('Drained: it takes no new job, and none runs here any more.').waitFor();
  assert.equal(await page.getByText('cairn node drain').count(), 0);
  await page.getByRole('button', { name: 'Undo drain' }).click();
  await page.locator('.fact-line .badge', { hasText: /^Alive$/ }).waitFor();
  await api.post('/api/v1/node/gpu-10/drain', {});
  await tab.close();
});

test('of a state, nodes that lose most come first, the others ascend, and numbers in their names count as numbers', async () => {
  for (const id of ['gone-10', 'gone-9']) {
    await api.put(`/api/v1/node/${id}`, {});
    await api.delete(`/api/v1/node/${id}`);
  }
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  const shown = async (): Promise<string[]> => {
    const names = await page.locator('.table-body .table-row .cell:first-child').allTextContents();
    return names.map((name) => name.trim());
  };
  await tab.go('/nodes?state=all', 'Nodes');
  // What is amiss comes before what is well, and of a state first what takes most work with it.
  const wanted = ['taken', 'cheap', 'gone-9', 'gone-10', 'idle', 'gpu-9', 'gpu-10', 'gpu-2'];
  await until(shown, (names) => names.join() === wanted.join(), 'the rows');
  // One of its jobs went on elsewhere.
  const left = page.locator('.table-body .table-row', { hasText: 'taken' });
  await left.getByText('1 stranded').waitFor();
  assert.match(plain(await left.textContent()), /Deregistered ?1 stranded ?1 h \d m/);
  await tab.go('/nodes?sort=-id', 'Nodes');
  await until(shown, (names) => names.join() === 'gpu-10,gpu-9,gpu-2', 'the rows by name');
  await page.getByRole('link', { name: /^No checkpoints 1$/ }).click();
  await page.waitForURL(/checkpoints=none/);
  await until(shown, (names) => names.join() === 'gpu-9', 'the node that can save no job');
  assert.deepEqual(await tab.violations(), []);
  await tab.close();
});

test('on a phone a node tells its zone and what it would lose, and its logs stay within their panel', async () => {
  const tab = await Tab.open(browser, server.address, { look: 'narrow-light' });
  const { page } = tab;
  await page.setViewportSize({ width: 360, height: 800 });
  await tab.go('/nodes', 'Nodes');
  const card = page.locator('.table-body .table-row', { hasText: 'gpu-2' });
  await card.getByText(/^1\sh/).waitFor();
  assert.match(plain(await card.textContent()), /^gpu-2Alive1 h \d m unsaved · eu-west-1b · r6a\.8xlarge/);
  const isCut = card.getByText('eu-west-1b').evaluate((cell) => {
    const { scrollWidth, clientWidth } = cell as unknown as Readonly<Record<'scrollWidth' | 'clientWidth', number>>;
    return scrollWidth > clientWidth;
  });
  assert.equal(await isCut, false);
  await tab.go('/node?id=gpu-9', 'Node gpu-9');
  await page.locator('.log-view .select').waitFor();
  const beyond =
    "(() => { const ends = (element) => element.getBoundingClientRect().right; const select = document.querySelector('.log-view .select'); return ends(select) - ends(select.closest('.log-view')); })()";
  assert.ok(Number(await page.evaluate(beyond)) <= 0.5, 'the choice of a log is wider than its panel');
  // Its jobs lead to their queues, as everywhere.
  const queue = page.getByRole('link', { name: 'genomics/variant-calling' });
  assert.equal(await queue.getAttribute('href'), '/queue?name=genomics%2Fvariant-calling');
  // What can be copied has room to be read; there is no card of logs where there are none.
  await tab.go('/node?id=gpu-10', 'Node gpu-10');
  await page.getByRole('button', { name: 'Copy the instance id' }).waitFor();
  assert.equal(await page.locator('.copied-id .long-id-cut').count(), 0);
  await page.locator('.facts div', { hasText: /^LogsNone were sent$/ }).waitFor();
  assert.equal(await page.getByRole('heading', { name: 'Logs' }).count(), 0);
  await tab.close();
});

test('the palette shows where what was typed stands, and why a job is found', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/health', 'Health');
  await tab.search('i-taken');
  const first = page.locator('[role=option][data-highlighted]', { hasText: /^taken/ });
  await first.locator('.palette-hint b', { hasText: /^i-taken$/ }).waitFor();
  const job = page.locator('[role=option]', { hasText: /^left/ });
  assert.match(plain(await job.textContent()), /^left ?on node i-taken/);
  assert.deepEqual(await tab.violations(), []);
  // Ids differ by their ends: on a phone, too, they are cut before these, and what was typed is seen.
  await page.setViewportSize({ width: 360, height: 800 });
  await page.getByRole('combobox').fill('calling');
  const long = page.locator('[role=option]', { hasText: /^calling-5f/ });
  await long.locator('b', { hasText: /^calling$/ }).waitFor();
  const [label, hint] = ['.palette-label', '.palette-hint'].map((part) => long.locator(`${part} .long-id-cut`));
  const seen = async (part: typeof label): Promise<string> =>
    ((await part?.locator('.long-id-shown').textContent()) ?? '').replaceAll('\u2026', '...');
  assert.match(await seen(label), /\.\.\..*0042$/);
  assert.match(await seen(hint), /\.\.\..*calling$/);
  await tab.close();
});

test('a node is draining until the last of its jobs has ended, wherever it is named', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/node?id=gpu-2', 'Node gpu-2');
  await page.getByRole('button', { name: 'Drain', exact: true }).click();
  await page.getByRole('status').getByText('It takes no new jobs now').waitFor();
  await page.locator('.fact-line .badge', { hasText: /^Draining$/ }).waitFor();
  await page.getByText('Draining: 1 job still runs here; it takes no new one.').waitFor();
  await tab.go('/nodes', 'Nodes');
  const row = page.locator('.table-body .table-row', { hasText: 'gpu-2' });
  await row.getByText('Draining', { exact: true }).waitFor();
  // Another node is drained, and nothing runs there any more.
  await page.getByRole('link', { name: /^Draining 1$/ }).click();
  await page.getByText(/^1 node$/).waitFor();
  await row.waitFor();
  await tab.go('/', 'Overview');
  const change = page.locator('.rows li', { hasText: 'gpu-2' });
  await change.getByText('Drain started').waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('combobox').fill('gpu-2');
  await page.locator('.palette-option', { hasText: 'Draining' }).waitFor();
  await page.keyboard.press('Escape');
  await api.post('/api/v1/job/here/event', [{ eventType: 'Job-Succeeded', timestamp: ago(0) }]);
  await tab.go('/nodes', 'Nodes');
  await row.getByText('Drained', { exact: true }).waitFor();
  await api.request('DELETE', '/api/v1/node/gpu-2/drain');
  await tab.go('/', 'Overview');
  await change.getByText('Drain undone').waitFor();
  await tab.close();
});

test('with other filters, of a time or a text, the chips of nodes count what their lists have', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  const taken = (await api.get('/api/v1/node/taken')).json as WorkerNode;
  const before = new Date(Date.parse(taken.lastHeartbeat) + 1).toISOString();
  for (const filter of [`heartbeatBefore=${encodeURIComponent(before)}`, 'q=gpu', 'zone=eu-west-1b']) {
    const lengthOf = async (state: string): Promise<number> =>
      ((await api.get(`/api/v1/node?${filter}${state}`)).json as unknown[]).length;
    await tab.go(`/nodes?${filter}`, 'Nodes');
    const states = page.getByRole('navigation', { name: 'States' });
    for (const [name, state] of [
      ['In service', ''],
      ['Alive', '&state=alive'],
      ['Deregistered', '&state=deregistered'],
      ['All', '&state=all'],
    ] as const)
      await states.getByRole('link', { name: `${name} ${await lengthOf(state)}`, exact: true }).waitFor();
    await states.getByRole('link', { name: /^No checkpoints \d+$/ }).waitFor();
  }
  await tab.go('/nodes?q=gpu', 'Nodes');
  await page.getByRole('link', { name: 'No checkpoints 1', exact: true }).click();
  await tab.sees(/^1 node$/);
  await tab.close();
});

test('nodes are chosen by zone, type and pay type, and each choice has what there is', async () => {
  await api.put('/api/v1/node/elsewhere', {
    instance: { instanceId: 'i-elsewhere', zone: 'us-east-1a', instanceType: 'm5.xlarge', payType: 'OnDemand' },
  });
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  const names = () => page.getByRole('row').getByRole('rowheader').allTextContents();
  await tab.go('/nodes', 'Nodes');
  await tab.choose('Zone', 'us-east-1a');
  await page.waitForURL(/zone=us-east-1a/);
  await tab.sees(/^1 node$/);
  assert.deepEqual(await page.getByRole('link', { name: 'elsewhere', exact: true }).count(), 1, String(await names()));
  // The other zones are still a choice.
  await tab.choose('Zone', 'eu-west-1b');
  await page.getByRole('link', { name: 'gpu-2', exact: true }).waitFor();
  await tab.choose('Zone', 'Any zone');
  await tab.choose('Pay type', 'On demand');
  await tab.choose('Type', 'm5.xlarge');
  await tab.sees(/^1 node$/);
  assert.deepEqual(await tab.violations(), []);
  await tab.close();
  await api.request('DELETE', '/api/v1/node/elsewhere');
});

test('a node under notice is reclaiming wherever it is named, and its page counts the time left', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await api.put('/api/v1/node/leaving', { instance: { instanceId: 'i-leaving', payType: 'Spot', pricePerHour: 3.6 } });
  const events = [
    { eventType: 'Job-Creating', timestamp: ago(30), nodeOid: 'i-leaving', containerId: 'c' },
    { eventType: 'Job-Running', timestamp: ago(30) },
  ];
  await api.post('/api/v1/job', { id: 'leaves', queueName: 'q', events });
  await api.post('/api/v1/node/leaving/interruption', { action: 'terminate', time: ago(-90) });
  await tab.go('/node?id=leaving', 'Node leaving');
  const state = page.locator('.fact-line > div').first();
  await state.locator('.badge-warn', { hasText: /^Reclaiming$/ }).waitFor();
  await state.getByText(/^1\sh\s\d+\sm left$/).waitFor();
  await tab.go('/nodes', 'Nodes');
  await page.getByRole('link', { name: /^Reclaiming 1$/ }).click();
  await page.waitForURL(/mark=reclaiming/);
  const row = page.locator('.table-body .table-row', { hasText: 'leaving' });
  await row.locator('.badge-warn', { hasText: /^Reclaiming$/ }).waitFor();
  await page.getByText(/^1 node$/).waitFor();
  await tab.search('leaving');
  await page.locator('.palette-option', { hasText: 'Reclaiming' }).waitFor();
  await page.keyboard.press('Escape');
  await tab.go('/', 'Overview');
  const rows = page.getByRole('region', { name: 'Needs attention' }).getByRole('link');
  const told = rows.filter({ hasText: /1 node is being reclaimed at \d\d:\d\d\./ });
  await told.getByText('1 job, ').waitFor();
  assert.match(plain(await rows.first().textContent()), /1 node is being reclaimed at/);
  await told.click();
  await tab.arrives('Node leaving');
  await api.delete('/api/v1/node/leaving');
  await tab.close();
});

test('of a node that has just gone nothing is said of stranded jobs until they were read again', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await api.put('/api/v1/node/goes', { instance: { instanceId: 'i-goes', payType: 'OnDemand' } });
  const events = [
    { eventType: 'Job-Creating', timestamp: ago(30), nodeOid: 'i-goes', containerId: 'c' },
    { eventType: 'Job-Running', timestamp: ago(30) },
  ];
  await api.post('/api/v1/job', { id: 'stays', queueName: 'q', events });
  await tab.go('/node?id=goes', 'Node goes');
  await page.getByText('1 running, ').waitFor();
  let release = (): void => {};
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  await page.route(/\/api\/v1\/job\?.*node=goes/, async (route) => {
    await held;
    await route.continue();
  });
  await page.getByRole('button', { name: 'Deregister' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Deregister' }).click();
  const banner = page.getByRole('list', { name: 'How it is' });
  await banner.getByText(/^Deregistered at /).waitFor();
  assert.match(plain(await banner.textContent()), /^Deregistered at [\d: -]+\.$/);
  release();
  await banner.getByText(/1 job is stranded here with 3\d\sm/).waitFor();
  await tab.close();
});

test('jobs that still run on a node under notice do not count as interrupted', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await api.put('/api/v1/node/noticed', { instance: { instanceId: 'i-noticed', payType: 'Spot', pricePerHour: 3.6 } });
  const events = [
    { eventType: 'Job-Creating', timestamp: ago(30), nodeOid: 'i-noticed', containerId: 'c' },
    { eventType: 'Job-Running', timestamp: ago(30) },
  ];
  await api.post('/api/v1/job', { id: 'runs-on', queueName: 'q', events });
  const tile = page.locator('dl.strip > div', { hasText: 'Jobs interrupted' });
  await tab.go('/reclaims?range=24h', 'Spot reclaims');
  await tile.waitFor();
  const before = Number(/interrupted ?(\d+)/.exec(plain(await tile.textContent()))?.[1]);
  await api.post('/api/v1/node/noticed/interruption', { action: 'terminate', time: ago(-60) });
  await tab.go('/reclaims?range=24h', 'Spot reclaims');
  await tile.getByText('1 more on nodes under notice').waitFor();
  assert.match(plain(await tile.textContent()), new RegExp(`^Jobs interrupted ?${before} `));
  const row = page.locator('.taken-rows tbody tr').first();
  assert.match(plain(await row.textContent()), /^noticed.*runs-on still runs there ?––$/);
  await tab.go('/node?id=noticed', 'Node noticed');
  const hit = page.getByRole('row', { name: /^runs-on still runs there/ });
  assert.match(plain(await hit.textContent()), /3\d m( \d+ s)? unsaved–$/);
  await api.delete('/api/v1/node/noticed');
  await tab.close();
});

test('of a spot node that is lost with no job on it, nobody is told to run its jobs again', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await api.put('/api/v1/node/bare', { instance: { instanceId: 'i-bare', payType: 'Spot' } });
  // As the server has it once the node's time is over.
  await page.route('**/api/v1/node/bare', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ json: { ...(await answer.json()), state: 'lost' } });
  });
  await page.route('**/api/v1/node/bare/explain', async (route) => {
    const node = { ...((await api.get('/api/v1/node/bare')).json as WorkerNode), state: 'lost' as const };
    const facts = {
      node,
      isVerdictSuspended: false,
      ttlMs: 300_000,
      nowMs: Date.now(),
      runningJobs: null,
      version: '1.2.3',
    };
    await route.fulfill({ json: explainNode(facts) });
  });
  await tab.go('/node?id=bare', 'Node bare');
  const banner = page.getByRole('list', { name: 'How it is' });
  await banner.getByText('No job is stranded here.').waitFor();
  assert.match(plain(await banner.textContent()), /does not come back\.$/);
  await tab.close();
});

test('a phone tells of each zone how many nodes were reclaimed and how often, and why none may have had notice', async () => {
  const tab = await Tab.open(browser, server.address, { look: 'narrow-light' });
  const { page } = tab;
  await tab.go('/reclaims?range=24h', 'Spot reclaims');
  const heads = page.locator('.reclaim-rows thead th:visible');
  await heads.first().waitFor();
  assert.deepEqual((await heads.allTextContents()).map(plain), ['Zone', 'Reclaims ↓', 'Reclaims per node-day']);
  await tab.choose('Rows', 'By zone and instance type');
  await page.locator('.reclaim-rows thead th:visible', { hasText: 'Instance type' }).waitFor();
  assert.equal(await heads.count(), 4);
  await tab.sees(/^Agents watch for no notices of the cloud/);
  await tab.close();
});
