import assert from 'node:assert/strict';
import { appendFileSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Beat, LINES_PER_BATCH_MAX, Spool } from '../../../../agent/spool/spool.ts';
import { temporaryFolder } from '../temporary-folder.ts';

const beat = (i: number): Beat => ({
  time: `2026-01-01T00:00:00.${String(i).padStart(6, '0')}Z`,
  metrics: { cpuPercent: i },
});

const setUp = (context: TestContext, sizeMax?: number): { folder: string; open: () => Spool; dropped: number[] } => {
  const folder = temporaryFolder(context);
  const dropped: number[] = [];
  const open = (): Spool =>
    Spool.open({
      folder,
      nodeId: 'n',
      monotonicMs: () => 0,
      onDropped: (lines) => dropped.push(lines),
      ...(sizeMax === undefined ? {} : { sizeMax }),
    });
  return { folder, open, dropped };
};

/** Everything that waits, in batches, as a server would get it. */
const drain = (spool: Spool): number[] => {
  const values: number[] = [];
  while (!spool.isEmpty) {
    const batch = spool.peek();
    assert.ok(batch.lines.length <= LINES_PER_BATCH_MAX);
    for (const line of batch.lines) values.push((JSON.parse(line) as Beat).metrics['cpuPercent'] ?? -1);
    spool.remove(batch);
  }
  return values;
};

const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, i) => from + i);

test('beats come out in the order in which they went in, with the node’s id and their own time', (context) => {
  const spool = setUp(context).open();
  assert.equal(spool.isEmpty, true);
  for (const i of range(0, 1_200)) spool.append(beat(i));
  assert.deepEqual(JSON.parse(spool.peek().lines[7] ?? ''), { id: 'n', ...beat(7) });
  assert.deepEqual(drain(spool), range(0, 1_200));
  assert.equal(spool.isEmpty, true);
});

test('a batch stays until it is removed, and beats may be added meanwhile', (context) => {
  const spool = setUp(context).open();
  spool.append(beat(0));
  const first = spool.peek();
  spool.append(beat(1));
  assert.deepEqual(spool.peek().lines[0], first.lines[0]);
  spool.remove(first);
  assert.deepEqual(drain(spool), [1]);
});

test('a crash loses nothing, and nothing that was acknowledged comes again', (context) => {
  const { open } = setUp(context);
  const before = open();
  for (const i of range(0, 700)) before.append(beat(i));
  before.remove(before.peek());
  // Not closed: this is what a crash leaves.
  const after = open();
  after.append(beat(700));
  assert.deepEqual(drain(after), range(500, 701));
});

test('an emptied spool is an empty file, also for the next start', (context) => {
  const { folder, open } = setUp(context);
  const spool = open();
  for (const i of range(0, 10)) spool.append(beat(i));
  drain(spool);
  assert.equal(statSync(join(folder, 'spool.ndjson')).size, 0);
  spool.append(beat(10));
  spool.close();
  assert.deepEqual(drain(open()), [10]);
});

test('a line that a crash left half-written is taken back', (context) => {
  const { folder, open } = setUp(context);
  open().append(beat(0));
  appendFileSync(join(folder, 'spool.ndjson'), '{"id":"n","time":"2026-');
  const spool = open();
  spool.append(beat(1));
  assert.deepEqual(drain(spool), [0, 1]);
});

test('a full spool drops the oldest half, says how many, and goes on', (context) => {
  const { open, dropped } = setUp(context, 10_000);
  const spool = open();
  for (const i of range(0, 1_000)) spool.append(beat(i));
  const lost = dropped.reduce((sum, lines) => sum + lines, 0);
  assert.ok(dropped.length > 1);
  assert.deepEqual(drain(spool), range(lost, 1_000));
});

test('what was acknowledged does not count as dropped, and does not come back after a crash', (context) => {
  const { open, dropped } = setUp(context, 60_000);
  const spool = open();
  for (const i of range(0, 600)) spool.append(beat(i));
  spool.remove(spool.peek());
  let next = 600;
  while (dropped.length === 0) spool.append(beat(next++));
  const [lost = 0] = dropped;
  assert.deepEqual(drain(open()), range(500 + lost, next));
});

test('a cursor of another file, or a broken one, means: from the beginning', (context) => {
  const { folder, open } = setUp(context);
  const spool = open();
  for (const i of range(0, 3)) spool.append(beat(i));
  const lineBytes = readFileSync(join(folder, 'spool.ndjson')).indexOf('\n') + 1;
  const inode = String(statSync(join(folder, 'spool.ndjson'), { bigint: true }).ino);
  const withCursor = (text: string): number[] => {
    writeFileSync(join(folder, 'spool.json'), text);
    const values = open()
      .peek()
      .lines.map((line) => (JSON.parse(line) as Beat).metrics['cpuPercent'] ?? -1);
    return values;
  };
  assert.deepEqual(withCursor(JSON.stringify({ inode, sentBytes: lineBytes })), [1, 2]);
  assert.deepEqual(withCursor(JSON.stringify({ inode: '1', sentBytes: lineBytes })), [0, 1, 2]);
  assert.deepEqual(withCursor(JSON.stringify({ inode, sentBytes: 1e9 })), [0, 1, 2]);
  assert.deepEqual(withCursor('{"inode":'), [0, 1, 2]);
});

test('what is not a beat of this node is skipped, and the rest goes on', (context) => {
  const { folder, open } = setUp(context);
  writeFileSync(join(folder, 'spool.ndjson'), `${'x'.repeat(2_000_000)}\n{"id":"other"}\n`);
  const spool = open();
  spool.append(beat(5));
  assert.deepEqual(drain(spool), [5]);
});
