/** A stored log that is cut back at its end, because a restored copy of its job writes that part again. */
import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CodedError } from '../../../../src/base/errors.ts';
import {
  type LogBase,
  type LogBaseTable,
  listNodeLogs,
  NodeLogFiles,
} from '../../../../src/store/logs/node-log-files.ts';
import { type NodeLogName, nodeLogFile } from '../../../../src/store/logs/node-log-name.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const NAME: NodeLogName = { nodeId: 'n-1', path: 'agent/jobs/j-1/stdout.log' };
const PLENTY = 1_000_000;

class Log implements LogBaseTable {
  readonly folder: string;
  readonly file: string;
  row: LogBase | undefined;
  /** Fails the next write of the row, as a crash at that moment would. */
  crashes = false;
  files: NodeLogFiles;

  constructor(t: TestContext) {
    this.folder = temporaryFolder(t);
    this.file = nodeLogFile(this.folder, NAME) as string;
    this.files = new NodeLogFiles(this.folder, this);
  }

  read(): LogBase | undefined {
    return this.row;
  }

  async write(_name: NodeLogName, base: LogBase | null): Promise<void> {
    if (this.crashes) throw new CodedError('storageFull');
    this.row = base ?? undefined;
  }

  async clear(): Promise<void> {
    this.row = undefined;
  }

  get stored(): string {
    return readFileSync(this.file, 'utf8');
  }

  append(offset: number, text: string, sizeMax = PLENTY, totalMax = PLENTY): Promise<number> {
    return this.files.append(NAME, offset, Buffer.from(text), sizeMax, totalMax);
  }

  cut(offset: number): Promise<void> {
    return this.files.cut(NAME, offset);
  }
}

const conflictAt =
  (size: number) =>
  (error: unknown): boolean =>
    error instanceof CodedError && error.name === 'offsetConflict' && error.fields?.['size'] === size;

test('a log is cut to the offset, and goes on there', async (t) => {
  const log = new Log(t);
  await log.append(0, 'one\ntwo\nthree\n');
  await log.cut(8);
  assert.equal(log.stored, 'one\ntwo\n');
  assert.equal(await log.append(8, 'drei\n'), 13);
  await log.cut(13);
  assert.equal(log.stored, 'one\ntwo\ndrei\n', 'nothing to cut');
  await log.cut(0);
  assert.equal(await log.append(0, 'x'), 1);
  assert.deepEqual(readdirSync(dirname(log.file)), ['stdout.log'], 'nothing else is left');
});

test('a cut beyond the end is a conflict that names the size, and changes nothing', async (t) => {
  const log = new Log(t);
  await assert.rejects(log.cut(1), conflictAt(0));
  assert.deepEqual(await listNodeLogs(log.folder, 'n-1'), [], 'no log is made');
  await log.cut(0);
  await log.append(0, 'one\n');
  await assert.rejects(log.cut(5), conflictAt(4));
  assert.equal(log.stored, 'one\n');
});

test('a reader of the log meanwhile reads what it was', async (t) => {
  const log = new Log(t);
  await log.append(0, 'one\ntwo\n');
  const handle = await open(log.file);
  await log.cut(2);
  await log.append(2, 'ONCE\n');
  assert.equal((await handle.readFile()).toString(), 'one\ntwo\n');
  await handle.close();
});

test('offsets go on where the cap has removed the front; a cut into what it removed leaves nothing', async (t) => {
  const log = new Log(t);
  await log.append(0, '1\n22\n333\n4444\n', 10);
  assert.equal(log.stored, '333\n4444\n');
  await log.cut(9);
  assert.equal(log.stored, '333\n');
  assert.equal(await log.append(9, 'four\n'), 14);
  await log.cut(3);
  assert.equal(log.stored, '');
  assert.equal(await log.append(3, 'zwei\n'), 8);
  assert.equal(log.stored, 'zwei\n');
});

test('a crash in the middle of such a cut leaves a log that the sender can cut again', async (t) => {
  const log = new Log(t);
  await log.append(0, '1\n22\n333\n4444\n', 10);
  log.crashes = true;
  await assert.rejects(log.cut(3));
  log.crashes = false;
  log.files = new NodeLogFiles(log.folder, log);
  await assert.rejects(log.append(3, 'x'), conflictAt(5));
  await log.cut(3);
  assert.equal(await log.append(3, 'zwei\n'), 8);
  assert.equal(log.stored, 'zwei\n');
});

test('a log that the cap of all logs has removed is cut by its offset alone', async (t) => {
  const log = new Log(t);
  log.row = { base: 10, next: null, size: 0, gone: true };
  await assert.rejects(log.cut(11), conflictAt(10));
  await log.cut(4);
  assert.equal(existsSync(log.file), false);
  assert.equal(await log.append(4, 'x'), 5);
});

test('what is cut counts no longer towards the cap of all the node’s logs, and what is left still does', async (t) => {
  const log = new Log(t);
  const other = { nodeId: 'n-1', path: 'var/log/other.log' };
  await log.files.append(other, 0, Buffer.from('other\n'), PLENTY, 30);
  await log.append(0, '123456789\n', PLENTY, 30);
  await log.append(10, '123456789\n', PLENTY, 30);
  await log.cut(0);
  await log.append(0, '123456789\n123456789\n', PLENTY, 30);
  assert.equal((await listNodeLogs(log.folder, 'n-1')).length, 2, 'none had to go');
  await log.append(20, '12345\n', PLENTY, 30);
  assert.deepEqual(await listNodeLogs(log.folder, 'n-1'), [`/nodes/n-1/${NAME.path}`]);
});

test('nothing is cut through a symbolic link, nor outside of the node’s folder', async (t) => {
  const log = new Log(t);
  await log.append(0, 'one\n');
  rmSync(log.file);
  const outside = join(log.folder, 'outside');
  writeFileSync(outside, 'kept');
  symlinkSync(outside, log.file);
  await assert.rejects(log.cut(0), { name: 'notFound' });
  assert.equal(readFileSync(outside, 'utf8'), 'kept');
  await assert.rejects(log.files.cut({ nodeId: 'n-1', path: '../x/jobs/j/stdout.log' }, 0), { name: 'notFound' });
});

test('a follower is told of what comes after a cut by positions that go on', async (t) => {
  const log = new Log(t);
  await log.append(0, 'one\ntwo\n');
  const source = log.files.source(NAME);
  assert.ok(source);
  const told: [number, string][] = [];
  source.feed.listen({
    bytes: (position, bytes) => void told.push([position, Buffer.from(bytes).toString()]),
    end: () => {},
  });
  await log.cut(4);
  await log.append(4, 'zwei\n');
  assert.deepEqual(told, [[8, 'zwei\n']]);
  const from = async (position: number | null): Promise<string | null> => {
    const place = await source.locate(position);
    if (!place) return null;
    const [{ from: start, to } = { from: 0, to: 0 }] = place.segments;
    return `${log.stored.slice(start, to)}|${place.end}`;
  };
  assert.equal(await from(8), 'zwei\n|13', 'one that had everything gets what is new');
  assert.equal(await from(6), 'zwei\n|13', 'one in the middle of what was cut gets what is new');
  assert.equal(await from(2), 'e\nzwei\n|13', 'one before it misses only what was cut');
  assert.equal(await from(10), 'ei\n|13');
  assert.equal(await from(null), 'one\nzwei\n|13');
});
