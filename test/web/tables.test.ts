/** Tables as they are read: who has the room that there is, which row comes first, and what stands above them. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser, Locator } from 'playwright-core';
import { PHASES } from '../../src/protocol/phase.ts';
import { until } from '../support/api.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';
import { Tab, withBrowser } from './browser.ts';

let server: ServerProcess;
let browser: Browser;

const ago = (minutes: number): string => new Date(Date.now() - minutes * 60_000).toISOString();
const event = (eventType: string, minutes: number, more: object = {}): object => ({
  eventType,
  timestamp: ago(minutes),
  ...more,
});
const LONG = 'align-9933d86c-1f52-4a6b-8a3e-009d904c';
/** When something happened to two jobs, the second of them four seconds after it; 3 s after a whole minute. */
const TWINS_MS = Math.floor(Date.now() / 60_000 - 30) * 60_000 + 3_000;
const REASON = 'exit 137: out of memory (limit 31 GiB, resident set 31.2 GiB), killed by the control group';

withServer({}, async ({ api, ...served }) => {
  ({ server } = served);
  const put = (name: string) =>
    api.put(`/api/v1/node/${name}.eu-west-1.compute.internal`, {
      instance: { instanceId: `i-${name}`, instanceType: 'm5.xlarge', zone: 'eu-west-1b', payType: 'Spot' },
    });
  await put('ip-10-12-149-20');
  await put('ip-10-12-149-21');
  const begun = (node: string, minutes: number): object[] => [
    event('Job-Creating', minutes, { nodeOid: `i-${node}`, containerId: 'c' }),
    event('Job-Running', minutes),
  ];
  const [lives, goes] = ['ip-10-12-149-20', 'ip-10-12-149-21'] as const;
  const saved = (minutes: number): object[] => [
    event('Job-Checkpointing', minutes + 1),
    event('Job-CheckpointSucceeded', minutes),
  ];
  const stuck = [
    event('Job-Restoring', 50, { nodeOid: `i-${lives}` }),
    event('Job-RestoreFailed', 49, { detail: REASON }),
  ];
  const long = { queueName: 'genomics/variant-calling-of-all-cohorts-of-this-year' };
  const jobs = [
    ...Array.from({ length: 6 }, (_, i) => ({
      id: `${LONG}-${i}`,
      ...long,
      events: [...begun(lives, 60), ...saved(20 + i)],
    })),
    ...Array.from({ length: 6 }, (_, i) => ({ id: `short-${i}`, queueName: 'q', events: begun(lives, 40) })),
    { id: `stuck-${LONG}`, ...long, events: [...begun(goes, 400), ...stuck] },
    { id: 'ends', ...long, events: [...begun(lives, 90), event('Job-Failed', 20, { detail: REASON })] },
    // Its save lasted ten minutes.
    {
      id: 'slow',
      queueName: 'slow',
      events: [...begun(lives, 90), event('Job-Checkpointing', 25), event('Job-CheckpointSucceeded', 15)],
    },
    // The one that stands to lose less changed last.
    { id: 'left-much', queueName: 'left', events: [...begun(goes, 90), ...saved(50)] },
    { id: 'left-little', queueName: 'left', events: [...begun(goes, 90), ...saved(5)] },
    ...[TWINS_MS, TWINS_MS + 4_000].map((ms, i) => ({
      id: `twin-${i}`,
      name: 'Twin',
      queueName: 'twins',
      events: [{ eventType: 'Job-Creating', timestamp: new Date(ms).toISOString(), nodeOid: `i-${lives}` }],
    })),
  ];
  assert.equal((await api.post('/api/v1/job', jobs)).status, 200);
  const gone = `/api/v1/node/${goes}.eu-west-1.compute.internal`;
  await api.post(`${gone}/interruption`, { action: 'terminate', time: ago(-2) });
  await api.delete(gone);
});

withBrowser((started) => {
  browser = started;
});

