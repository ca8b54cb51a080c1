/** Dialogs with forms: what is wrong stands at its field, what was entered is not lost, and a long one keeps its ends. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Browser } from 'playwright-core';
import { type Api, until } from '../support/api.ts';
import type { ServerProcess } from '../support/server-process.ts';
import { withServer } from '../support/with-server.ts';
import { Tab, withBrowser } from './browser.ts';

let browser: Browser;
let server: ServerProcess;
let api: Api;

withServer({}, (served) => {
  ({ server, api } = served);
});

withBrowser((started) => {
  browser = started;
});

test('a form in a dialog says at its field what is wrong, and why it cannot be saved yet', async () => {
  const tab = await Tab.open(browser, server.address, { isExpected: (fault) => /status of 422/.test(fault) });
  const { page } = tab;
  await tab.go('/settings?tab=webhooks', 'Settings');
  await page.getByRole('button', { name: 'Add a webhook' }).click();
  const form = page.getByRole('form', { name: 'Add a webhook' });
  const save = form.getByRole('button', { name: 'Save webhook' });
  assert.equal(await save.getAttribute('title'), 'Enter a name and a URL first');
  await form.getByLabel('Name').fill('on-call');
  assert.equal(await save.getAttribute('title'), 'Enter a URL first');
  const url = form.getByRole('textbox', { name: 'URL' });
  const about = 'The address that receives the events.';
  /** As a screen reader tells it. */
  const isTold = async (fault: string): Promise<void> => {
    await form
      .getByRole('textbox', { name: 'URL', description: [about, fault].join(' ').trim(), exact: true })
      .waitFor();
    assert.equal(await url.getAttribute('aria-invalid'), String(fault !== ''));
  };
  await url.fill('ftp://x');
  await isTold('URL is not a whole address that begins with https:// or http://');
  assert.equal(await save.getAttribute('title'), 'Correct the marked fields first');
  // A new one tells of failed jobs and of lost nodes, as the page promises.
  assert.equal(await form.getByLabel(/^Node lost/).isChecked(), true);
  assert.equal(await form.getByLabel('Failed', { exact: true }).isChecked(), true);
  await form.getByLabel(/^Job event/).uncheck();
  await form.getByLabel(/^Node lost/).uncheck();
  const events = form.getByRole('group', { name: 'Events', description: 'Events need at least one choice' });
  await events.getByRole('alert').waitFor();
  assert.deepEqual(await tab.violations(), []);

  await form.getByLabel(/^Node lost/).check();
  await url.fill('https://hooks.example.com');
  await isTold('');
  let fields: Record<string, string> = { url: 'is not reachable', secret: 'is too short' };
  await page.route('**/api/v1/webhook/on-call', (route) =>
    route.fulfill({ status: 422, json: { errorCode: 3, message: 'Refused', fields } }),
  );
  await save.click();
  const foot = form.locator('.dialog-end').getByRole('alert');
  await foot.getByText('URL is not reachable', { exact: true }).waitFor();
  // A line for each.
  await foot.getByText('secret is too short', { exact: true }).waitFor();
  await isTold('URL is not reachable');
  await url.fill('https://hooks.example.com/cairn');
  assert.equal(await form.getByRole('alert').count(), 0, 'what was refused is another text by now');
  fields = { url: 'is private: turn on security.webhooks.privateTargets to allow it' };
  await page.setViewportSize({ width: 390, height: 600 });
  await page.evaluate('document.querySelector(".dialog").scrollTo(0, 9999)');
  await save.click();
  // Its reason stands at the buttons, too, and names the setting as its field does.
  await isTold('URL is private: turn on “Private targets” to allow it');
  await foot.getByText('URL is private: turn on “Private targets” to allow it', { exact: true }).waitFor();
  const setting = foot.getByRole('link', { name: 'Private targets' });
  assert.equal(await setting.getAttribute('href'), '/settings?tab=security#security.webhooks.privateTargets');
  await form.locator('input[aria-invalid=true]:focus').waitFor();
  const box = await url.boundingBox();
  assert.ok(box);
  const seen = `document.elementFromPoint(${box.x + box.width / 2}, ${box.y + box.height / 2})`;
  assert.equal(await page.evaluate(`${seen} === document.activeElement`), true, 'the field is out of sight');
  assert.deepEqual(await tab.violations(), []);
  await tab.close();
});

