import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import {
  closeSync,
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { RotatingLog } from '../../../../src/store/logs/rotating-log.ts';
import { atEnd } from '../../../support/at-end.ts';
import fc from '../../../support/laws/fast-check.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const ROOMY = { sizeMax: 1_000_000, backupsMax: 3 };
const droppedLine = (count: number): string => `${count} dropped\n`;

function logIn(t: TestContext, rule = ROOMY): { log: RotatingLog; path: string } {
  const path = join(temporaryFolder(t), 'logs', 'cairn.log');
  const log = new RotatingLog(path, rule, droppedLine);
  atEnd(t, () => log.close());
  return { log, path };
}

function read(path: string): string {
  return readFileSync(path, 'utf8');
}

/** What the backups and the file hold, the oldest first. */
function history(path: string): string[] {
  const numbers = readdirSync(join(path, '..'))
    .map((name) => Number(/\.log\.(\d+)$/.exec(name)?.[1] ?? 0))
    .sort((a, b) => b - a);
  return numbers.map((number) => read(number === 0 ? path : `${path}.${number}`));
}

test('lines are appended in order, also behind what the file held before', async (t) => {
  const { log, path } = logIn(t);
  writeFileSync(path, 'before\n');
  log.write('one\n');
  log.write('two\nthree\n');
  await log.flush();
  log.write('four\n');
  await log.flush();
  assert.equal(read(path), 'before\none\ntwo\nthree\nfour\n');
});

test('the file is rotated when it would pass its size, and the oldest backup goes', async (t) => {
  const { log, path } = logIn(t, { sizeMax: 8, backupsMax: 2 });
  for (const line of ['aaa\n', 'bbb\n', 'ccc\n', 'ddd\n', 'eee\n', 'fff\n', 'ggg\n']) {
    log.write(line);
    await log.flush();
  }
  assert.deepEqual(history(path), ['ccc\nddd\n', 'eee\nfff\n', 'ggg\n']);
  assert.equal(statSync(path).mode & 0o777, 0o640);
});

test('a file that stands at its size already is rotated by the next line, also after a restart', async (t) => {
  const { log, path } = logIn(t, { sizeMax: 8, backupsMax: 2 });
  writeFileSync(path, '12345678');
  log.write('a\n');
  await log.flush();
  assert.deepEqual(history(path), ['12345678', 'a\n']);
});

test('a line that is longer than a file stands alone, whole', async (t) => {
  const { log, path } = logIn(t, { sizeMax: 8, backupsMax: 5 });
  log.write('a\n');
  log.write(`${'x'.repeat(50)}\n`);
  log.write('b\n');
  await log.flush();
  assert.deepEqual(history(path), ['a\n', `${'x'.repeat(50)}\n`, 'b\n']);
});

test('without backups a full file starts over', async (t) => {
  const { log, path } = logIn(t, { sizeMax: 4, backupsMax: 0 });
  for (const line of ['aaa\n', 'bbb\n', 'ccc\n']) log.write(line);
  await log.flush();
  assert.deepEqual(history(path), ['ccc\n']);
});

test('a smaller number of backups removes those beyond it at the next rotation', async (t) => {
  const { log, path } = logIn(t, { sizeMax: 4, backupsMax: 5 });
  for (const line of ['aaa\n', 'bbb\n', 'ccc\n', 'ddd\n', 'eee\n', 'fff\n']) log.write(line);
  await log.flush();
  assert.equal(history(path).length, 6);
  log.setRule({ sizeMax: 4, backupsMax: 2 });
  log.write('ggg\n');
  await log.flush();
  assert.deepEqual(history(path), ['eee\n', 'fff\n', 'ggg\n']);
  log.setRule({ sizeMax: 100, backupsMax: 2 });
  log.write('hhh\n');
  await log.flush();
  assert.deepEqual(history(path), ['eee\n', 'fff\n', 'ggg\nhhh\n']);
});

test('a file that somebody took away does not lose the lines of the rotation', async (t) => {
  const { log, path } = logIn(t, { sizeMax: 4, backupsMax: 2 });
  log.write('aaa\n');
  await log.flush();
  rmSync(path);
  log.write('bbb\n');
  await log.flush();
  assert.equal(read(path), 'bbb\n');
});

test('whatever is written, no line is lost, doubled or split, and no file passes its size', async (t) => {
  const folder = temporaryFolder(t);
  let run = 0;
  const line = fc.integer({ min: 0, max: 30 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.array(line, { minLength: 1, maxLength: 4 }), { maxLength: 6 }),
      fc.integer({ min: 1, max: 60 }),
      fc.boolean(),
      async (writes, sizeMax, flushEach) => {
        const path = join(folder, String(run++), 'cairn.log');
        const log = new RotatingLog(path, { sizeMax, backupsMax: 24 }, droppedLine);
        let expected = '';
        let number = 0;
        for (const lengths of writes) {
          const lines = lengths.map((length) => `${number++}${'é'.repeat(length)}\n`).join('');
          expected += lines;
          log.write(lines);
          if (flushEach) await log.flush();
        }
        await log.close();
        const files = expected === '' ? [] : history(path);
        assert.equal(files.join(''), expected);
        for (const text of files) {
          assert.ok(text.endsWith('\n'));
          assert.ok(
            Buffer.byteLength(text) <= sizeMax || text.indexOf('\n') === text.length - 1,
            `${text.length} in a file`,
          );
        }
      },
    ),
    { numRuns: 40 },
  );
});