/** By column: pixels that its widest cell has to spare, and whether an id in it is cut. */
const SPARE = `(() => {
  const rows = [...document.querySelectorAll('.table-row')];
  const textRight = (cell) => {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    const range = document.createRange();
    let right = 0;
    while (texts.nextNode()) {
      range.selectNodeContents(texts.currentNode);
      right = Math.max(right, range.getBoundingClientRect().right);
    }
    return right;
  };
  const spare = (cell) => {
    const { paddingRight } = getComputedStyle(cell);
    return cell.getBoundingClientRect().right - parseFloat(paddingRight) - textRight(cell);
  };
  return [...rows[0].querySelectorAll('.cell')].map((head, i) => {
    const cells = rows.map((row) => row.querySelectorAll('.cell')[i]);
    return {
      name: head.textContent.replace(/ [↑↓]$/, ''),
      px: Math.min(...cells.map(spare)),
      isCut: cells.some((cell) => cell.querySelector('.long-id-cut') || cell.scrollWidth > cell.clientWidth),
    };
  });
})()`;

for (const width of [768, 1440])
  test(`no id is cut beside a column with room to spare at ${width} pixels`, async () => {
    const tab = await Tab.open(browser, server.address);
    // So high that the rows with the widest texts are drawn.
    await tab.page.setViewportSize({ width, height: 1_600 });
    for (const path of ['/jobs', '/jobs?phase=restoring&status=RestoreFailed', '/jobs?phase=failed']) {
      await tab.go(path, 'Jobs');
      await tab.page.locator('.table-body .table-row').first().waitFor();
      await tab.page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
      const all = (await tab.page.evaluate(SPARE)) as { name: string; px: number; isCut: boolean }[];
      const texts = all.filter(({ name }) => ['Job', 'Phase', 'Status', 'Queue', 'Node', 'Since'].includes(name));
      assert.ok(texts.length >= 3, path);
      assert.ok(
        texts.some(({ isCut }) => isCut),
        `${path}: nothing is cut`,
      );
      // An arrow beside the heading, and the step by which columns grow.
      assert.deepEqual(
        texts.filter(({ px, isCut }) => !isCut && px > 30),
        [],
        path,
      );
      assert.equal(all.find(({ name }) => name === 'Phase')?.isCut ?? false, false, `${path}: a pill is cut`);
    }
    await tab.close();
  });

test('of stranded jobs the one that stands to lose most comes first, with what became of its node', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/jobs?phase=stranded', 'Jobs');
  const rows = tab.page.locator('.table-body .table-row');
  await rows.nth(1).waitFor();
  assert.deepEqual(
    (await rows.allTextContents()).map((text) => /left-(much|little)/.exec(text)?.[1]),
    ['much', 'little'],
  );
  await rows
    .first()
    .getByRole('cell', { name: /^Deregistered \d+\s[sm] ago/ })
    .waitFor();
  await tab.page.getByRole('button', { name: /^Unsaved/ }).click();
  await tab.page.waitForURL(/phase=stranded.*sort=unsaved|sort=unsaved.*phase=stranded/);
  await tab.close();
});

test('where unsaved work is more than the age of the last checkpoint, lists and the job’s page say from when it counts', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await page.setViewportSize({ width: 1_900, height: 900 });
  await tab.go('/jobs?queue=slow', 'Jobs');
  // Ten minutes apart, however long ago that is by now.
  await until(
    () => page.locator('.table-body .table-row').first().textContent(),
    (text) => {
      const [, unsaved, ended] = /(\d+)\sm(?:\s\d+\ss)?(\d+)\sm ago$/.exec(text ?? '') ?? [];
      return Number(unsaved) - Number(ended) === 10;
    },
    'the unsaved work to be ten minutes more than the age of the checkpoint',
  );
  const titleOf = (name: string): Promise<string | null> =>
    page.getByRole('columnheader', { name }).getAttribute('title');
  assert.equal(
    await titleOf('Unsaved'),
    'Unsaved: run time since the last good checkpoint began, or since the last restore',
  );
  assert.match((await titleOf('Last checkpoint')) ?? '', /ended\. Unsaved work counts from when it began\.$/);
  await tab.go('/job?id=slow', 'Job slow');
  await tab.sees('run time since the last good checkpoint began');
  await tab.go(
    '/node?id=ip-10-12-149-20.eu-west-1.compute.internal',
    'Node ip-10-12-149-20.eu-west-1.compute.internal',
  );
  await page.getByRole('columnheader', { name: 'Unsaved' }).waitFor();
  assert.equal(
    await titleOf('Unsaved'),
    'Unsaved: run time since the last good checkpoint began, or since the last restore',
  );
  await tab.close();
});