test('a form in a dialog that was changed asks before it goes, also on the way Back; any other goes at once', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/settings?tab=history', 'Settings');
  await page.getByRole('link', { name: 'Webhooks' }).click();
  const opener = page.getByRole('button', { name: 'Add a webhook' });
  const dialogs = page.locator('.dialog');
  const areOpen = (count: number): Promise<number> =>
    until(
      () => dialogs.count(),
      (open) => open === count,
      `${count} open dialogs`,
    );
  await opener.click();
  const name = dialogs.getByLabel('Name');
  await name.fill('crew');
  await name.fill('');
  await page.keyboard.press('Escape');
  await areOpen(0);

  await opener.click();
  await name.fill('crew');
  const question = page.getByRole('dialog', { name: 'Discard what you entered?' });
  for (const ask of [
    () => page.keyboard.press('Escape'),
    () => page.mouse.click(5, 450),
    () => dialogs.getByRole('button', { name: 'Cancel' }).click(),
    () => page.evaluate('history.back()'),
  ]) {
    await ask();
    // The key that was pressed too often closes one of them, and loses nothing.
    await question.locator('button:focus').getByText('Keep editing').waitFor();
    assert.deepEqual(await tab.violations(), []);
    await page.keyboard.press('Escape');
    await areOpen(1);
    assert.equal(await name.inputValue(), 'crew');
    assert.match(page.url(), /tab=webhooks/);
  }
  await page.keyboard.press('Escape');
  await question.getByRole('button', { name: 'Discard' }).click();
  await areOpen(0);

  await opener.click();
  assert.equal(await name.inputValue(), '');
  await name.fill('crew');
  await dialogs.getByLabel('URL').fill('https://hooks.example.com/cairn');
  await dialogs.getByRole('button', { name: 'Save webhook' }).click();
  await page.getByText('crew is saved.').waitFor();
  await page.keyboard.press('Escape');
  await page.getByRole('dialog', { name: 'Close without copying?' }).getByRole('button', { name: 'Go back' }).click();
  await areOpen(1);
  const room =
    'document.querySelector(".dialog-end").getBoundingClientRect().y - document.querySelector(".dialog .notice").getBoundingClientRect().bottom';
  assert.ok(Number(await page.evaluate(room)) >= 0, 'the button lies on what was saved');
  // Who presses it has seen the secret.
  await dialogs.getByRole('button', { name: 'Done' }).click();
  await areOpen(0);
  assert.equal((await api.delete('/api/v1/webhook/crew')).status, 200);

  for (const [action, field] of [
    ['Make a join token…', 'Node'],
    ['Saved views', 'Name of this view'],
  ] as const) {
    await tab.go('/settings?tab=tokens', 'Settings');
    await page.getByRole('button', { name: action }).click();
    await dialogs.getByLabel(field).fill('half');
    await page.keyboard.press('Escape');
    await question.getByRole('button', { name: 'Discard' }).click();
    await areOpen(0);
  }

  // A link in a dialog closes it: a view is opened whatever was typed beside it.
  await tab.go('/nodes', 'Nodes');
  await page.getByRole('button', { name: 'Saved views' }).click();
  await dialogs.getByLabel('Name of this view').fill('all nodes');
  await dialogs.getByRole('button', { name: 'Save' }).click();
  await dialogs.getByRole('link', { name: 'all nodes' }).waitFor();
  await page.keyboard.press('Escape');
  await areOpen(0);
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Jobs' }).click();
  await tab.arrives('Jobs');
  await page.getByRole('button', { name: 'Saved views' }).click();
  await dialogs.getByLabel('Name of this view').fill('half');
  await dialogs.getByRole('link', { name: 'all nodes' }).click();
  await tab.arrives('Nodes');
  await areOpen(0);
  await tab.close();
});

test('what is shown only once is seen from its top, and asks before Escape takes it, until it is copied', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.setViewportSize({ width: 390, height: 844 });
  await tab.go('/settings?tab=webhooks', 'Settings');
  await page.getByRole('button', { name: 'Add a webhook' }).click();
  const dialog = page.getByRole('dialog', { name: 'Add a webhook' });
  await dialog.getByLabel('Name').fill('once');
  await dialog.getByLabel('URL').fill('https://hooks.example.com/cairn');
  await page.evaluate('document.querySelector(".dialog").scrollTo(0, 9999)');
  await until(
    () => page.evaluate(EDGES),
    (now) => now === 'true,false',
    'the form to be scrolled to its end',
  );
  await dialog.getByRole('button', { name: 'Save webhook' }).click();
  await page.getByText('once is saved.').waitFor();
  await until(
    () => page.evaluate(EDGES),
    (now) => now === 'false,false',
    'no edge above what was saved',
  );
  const question = page.getByRole('dialog', { name: 'Close without copying?' });
  for (const ask of [() => page.keyboard.press('Escape'), () => page.mouse.click(5, 5)]) {
    await ask();
    await question.locator('button:focus').getByText('Go back').waitFor();
    assert.deepEqual(await tab.violations(), []);
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
  }
  await dialog.getByRole('button', { name: 'Copy' }).click();
  await dialog.getByRole('button', { name: 'Copied' }).waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  assert.equal(await question.count(), 0, 'what was copied goes at once');
  assert.equal((await api.delete('/api/v1/webhook/once')).status, 200);

  // By hand it is copied as well.
  await tab.go('/settings?tab=tokens', 'Settings');
  await page.getByRole('button', { name: 'Make a join token' }).click();
  const form = page.getByRole('form', { name: 'Make a join token' });
  await form.getByRole('button', { name: 'Make the token' }).click();
  await form.locator('.command code').last().click({ clickCount: 3 });
  await page.keyboard.press('Escape');
  await question.getByRole('button', { name: 'Go back' }).click();
  await form.locator('.command code').last().click({ clickCount: 3 });
  await page.keyboard.press('Control+c');
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });
  await tab.close();
});

