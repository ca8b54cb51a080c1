/** Every finding of contract section 12: there with the fault, and gone with the remedy. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FLUSH_AFTER_MS } from '../../../../src/actors/aggregator/behaviour.ts';
import { type DoctorFacts, findingsOf, JOURNAL_STUCK_MS } from '../../../../src/control/doctor/rules.ts';
import { DOCTOR_FINDINGS, doctorFindingSchema } from '../../../../src/protocol/explain/doctor.ts';

const NOW = Date.UTC(2026, 0, 31);
const DAY = 86_400_000;
const GIB = 1024 ** 3;

const HEALTHY: Required<DoctorFacts> = {
  nowMs: NOW,
  dataFolder: '/data',
  disks: [{ path: '/data', freeBytes: 30 * GIB, sizeBytes: 400 * GIB }],
  map: { usedBytes: GIB, maxBytes: 2 * GIB },
  freePages: { freeBytes: GIB, fileBytes: 3 * GIB },
  readers: [{ pid: 1, isAlive: true, behind: 9_999 }],
  flush: { medianSeconds: 0.2, count: 64 },
  stalls: { seconds: 3.9, ofSeconds: 300 },
  clockJump: { seconds: 60, agoMs: 3_600_000 },
  nodeClocks: { known: 10, ahead: 5, behind: 5 },
  descriptorsMax: 4_096,
  certificate: { file: '/data/tls/server.crt', endMs: NOW + 30 * DAY + 1, missingName: null },
  openPaths: [],
  journal: { entries: 1_000_000, stuckMs: FLUSH_AFTER_MS + 60_000 },
  replicaBehindMs: 60_000,
  backup: { lastMs: NOW - 7 * DAY, firstStartMs: NOW - 99 * DAY },
  agents: { old: 0, versions: [], server: '1.2.3' },
  tokenKeyFault: null,
  damagedRecords: [],
};

type Fault = readonly [id: string, facts: Partial<DoctorFacts>, what: RegExp];

const FAULTS: readonly Fault[] = [
  ['disk', { disks: [{ path: '/data', freeBytes: 19 * GIB, sizeBytes: 400 * GIB }] }, /\/data.*19\.0 GiB of 400\.0/],
  ['disk', { disks: [...HEALTHY.disks, { path: '/log', freeBytes: 1_000, sizeBytes: 1_001 }] }, /\/log/],
  ['map', { map: { usedBytes: 1.9 * GIB, maxBytes: 2 * GIB } }, /1\.9 GiB/],
  ['free-pages', { freePages: { freeBytes: 2 * GIB, fileBytes: 3 * GIB } }, /2\.0 GiB of the 3\.0 GiB/],
  ['readers', { readers: [{ pid: 77, isAlive: false, behind: 0 }] }, /process 77, which has ended/],
  ['readers', { readers: [{ pid: 78, isAlive: true, behind: 10_000 }] }, /process 78, 10000 transactions behind/],
  [
    'readers',
    { readers: [{ pid: 79, isAlive: true, isOwn: true, behind: 10_000 }] },
    /the server itself, for a command/,
  ],
  ['flush', { flush: { medianSeconds: 0.21, count: 5 } }, /0\.2 s/],
  ['loop-lag', { stalls: { seconds: 4, ofSeconds: 300 } }, /4\.0 s of the last 5 minutes/],
  ['clock', { clockJump: { seconds: -60, agoMs: 120_000 } }, /jumped by -60 s 2 minutes ago/],
  ['clock', { nodeClocks: { known: 3, ahead: 0, behind: 2 } }, /2 of 3 nodes are behind/],
  ['descriptors', { descriptorsMax: 4_095 }, /4095/],
  ['certificate-expiry', { certificate: { ...HEALTHY.certificate, endMs: NOW + 30 * DAY } }, /expires in 30 days/],
  ['certificate-expiry', { certificate: { ...HEALTHY.certificate, endMs: NOW } }, /has expired/],
  [
    'certificate-name',
    { certificate: { ...HEALTHY.certificate, missingName: '10.0.0.1' } },
    /does not name 10\.0\.0\.1/,
  ],
  ['certificate-name', { certificate: { ...HEALTHY.certificate, missingName: '' } }, /names no host/],
  ['permissions', { openPaths: [{ path: '/data/keys', mode: '755' }] }, /\/data\/keys \(mode 755\)/],
  ['journal', { journal: { entries: 3, stuckMs: JOURNAL_STUCK_MS } }, /3 entries wait, the oldest for 32 minutes/],
  ['journal', { journal: { entries: 1_000_001, stuckMs: 0 } }, /1000001/],
  ['replica-lag', { replicaBehindMs: 60_001 }, /60 s behind/],
  ['backup-age', { backup: { lastMs: NOW - 8 * DAY, firstStartMs: null } }, /8 days old/],
  ['backup-age', { backup: { lastMs: null, firstStartMs: NOW - 7 * DAY - 1 } }, /no backup .* 7 days ago/],
  ['agent-version', { agents: { old: 2, versions: ['1.2.2'], server: '1.2.3' } }, /2 nodes .* 1\.2\.3 \(1\.2\.2\)/],
  ['token-key', { tokenKeyFault: 'it is not there' }, /it is not there/],
  ['records', { damagedRecords: ['job a', 'node n'] }, /2 stored records are damaged.*job a, node n/],
];

test('a healthy server has no finding, at the very bounds of health', () => {
  assert.deepEqual(findingsOf(HEALTHY), []);
});

test('a server of which little is known has none either', () => {
  assert.deepEqual(findingsOf({ nowMs: NOW, dataFolder: '/data' }), []);
});

for (const [id, facts, what] of FAULTS) {
  test(`${id}: ${what.source}`, () => {
    const [finding, ...others] = findingsOf({ ...HEALTHY, ...facts });
    assert.equal(finding?.id, id);
    assert.deepEqual(others, []);
    assert.match(finding?.what ?? '', what);
    assert.ok((finding?.remedy ?? '').length > 20);
    doctorFindingSchema.parse(finding);
  });
}

test('every id of the contract has a fault here', () => {
  assert.deepEqual(new Set(FAULTS.map(([id]) => id)), new Set(DOCTOR_FINDINGS));
});

test('the first backup is due seven days after the first start, and not before', () => {
  const backup = { lastMs: null, firstStartMs: NOW - 6 * DAY };
  assert.deepEqual(findingsOf({ ...HEALTHY, backup }), []);
});