test('the states of a list are one line of pills on a phone, on every page that has them', async () => {
  const tab = await Tab.open(browser, server.address, { look: 'narrow-light' });
  for (const [path, heading] of [
    ['/jobs', 'Jobs'],
    ['/nodes', 'Nodes'],
    ['/queue?name=q', 'Queue q'],
  ] as const) {
    await tab.go(path, heading);
    const pills = tab.page.locator('.states > .state-pill');
    await pills.nth(4).waitFor({ state: 'attached' });
    const tops = (await tab.page.evaluate(
      "[...document.querySelectorAll('.states > .state-pill')].filter((pill) => pill.checkVisibility()).map((pill) => Math.round(pill.getBoundingClientRect().top))",
    )) as number[];
    assert.equal(new Set(tops).size, 1, path);
    assert.ok((await tab.overflow()) <= 0, path);
  }
  await tab.close();
});

test('on a phone the chosen state is whole, also when counts come late, and an end with more beyond it is faded', async () => {
  const tab = await Tab.open(browser, server.address, { look: 'narrow-light' });
  const { page } = tab;
  let answer: () => void = () => {};
  const held = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route('**/api/v1/job/count**', async (route) => {
    await held;
    const counts = Object.fromEntries(PHASES.map((phase) => [phase, 123_456]));
    await route.fulfill({ json: { total: 1_234_567, counts } });
  });
  const strip = page.locator('.states');
  const isWhole = (): Promise<unknown> =>
    until(
      () =>
        page.evaluate(`(() => {
          const strip = document.querySelector('.states').getBoundingClientRect();
          const pill = document.querySelector('.states [aria-current]').getBoundingClientRect();
          return Math.floor(Math.max(0, strip.left - pill.left, pill.right - strip.right));
        })()`),
      (hiddenPx) => hiddenPx === 0,
      'the chosen state is whole',
    );
  await tab.go('/jobs?phase=failed', 'Jobs');
  await strip.locator('[aria-current]', { hasText: 'Failed' }).waitFor();
  answer();
  // The chosen one counts its list.
  await strip.getByText('123,456').first().waitFor();
  await isWhole();
  await page.locator('.states.more-before.more-after').waitFor();
  // One can look at the others, also while their figures change.
  const scrolled = await page.evaluate(`new Promise((resolve) => {
    const strip = document.querySelector('.states');
    strip.scrollTo(0, 0);
    strip.querySelector('.state-count').textContent = '1,234,568';
    requestAnimationFrame(() => resolve(strip.scrollLeft));
  })`);
  assert.equal(scrolled, 0);
  await page.locator('.states.more-after:not(.more-before)').waitFor();
  await page.getByRole('link', { name: 'Succeeded 123,456', exact: true }).click();
  await strip.locator('[aria-current]', { hasText: 'Succeeded' }).waitFor();
  await isWhole();
  await page.locator('.states.more-before:not(.more-after)').waitFor();
  await page.setViewportSize({ width: 320, height: 700 });
  await isWhole();
  await tab.close();
});