/** Whether each of the rows that stay has a line of one pixel; what is on the way to it is none yet. */
const EDGES = `['.panel-head', '.dialog-end']
  .map((row) => getComputedStyle(document.querySelector('.dialog ' + row)).boxShadow)
  .map((shadow) => / 0px -?1px 0px 0px/.test(shadow)).join()`;

test('a dialog longer than the window keeps its title and its buttons, each with an edge towards what is out of sight', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  for (const [width, height] of [
    [390, 844],
    [1024, 768],
    [1440, 900],
  ] as const) {
    await page.setViewportSize({ width, height });
    await tab.go('/settings?tab=webhooks', 'Settings');
    await page.getByRole('button', { name: 'Add a webhook' }).click();
    const dialog = page.getByRole('dialog', { name: 'Add a webhook' });
    await dialog.waitFor();
    for (const [top, edges] of [
      [0, 'false,true'],
      [60, 'true,true'],
      [9_999, 'true,false'],
    ] as const) {
      const at = `${width} pixels, scrolled to ${top}`;
      await page.evaluate(`document.querySelector('.dialog').scrollTo(0, ${top})`);
      await until(
        () => page.evaluate(EDGES),
        (now) => now === edges,
        `the edges at ${at}`,
      );
      // Where they are seen: a click would scroll to them first.
      for (const name of ['Close', 'Cancel']) {
        const box = await dialog.getByRole('button', { name }).boundingBox();
        assert.ok(box, at);
        const seen = `document.elementFromPoint(${box.x + box.width / 2}, ${box.y + box.height / 2})`;
        assert.equal(await page.evaluate(`${seen}?.ariaLabel ?? ${seen}?.textContent`), name, at);
      }
    }
    await tab.go('/settings?tab=tokens', 'Settings');
    await page.getByRole('button', { name: 'Make a join token' }).click();
    await page.getByRole('dialog', { name: 'Make a join token' }).waitFor();
    assert.equal(await page.evaluate(EDGES), 'false,false', 'nothing is out of sight');
  }
  await tab.close();
});

test('a line is copied over plain http as well, where the browser has no clipboard', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await page.addInitScript("Object.defineProperty(navigator, 'clipboard', { value: undefined })");
  await tab.go('/settings?tab=tokens', 'Settings');
  await page.getByRole('button', { name: 'Make a join token' }).click();
  const form = page.getByRole('form', { name: 'Make a join token' });
  await form.getByRole('button', { name: 'Make the token' }).click();
  const line = (await form.locator('.command code').last().textContent()) ?? '';
  await form.getByRole('button', { name: 'Copy' }).last().click();
  await form.getByRole('button', { name: 'Copied' }).waitFor();
  await page.keyboard.press('Escape');
  await form.waitFor({ state: 'detached' });
  await tab.go('/jobs', 'Jobs');
  await page.getByRole('searchbox').press('Control+v');
  assert.equal(await page.getByRole('searchbox').inputValue(), line);
  await tab.close();
});

