import assert from 'node:assert/strict';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CodedError, type ErrorName } from '../../../../src/base/errors.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import {
  isPlainFile,
  type LogBase,
  type LogBaseTable,
  listNodeLogs,
  NodeLogFiles,
  nodeLogKey,
  readLogBase,
} from '../../../../src/store/logs/node-log-files.ts';
import { type NodeLogName, nodeLogFile } from '../../../../src/store/logs/node-log-name.ts';
import fc from '../../../support/laws/fast-check.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const NAME: NodeLogName = { nodeId: 'n-1', path: 'var/log/job.log' };
const PLENTY = 1_000_000;

class Bases implements LogBaseTable {
  readonly rows = new Map<string, LogBase>();
  /** Fails the write of that number, counted from 1, as a crash at that moment would. */
  failAt = Number.POSITIVE_INFINITY;
  writes = 0;

  read(name: NodeLogName): LogBase | undefined {
    return this.rows.get(JSON.stringify(name));
  }

  async write(name: NodeLogName, base: LogBase | null): Promise<void> {
    if (++this.writes === this.failAt) throw new CodedError('storageFull');
    if (base) this.rows.set(JSON.stringify(name), base);
    else this.rows.delete(JSON.stringify(name));
  }

  async clear(nodeId: string): Promise<void> {
    for (const key of this.rows.keys()) if ((JSON.parse(key) as NodeLogName).nodeId === nodeId) this.rows.delete(key);
  }
}

interface Logs {
  readonly folder: string;
  readonly bases: Bases;
  readonly files: NodeLogFiles;
  readonly file: string;
  append(offset: number, text: string, sizeMax?: number): Promise<number>;
  stored(): string;
}

function logsIn(t: TestContext): Logs {
  const folder = temporaryFolder(t);
  const bases = new Bases();
  const files = new NodeLogFiles(folder, bases);
  const file = nodeLogFile(folder, NAME) as string;
  return {
    folder,
    bases,
    files,
    file,
    append: (offset, text, sizeMax = PLENTY) => files.append(NAME, offset, Buffer.from(text), sizeMax),
    stored: () => readFileSync(file, 'utf8'),
  };
}

function fails(name: ErrorName, fields?: Readonly<Record<string, unknown>>): (error: unknown) => boolean {
  return (error) => {
    assert.ok(error instanceof CodedError, String(error));
    assert.equal(error.name, name, error.message);
    if (fields) assert.deepEqual(error.fields, fields);
    return true;
  };
}

test('a log is stored under its absolute path on the worker and grows by appends', async (t) => {
  const { append, stored, folder } = logsIn(t);
  assert.equal(await append(0, 'one\n'), 4);
  assert.equal(await append(4, 'two\n'), 8);
  assert.equal(await append(8, ''), 8);
  assert.equal(stored(), 'one\ntwo\n');
  assert.ok(existsSync(join(folder, 'nodes', 'n-1', 'var', 'log', 'job.log')));
});

test('an append elsewhere than at the end is a conflict that names the size, and changes nothing', async (t) => {
  const { append, stored } = logsIn(t);
  await append(0, 'one\n');
  for (const offset of [0, 3, 5, 1_000])
    await assert.rejects(append(offset, 'x'), fails('offsetConflict', { size: 4 }));
  assert.equal(stored(), 'one\n');
});

test('the first append of a file begins at 0, and one that is refused leaves no empty log', async (t) => {
  const { append, folder } = logsIn(t);
  await assert.rejects(append(7, 'x'), fails('offsetConflict', { size: 0 }));
  assert.deepEqual(await listNodeLogs(folder, 'n-1'), []);
  assert.equal(await append(0, 'x'), 1);
});

test('appends to one file are handled in order of arrival, also when one of them fails', async (t) => {
  const { append, stored } = logsIn(t);
  const results = await Promise.allSettled([
    append(0, 'a\n'),
    append(2, 'b\n'),
    append(2, 'again\n'),
    append(4, 'c\n'),
  ]);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'fulfilled', 'rejected', 'fulfilled'],
  );
  assert.equal(stored(), 'a\nb\nc\n');
});