test('where there is little room states without a job yield to those that went wrong, and an empty list has one', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await page.setViewportSize({ width: 768, height: 900 });
  const pills = page.locator('.states > .state-pill:visible');
  const texts = (): Promise<string[]> => pills.allTextContents();
  await tab.go('/jobs', 'Jobs');
  // Restoring is known later than the others: what is found visible before that is read afterwards.
  await until(texts, (all) => all.join().includes('Failed 1') && all.every((text) => /\d$/.test(text)), 'all counts');
  assert.deepEqual(
    (await texts()).filter((text) => text.endsWith(' 0')),
    [],
  );
  await page.setViewportSize({ width: 1440, height: 900 });
  assert.match((await texts()).join(), /^All \d+,Stranded \d+,Failed \d+,Restore failed \d+,Running \d+,Starting /);
  await tab.go('/jobs?q=no-such-job', 'Jobs');
  await until(texts, (all) => all.join() === 'All 0', 'one state of an empty list');
  await tab.close();
});

test('sorted by unsaved work, all jobs stay all: those that have any come, stranded ones among them', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/jobs', 'Jobs');
  await page.getByRole('columnheader', { name: 'Unsaved' }).getByRole('button').click();
  await page.getByText('Only running and stranded jobs have unsaved work; the others are left out.').waitFor();
  await page.locator('.states [aria-current]', { hasText: 'All' }).waitFor();
  await page.getByText(/^\d+ jobs with unsaved work$/).waitFor();
  const ids = await page.locator('.table-row a[href^="/job?"]').allTextContents();
  const places = ['left-much', 'short-0', 'slow', 'left-little'].map((id) =>
    ids.findIndex((text) => text.startsWith(id)),
  );
  assert.deepEqual(
    places,
    places.toSorted((a, b) => a - b),
    ids.join(),
  );
  assert.ok(!places.includes(-1) && !ids.some((text) => text.startsWith('ends')), ids.join());
  await page.getByRole('button', { name: 'Show all jobs' }).click();
  await page.getByRole('row', { name: /^ends/ }).waitFor();
  // Jobs of a phase without unsaved work are not sorted by it.
  await tab.go('/jobs?phase=failed&sort=-unsaved', 'Jobs');
  await page.getByRole('row', { name: /^ends/ }).waitFor();
  await page.locator('[role=columnheader][aria-sort=descending]', { hasText: 'Failed' }).waitFor();
  await tab.close();
});

test('the page of a queue counts its jobs as the list does, and tells where each one is', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  const texts = (): Promise<string[]> => page.locator('.states > .state-pill').allTextContents();
  const areCounted = (all: readonly string[]): boolean => all.length > 1 && all.every((text) => /\d$/.test(text));
  await tab.go('/jobs?queue=left', 'Jobs');
  const listed = await until(texts, areCounted, 'counts of the list');
  await tab.go('/queue?name=left', 'Queue left');
  assert.deepEqual(await until(texts, areCounted, 'counts of the queue'), listed);
  assert.match(listed.join(), /^All 2,Stranded 2,/);
  const row = page.getByRole('row', { name: /^left-much/ });
  await row.getByRole('link', { name: 'ip-10-12-149-21' }).waitFor();
  await row.getByRole('cell', { name: /^50\sm ago$/ }).waitFor();
  await tab.close();
});

test('rows of jobs with names are as high as two lines need, and follow each other without a gap', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/jobs?queue=twins', 'Jobs');
  await page.getByRole('row', { name: /^twin-1/ }).waitFor();
  const places = `[...document.querySelectorAll('.table-body .table-row')].map((row) => {
    const { top, bottom } = row.getBoundingClientRect();
    return [top, bottom];
  })`;
  const [[, end] = [], [begin, last] = []] = (await page.evaluate(places)) as [number, number][];
  assert.equal(begin, end);
  assert.equal(Number(last) - Number(begin), 48);
  await tab.close();
});

test('a job is found by the name of its node that the list shows, although the job itself has another one', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/jobs?q=IP-10-12-149-21', 'Jobs');
  await page.getByText(/^Jobs on node ip-10-12-149-21$/).waitFor();
  await page.getByRole('row', { name: /^left-much/ }).waitFor();
  assert.equal(await page.getByRole('row', { name: /^short-0/ }).count(), 0);
  // The jobs themselves have nothing of this part of its name.
  await tab.go('/jobs?q=149-21.EU-west', 'Jobs');
  await page.getByRole('row', { name: /^left-much/ }).waitFor();
  assert.equal(await page.getByRole('row', { name: /^short-/ }).count(), 0);
  await tab.close();
});