test('a move takes later lines to the other file, and loses none that is written meanwhile', async (t) => {
  const { log, path } = logIn(t);
  const next = join(path, '..', 'elsewhere', 'next.log');
  log.write('before\n');
  const moved = log.moveTo(next);
  let written = 0;
  // A line in every turn of the event loop for as long as the move takes, and some more.
  let going = true;
  void moved.then(() => {
    going = false;
  });
  for (let after = 0; after < 3; after += going ? 0 : 1) {
    log.write(`${written++}\n`);
    await new Promise((resolve) => setImmediate(resolve));
  }
  await moved;
  log.write('after\n');
  await log.flush();
  assert.equal(log.path, next);
  assert.match(read(path), /^before\n/);
  assert.match(read(next), /after\n$/);
  const lines = Array.from({ length: written }, (_, i) => `${i}\n`).join('');
  assert.equal(read(path) + read(next), `before\n${lines}after\n`);
});

test('a move to a file that cannot be opened leaves everything as it is', async (t) => {
  const { log, path } = logIn(t);
  mkdirSync(join(path, '..', 'folder.log'));
  await assert.rejects(log.moveTo(join(path, '..', 'folder.log')));
  await assert.rejects(RotatingLog.probe(join(path, '..', 'folder.log')));
  log.write('on\n');
  await log.flush();
  assert.equal(read(path), 'on\n');
});

test('a probe leaves the file as it found it', async (t) => {
  const folder = temporaryFolder(t);
  await RotatingLog.probe(join(folder, 'new', 'deep', 'cairn.log'));
  assert.deepEqual(readdirSync(folder), []);
  const path = join(folder, 'cairn.log');
  writeFileSync(path, 'old\n');
  await RotatingLog.probe(path);
  assert.equal(read(path), 'old\n');
});

test('lines that could not be written are counted, however often it fails, and the log says so when it works again', async (t) => {
  const { log, path } = logIn(t);
  mkdirSync(path);
  for (const lines of ['a\n', 'b\nc\n', 'd\n']) {
    log.write(lines);
    await log.flush();
  }
  assert.ok(existsSync(path));
  rmdirSync(path);
  log.write('e\n');
  await log.flush();
  assert.equal(read(path), '4 dropped\ne\n');
});

test('beyond its bound the newest lines are dropped, and the next line says how many', async (t) => {
  const { log, path } = logIn(t, { sizeMax: 100_000_000, backupsMax: 1 });
  const megabyte = `${'x'.repeat(1024 * 1024 - 1)}\n`;
  for (let i = 0; i < 16; i++) log.write(megabyte);
  log.write('late\n');
  log.write('later\nlatest\n');
  await log.flush();
  log.write('in time\n');
  await log.flush();
  const text = read(path);
  assert.equal(text.length, 16 * 1024 * 1024 + '3 dropped\nin time\n'.length);
  assert.ok(text.endsWith('x\n3 dropped\nin time\n'));
});

test('whatever is rotated, the feed tells every byte once, and a position finds the bytes behind it', async (t) => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.nat(30), { minLength: 1, maxLength: 30 }),
      fc.integer({ min: 0, max: 4 }),
      fc.nat(),
      async (sizes, backupsMax, place) => {
        const { log, path } = logIn(t, { sizeMax: 40, backupsMax });
        const told: Buffer[] = [];
        log.feed.listen({
          bytes: (position, bytes) => {
            assert.equal(position, Buffer.concat(told).length, 'positions have no holes');
            told.push(Buffer.from(bytes));
          },
          end: () => assert.fail('the log goes on'),
        });
        for (const [i, size] of sizes.entries()) {
          log.write(`${String.fromCharCode(97 + (i % 26)).repeat(size)}\n`);
          await log.flush();
        }
        const all = Buffer.concat(told);
        const kept = Buffer.from(history(path).join(''));
        assert.ok(all.subarray(all.length - kept.length).equals(kept), 'what is told is what is written');
        const position = place % (all.length + 1);
        const found = await log.locate(position);
        if (position < all.length - kept.length) {
          assert.equal(found, null, 'bytes that are gone');
          return;
        }
        const parts = found?.segments.map((segment) => {
          assert.equal(statSync(segment.path).ino, segment.inode);
          return readFileSync(segment.path).subarray(segment.from, segment.to);
        });
        assert.ok(Buffer.concat(parts ?? []).equals(all.subarray(position)));
        assert.equal(found?.end, all.length);
      },
    ),
    { numRuns: 60 },
  );
});

test('fewer backups take effect at once, and a move ends the feed', async (t) => {
  const { log, path } = logIn(t, { sizeMax: 4, backupsMax: 3 });
  for (const line of ['aaa\n', 'bbb\n', 'ccc\n', 'ddd\n']) log.write(line);
  await log.flush();
  log.setRule({ sizeMax: 4, backupsMax: 1 });
  await log.flush();
  assert.deepEqual(history(path), ['ccc\n', 'ddd\n']);
  assert.equal(await log.locate(4), null);
  let ended = false;
  log.feed.listen({
    bytes: () => {},
    end: () => {
      ended = true;
    },
  });
  await log.moveTo(`${path}.moved`);
  assert.ok(ended);
  assert.deepEqual((await log.locate(null))?.end, 0);
});

test('a pipe or a device is no log: a log can neither wait for its reader nor be rotated there', async (t) => {
  const pipe = join(temporaryFolder(t), 'pipe.log');
  execFileSync('mkfifo', [pipe]);
  // Without a reader the pipe cannot be opened; with one it can, and is told to be none.
  await assert.rejects(RotatingLog.probe(pipe), { code: 'ENXIO' });
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  atEnd(t, () => closeSync(reader));
  await assert.rejects(RotatingLog.probe(pipe), { code: 'not a regular file' });
  await assert.rejects(RotatingLog.probe('/dev/null'), { code: 'not a regular file' });
  await assert.rejects(RotatingLog.probe('/proc/nope/x.log'), { code: 'ENOENT' });
});