test('beyond its cap the oldest whole lines go, a tenth of the cap is free again, and offsets go on', async (t) => {
  const { append, stored, bases } = logsIn(t);
  const lines = Array.from({ length: 12 }, (_, i) => `line ${i + 10}\n`);
  await append(0, lines.join(''), 60);
  // 96 bytes are cut to at most 54: six lines of 8.
  assert.equal(stored(), lines.slice(6).join(''));
  assert.deepEqual(bases.read(NAME), { base: 48, next: null, size: 0 });
  assert.equal(await append(96, 'more\n', 60), 101);
  assert.equal(stored(), `${lines.slice(6).join('')}more\n`);
  await assert.rejects(append(53, 'x', 60), fails('offsetConflict', { size: 101 }));
});

test('of a line that is longer than the cap the end stays, from the beginning of a character', async (t) => {
  const { append, stored, bases } = logsIn(t);
  // As a progress bar writes it: never a line feed. 90,000 bytes may stay.
  const line = `${'x'.repeat(109_999)}€${'y'.repeat(89_998)}`;
  assert.equal(Buffer.byteLength(line), 200_000);
  assert.equal(await append(0, line, 100_000), 200_000);
  assert.equal(stored(), 'y'.repeat(89_998));
  assert.equal(bases.read(NAME)?.base, 110_002);
  assert.equal(await append(200_000, ' done\nnext\n', 100_000), 200_011);
  assert.equal(stored(), `${'y'.repeat(89_998)} done\nnext\n`);
  assert.equal(await append(200_011, `${'z'.repeat(99_999)}\n`, 100_000), 300_011);
  assert.equal(stored(), `${'z'.repeat(89_999)}\n`, 'with its line feed, too');
});