test('a long name in the address does not widen the metrics page', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.page.setViewportSize({ width: 768, height: 900 });
  await tab.page.route('**/api/v1/metricValue/**', (route) => route.fulfill({ json: { points: [] } }));
  const series = `queue-${'a-queue-of-'.repeat(8)}/metricDef-jobSubmitted`;
  await tab.go(`/explore?series=${encodeURIComponent(series)}`, 'Metrics');
  await tab.page.getByRole('button', { name: 'Remove' }).waitFor();
  assert.ok((await tab.overflow()) <= 0, `${await tab.overflow()} px`);
  await tab.close();
});

test('a series is compared with as much time before, which the address keeps', async () => {
  const tab = await Tab.open(browser, server.address);
  const asked: { readonly startMs: number; readonly endMs: number }[] = [];
  await tab.page.route('**/api/v1/metricValue/**', async (route) => {
    const { searchParams } = new URL(route.request().url());
    const [startMs, endMs] = ['start', 'end'].map((name) => Date.parse(searchParams.get(name) ?? '')) as [
      number,
      number,
    ];
    asked.push({ startMs, endMs });
    // What was before is twice as much.
    const value = endMs < Date.now() - 3_600_000 ? 2_000 : 1_000;
    const time = new Date(startMs + (endMs - startMs) / 2).toISOString();
    await route.fulfill({ json: { points: [{ time, value, count: 1 }] } });
  });
  await tab.go('/explore?series=system-total/metricDef-jobSubmitted&range=24h', 'Metrics');
  // The chart has its room before its points are asked for.
  await tab.page.getByRole('img', { name: /^Series: .*1,000/ }).waitFor();
  assert.equal(asked.length, 1);
  await tab.choose('Comparison', 'Previous period');
  await tab.sees(/^Grey: .* – .*\.$/);
  await tab.sees('before: 2,000 in sum, now −50 %');
  const image = tab.page.getByRole('img', { name: /Before.*2,000/ });
  await image.waitFor();
  const [now, before] = asked as [(typeof asked)[0], (typeof asked)[0]];
  assert.equal(before.endMs - before.startMs, now.endMs - now.startMs);
  assert.equal(now.endMs - before.endMs, 24 * 3_600_000, 'a day is compared with the day before');
  await tab.page.reload();
  await image.waitFor();
  assert.deepEqual(await tab.violations(), []);
  // The pasts of several could not be told apart on one chart: each has its own.
  const both = ['jobSubmitted', 'coreTime'].map((name) => `system-total/metricDef-${name}`).join(',');
  await tab.go(`/explore?series=${both}&range=24h`, 'Metrics');
  await tab.choose('Comparison', 'Previous period');
  await tab.page.waitForURL(/charts=each/);
  await tab.sees(/^Grey: .* – .*\.$/);
  // The way back keeps the time.
  await tab.page.getByRole('link', { name: 'Start here' }).click();
  await tab.page.waitForURL(/\/explore\?range=24h$/);
  await tab.sees('Start here');
  await tab.close();
});

async function withOnePointEach({ page }: Tab): Promise<void> {
  await page.route('**/api/v1/metricValue/**', async (route) => {
    const time = new URL(route.request().url()).searchParams.get('start');
    await route.fulfill({ json: { points: [{ time, value: 1_000, count: 1 }] } });
  });
}

/** From three tenths of the chart's width to that share of it, without letting go. The width in pixels. */
async function pressAndMove({ page }: Tab, chart: Locator, to: number): Promise<number> {
  const { x, y, width, height } = (await chart.boundingBox()) ?? assert.fail('no chart');
  await page.mouse.move(x + width * 0.3, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + width * to, y + height / 2, { steps: 4 });
  return width;
}

