import assert from 'node:assert/strict';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { LogRoots, logRootsOf } from '../../../../src/store/logs/log-roots.ts';
import { temporaryFolder } from '../../../support/temporary-folder.ts';

interface Place {
  readonly log: string;
  readonly other: string;
  readonly outside: string;
  readonly roots: LogRoots;
}

function makePlace(t: TestContext): Place {
  const base = temporaryFolder(t);
  const [log, other, outside] = ['log', 'other', 'outside'].map((name) => join(base, name)) as [string, string, string];
  for (const folder of [join(log, 'nodes'), other, outside]) mkdirSync(folder, { recursive: true });
  return { log, other, outside, roots: new LogRoots(log, [other]) };
}

const OUTSIDE = /is neither in the log folder nor below a folder listed in CAIRN_LOG_ROOTS/;

async function isRefused({ roots }: Place, file: string, why: RegExp): Promise<void> {
  assert.match((await roots.faultOf(file)) ?? 'is allowed', why, file);
}

test('a log may be in the log folder or below another root, also in folders that do not exist yet', async (t) => {
  const { log, other, roots } = makePlace(t);
  for (const file of [join(log, 'x.log'), join(log, 'a', 'b', 'x.log'), join(other, 'x.log')])
    assert.equal(await roots.faultOf(file), undefined, file);
});

test('a log may not be outside the roots, nor in a folder whose name only begins like one', async (t) => {
  const place = makePlace(t);
  mkdirSync(`${place.log}-2`);
  for (const file of [join(place.outside, 'x.log'), join(`${place.log}-2`, 'x.log'), '/x.log'])
    await isRefused(place, file, OUTSIDE);
});

test('a path that climbs is refused, wherever it ends', async (t) => {
  const place = makePlace(t);
  for (const file of [`${place.log}/../outside/x.log`, `${place.log}/a/../x.log`, `${place.log}//x.log`])
    await isRefused(place, file, /has empty, \. or \.\. segments/);
});

test('a link counts as what it leads to, also where its target does not exist', async (t) => {
  const place = makePlace(t);
  const { log, other, outside } = place;
  writeFileSync(join(outside, 'there.log'), '');
  symlinkSync(outside, join(log, 'folder'));
  symlinkSync(join(outside, 'there.log'), join(log, 'file.log'));
  symlinkSync('../outside/missing.log', join(log, 'dangling.log'));
  symlinkSync(join(outside, 'there.log'), join(log, 'beside-access.log'));
  symlinkSync(other, join(log, 'inside'));
  for (const name of ['folder/x.log', 'folder/new/x.log', 'file.log', 'dangling.log', 'beside.log'])
    await isRefused(place, join(log, name), OUTSIDE);
  assert.equal(await place.roots.faultOf(join(log, 'inside', 'x.log')), undefined);
});

test('links in a circle, and a file where a folder should be, cannot be resolved', async (t) => {
  const place = makePlace(t);
  symlinkSync(join(place.log, 'b.log'), join(place.log, 'a.log'));
  symlinkSync(join(place.log, 'a.log'), join(place.log, 'b.log'));
  writeFileSync(join(place.log, 'file'), '');
  for (const name of ['a.log', 'file/x.log']) await isRefused(place, join(place.log, name), /cannot be resolved/);
});

test('the log folder may itself be a link', async (t) => {
  const { log } = makePlace(t);
  symlinkSync(log, `${log}-link`);
  assert.equal(await new LogRoots(`${log}-link`, []).faultOf(join(log, 'x.log')), undefined);
  assert.equal(await new LogRoots(log, []).faultOf(join(`${log}-link`, 'x.log')), undefined);
});

test('the logs of nodes are no place for the server’s own', async (t) => {
  const place = makePlace(t);
  await isRefused(place, join(place.log, 'nodes', 'n', 'x.log'), /is in the folder of the node logs/);
});

test('roots are absolute paths, separated by colons', () => {
  assert.deepEqual(logRootsOf(undefined), []);
  assert.deepEqual(logRootsOf('/a:/b/c::'), ['/a', '/b/c']);
  assert.throws(() => logRootsOf('/a:b'), /cannot use b of CAIRN_LOG_ROOTS: want absolute paths/);
});
