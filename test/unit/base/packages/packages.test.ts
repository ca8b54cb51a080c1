import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import zlib from 'node:zlib';
import { debOf } from '../../../../src/base/packages/deb.ts';
import { type Entry, type PackageFacts, tryArch, withFolders } from '../../../../src/base/packages/entry.ts';
import { rpmOf } from '../../../../src/base/packages/rpm.ts';
import { tarOf } from '../../../../src/base/packages/tar.ts';
import { GZIP } from '../../../../src/control/packages/compression.ts';

const EPOCH = 1_700_000_000;
const LONG = `/usr/lib/x/${'deep/'.repeat(30)}file.txt`;
const FACTS: PackageFacts = {
  name: 'x',
  version: '1.2.3',
  arch: 'amd64',
  summary: 'a package',
  description: ['One line.'],
  maintainer: 'Nobody <nobody@localhost>',
  licence: 'MIT',
  homepage: 'https://localhost/',
  requires: { deb: ['libc6'], rpm: ['glibc'] },
  recommends: { deb: [], rpm: [] },
  provides: ['y'],
  conflicts: ['y'],
  epoch: EPOCH,
};
const ENTRIES: Entry[] = [
  { kind: 'file', path: '/usr/bin/x', mode: 0o755, bytes: Buffer.from('#!/bin/sh\n') },
  { kind: 'file', path: '/etc/x.conf', mode: 0o600, bytes: Buffer.from('a=1\n'), isConfig: true },
  { kind: 'file', path: LONG, mode: 0o644, bytes: Buffer.alloc(700, 'é') },
  { kind: 'link', path: '/usr/lib/x/link', target: '../../bin/x' },
];
const SCRIPTS = { after: '#!/bin/sh\nexit 0\n' };
const folder = mkdtempSync(join(tmpdir(), 'cairn-packages-'));
after(() => rmSync(folder, { recursive: true }));

function unpackedBy(program: string, args: readonly string[]): string {
  const { status, stderr, error } = spawnSync(program, args, { cwd: folder, encoding: 'utf8' });
  assert.equal(error, undefined);
  assert.equal(status, 0, stderr);
  return stderr;
}

test('tar unpacks what was put in: long names, modes, links, times', () => {
  const file = join(folder, 'x.tar');
  writeFileSync(file, tarOf(withFolders(ENTRIES, new Set()), { prefix: './', epoch: EPOCH }));
  unpackedBy('tar', ['-xf', file]);
  assert.deepEqual(readFileSync(join(folder, LONG)), Buffer.alloc(700, 'é'));
  assert.equal(readFileSync(join(folder, 'usr/lib/x/link'), 'utf8'), '#!/bin/sh\n');
  assert.equal(statSync(join(folder, 'etc/x.conf')).mode & 0o777, 0o600);
  assert.equal(statSync(join(folder, 'usr/bin/x')).mtimeMs, EPOCH * 1000);
});

test('a deb has its three members in order, whole and padded, and the same input gives the same bytes', () => {
  const deb = Buffer.from(debOf(FACTS, ENTRIES, SCRIPTS, GZIP));
  assert.deepEqual(Buffer.from(debOf(FACTS, [...ENTRIES].reverse(), SCRIPTS, GZIP)), deb);
  assert.equal(deb.toString('latin1', 0, 8), '!<arch>\n');
  const members = new Map<string, Buffer>();
  for (let at = 8; at < deb.byteLength; ) {
    const name = deb.toString('latin1', at, at + 16).trim();
    const size = Number(deb.toString('latin1', at + 48, at + 58));
    assert.equal(deb.toString('latin1', at + 58, at + 60), '`\n');
    members.set(name, deb.subarray(at + 60, at + 60 + size));
    at += 60 + size + (size % 2);
  }
  assert.deepEqual([...members.keys()], ['debian-binary', 'control.tar.gz', 'data.tar.gz']);
  const archive = zlib.gunzipSync(members.get('control.tar.gz') as Buffer).toString('utf8');
  const control = archive.replaceAll(/\0+/g, '\n');
  const paths = spawnSync('tar', ['-tzf', '-'], { input: members.get('data.tar.gz'), encoding: 'utf8' }).stdout;
  assert.deepEqual(paths.split('\n').slice(0, 3), ['./', './etc/', './etc/x.conf']);
  assert.match(control, /^Package: x\nVersion: 1\.2\.3\nArchitecture: amd64$/m);
  assert.match(control, /^Provides: y \(= 1\.2\.3\)\nConflicts: y\nReplaces: y$/m);
  assert.match(control, /\n?\/etc\/x\.conf\n/);
  assert.match(control, new RegExp(`${createHash('md5').update('#!/bin/sh\n').digest('hex')}  usr/bin/x\n`));
  assert.ok(!/ {2}etc\/x\.conf\n/.test(control), 'a settings file has no sum: it is meant to change');
});

