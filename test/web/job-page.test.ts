/** The page of a job: why it failed, what happened when, and what can be done with it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser } from 'playwright-core';
import { Api, until } from '../support/api.ts';
import { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';
import { Tab, withBrowser } from './browser.ts';

let server: ServerProcess;
let browser: Browser;
let api: Api;

const BEGAN = Date.now();
const ago = (minutes: number): string => new Date(BEGAN - minutes * 60_000).toISOString();
const event = (eventType: string, minutes: number, more: object = {}): object => ({
  eventType,
  timestamp: ago(minutes),
  ...more,
});

withServer({}, async (served) => {
  ({ server, api } = served);
  for (const name of ['one', 'two', 'gone'])
    await api.put(`/api/v1/node/${name}.node`, { instance: { instanceId: `i-${name}`, payType: 'Spot' } });
  const priced = { instanceId: 'i-priced', payType: 'Spot', pricePerHour: 0.5 };
  await api.put('/api/v1/node/priced.node', { instance: priced });
  const saved = (minutes: number) => [
    event('Job-Checkpointing', minutes),
    event('Job-CheckpointSucceeded', minutes - 1),
  ];
  const events = [
    event('Job-Creating', 101, { nodeOid: 'i-one', containerId: 'c' }),
    event('Job-Running', 100),
    ...[90, 80, 70].flatMap(saved),
    event('Job-Checkpointing', 60),
    event('Job-CheckpointFailed', 59, { detail: 'no-space: disk is full' }),
    event('Job-Restoring', 50, { nodeOid: 'i-two', containerId: 'd' }),
    event('Job-RestoreSucceeded', 49),
  ];
  const job = (id: string, all: readonly object[]): object => ({ id, queueName: 'q', events: all });
  const ended = (id: string, nodeOid: string, minutes: number, last: string): object =>
    job(id, [event('Job-Creating', minutes + 1, { nodeOid }), event('Job-Running', minutes), event(last, 5)]);
  const jobs = [
    { id: 'failed.job', queueName: 'q', events: [...events, event('Job-Failed', 5, { detail: 'exit code 3' })] },
    { id: 'live.job', queueName: 'q', events },
    {
      id: 'over.job',
      queueName: 'q',
      // Within the hour its duration has seconds, so that one that goes on is another one.
      events: [
        event('Job-Creating', 41, { nodeOid: 'i-one', containerId: 'c' }),
        event('Job-Running', 40),
        event('Job-Checkpointing', 6),
        event('Job-Succeeded', 5),
        event('Job-CheckpointSucceeded', 4),
      ],
    },
    job('stranded.job', [event('Job-Creating', 41, { nodeOid: 'i-gone', containerId: 'c' }), event('Job-Running', 40)]),
    ended('left.job', 'i-gone', 40, 'Job-Stopped'),
    ended('unsaved.job', 'i-one', 10, 'Job-Failed'),
    ended('halted.job', 'i-one', 40, 'Job-Stopped'),
    job('untold.job', [event('Job-Running', 60), event('Job-RestoreSucceeded', 30), event('Job-Failed', 5)]),
    {
      id: 'priced.job',
      queueName: 'q',
      events: [
        event('Job-Creating', 61, { nodeOid: 'i-priced' }),
        event('Job-Running', 60),
        event('Job-Checkpointing', 40),
        event('Job-Running', 30),
        event('Job-Checkpointing', 2),
      ],
    },
    {
      id: 'done.job',
      queueName: 'q',
      events: [
        event('Job-Creating', 61, { nodeOid: 'i-two' }),
        event('Job-Running', 60),
        event('Job-Succeeded', 10),
        event('Job-Archived', 6),
      ],
    },
    ended('mute.job', 'i-two', 10, 'Job-Failed'),
    {
      id: 'twice.job',
      queueName: 'q',
      events: [
        event('Job-Creating', 61, { nodeOid: 'i-priced' }),
        event('Job-Running', 60),
        event('Job-Checkpointing', 50),
        event('Job-CheckpointFailed', 49),
        ...saved(45),
        event('Job-Failed', 30),
        event('Job-Creating', 20, { nodeOid: 'i-two' }),
        event('Job-Running', 19),
        ...saved(15),
        event('Job-Restoring', 12, { nodeOid: 'i-two' }),
        event('Job-RestoreSucceeded', 11),
      ],
    },
    // Some engines report restores, and no checkpoint.
    {
      id: 'restored.job',
      queueName: 'restored',
      events: [
        event('Job-Creating', 61, { nodeOid: 'i-two' }),
        event('Job-Running', 60),
        event('Job-Restoring', 30, { nodeOid: 'i-two' }),
        event('Job-RestoreSucceeded', 29),
      ],
    },
    job('stuck.job', [...events.slice(0, -1), event('Job-RestoreFailed', 49, { detail: 'no image' })]),
  ];
  assert.equal((await api.post('/api/v1/job', jobs)).status, 200);
  await api.post('/api/v1/node/gone.node/interruption', { action: 'terminate', time: ago(-2) });
  await api.delete('/api/v1/node/gone.node');
  const path = '/api/v1/nodes/two.node/files/jobs/failed.job/stderr.log?offset=0';
  assert.equal((await api.post(path, 'Loading\nTraceback: out of cheese\n')).status, 200);
});

withBrowser((started) => {
  browser = started;
});

test('each checkpoint of a timeline begins and ends at a whole pixel of it, and has two at least', async () => {
  const tab = await Tab.open(browser, server.address, { look: 'narrow-dark' });
  await tab.go('/job?id=live.job', 'Job live.job');
  await tab.page.locator('.lane .span-checkpointing').first().waitFor();
  const places = `[...document.querySelectorAll('.lane .span-checkpointing')].map((span) => {
    const { left, width } = span.getBoundingClientRect();
    return [left - span.parentElement.getBoundingClientRect().left, width];
  })`;
  const spans = (await tab.page.evaluate(places)) as [number, number][];
  assert.equal(spans.length, 4);
  const isWhole = (px: number): boolean => Math.abs(px - Math.round(px)) < 0.02;
  assert.ok(
    spans.every(([left, width]) => isWhole(left) && isWhole(width) && width > 1.9),
    JSON.stringify(spans),
  );
  await tab.close();
});

test('a job that was restored is nowhere called one that was never saved', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/job?id=restored.job', 'Job restored.job');
  await tab.sees(/^run time since it was restored at .*\d:\d\d.*; no successful checkpoint was reported$/);
  await page.getByLabel('Checkpoints and restores').getByText('none was reported', { exact: true }).waitFor();
  await tab.go('/jobs?queue=restored', 'Jobs');
  await page
    .getByRole('row', { name: /^restored\.job/ })
    .getByText('not reported')
    .waitFor();
  // What ran before the restore was lost at that.
  await tab.go('/job?id=live.job', 'Job live.job');
  const unsaved = page.getByLabel('Checkpoints and restores').locator('div', { hasText: 'Unsaved work' });
  await unsaved
    .getByText(/^run time since it was restored at .*\d:\d\d.*; the last good checkpoint began at .*\d:\d\d/)
    .waitFor();
  await tab.close();
});

test('what is not known of a job is no figure: savings without an on-demand price, attempts without an outcome', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/job?id=priced.job', 'Job priced.job');
  const row = page.getByRole('row', { name: /^priced\.node/ });
  await row.locator('[data-label="Cost"]', { hasText: '$0.50' }).waitFor();
  assert.equal(await row.locator('[data-label="Saved by spot"]').textContent(), 'unknown');
  await page
    .getByRole('row', { name: /^Total so far/ })
    .getByText('unknown', { exact: true })
    .waitFor();
  const checkpoints = page.getByLabel('Checkpoints and restores').locator('div', { hasText: /^Checkpoints/ });
  assert.match((await checkpoints.textContent()) ?? '', /0 of 1 succeeded, 1 without an outcome · 1 more in progress/);
  await tab.close();
});

test('a job that was run again tells which run it is, and what its runs cost at least', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/job?id=twice.job', 'Job twice.job');
  await tab.page.locator('.fact-line > div', { hasText: /^Run\s*2, submitted (\w+ \d+, )?\d\d:\d\d$/ }).waitFor();
  await tab.page.getByRole('row', { name: /^Run 1\b/ }).waitFor();
  await tab.page.getByRole('row', { name: /^Run 2\b/ }).waitFor();
  const total = tab.page.getByRole('row', { name: /^Total so far/ });
  assert.equal(await total.locator('[data-label="Cost"]').textContent(), '≥ $0.25');
  const overRuns = /^Work not repeated is that of each run\./;
  await tab.sees(overRuns);
  await tab.sees(/ · 1 of 2 succeeded in earlier runs, set aside$/);
  await tab.go('/job?id=priced.job', 'Job priced.job');
  assert.equal(await tab.page.locator('.fact-line > div', { hasText: /^Run\b/ }).count(), 0);
  await tab.go('/job?id=failed.job', 'Job failed.job');
  await tab.page.getByRole('row', { name: /^Total/ }).waitFor();
  assert.equal(await tab.page.getByText(overRuns).count(), 0);
  await tab.close();
});

test('of a job that succeeded the work that it did is told, not what is at stake', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/job?id=done.job', 'Job done.job');
  const first = tab.page.getByLabel('Checkpoints and restores').locator('div').first();
  assert.match((await first.textContent()) ?? '', /^Work done50\sm run time$/);
  // It ended when it succeeded, whatever was reported after that.
  assert.match((await tab.page.locator('.fact-line').first().textContent()) ?? '', /Duration\s*51\sm$/);
  await tab.sees(/^Succeeded (at|on) .*, after 51\sm\.$/);
  await tab.close();
});

test('that a failed job has sent no logs is told once', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/job?id=mute.job', 'Job mute.job');
  await tab.sees(/^This job has sent no logs\./);
  await tab.page.getByRole('heading', { name: 'Details' }).waitFor();
  assert.equal(await tab.page.getByText(/has sent (no logs|none)/).count(), 1);
  await tab.close();
});

test('a job that failed shows why, and the last lines that it wrote', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/job?id=failed.job', 'Job failed.job');
  await tab.sees(/^Failed (at|on) .*: exit code 3\.$/);
  const lines = tab.page.getByRole('region', { name: 'Last lines of standard error' });
  await lines.getByText('Traceback: out of cheese').waitFor();
  // Its log, the same lines, is shown once it is asked for.
  assert.equal(await tab.page.getByRole('region', { name: 'Lines', exact: true }).count(), 0);
  await tab.page.getByRole('button', { name: 'All of its logs', exact: true }).click();
  await tab.page.getByRole('region', { name: 'Lines', exact: true }).getByText('Traceback').waitFor();
  assert.equal(await tab.page.getByRole('combobox', { name: 'Log file' }).textContent(), 'stderr of this job');
  // On its node another job runs; nothing more comes from this one.
  await tab.sees('2 lines · the log ended');
  assert.equal(await tab.page.getByRole('button', { name: /^(Checkpoint now|Pause)$/ }).count(), 0, 'it has ended');
  assert.deepEqual(await tab.violations(), []);
  await tab.close();
});

test('tables begin below their headings, no line is below the last row, and what a node is stands beside its name', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/job?id=failed.job', 'Job failed.job');
  await tab.page.locator('.job-events .table-body .table-row').first().waitFor();
  await tab.page.locator('.cost-table tbody th').first().waitFor();
  const lefts = `['#events', '#cost'].flatMap((id) => {
    const heading = document.querySelector(id);
    const first = heading.closest('.panel').querySelector('.table-head .cell, thead th');
    const text = document.createRange();
    text.selectNodeContents(first);
    return Math.round(text.getBoundingClientRect().left - heading.getBoundingClientRect().left);
  })`;
  assert.deepEqual(await tab.page.evaluate(lefts), [0, 0]);
  const lines = `['.job-events .table-body .table-row:last-child', '.cost-table tfoot th'].map((last) => getComputedStyle(document.querySelector(last)).borderBottomWidth)`;
  assert.deepEqual(await tab.page.evaluate(lines), ['0px', '0px']);
  const tops = `(() => {
    const [name, chip] = document.querySelector('.cost-node:has(.badge)').children;
    return Math.abs(name.getBoundingClientRect().top - chip.getBoundingClientRect().top) < 8;
  })()`;
  assert.equal(await tab.page.evaluate(tops), true, 'the chip is below the name');
  await tab.close();
});

test('a mark of the timeline leads to its event, a drag zooms in, and events are grouped, chosen by kind, or raw', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/job?id=failed.job', 'Job failed.job');
  await tab.page.getByRole('cell', { name: '3 checkpoints succeeded' }).waitFor();
  await tab.page.getByRole('button', { name: /^Moved to another node/ }).click();
  await tab.page.locator('.row-chosen').filter({ hasText: 'Restoring' }).waitFor();
  const track = tab.page.getByRole('img', { name: /^i-one/ });
  await track.scrollIntoViewIfNeeded();
  const box = await track.boundingBox();
  assert.ok(box);
  await tab.page.mouse.move(box.x + box.width * 0.2, box.y + 4);
  // Since when, and how long: the pointer tells, and moves nothing.
  await tab.page.locator('.lane-tip', { hasText: /^Running .* – .*\(\d+\sm\)$/ }).waitFor();
  assert.deepEqual(await track.boundingBox(), box);
  await tab.page.getByRole('button', { name: /^Job failed/ }).hover();
  await tab.page.locator('.lane-tip', { hasText: /^Job failed .*exit code 3$/ }).waitFor();
  await tab.page.mouse.move(box.x + box.width * 0.2, box.y + 4);
  await tab.page.mouse.down();
  await tab.page.mouse.move(box.x + box.width * 0.35, box.y + 4);
  assert.equal(await tab.page.locator('.lane-zoom').count(), await tab.page.locator('.lane').count());
  await tab.page.mouse.up();
  await tab.page.getByRole('button', { name: /^Moved to another node/ }).waitFor({ state: 'detached' });
  await tab.page.getByRole('heading', { name: /^Events [1-9]\d? of \d+, .* – / }).waitFor();
  // It can be sent, and survives a reload.
  await tab.page.reload();
  await tab.page.getByRole('button', { name: 'Show all' }).waitFor();
  await tab.page.getByRole('cell', { name: 'Failed', exact: true }).waitFor({ state: 'detached' });
  await tab.page.getByRole('button', { name: 'Show all' }).click();
  await tab.page.getByRole('cell', { name: 'Failed', exact: true }).waitFor();
  await tab.page.getByRole('button', { name: /^Moved to another node/ }).waitFor();
  await tab.page.getByText('One by one').click();
  await tab.page.getByRole('cell', { name: '3 checkpoints succeeded' }).waitFor({ state: 'detached' });
  await tab.choose('Kind of event', 'Problems');
  await tab.page.getByText('Raw', { exact: true }).click();
  await tab.page.reload();
  const raw = (await tab.page.locator('.raw-events').textContent()) ?? '';
  assert.deepEqual(
    raw.split('\n').map((line) => (JSON.parse(line) as { eventType: string }).eventType),
    ['Job-Failed', 'Job-CheckpointFailed'],
  );
  await tab.close();
});

test('a job that ended before its last checkpoint was reported lasts until its end, and nothing of it is to be saved', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/job?id=over.job', 'Job over.job');
  await tab.sees(/^Succeeded (at|on) .*\d\d:\d\d\.$/);
  await page
    .getByLabel('In short')
    .locator('div', { hasText: /^Duration36\sm$/ })
    .waitFor();
  const ended = page
    .getByLabel('In short')
    .locator('div', { hasText: /^Ended/ })
    .locator('time');
  const { createdAt } = (await api.get('/api/v1/job/over.job')).json;
  assert.equal(Date.parse((await ended.getAttribute('datetime')) ?? '') - Date.parse(createdAt), 36 * 60_000);
  await page.locator('.timeline-foot').getByText('36 m in total.').waitFor();
  const atStake = page.getByLabel('Checkpoints and restores').locator('div', { hasText: 'Unsaved work' });
  await atStake.getByText('None', { exact: true }).waitFor();
  assert.equal(await page.getByRole('button', { name: 'Checkpoint now' }).count(), 0);
  await tab.close();
});

test('of a job whose node was reclaimed there is one diagnosis, and its lane ends with the node', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/job?id=stranded.job', 'Job stranded.job');
  const findings = page.getByRole('list', { name: 'How it is' }).getByRole('listitem');
  await findings.filter({ hasText: /^Stranded: the cloud reclaimed its node gone\.node at / }).waitFor();
  assert.equal(await findings.count(), 1);
  assert.equal(await findings.getByRole('link', { name: 'gone.node' }).getAttribute('href'), '/node?id=gone.node');
  await tab.sees(/with the same id and the same command as before: it starts from scratch\.$/);
  // One fact has one value: in the head, below the timeline, and in the list, where nothing goes on either.
  const duration = await page
    .getByLabel('In short')
    .locator('div', { hasText: 'Duration' })
    .locator('dd')
    .textContent();
  await page.locator('.timeline-foot').getByText(`${duration} until its node was deregistered.`).waitFor();
  assert.doesNotMatch((await findings.first().textContent()) ?? '', /\d (d|h|m|s)\b/, 'an age beside one that goes on');
  await page.locator('.legend').getByText('node gone').waitFor();
  await page.getByLabel('In short').getByText('Stranded').waitFor();
  await tab.go('/jobs?phase=stranded', 'Jobs');
  const row = page.getByRole('row', { name: /^stranded\.job .* (Lost|Deregistered) .* ago/ });
  await row.getByText(duration ?? '', { exact: true }).waitFor();
  await tab.go('/job?id=stranded.job', 'Job stranded.job');
  await tab.sees('run time since it started; never saved');
  assert.deepEqual(await tab.violations(), []);
  // Of one that had stopped before its node went, the node tells nothing.
  await tab.go('/job?id=left.job', 'Job left.job');
  await page.locator('.timeline-foot').getByText('36 m in total.').waitFor();
  await tab.go('/job?id=stranded.job', 'Job stranded.job');
  // Of its node there are no logs, and no card for them.
  await page.locator('.facts div', { hasText: /^LogsNone were sent$/ }).waitFor();
  assert.equal(await page.getByRole('heading', { name: 'Logs' }).count(), 0);
  // Of another job on its node there are some, which are not its own.
  await tab.go('/job?id=live.job', 'Job live.job');
  const none = page.locator('.facts div', { hasText: /^LogsNone sent\. Logs of its node$/ });
  assert.equal(await none.getByRole('link').getAttribute('href'), '/node?id=two.node#logs');
  assert.equal(await page.getByRole('heading', { name: 'Logs' }).count(), 0);
  // However late the answers of that page come, it is scrolled to the log.
  await page.route('**/node/two.node/explain', async (route) => {
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await route.continue();
  });
  await none.getByRole('link').click();
  await until(
    () => page.evaluate<number>(`document.getElementById('logs')?.getBoundingClientRect().top ?? Infinity`),
    (top) => top < 450,
    'the log in sight',
    30_000,
  );
  await page.unroute('**/node/two.node/explain');
  // Where the last restore failed, nothing is being restored.
  await tab.go('/job?id=stuck.job', 'Job stuck.job');
  await page.getByLabel('In short').getByText('Restore failed').waitFor();
  await tab.sees(/^Its last restore failed: no image/);
  const moment = page.locator('.finding time').first();
  assert.match((await moment.textContent()) ?? '', /^(\w+ \d+, )?\d\d:\d\d$/);
  assert.match((await moment.getAttribute('title')) ?? '', /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d /);
  // It began its last good checkpoint 20 minutes before it was to move.
  const atStake = page
    .getByLabel('Checkpoints and restores')
    .locator('div', { hasText: 'Work since the last checkpoint' });
  await atStake.getByText('20 m', { exact: true }).waitFor();
  // Where there is no checkpoint, nothing can have come since the last.
  await tab.go('/job?id=halted.job', 'Job halted.job');
  await page.locator('div:has(> dt:text-is("Work since it started"))').getByText('35 m', { exact: true }).waitFor();
  // A job that failed starts from scratch: all of its work is to be repeated.
  await tab.go('/job?id=unsaved.job', 'Job unsaved.job');
  const all = page.getByLabel('Checkpoints and restores').locator('div', { hasText: 'Work to repeat' });
  await all.getByText(/^5\sm$/).waitFor();
  await tab.go('/job?id=untold.job', 'Job untold.job');
  await all.getByText(/^≥ 25\sm a new run starts from scratch; what the restored checkpoint held/).waitFor();
  // The list says why, too.
  await tab.go('/jobs?phase=failed', 'Jobs');
  await page.getByRole('row', { name: /^failed\.job .* ago exit code 3/ }).waitFor();
  assert.equal(await page.getByRole('columnheader', { name: 'Unsaved' }).count(), 0, 'nothing is unsaved there');
  // A search does not look at reasons, and says where they are.
  await tab.go('/jobs?q=exit+code+3', 'Jobs');
  assert.equal(await page.getByRole('link', { name: 'Failed jobs' }).getAttribute('href'), '/jobs?phase=failed');
  await tab.go('/jobs?phase=restoring', 'Jobs');
  // The figures add up: nothing restores a job whose restore failed.
  await page.getByText('No job is being restored').waitFor();
  const failed = page.getByRole('link', { name: /^Restore failed [1-9]/ });
  await failed.waitFor();
  const figures = (await page.locator('.states .state-count').allTextContents()).map(Number);
  assert.equal(
    figures.slice(1).reduce((sum, figure) => sum + figure, 0),
    figures[0],
    figures.join(' '),
  );
  await failed.click();
  await page.waitForURL(/status=RestoreFailed/);
  await page.getByRole('row', { name: /^stuck\.job Restore failed no image/ }).waitFor();
  // What it would go back to.
  await page.getByRole('columnheader', { name: 'Last checkpoint' }).waitFor();
  await page
    .getByRole('row', { name: /^stuck\.job/ })
    .locator('.badge-bad', { hasText: 'Restore failed' })
    .waitFor();
  await tab.close();
});