test('a drag over a chart zooms in, and leaves no mark on what is shown then', async () => {
  const tab = await Tab.open(browser, server.address);
  await withOnePointEach(tab);
  await tab.go('/explore?series=system-total/metricDef-jobSubmitted&range=24h', 'Metrics');
  const ground = tab.page.locator('.u-over');
  await ground.waitFor();
  const width = await pressAndMove(tab, ground, 0.5);
  const marked = async (): Promise<number> => (await tab.page.locator('.u-select').boundingBox())?.width ?? 0;
  assert.ok((await marked()) > width * 0.1, 'what is dragged over is marked meanwhile');
  await tab.page.mouse.up();
  await tab.page.waitForURL(/start=.*end=/);
  await until(marked, (px) => px === 0, 'nothing is marked');
  await tab.close();
});

test('a drag over one of several charts is a range of the page, and the name of each leads to its series', async () => {
  const tab = await Tab.open(browser, server.address);
  await withOnePointEach(tab);
  await tab.go('/', 'Overview');
  const ground = tab.page.locator('.chart', { has: tab.page.getByRole('img', { name: 'Jobs' }) }).locator('.u-over');
  await ground.scrollIntoViewIfNeeded();
  await pressAndMove(tab, ground, 0.6);
  // Only the chart below the pointer shows what is chosen.
  const marked = `[...document.querySelectorAll('.u-select')].filter((part) => part.getBoundingClientRect().width > 0).length`;
  assert.equal(await tab.page.evaluate(marked), 1);
  await tab.page.mouse.up();
  await tab.page.waitForURL((url) => url.pathname === '/' && url.searchParams.has('start'));
  const { searchParams } = new URL(tab.page.url());
  const [start, end] = ['start', 'end'].map((name) => Date.parse(searchParams.get(name) ?? ''));
  // Three tenths of a day.
  assert.ok(Math.abs((end as number) - (start as number) - 7.2 * 3_600_000) < 1_800_000, searchParams.toString());
  await tab.page.getByRole('link', { name: 'Savings', exact: true }).click();
  await tab.page.waitForURL(
    (url) => url.pathname === '/explore' && url.searchParams.get('start') === searchParams.get('start'),
  );
  assert.match(decodeURIComponent(tab.page.url()), /spotSavings/);
  await tab.close();
});

test('figures of a time are as wide as each other, its hyphens are not', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/job?id=ends', 'Job ends');
  await tab.page.locator('time .hyphen').first().waitFor();
  const share = `(() => {
    const hyphen = document.querySelector('time .hyphen');
    const figures = document.createRange();
    figures.selectNodeContents(hyphen.nextSibling);
    return hyphen.getBoundingClientRect().width / (figures.getBoundingClientRect().width / hyphen.nextSibling.length);
  })()`;
  assert.ok(((await tab.page.evaluate(share)) as number) < 0.85, 'a hyphen is as wide as a figure');
  await tab.close();
});

test('what happened earlier never reads as younger, also as its age comes to a minute', async () => {
  const tab = await Tab.open(browser, server.address);
  const { clock } = tab.page;
  // Long before: it goes on until it is stopped, and a slow machine needs its time.
  await clock.install({ time: TWINS_MS - 240_000 });
  await tab.go('/jobs?queue=twins', 'Jobs');
  const secondsOf = async (id: string): Promise<number> => {
    const age = await tab.page
      .getByRole('row', { name: new RegExp(`^${id}`) })
      .locator('time')
      .last()
      .textContent();
    const [, amount = '', unit] = /^(\d+)\s([sm]) ago$/.exec(age ?? '') ?? [];
    return Number(amount) * (unit === 'm' ? 60 : 1);
  };
  // They come by the clock that stands still from then on.
  await secondsOf('twin-1');
  await clock.pauseAt(TWINS_MS + 57_000);
  for (let second = 0; second < 10; second++) {
    await clock.runFor(1_000);
    const ages = [await secondsOf('twin-0'), await secondsOf('twin-1')];
    assert.ok((ages[0] ?? 0) >= (ages[1] ?? Number.NaN), `${ages.join(' s, ')} s`);
  }
  await tab.close();
});
