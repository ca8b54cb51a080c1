import assert from 'node:assert/strict';
import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { type SpooledUpdate, UpdateSpool } from '../../../../agent/updates/update-spool.ts';

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'cairn-updates-'));
});

afterEach(() => rmSync(folder, { recursive: true }));

const update = (id: string, eventType = 'Job-Running'): SpooledUpdate => ({
  id,
  queueName: 'q',
  epoch: 1,
  events: [{ timestamp: '2026-01-01T00:00:00Z', eventType, nodeOid: 'n', containerId: 'c' }],
});
const idsIn = (spool: UpdateSpool): string[] => spool.peek().updates.map(({ id }) => id);

test('updates leave in their order, and only when they were answered for', () => {
  const spool = new UpdateSpool(folder);
  spool.append(update('a'));
  spool.append(update('b'));
  const batch = spool.peek();
  assert.deepEqual(
    batch.updates.map(({ id }) => id),
    ['a', 'b'],
  );
  spool.append(update('c'));
  spool.remove(batch);
  assert.deepEqual(idsIn(spool), ['c']);
  spool.remove(spool.peek());
  assert.ok(spool.isEmpty);
  spool.close();
});

test('the next life of the agent goes on where this one was', () => {
  const spool = new UpdateSpool(folder);
  for (const id of ['a', 'b', 'c']) spool.append(update(id));
  const first = { ...spool.peek(), bytes: Buffer.byteLength(`${JSON.stringify(update('a'))}\n`) };
  spool.remove(first);
  spool.close();
  // Half a line is what a crash leaves.
  appendFileSync(join(folder, 'jobs.ndjson'), '{"id":"half');
  const next = new UpdateSpool(folder);
  next.append(update('d'));
  assert.deepEqual(idsIn(next), ['b', 'c', 'd']);
  next.close();
});

test('a cursor of a file that is gone counts for nothing, also when the file has grown again', () => {
  writeFileSync(join(folder, 'jobs.sent'), '5000');
  const spool = new UpdateSpool(folder);
  for (let i = 0; i < 60; i++) spool.append(update(`job-${i}`));
  spool.close();
  const next = new UpdateSpool(folder);
  assert.equal(idsIn(next)[0], 'job-0');
  next.close();
});

test('a full spool leaves checkpoints out, and nothing that begins or ends a job', () => {
  const spool = new UpdateSpool(folder, 300);
  assert.equal(spool.append(update('a')), true);
  assert.equal(spool.append(update('b', 'Job-Checkpointing')), true);
  assert.equal(spool.append(update('c', 'Job-CheckpointSucceeded')), false);
  assert.equal(spool.append(update('d', 'Job-Succeeded')), true);
  assert.deepEqual(idsIn(spool), ['a', 'b', 'd']);
  spool.close();
});
