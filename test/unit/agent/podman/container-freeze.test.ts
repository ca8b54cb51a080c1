import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { type Freezer, freeze, freezerIn, thaw } from '../../../../agent/podman/container-freeze.ts';

let root: string;

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'cairn-cgroups-'));
});

afterEach(() => rmSync(root, { recursive: true, force: true }));

function cgroup(path: string, files: Readonly<Record<string, string>>): void {
  mkdirSync(join(root, path), { recursive: true });
  for (const [name, text] of Object.entries(files)) writeFileSync(join(root, path, name), text);
}

test('a cgroup of the first version is frozen by its own freezer', async () => {
  cgroup('freezer/pod', { 'freezer.state': 'THAWED\n' });
  const freezer = freezerIn(['5:cpu,cpuacct:/other', '3:freezer:/pod', '0::/'], root) as Freezer;
  const frozen = freeze(freezer);
  const state = () => readFileSync(join(root, 'freezer/pod/freezer.state'), 'utf8');
  assert.equal(state(), 'FROZEN');
  await frozen;
  thaw(freezer);
  assert.equal(state(), 'THAWED');
});

test('a cgroup of the second version is frozen when its events say so', async () => {
  cgroup('pod', { 'cgroup.freeze': '0\n', 'cgroup.events': 'populated 1\nfrozen 0\n' });
  const freezer = freezerIn(['0::/pod'], root) as Freezer;
  let isFrozen = false;
  const frozen = freeze(freezer).then(() => {
    isFrozen = true;
  });
  await new Promise((resolve) => setImmediate(resolve));
  assert.equal(readFileSync(join(root, 'pod/cgroup.freeze'), 'utf8'), '1');
  assert.equal(isFrozen, false);
  writeFileSync(join(root, 'pod/cgroup.events'), 'populated 1\nfrozen 1\n');
  await frozen;
  thaw(freezer);
  assert.equal(readFileSync(join(root, 'pod/cgroup.freeze'), 'utf8'), '0');
});

test('a path with colons is a path', () => {
  cgroup('a:b', { 'cgroup.freeze': '0\n' });
  assert.equal(freezerIn(['0::/a:b'], root)?.file, join(root, 'a:b', 'cgroup.freeze'));
});

test('there is nothing to freeze in the root of all cgroups, nor where a cgroup is gone', () => {
  cgroup('', { 'cgroup.freeze': '0\n' });
  assert.equal(freezerIn(['0::/'], root), null);
  assert.equal(freezerIn(['0::/gone'], root), null);
  assert.equal(freezerIn([''], root), null);
  thaw({ file: join(root, 'gone'), words: { freeze: '1', thaw: '0' }, isFrozen: () => false });
});