/** Where the entries of a header are, by tag: type, offset and count; and where the next part begins. */
function headerAt(rpm: Buffer, at: number) {
  assert.equal(rpm.readUInt32BE(at), 0x8eade801);
  const count = rpm.readUInt32BE(at + 8);
  const size = rpm.readUInt32BE(at + 12);
  const store = at + 16 + count * 16;
  const entries = new Map(
    Array.from({ length: count }, (_, i) => {
      const entry = at + 16 + i * 16;
      const place = { type: rpm.readUInt32BE(entry + 4), at: store + rpm.readUInt32BE(entry + 8) };
      return [rpm.readUInt32BE(entry), { ...place, count: rpm.readUInt32BE(entry + 12) }] as const;
    }),
  );
  const text = (tag: number): string => {
    const from = entries.get(tag)?.at ?? 0;
    return rpm.toString('utf8', from, rpm.indexOf(0, from));
  };
  return { entries, text, end: store + size, from: at };
}

test('an rpm carries digests of its header and of its content, and the sizes that they are over', () => {
  const rpm = Buffer.from(rpmOf(FACTS, ENTRIES, SCRIPTS, GZIP));
  assert.deepEqual(Buffer.from(rpmOf(FACTS, [...ENTRIES].reverse(), SCRIPTS, GZIP)), rpm);
  assert.equal(rpm.readUInt32BE(0), 0xedabeedb);
  const signature = headerAt(rpm, 96);
  const header = headerAt(rpm, Math.ceil(signature.end / 8) * 8);
  const headerBytes = rpm.subarray(header.from, header.end);
  const payload = rpm.subarray(header.end);
  const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
  assert.equal(signature.text(273), sha256(headerBytes));
  const md5At = signature.entries.get(1004)?.at ?? 0;
  assert.equal(
    rpm.toString('hex', md5At, md5At + 16),
    createHash('md5').update(headerBytes).update(payload).digest('hex'),
  );
  assert.equal(rpm.readUInt32BE(signature.entries.get(1000)?.at ?? 0), headerBytes.byteLength + payload.byteLength);
  assert.equal(header.text(5092), sha256(payload));
  assert.equal(header.text(1000), 'x');
  assert.equal(header.text(1022), 'x86_64');
  const archive = zlib.gunzipSync(payload);
  assert.equal(rpm.readUInt32BE(signature.entries.get(1007)?.at ?? 0), archive.byteLength);
  assert.ok(archive.includes('./usr/bin/x\0') && archive.includes('TRAILER!!!'));
  // Of settings files, an edited one stays: CONFIG and NOREPLACE.
  const flagsAt = header.entries.get(1037)?.at ?? 0;
  const flags = Array.from({ length: header.entries.get(1037)?.count ?? 0 }, (_, i) =>
    rpm.readUInt32BE(flagsAt + 4 * i),
  );
  assert.deepEqual(
    flags.filter((flag) => flag !== 0),
    [17],
  );
});

test('processors are known by the names of both families and of the kernel', () => {
  assert.deepEqual(['amd64', 'x86_64', 'arm64', 'aarch64', 'mips', '__proto__'].map(tryArch), [
    'amd64',
    'amd64',
    'arm64',
    'arm64',
    undefined,
    undefined,
  ]);
});