test('the review says which setting the server refuses and why, and does not send the same again', async () => {
  const tab = await Tab.open(browser, server.address, { isExpected: (fault) => /status of 422/.test(fault) });
  const { page } = tab;
  await tab.go('/settings?tab=log', 'Settings');
  await page.getByLabel('Rotate at').fill('20');
  await page.getByLabel('Log file').fill('/etc/x.log');
  await page.getByRole('button', { name: 'Review 2 changes' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('10 MB → becomes 20 MB').waitFor();
  await dialog.getByRole('button', { name: 'Apply', exact: true }).click();
  await dialog.getByText(/^Log file is neither in the log folder nor/).waitFor();
  assert.equal(await dialog.getByText('Invalid argument').count(), 0);
  // Between two pixels, scraps of what is below show in it.
  const box = await dialog.boundingBox();
  assert.ok(box && box.x % 1 === 0 && box.y % 1 === 0, JSON.stringify(box));
  assert.equal(await dialog.getByRole('button', { name: 'Apply', exact: true }).isDisabled(), true);
  assert.deepEqual(await tab.violations(), []);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  // What the server would take by now can be sent again.
  await page.getByRole('button', { name: 'Review 2 changes' }).click();
  assert.equal(await dialog.getByRole('button', { name: 'Apply', exact: true }).isDisabled(), false);
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  // What is put right can be reviewed and applied.
  await page.getByRole('button', { name: 'Discard changes' }).click();
  await page.getByLabel('Rotate at').fill('20');
  await page.getByRole('button', { name: 'Review 1 change' }).click();
  await dialog.getByRole('button', { name: 'Apply', exact: true }).click();
  await tab.sees('Applied.');
  // A warning stays as long as its value.
  await tab.go('/settings?tab=ckpt', 'Settings');
  await page.getByLabel('Checkpoint interval', { exact: true }).fill('1m');
  await page.getByRole('button', { name: 'Review 1 change' }).click();
  await dialog.getByRole('button', { name: 'Apply', exact: true }).click();
  await tab.sees('Applied.');
  await page.reload();
  await page
    .locator('.setting', { hasText: 'Checkpoint interval' })
    .getByText(/below 2m: pauses may cost more/)
    .waitFor();
  // A search of the audit log that finds nothing says so, and is undone there.
  await tab.go('/settings?tab=audit', 'Settings');
  await page.getByRole('searchbox').fill('zzz');
  await tab.sees('No record matches “zzz”');
  assert.equal(await page.getByRole('columnheader').count(), 0);
  await page.getByRole('button', { name: 'Show all records' }).click();
  await page.getByText('Rotate at: 10 MB → becomes 20 MB').waitFor();
  await tab.close();
});

test('a long name of a webhook leaves the other columns room, and its deliveries come into sight', async () => {
  const target = { url: 'https://hooks.example.com/cairn', types: ['node.lost', 'config.changed'], format: 'cairn' };
  const names = [
    'a-dead-end-with-a-rather-long-name-for-the-whole-team',
    ...Array.from({ length: 9 }, (_, i) => `hook-${i}`),
  ];
  for (const name of names)
    assert.equal((await api.put(`/api/v1/webhook/${name}`, { ...target, paused: true })).status, 200);
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/settings?tab=webhooks', 'Settings');
  const row = page.getByRole('row', { name: /^a-dead-end/ });
  await row.waitFor();
  const [roomPx = 0] = (await page.evaluate(
    `[...document.querySelectorAll('.webhook-table .record-detail')].map((cell) => Math.round(cell.getBoundingClientRect().width))`,
  )) as number[];
  assert.ok(roomPx > 110, `${roomPx} px for what it hears of`);
  await row.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Deliveries' }).click();
  const panel = page.getByRole('region', { name: /^Deliveries of a-dead-end/ });
  await panel.getByText('No deliveries since the server started').waitFor();
  await until(
    () => panel.evaluate((box) => box.getBoundingClientRect().bottom <= 901),
    (isInSight) => isInSight,
    'the deliveries to come into sight',
  );
  // What the head of the page covers is no target.
  await page.evaluate('window.scrollTo(0, 0)');
  assert.deepEqual(await tab.violations(), []);
  // They go with their webhook.
  await row.getByRole('button', { name: 'More' }).click();
  await page.getByRole('menuitem', { name: 'Remove…' }).click();
  await page.getByRole('button', { name: 'Remove', exact: true }).click();
  await row.waitFor({ state: 'detached' });
  await panel.waitFor({ state: 'detached' });
  await tab.close();
  for (const name of names) await api.delete(`/api/v1/webhook/${name}`);
});

test('what stays at the foot of settings does not lie over the field that is typed into', async () => {
  const tab = await Tab.open(browser, server.address);
  const { page } = tab;
  await tab.go('/settings?tab=job', 'Settings');
  const field = page.getByLabel('Resource tags');
  await field.waitFor();
  // Just above the end of the window.
  await field.evaluate((one) => one.scrollIntoView({ block: 'end' }));
  await field.fill('team=batch');
  await page.getByText('Correct first: Resource tags.').waitFor();
  await until(
    () => field.evaluate((one) => one.getBoundingClientRect().bottom),
    (bottom) => bottom < 900 - 80,
    'the field to be clear of the foot',
  );
  await tab.close();
});
