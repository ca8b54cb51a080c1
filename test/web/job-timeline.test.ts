/** The timeline of a job under the pointer, a finger and the keys: marks lead to their events, and stretches of time are told. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser } from 'playwright-core';
import { type Api, until } from '../support/api.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';
import { Tab, withBrowser } from './browser.ts';
import { playedJob } from './played-jobs.ts';

let server: ServerProcess;
let browser: Browser;
let api: Api;

withServer({}, async (served) => {
  ({ server, api } = served);
  await api.put('/api/v1/node/here.node', { instance: { instanceId: 'i-here' } });
  const failed = [0, 1, 2].flatMap((i): [string, number, string?][] => [
    ['Job-Checkpointing', 400 - 3 * i],
    ['Job-CheckpointFailed', 399 - 3 * i, `no-space ${i}`],
  ]);
  // So many events that not all of them are in sight, and those that failed are the oldest.
  const good = Array.from({ length: 20 }, (_, i): [string, number][] => [
    ['Job-Checkpointing', 300 - 10 * i],
    ['Job-CheckpointSucceeded', 299 - 10 * i],
  ]);
  const many = Array.from({ length: 30 }, (_, i): [string, number][] => [
    ['Job-Checkpointing', 880 - 20 * i],
    ['Job-CheckpointSucceeded', 879 - 20 * i],
  ]).flat();
  const failedAt = (minutes: number, why: string): [string, number, string?][] => [
    ['Job-Checkpointing', minutes],
    ['Job-CheckpointFailed', minutes - 1, why],
  ];
  const each = Array.from({ length: 40 }, (_, i) => failedAt(880 - 10 * i, `cannot dump ${'abcd'[i % 4]}`)).flat();
  const alike = Array.from({ length: 8 }, (_, i) => failedAt(200 - 10 * i, `no-space: ${9 - i} MiB left`)).flat();
  const jobs = [
    playedJob('is-unsaved', 'day', 60, ['Job-Checkpointing', 10], ['Job-CheckpointFailed', 9]),
    playedJob('goes-well', 'day', 400, ...good.slice(0, 10).flat()),
    playedJob('fails-often', 'day', 899, ...failed, ...good.flat()),
    // More than are listed at first; the oldest failed.
    playedJob('fails-much', 'day', 899, ...each, ...alike),
    playedJob('long', 'day', 899, ['Job-Checkpointing', 890], ['Job-CheckpointFailed', 889, 'no-space'], ...many),
  ];
  assert.equal((await api.post('/api/v1/job', jobs)).status, 200);
});

withBrowser((started) => {
  browser = started;
});

test('a mark leads to its event, whatever the table was restricted to, and a tap tells of a stretch of time', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/job?id=is-unsaved&events=restores', 'Job is-unsaved');
  const mark = page.getByRole('button', { name: /^Checkpoint failed/ });
  await mark.click();
  const row = page.locator('.row-chosen').filter({ hasText: 'Checkpoint failed' });
  await row.waitFor();
  await page.waitForURL((url) => !url.searchParams.has('events'));
  await page.getByText('Raw', { exact: true }).click();
  await row.waitFor({ state: 'detached' });
  await mark.click();
  await row.waitFor();
  await page.mouse.move(0, 0);
  // One thing has one colour: in the table, on the timeline and in its legend.
  const colourOf = (at: string, property: string): Promise<string> =>
    page.evaluate(`getComputedStyle(document.querySelector(${JSON.stringify(at)})).${property}`);
  const warn = await colourOf('.row-chosen .warn', 'color');
  for (const at of ['.mark-unsaved', '.mark-key.mark-unsaved'])
    assert.equal(await colourOf(at, 'backgroundColor'), warn, at);

  const track = page.getByRole('img', { name: /^i-here/ });
  await track.scrollIntoViewIfNeeded();
  const box = await track.boundingBox();
  assert.ok(box);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: true });
  const tapAt = async (x: number, y: number): Promise<void> => {
    await devtools.send('Input.dispatchTouchEvent', { type: 'touchStart', touchPoints: [{ x, y }] });
    await devtools.send('Input.dispatchTouchEvent', { type: 'touchEnd', touchPoints: [] });
  };
  await tapAt(box.x + box.width / 2, box.y + 4);
  const tip = page.locator('.lane-tip', { hasText: /^Running / });
  await tip.waitFor();
  await tapAt(box.x + 4, box.y - 20);
  await tip.waitFor({ state: 'detached' });
  await tab.close();
});

test('on a phone each mark answers at its middle, its event comes into sight, and what is tapped is told whole', async () => {
  const tab = await Tab.open(browser, server.address, { look: 'narrow-light' });
  const { page } = tab;
  await tab.go('/job?id=fails-often&view=all', 'Job fails-often');
  const marks = page.locator('.mark');
  await marks.nth(2).waitFor();
  await page.getByRole('img', { name: /^i-here/ }).scrollIntoViewIfNeeded();
  // Three stand beside each other, nearer than a finger is wide; the last one is asked for twice.
  for (const at of [0, 1, 2, 2]) {
    await page.evaluate('window.scrollTo(0, 0)');
    await marks.nth(at).scrollIntoViewIfNeeded();
    const box = await marks.nth(at).boundingBox();
    assert.ok(box);
    await page.mouse.click(box.x + box.width / 2, box.y + box.height / 2);
    const row = page.locator('.row-chosen').filter({ hasText: `no-space ${at}` });
    await until(
      () => row.evaluateAll((rows) => rows.map((one) => Math.round(one.getBoundingClientRect().top))),
      ([top = -1]) => top > 60 && top < 720,
      `the event of mark ${at} to be in sight`,
    );
  }
  // What comes later does not take the reader away from where he is.
  await page.evaluate('window.scrollTo(0, 0)');
  const later = { eventType: 'Job-Checkpointing', timestamp: new Date().toISOString() };
  assert.equal((await api.post('/api/v1/job', [{ id: 'fails-often', queueName: 'day', events: [later] }])).status, 200);
  await page.getByRole('heading', { name: 'Events 49' }).waitFor();
  assert.equal(await page.evaluate('window.scrollY'), 0);
  await page.getByRole('img', { name: /^i-here/ }).scrollIntoViewIfNeeded();
  for (const share of [0.05, 0.95]) {
    const box = await page.getByRole('img', { name: /^i-here/ }).boundingBox();
    assert.ok(box);
    await page.mouse.move(box.x + box.width * share, box.y + 3);
    const tip = await page.locator('.lane-tip').boundingBox();
    assert.ok(tip && tip.x >= 0 && tip.x + tip.width <= 360, `${JSON.stringify(tip)} at ${share}`);
  }
  await tab.close();
});

test('the times below a timeline stand below their ticks, and none runs past its ends', async () => {
  for (const look of ['wide-light', 'narrow-dark'] as const) {
    const tab = await Tab.open(browser, server.address, { look });
    // Forty minutes from a round one to another: there are labels at both ends.
    const endMs = Math.floor((Date.now() - 600_000) / 600_000) * 600_000;
    const [start, end] = [endMs - 2_400_000, endMs].map((ms) => new Date(ms).toISOString());
    await tab.go(`/job?id=fails-often&start=${start}&end=${end}`, 'Job fails-often');
    await tab.page.locator('.lane-scale > span').first().waitFor();
    const beyond = `(() => {
      const { left, right } = document.querySelector('.timeline').getBoundingClientRect();
      const boxes = (name) => [...document.querySelectorAll(name)].map((one) => one.getBoundingClientRect());
      const labels = boxes('.lane-scale > span').filter(({ width }) => width > 0);
      const isBelow = Math.abs((labels[0].left + labels[0].right) / 2 - boxes('.lane-tick')[0].left) < 2;
      return [labels.length > 4, labels[0].left >= left, labels.at(-1).right <= right, isBelow];
    })()`;
    // Where names are above the lanes, the first label has no room to stand below its tick.
    assert.deepEqual(await tab.page.evaluate(beyond), [true, true, true, look === 'wide-light'], look);
    await tab.close();
  }
});

test('a stretch that is dragged is seen over what ran, Escape gives it up, and some thirty events are all in sight', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/job?id=goes-well&events=checkpoints&view=all', 'Job goes-well');
  const track = page.getByRole('img', { name: /^i-here/ });
  await track.scrollIntoViewIfNeeded();
  const box = await track.boundingBox();
  assert.ok(box);
  const [left, right] = [0.1, 0.6].map((share) => box.x + share * box.width) as [number, number];
  const y = box.y + box.height / 2;
  const drag = async (): Promise<void> => {
    await page.mouse.move(left, y);
    await page.mouse.down();
    await page.mouse.move(right, y, { steps: 3 });
    await page.locator('.lane-zoom').waitFor();
  };
  await drag();
  const top = `(() => {
    const { left, width } = document.querySelector('.span-checkpointing').getBoundingClientRect();
    const { borderLeftWidth, boxShadow } = getComputedStyle(document.querySelector('.lane-zoom'));
    return [document.elementFromPoint(left + width / 2, ${y}).className, borderLeftWidth, boxShadow !== 'none'];
  })()`;
  assert.deepEqual(await page.evaluate(top), ['lane-zoom', '2px', true]);
  await page.keyboard.press('Escape');
  await page.locator('.lane-zoom').waitFor({ state: 'detached' });
  await page.mouse.up();
  await drag();
  assert.equal(new URL(page.url()).searchParams.has('start'), false, 'what was given up was not zoomed to');
  await page.mouse.up();
  await page.waitForURL(/start=/);
  await page.getByRole('button', { name: 'Show all' }).click();
  await page.getByRole('heading', { name: 'Events 20 of 22' }).waitFor();
  const events = page.getByRole('region', { name: 'Events, scrolling' });
  const [whole, seen] = (await events.evaluate((box) => [box.scrollHeight, box.clientHeight])) as [number, number];
  assert.ok(whole > 400 && whole <= seen, `${seen} of ${whole} px are in sight`);
  await tab.close();
});

test('buttons and keys zoom in and out and along, Escape shows everything, and a drag may begin on a mark', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/job?id=long', 'Job long');
  const spanOf = (): number | null => {
    const { searchParams } = new URL(page.url());
    const [start, end] = [searchParams.get('start'), searchParams.get('end')];
    return start && end ? Date.parse(end) - Date.parse(start) : null;
  };
  const startOf = (): number => Date.parse(new URL(page.url()).searchParams.get('start') ?? '');
  const when = (isThere: () => boolean, what: string): Promise<unknown> => until(async () => isThere(), Boolean, what);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  for (const name of ['Zoom out', 'Earlier', 'Later'])
    assert.equal(await button(name).getAttribute('aria-disabled'), 'true', name);
  await button('Zoom in').click();
  await when(() => spanOf() !== null, 'the zoom');
  const half = spanOf() ?? 0;
  // With the keyboard where it is now.
  await page.keyboard.press('+');
  await when(() => Math.abs((spanOf() ?? 0) - half / 2) <= 1, 'half of it');
  const before = startOf();
  await page.keyboard.press('ArrowRight');
  await when(() => startOf() > before, 'what is later');
  await page.keyboard.press('-');
  await when(() => Math.abs((spanOf() ?? 0) - half) <= 2, 'twice as much');
  // While a stretch is dragged, Escape gives up that alone.
  const track = page.getByRole('img', { name: /^i-here/ });
  await track.scrollIntoViewIfNeeded();
  const box = await track.boundingBox();
  assert.ok(box);
  await page.mouse.move(box.x + 200, box.y + 4);
  await page.mouse.down();
  await page.mouse.move(box.x + 300, box.y + 4, { steps: 3 });
  await page.locator('.lane-zoom').waitFor();
  await page.keyboard.press('Escape');
  await page.locator('.lane-zoom').waitFor({ state: 'detached' });
  await page.mouse.up();
  assert.ok(spanOf() !== null, 'it is still zoomed');
  await page.keyboard.press('Escape');
  await when(() => spanOf() === null, 'everything');

  const mark = page.getByRole('button', { name: /^Checkpoint failed/ });
  const markBox = await mark.boundingBox();
  assert.ok(markBox);
  await page.mouse.move(markBox.x + markBox.width / 2, markBox.y + markBox.height / 2);
  await page.mouse.down();
  await page.mouse.move(markBox.x + 300, markBox.y + 4, { steps: 3 });
  await page.mouse.up();
  await when(() => spanOf() !== null, 'the zoom to what was dragged');
  assert.equal(await page.locator('.row-chosen').count(), 0, 'the mark was not clicked');
  await tab.close();
});

test('checkpoints in one row open below it, and of many events the newest come first', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/job?id=long', 'Job long');
  const rows = page.locator('.job-events .table-body [role=row]');
  const group = page.getByRole('button', { name: '30 checkpoints succeeded' });
  // By the keys that go from row to row: Enter opens it in place.
  await group.waitFor();
  await page.keyboard.press('j');
  await group.and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Enter');
  await page.getByRole('cell', { name: 'Checkpointing', exact: true }).first().waitFor();
  assert.equal(await group.getAttribute('aria-expanded'), 'true');
  await until(
    () => rows.count(),
    (count) => count === 50,
    'the newest 50 rows',
  );
  await page.getByRole('button', { name: 'Show 14 older' }).click();
  await until(
    () => rows.count(),
    (count) => count === 64,
    'every row',
  );
  await group.press('Enter');
  await until(
    () => rows.count(),
    (count) => count === 4,
    'the rows without those of the group',
  );

  await tab.go('/job?id=long&view=all', 'Job long');
  await page.getByRole('button', { name: 'Show 14 older' }).waitFor();
  // An event that is not listed yet comes into sight all the same.
  await page.getByRole('button', { name: /^Checkpoint failed/ }).click();
  await page.locator('.row-chosen').filter({ hasText: 'no-space' }).waitFor();
  await tab.close();
});

test('from mark to mark one goes by the arrow keys, and Enter leads to the event, however far down it is', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/job?id=fails-much', 'Job fails-much');
  const marks = page.locator('.mark');
  await marks.nth(47).waitFor();
  assert.equal(await page.locator('.mark[tabindex="0"]').count(), 1, 'one stop of the Tab key');
  const inSight = async (what: string, chosen = '.row-chosen:focus'): Promise<void> => {
    const row = page.locator(chosen).filter({ hasText: what });
    await until(
      () => row.evaluateAll((rows) => rows.map((one) => Math.round(one.getBoundingClientRect().top))),
      ([top = -1]) => top > 60 && top < 760,
      `${what} in sight`,
    );
  };
  await marks.first().focus();
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('ArrowRight');
  await page.keyboard.press('Enter');
  await inSight('cannot dump c');
  // One that stands in a row with others opens it.
  await page.getByRole('button', { name: '8 checkpoints failed' }).waitFor();
  await marks.first().focus();
  await page.keyboard.press('End');
  await page.keyboard.press('ArrowLeft');
  await page.keyboard.press('Enter');
  await inSight('no-space: 3 MiB left');
  await page.reload();
  await marks.nth(47).waitFor();
  await marks.nth(44).click();
  await inSight('no-space: 5 MiB left', '.row-chosen');
  // What its commands ask for.
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.getByRole('button', { name: 'Copy the job’s id' }).click();
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), 'fails-much');
  await tab.close();
});

test('by the keys one zooms in to a mark, and one that goes out of sight leaves the keyboard with the timeline', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/job?id=long', 'Job long');
  const address = (): string => page.url();
  const mark = page.getByRole('button', { name: /^Checkpoint failed/ });
  await mark.focus();
  for (const key of ['+', '+', '+']) {
    const before = address();
    await page.keyboard.press(key);
    await until(
      async () => address(),
      (url) => url !== before,
      'the zoom',
    );
    // One zooms in to the mark that has the keyboard, and not to the middle.
    await mark.and(page.locator(':focus')).waitFor();
  }
  await until(
    async () => {
      await page.keyboard.press('ArrowRight');
      return page.locator('.mark').count();
    },
    (count) => count === 0,
    'the mark out of sight',
  );
  const first = address();
  await page.locator('section[aria-labelledby=timeline]:focus').waitFor();
  await page.keyboard.press('+');
  await until(
    async () => address(),
    (url) => url !== first,
    'the next zoom',
  );
  await tab.close();
});

test('two fingers on a timeline zoom in and out, and the scale of two days says which days', async () => {
  const tab = await Tab.open(browser, server.address, { look: 'narrow-light' });
  const { page } = tab;
  const at = (hours: number): string => new Date(Date.UTC(2026, 0, 31, 20 - hours)).toISOString();
  const events = [
    { eventType: 'Job-Creating', timestamp: at(50), nodeOid: 'i-here' },
    { eventType: 'Job-Running', timestamp: at(49) },
    { eventType: 'Job-Succeeded', timestamp: at(0) },
  ];
  await api.configKv({ 'job.successTTL': '87600h0m0s' });
  assert.equal((await api.post('/api/v1/job', [{ id: 'two-days', queueName: 'day', events }])).status, 200);
  await page.setViewportSize({ width: 390, height: 844 });
  await tab.go('/job?id=two-days', 'Job two-days');
  const labels = page.locator('.lane-scale > span:visible');
  await labels.first().waitFor();
  assert.deepEqual(await labels.allTextContents(), ['Jan 30', 'Jan 31']);
  const track = page.getByRole('img', { name: /^i-here/ });
  // Not below the bar at the bottom.
  await track.evaluate((lane) => lane.scrollIntoView({ block: 'center' }));
  const box = await track.boundingBox();
  assert.ok(box);
  const devtools = await page.context().newCDPSession(page);
  await devtools.send('Emulation.setTouchEmulationEnabled', { enabled: true, maxTouchPoints: 2 });
  const touch = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...shares: number[]): Promise<unknown> =>
    devtools.send('Input.dispatchTouchEvent', {
      type,
      touchPoints: shares.map((share, id) => ({ x: box.x + share * box.width, y: box.y + box.height / 2, id })),
    });
  const pinch = async (from: [number, number], to: [number, number]): Promise<void> => {
    await touch('touchStart', from[0]);
    await touch('touchStart', ...from);
    await touch('touchMove', (from[0] + to[0]) / 2, (from[1] + to[1]) / 2);
    await touch('touchMove', ...to);
    await touch('touchEnd');
  };
  const hours = (): number => {
    const { searchParams } = new URL(page.url());
    return (Date.parse(searchParams.get('end') ?? '') - Date.parse(searchParams.get('start') ?? '')) / 3_600_000;
  };
  await pinch([0.4, 0.6], [0.2, 0.8]);
  await page.waitForURL(/start=/);
  assert.ok(Math.abs(hours() - 50 / 3) < 1, `${hours()} h in sight`);
  assert.equal(await page.locator('.lane-tip').count(), 0, 'a tip of where a finger was');
  await pinch([0.1, 0.9], [0.4, 0.6]);
  await page.waitForURL((url) => !url.searchParams.has('start'));
  // A thumb that taps again finds the button where it was, also on a small phone.
  await page.setViewportSize({ width: 360, height: 740 });
  const nearer = page.getByRole('button', { name: 'Zoom in' });
  const before = await nearer.evaluate((button) => JSON.stringify(button.getBoundingClientRect()));
  await nearer.click();
  const all = page.getByRole('button', { name: 'Show all' });
  await all.waitFor();
  assert.equal(await nearer.evaluate((button) => JSON.stringify(button.getBoundingClientRect())), before);
  await all.click();
  await page.waitForURL((url) => !url.searchParams.has('start'));
  await tab.close();
});

test('on a phone what happened is whole beside a long name of a node', async () => {
  const nodeOid = 'gke-prod-spot-pool-n2-standard-8-3f9c1d2e-x7kq';
  const at = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
  const events = [
    { eventType: 'Job-Creating', timestamp: at(60), nodeOid },
    { eventType: 'Job-Running', timestamp: at(59) },
    ...[50, 40, 30].flatMap((minutes) => [
      { eventType: 'Job-Checkpointing', timestamp: at(minutes) },
      { eventType: 'Job-CheckpointSucceeded', timestamp: at(minutes - 1) },
    ]),
  ];
  assert.equal((await api.post('/api/v1/job', [{ id: 'far', queueName: 'day', events }])).status, 200);
  const tab = await Tab.open(browser, server.address, { look: 'narrow-light' });
  const { page } = tab;
  await page.setViewportSize({ width: 360, height: 740 });
  await tab.go('/job?id=far', 'Job far');
  const name = page.getByRole('button', { name: '3 checkpoints succeeded' });
  await name.waitFor();
  const cell = page.locator('.job-events .cell', { has: name });
  assert.ok(await cell.evaluate((one) => one.scrollWidth <= one.clientWidth && one.clientWidth > 150));
  assert.ok((await tab.overflow()) <= 0);
  // The server does not know the node: nobody can say how long the job ran on.
  const unsaved = page.getByLabel('Checkpoints and restores').locator('div', { hasText: /^Unsaved work≥ 1\sm / });
  await unsaved.getByText(/; nothing was reported after its last event$/).waitFor();
  await tab.close();
});

test('a job that has just begun has its lane at once, and a long reason runs off no window', async () => {
  const at = new Date().toISOString();
  const reason = `exit 2: cannot read /mnt/efs/${'nextflow-work'.repeat(12)}/NA12878.bam`;
  const jobs = [
    { id: 'just-begun', queueName: 'day', events: [{ eventType: 'Job-Creating', timestamp: at, nodeOid: 'i-here' }] },
    { id: 'long-reason', queueName: 'day', events: [{ eventType: 'Job-Failed', timestamp: at, detail: reason }] },
  ];
  assert.equal((await api.post('/api/v1/job', jobs)).status, 200);
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/job?id=just-begun', 'Job just-begun');
  await page.getByRole('img', { name: /^i-here: starting/ }).waitFor({ timeout: 8_000 });
  await page.setViewportSize({ width: 1_024, height: 768 });
  await tab.go('/job?id=long-reason', 'Job long-reason');
  await page.locator('.finding', { hasText: 'cannot read' }).waitFor();
  assert.ok((await tab.overflow()) <= 0);
  await tab.close();
});
