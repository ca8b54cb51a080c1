import assert from 'node:assert/strict';
import { existsSync, mkdirSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type ControlReply, DataDirectoryLock, sendCommand } from '../../../../src/store/files/data-directory-lock.ts';
import { LiveView, ViewLost } from '../../../../src/store/files/live-view.ts';
import { atEnd } from '../../../support/at-end.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

interface Holder {
  readonly folder: string;
  readonly claim: DataDirectoryLock;
  /** How many are held, and how many were let go. */
  readonly counts: { held: number; released: number };
}

/** As a server that holds something for each who asks. */
async function newHolder(t: TestContext): Promise<Holder> {
  const folder = temporaryFolder(t);
  const claim = await DataDirectoryLock.take(folder);
  atEnd(t, () => claim.release());
  const counts = { held: 0, released: 0 };
  claim.onCommand(async (): Promise<ControlReply> => {
    counts.held++;
    return { ok: true, message: 'held', release: () => void counts.released++ };
  });
  return { folder, claim, counts };
}

async function released({ counts }: Holder, count: number): Promise<void> {
  for (let i = 0; counts.released < count && i < 1_000; i++) await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(counts.released, count, 'the server lets go');
}

test('a folder without a server is opened as it is', async (t) => {
  const folder = temporaryFolder(t);
  const view = await LiveView.open(folder);
  assert.deepEqual([view.folder, view.isLive], [join(folder, 'db'), false]);
  await view.mustHold();
  await view.close();
});

test('a folder of a server is opened through another that leads to the data and to no lock file', async (t) => {
  const holder = await newHolder(t);
  const parent = temporaryFolder(t);
  const view = await LiveView.open(holder.folder, parent);
  assert.deepEqual(readdirSync(view.folder), ['data.mdb']);
  assert.equal(readlinkSync(join(view.folder, 'data.mdb')), join(holder.folder, 'db', 'data.mdb'));
  await view.mustHold();
  await view.mustHold();
  assert.deepEqual(holder.counts, { held: 1, released: 0 });
  await view.close();
  await released(holder, 1);
  assert.deepEqual(readdirSync(parent), []);
});

test('a view whose server has let go says so, and the server lets go once', async (t) => {
  const holder = await newHolder(t);
  const view = await LiveView.open(holder.folder);
  holder.claim.releaseHeld();
  await assert.rejects(view.mustHold(), ViewLost);
  await assert.rejects(view.mustHold(), /has stopped or started again meanwhile; try again/);
  await view.close();
  assert.equal(existsSync(view.folder), false);
  assert.deepEqual(holder.counts, { held: 1, released: 1 });
});

test('a server that stops does not wait for those that it holds something for', async (t) => {
  const holder = await newHolder(t);
  const view = await LiveView.open(holder.folder);
  await holder.claim.release();
  await released(holder, 1);
  await assert.rejects(view.mustHold(), ViewLost);
  await view.close();
});

test('the server holds something for eight at a time, answers others meanwhile, and takes the next when one has gone', async (t) => {
  const holder = await newHolder(t);
  const views = await Promise.all(Array.from({ length: 8 }, () => LiveView.open(holder.folder)));
  assert.match((await sendCommand(holder.folder, { command: 'pin' }))?.message ?? '', /^8 others read the database/);
  assert.match((await sendCommand(holder.folder, { command: 'ping' }))?.message ?? '', /^process/);
  await views[0]?.close();
  const ninth = await LiveView.open(holder.folder);
  await ninth.mustHold();
  for (const view of [...views.slice(1), ninth]) await view.close();
  await released(holder, holder.counts.held);
});

test('a server of an older version, which does not know how, is not read beside', async (t) => {
  const folder = temporaryFolder(t);
  mkdirSync(join(folder, 'db'));
  const claim = await DataDirectoryLock.take(folder);
  atEnd(t, () => claim.release());
  claim.onCommand(async ({ command }) => ({ ok: false, message: `unknown command ${command}` }));
  await assert.rejects(LiveView.open(folder), /is of an older version: restart it first/);
});