test('a running job is saved on demand: its node gets the order', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/job?id=live.job', 'Job live.job');
  await tab.page.getByRole('button', { name: 'Checkpoint now' }).click();
  await tab.sees(/^Checkpoint ordered .* ago\. Waiting for its node to take the order\.$/);
  const { orders } = (await api.post('/api/v1/node/two.node/heartbeat', {})).json as {
    orders?: { id: string; type: string; job?: string }[];
  };
  assert.deepEqual(
    orders?.map(({ type, job }) => [type, job]),
    [['checkpoint', 'live.job']],
  );
  // Not twice while it waits; a page that is opened later tells it, too.
  await tab.page.reload();
  await tab.sees(/^Checkpoint ordered/);
  const button = tab.page.getByRole('button', { name: 'Checkpoint now' });
  assert.equal(await button.getAttribute('aria-disabled'), 'true');
  await api.post('/api/v1/node/two.node/heartbeat', { done: orders?.map(({ id }) => id) });
  await tab.sees(/Its node took the order .* ago and has not begun yet\.$/);
  assert.equal(await button.getAttribute('aria-disabled'), 'false');
  const done = [{ eventType: 'Job-Checkpointing', timestamp: new Date().toISOString() }];
  assert.equal((await api.post('/api/v1/job', [{ id: 'live.job', queueName: 'q', events: done }])).status, 200);
  await tab.page.getByText(/^Checkpoint ordered/).waitFor({ state: 'detached' });
  await tab.close();
});