test('whatever is appended, the stored part is the end of the sender’s log, within the cap, from a line’s beginning where one is in it', async (t) => {
  const folder = temporaryFolder(t);
  let run = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(fc.integer({ min: 0, max: 30 }), { minLength: 1, maxLength: 5 }), {
        minLength: 1,
        maxLength: 8,
      }),
      fc.integer({ min: 10, max: 200 }),
      async (chunks, sizeMax) => {
        const bases = new Bases();
        const files = new NodeLogFiles(folder, bases);
        const name = { nodeId: `n-${run++}`, path: 'a.log' };
        let sent = '';
        for (const lengths of chunks) {
          const text = lengths.map((length) => `${'x'.repeat(length)}\n`).join('');
          assert.equal(await files.append(name, sent.length, Buffer.from(text), sizeMax), sent.length + text.length);
          sent += text;
          const stored = readFileSync(nodeLogFile(folder, name) as string, 'utf8');
          const base = bases.read(name)?.base ?? 0;
          assert.equal(stored, sent.slice(base));
          assert.ok(stored.length <= sizeMax);
          // Only within a line that alone exceeds what may stay.
          const line = sent.slice(sent.lastIndexOf('\n', base - 1) + 1, sent.indexOf('\n', base) + 1);
          assert.ok(base === 0 || sent[base - 1] === '\n' || line.length > Math.floor(sizeMax * 0.9));
          assert.ok(sent === '' || stored !== '');
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('a crash in the middle of a trim is told by the size of the file: not begun, or done', async (t) => {
  const { append, stored, bases, file } = logsIn(t);
  await append(0, 'aaaa\nbbbb\ncccc\n');
  const begun: LogBase = { base: 0, next: 10, size: 15 };
  // The row was written, the file was not replaced.
  bases.rows.set(JSON.stringify(NAME), begun);
  assert.equal(await append(15, 'dddd\n'), 20);
  assert.equal(stored(), 'aaaa\nbbbb\ncccc\ndddd\n');
  assert.deepEqual(bases.read(NAME), { base: 0, next: null, size: 0 });
  // The file was replaced, the row was not completed.
  writeFileSync(file, 'cccc\ndddd\n');
  bases.rows.set(JSON.stringify(NAME), { base: 0, next: 10, size: 20 });
  await assert.rejects(append(10, 'x'), fails('offsetConflict', { size: 20 }));
  assert.equal(await append(20, 'eeee\n'), 25);
  assert.equal(stored(), 'cccc\ndddd\neeee\n');
  assert.deepEqual(bases.read(NAME), { base: 10, next: null, size: 0 });
});

test('a trim that fails at either of its rows fails no append, and loses nothing that was taken', async (t) => {
  for (const failAt of [1, 2]) {
    const { files, bases, folder } = logsIn(t);
    const name = { nodeId: 'n-1', path: 'x.log' };
    bases.failAt = failAt;
    assert.equal(await files.append(name, 0, Buffer.from('aaaa\nbbbb\ncccc\n'), 10), 15);
    assert.equal(await files.append(name, 15, Buffer.from('dddd\n'), 100), 20, `after row ${failAt}`);
    const stored = readFileSync(nodeLogFile(folder, name) as string, 'utf8');
    assert.equal(stored, 'aaaa\nbbbb\ncccc\ndddd\n'.slice(bases.read(name)?.base ?? 0));
    assert.equal(await files.append(name, 20, Buffer.from('eeee\n'), 10), 25, 'and the next append cuts the file');
    assert.equal(readFileSync(nodeLogFile(folder, name) as string, 'utf8'), 'eeee\n');
  }
});

test('what a crash left of a trim’s copy is replaced by the next one, and is never listed', async (t) => {
  const { append, file, folder } = logsIn(t);
  await append(0, 'aaaa\nbbbb\n', 8);
  const siblings = (): string[] => readdirSync(join(file, '..'));
  assert.deepEqual(siblings(), ['job.log']);
  writeFileSync(join(file, '..', '.cairn-trim-left'), 'half a copy');
  assert.deepEqual(await listNodeLogs(folder, 'n-1'), ['/nodes/n-1/var/log/job.log']);
});

test('a file that was removed begins at 0 again, whatever the table remembers', async (t) => {
  const { append, files, bases, stored } = logsIn(t);
  await append(0, 'aaaa\nbbbb\n', 8);
  assert.equal(bases.read(NAME)?.base, 5);
  await files.removeNode('n-1');
  await assert.rejects(append(10, 'x'), fails('offsetConflict', { size: 0 }));
  assert.equal(await append(0, 'new\n'), 4);
  assert.equal(stored(), 'new\n');
  assert.equal(bases.read(NAME), undefined);
});

test('a half-written end that a crash left is part of the size that the sender is told', async (t) => {
  const { append, file } = logsIn(t);
  await append(0, 'aaaa\n');
  truncateSync(file, 3);
  await assert.rejects(append(5, 'x'), fails('offsetConflict', { size: 3 }));
  assert.equal(await append(3, 'a\n'), 5);
});

const HOSTILE = [
  '',
  '/',
  '.',
  '..',
  '../x',
  'a/../../x',
  'a/..',
  'a//b',
  '/a',
  'a/',
  './a',
  'a/./b',
  'a\0b',
  'x'.repeat(256),
  `${'x/'.repeat(64)}x`,
  new Array(6).fill('x'.repeat(200)).join('/'),
];

for (const path of HOSTILE) {
  test(`the path ${JSON.stringify(path.slice(0, 30))} names no file`, async (t) => {
    const { files, folder } = logsIn(t);
    assert.equal(nodeLogFile('/logs', { nodeId: 'n-1', path }), undefined);
    await assert.rejects(files.append({ nodeId: 'n-1', path }, 0, Buffer.from('x'), PLENTY), fails('notFound'));
    assert.deepEqual(readdirSync(folder), []);
  });
}

for (const nodeId of ['.', '..', 'a/b']) {
  test(`the node id ${nodeId} names no folder`, async (t) => {
    const { files, folder } = logsIn(t);
    mkdirSync(join(folder, 'nodes', 'x'), { recursive: true });
    assert.equal(nodeLogFile('/logs', { nodeId, path: 'a' }), undefined);
    assert.deepEqual(await listNodeLogs(folder, nodeId), []);
    await files.removeNode(nodeId);
    assert.ok(existsSync(join(folder, 'nodes', 'x')));
  });
}

test('names that only look hostile are plain names', () => {
  for (const path of ['...', 'a/..b', '%2e%2e/x', 'a\\..\\b', '~', ' ', 'ü\u{1f600}', 'a\nb'])
    assert.equal(nodeLogFile('/logs', { nodeId: 'n-1', path }), join('/logs/nodes/n-1', path));
});

test('a symbolic link is neither written through nor served', async (t) => {
  const { append, files, folder, file } = logsIn(t);
  const outside = join(folder, 'outside');
  mkdirSync(outside);
  writeFileSync(join(outside, 'secret'), 'secret');
  mkdirSync(join(file, '..'), { recursive: true });
  symlinkSync(join(outside, 'secret'), file);
  await assert.rejects(append(6, 'x'), fails('notFound'));
  assert.equal(readFileSync(join(outside, 'secret'), 'utf8'), 'secret');
  assert.equal(await isPlainFile(folder, NAME), false);
  symlinkSync(outside, join(folder, 'nodes', 'n-1', 'linked'));
  assert.equal(await isPlainFile(folder, { nodeId: 'n-1', path: 'linked/secret' }), false);
  assert.deepEqual(await listNodeLogs(folder, 'n-1'), []);
  await files.removeNode('n-1');
  assert.ok(lstatSync(join(outside, 'secret')).isFile(), 'what a link leads to is not removed');
});

test('a file in the place of a folder, and a folder in that of a file, are told to the sender', async (t) => {
  const { append, files } = logsIn(t);
  await append(0, 'x\n');
  for (const path of ['var/log/job.log/deeper', 'var/log/job.log/much/deeper', 'var/log'])
    await assert.rejects(files.append({ nodeId: 'n-1', path }, 0, Buffer.from('x'), PLENTY), fails('invalid'), path);
});

test('logs are listed sorted, as paths that can be asked for', async (t) => {
  const { files, folder } = logsIn(t);
  for (const path of ['var/b c.log', 'var/a%.log', 'top', 'var/log/ü'])
    await files.append({ nodeId: 'n-1', path }, 0, Buffer.from('x'), PLENTY);
  assert.deepEqual(await listNodeLogs(folder, 'n-1'), [
    '/nodes/n-1/top',
    '/nodes/n-1/var/a%25.log',
    '/nodes/n-1/var/b%20c.log',
    '/nodes/n-1/var/log/%C3%BC',
  ]);
  assert.deepEqual(await listNodeLogs(folder, 'n-2'), []);
  assert.equal(await isPlainFile(folder, { nodeId: 'n-1', path: 'var' }), false);
  assert.equal(await isPlainFile(folder, { nodeId: 'n-1', path: 'top' }), true);
});

test('a removed node has no logs, and the others keep theirs', async (t) => {
  const { append, files, folder } = logsIn(t);
  await append(0, 'x');
  await files.append({ nodeId: 'n-10', path: 'a' }, 0, Buffer.from('x'), PLENTY);
  await files.removeNode('n-1');
  assert.deepEqual(readdirSync(join(folder, 'nodes')), ['n-10']);
});

test('the base is a row of the store, one a file', () => {
  const store = new MemoryStore();
  assert.equal(readLogBase(store, NAME), undefined);
  const batch = new WriteBatch();
  const row: LogBase = { base: 5, next: null, size: 0 };
  batch.put('nodeLog', nodeLogKey(NAME), Buffer.from(JSON.stringify(row)));
  store.commit([batch.seal()]);
  assert.deepEqual(readLogBase(store, NAME), row);
  assert.equal(readLogBase(store, { ...NAME, path: 'var/log/job.log2' }), undefined);
});

const OTHER: NodeLogName = { nodeId: 'n-1', path: 'var/log/other.log' };

test('over the cap of all its logs a node loses the file written longest ago, whose offsets go on', async (t) => {
  const { files, folder, bases } = logsIn(t);
  const bytes = Buffer.from('123456789\n');
  await files.append(OTHER, 0, bytes, PLENTY, 25);
  utimesSync(nodeLogFile(folder, OTHER) as string, 1, 1);
  await files.append(NAME, 0, bytes, PLENTY, 25);
  await files.append(NAME, 10, bytes, PLENTY, 25);
  assert.deepEqual(await listNodeLogs(folder, 'n-1'), ['/nodes/n-1/var/log/job.log']);
  for (const offset of [0, 4, 0])
    await assert.rejects(files.append(OTHER, offset, bytes, PLENTY, 25), fails('offsetConflict', { size: 10 }));
  assert.equal(await files.append(OTHER, 10, Buffer.from('x\n'), PLENTY, 25), 12);
  assert.deepEqual(bases.read(OTHER), { base: 10, next: null, size: 0 });
});

test('the last file over the cap of all loses its oldest lines', async (t) => {
  const { files, stored } = logsIn(t);
  await files.append(NAME, 0, Buffer.from('1\n22\n333\n4444\n'), PLENTY, 10);
  assert.equal(stored(), '333\n4444\n');
});

test('a crash while a file is dropped leaves it, or its base', async (t) => {
  for (const failAt of [1, 2]) {
    const { files, folder, bases } = logsIn(t);
    await files.append(OTHER, 0, Buffer.from('123456789\n'), PLENTY);
    utimesSync(nodeLogFile(folder, OTHER) as string, 1, 1);
    bases.failAt = failAt;
    await files.append(NAME, 0, Buffer.from('123456789\n'), PLENTY, 15);
    bases.failAt = Number.POSITIVE_INFINITY;
    const again = new NodeLogFiles(folder, bases);
    await assert.rejects(again.append(OTHER, 0, Buffer.from('x'), PLENTY), fails('offsetConflict', { size: 10 }));
    assert.equal(await again.append(OTHER, 10, Buffer.from('x'), PLENTY), 11, `failed at write ${failAt}`);
  }
});

test('a sweep holds files and nodes to caps that are lower now', async (t) => {
  const { files, folder, stored } = logsIn(t);
  await files.append(OTHER, 0, Buffer.from('123456789\n'), PLENTY);
  utimesSync(nodeLogFile(folder, OTHER) as string, 1, 1);
  await files.append(NAME, 0, Buffer.from('1\n22\n333\n4444\n'), PLENTY);
  await files.sweep(10, 10);
  assert.equal(stored(), '333\n4444\n');
  assert.deepEqual(await listNodeLogs(folder, 'n-1'), ['/nodes/n-1/var/log/job.log']);
});

test('logs of a node that cannot be cut are told, and the sweep cuts all others', async (t) => {
  const { files, bases, folder } = logsIn(t);
  const names = ['n-1', 'n-2', 'n-3'].flatMap((nodeId) => ['a.log', 'b.log'].map((path) => ({ nodeId, path })));
  for (const name of names) await files.append(name, 0, Buffer.from('1\n22\n333\n4444\n'), PLENTY);
  const bad = names[2] as NodeLogName;
  const write = bases.write.bind(bases);
  bases.write = async (name, base) => {
    if (name.nodeId === bad.nodeId && name.path === bad.path) throw new CodedError('internal', 'a damaged row');
    await write(name, base);
  };
  const told: string[] = [];
  await files.sweep(10, PLENTY, (nodeId) => told.push(nodeId));
  assert.deepEqual(told, ['n-2']);
  const sizes = names.map((name) => statSync(nodeLogFile(folder, name) as string).size);
  assert.deepEqual(sizes, [9, 9, 14, 9, 9, 9]);
});

test('a follower is told of appends by the sender’s offsets, and finds them behind a cut', async (t) => {
  const { files, append, file } = logsIn(t);
  const source = files.source(NAME);
  assert.ok(source);
  const told: [number, string][] = [];
  const stop = source.feed.listen({
    bytes: (position, bytes) => void told.push([position, Buffer.from(bytes).toString()]),
    end: () => {},
  });
  await append(0, '1\n22\n333\n4444\n', 10);
  await append(14, '5\n', 100);
  stop();
  await append(16, '6\n', 100);
  assert.deepEqual(told, [
    [0, '1\n22\n333\n4444\n'],
    [14, '5\n'],
  ]);
  const { ino } = statSync(file);
  assert.deepEqual(await source.locate(9), { segments: [{ path: file, inode: ino, from: 4, to: 13 }], end: 18 });
  assert.equal(await source.locate(4), null, 'bytes that the cap has removed');
});

test('nothing is written or listed through a folder that is a symbolic link', async (t) => {
  const { files, folder } = logsIn(t);
  const outside = temporaryFolder(t);
  mkdirSync(join(folder, 'nodes', 'n-1'), { recursive: true });
  symlinkSync(outside, join(folder, 'nodes', 'n-1', 'var'));
  symlinkSync(outside, join(folder, 'nodes', 'n-2'));
  for (const name of [NAME, { nodeId: 'n-2', path: 'x.log' }]) {
    await assert.rejects(files.append(name, 0, Buffer.from('x'), PLENTY), fails('notFound'));
    assert.equal(await isPlainFile(folder, name), false);
  }
  writeFileSync(join(outside, 'x.log'), 'x');
  assert.deepEqual(await listNodeLogs(folder, 'n-2'), []);
  assert.equal(await isPlainFile(folder, { nodeId: 'n-2', path: 'x.log' }), false);
  assert.deepEqual(readdirSync(outside), ['x.log']);
});
