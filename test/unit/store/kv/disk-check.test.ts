import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { CodedError } from '../../../../src/base/errors.ts';
import { DiskCheck } from '../../../../src/store/kv/disk-check.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

const FAILED = new CodedError('storageFailed', 'cannot commit: EIO');
/** More than any disk has. */
const ENDLESS = 2 ** 52;

const outcomeOf = (disk: DiskCheck, bytes = 1): string => {
  try {
    disk.mustTake(bytes);
    return 'taken';
  } catch (error) {
    return (error as CodedError).name;
  }
};

/** A folder of its own, a check of its disk and the clock of that check. */
function clockedDisk(t: TestContext): {
  readonly folder: string;
  readonly disk: DiskCheck;
  readonly clock: { nowMs: number };
} {
  const folder = join(temporaryFolder(t), 'db');
  mkdirSync(folder);
  const clock = { nowMs: 0 };
  const disk = new DiskCheck(
    folder,
    () => 0,
    () => clock.nowMs,
  );
  return { folder, disk, clock };
}

test('a transaction that would not fit is refused before the database is asked, but where it has room inside', (t) => {
  const folder = temporaryFolder(t);
  assert.equal(outcomeOf(new DiskCheck(folder, () => 0)), 'taken');
  assert.equal(outcomeOf(new DiskCheck(folder, () => 0), ENDLESS), 'storageFull');
  assert.equal(outcomeOf(new DiskCheck(folder, () => ENDLESS * 8), ENDLESS), 'taken');
});

test('a file that may not grow any more is a full disk, but where it has room inside', (t) => {
  const folder = temporaryFolder(t);
  writeFileSync(join(folder, 'data.mdb'), Buffer.alloc(100_000));
  const limited = (fileBytesMax: number, freeInside = 0) =>
    new DiskCheck(folder, () => freeInside, undefined, fileBytesMax);
  assert.equal(outcomeOf(limited(1_000_000_000)), 'taken');
  assert.equal(outcomeOf(limited(150_000)), 'storageFull');
  assert.equal(outcomeOf(limited(50_000)), 'storageFull');
  assert.equal(outcomeOf(limited(50_000, ENDLESS)), 'taken');
});

test('a disk with much room is not looked at again for a moment, unless a transaction is large or one has failed', (t) => {
  const { folder, disk, clock } = clockedDisk(t);
  const looks = (bytes?: number): boolean => {
    try {
      disk.mustTake(bytes ?? 1);
      return false;
    } catch (error) {
      return (error as NodeJS.ErrnoException).code === 'ENOENT';
    }
  };
  assert.equal(looks(), false);
  // A look at a folder that is gone fails.
  rmSync(folder, { recursive: true });
  assert.equal(looks(), false);
  assert.equal(looks(200_000_000), true, 'what could fill the room is compared with it');
  mkdirSync(folder);
  assert.equal(looks(), false);
  rmSync(folder, { recursive: true });
  clock.nowMs = 99;
  assert.equal(looks(), false);
  clock.nowMs = 100;
  assert.equal(looks(), true, 'the moment is over');
  mkdirSync(folder);
  assert.equal(looks(), false);
  disk.failed(FAILED);
  rmSync(folder, { recursive: true });
  clock.nowMs = 150;
  assert.equal(looks(), true, 'a failure is a reason to look');
});

test('after a failure the next transactions fail as it did, until the disk takes a plain file', (t) => {
  const { folder, disk, clock } = clockedDisk(t);
  disk.failed(FAILED);
  assert.equal(outcomeOf(disk), 'storageFailed');
  clock.nowMs = 99;
  assert.equal(outcomeOf(disk), 'storageFailed');
  clock.nowMs = 100;
  assert.equal(outcomeOf(disk), 'taken');
  assert.deepEqual(readdirSync(folder), [], 'nothing is left of the probe');
  disk.succeeded();
  assert.equal(outcomeOf(disk), 'taken');
});

test('a probe that fails is a failure too, and the next one comes later', (t) => {
  const { folder, disk, clock } = clockedDisk(t);
  disk.failed(new CodedError('storageFull'));
  // A folder in the probe's place, also for root.
  mkdirSync(join(folder, '.probe'));
  assert.equal(outcomeOf(disk), 'storageFull');
  clock.nowMs = 100;
  assert.equal(outcomeOf(disk), 'storageFailed');
  rmSync(join(folder, '.probe'), { recursive: true });
  clock.nowMs = 299;
  assert.equal(outcomeOf(disk), 'storageFailed');
  clock.nowMs = 300;
  assert.equal(outcomeOf(disk), 'taken');
});