test('which lines of a log are shown stands in the address', async () => {
  const tab = await Tab.open(browser, server.address);
  await tab.go('/node?id=two.node&q=cheese', 'Node two.node');
  await tab.sees('Traceback: out of cheese');
  assert.equal(await tab.page.getByText('Loading', { exact: true }).count(), 0);
  await tab.choose('Level', 'Error');
  await tab.page.waitForURL(/level=error/);
  await tab.page.reload();
  await tab.page.getByRole('heading', { level: 1, name: 'Node two.node' }).waitFor();
  assert.equal(await tab.page.getByRole('combobox', { name: 'Level', exact: true }).textContent(), 'Error');
  assert.equal(await tab.page.getByLabel('Only lines that contain').inputValue(), 'cheese');
  await tab.close();
});

test('a followed log goes on when the server is back, whether it broke off or ended before', async (t) => {
  const first = await ServerProcess.start();
  t.after(() => first.dispose());
  const tab = await Tab.open(browser, first.address, { isExpected: () => true });
  const ended = await Tab.open(browser, first.address, { isExpected: () => true });
  // As a server that shuts down ends it.
  await ended.page.route(/cairn-access\.log/, (route) => route.fulfill({ body: 'the last line\n' }), { times: 1 });
  for (const { page } of [tab, ended]) await page.goto(`${first.address}/logs?log=access`);
  await tab.sees('Live');
  await tab.sees(/lines · following/);
  await ended.sees('Live');
  await ended.sees('1 line · the log ended');
  await first.kill('SIGTERM');
  await ended.sees('Offline');
  await tab.sees('Offline');
  const again = await ServerProcess.start({ folders: first.folders });
  t.after(() => again.dispose());
  const client = new Api(again.address);
  t.after(() => client.close());
  await tab.sees('Live');
  for (const { page } of [tab, ended])
    await until(
      async () => {
        await client.get('/livez?needle=after-restart');
        return page.getByText('needle=after-restart').count();
      },
      (count) => count > 0,
      'a line of after the restart',
      30_000,
    );
  await ended.close();
  await tab.close();
});
