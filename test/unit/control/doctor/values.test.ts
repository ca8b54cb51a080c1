/** What each check says it saw, whether or not that is a finding. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DoctorFacts } from '../../../../src/control/doctor/rules.ts';
import { valuesOf } from '../../../../src/control/doctor/values.ts';
import { DOCTOR_FINDINGS, doctorReportSchema } from '../../../../src/protocol/explain/doctor.ts';

const NOW = Date.UTC(2026, 0, 31);
const HOUR = 3_600_000;
const GIB = 1024 ** 3;

const FACTS: Required<DoctorFacts> = {
  nowMs: NOW,
  dataFolder: '/data',
  disks: [{ path: '/data', freeBytes: 312 * GIB, sizeBytes: 400 * GIB }],
  map: { usedBytes: GIB, maxBytes: 2 * GIB },
  freePages: { freeBytes: GIB / 2, fileBytes: 3 * GIB },
  readers: [
    { pid: 1, isAlive: true, behind: 0 },
    { pid: 2, isAlive: true, behind: 1_200 },
  ],
  flush: { medianSeconds: 0.0042, count: 34_154 },
  stalls: { seconds: 0.5, ofSeconds: 300 },
  clockJump: { seconds: 60, agoMs: 3 * HOUR },
  nodeClocks: { known: 10, ahead: 1, behind: 2 },
  descriptorsMax: 65_536,
  certificate: { file: '/data/tls/server.crt', endMs: NOW + 54.5 * 24 * HOUR, missingName: null },
  openPaths: [],
  journal: { entries: 1_200, stuckMs: 180_000 },
  replicaBehindMs: 300,
  backup: { lastMs: NOW - 3.1 * HOUR, firstStartMs: null },
  agents: { old: 0, versions: [], server: '1.2.3' },
  tokenKeyFault: null,
  damagedRecords: [],
};

const said = (facts: DoctorFacts): Record<string, string> =>
  Object.fromEntries(valuesOf(facts).map(({ id, value }) => [id, value]));

test('each check tells what it saw', () => {
  assert.deepEqual(said(FACTS), {
    disk: '312.0 GiB free (78 %)',
    map: '1.0 GiB of 2.0 GiB',
    'free-pages': '512.0 MiB of 3.0 GiB free',
    readers: '2 readers, at most 1,200 transactions behind',
    flush: 'median 4.2 ms of 34,154 flushes',
    'loop-lag': '0.5 s of the last 5 minutes',
    clock: 'jumped by 60 s 3 h ago',
    descriptors: '65,536 allowed',
    'certificate-expiry': 'ends in 54 days',
    'certificate-name': 'names the address',
    permissions: 'none open to others',
    journal: '1,200 entries, the oldest for 3 m',
    'replica-lag': '0.3 s behind the leader',
    'backup-age': 'last backup 3 h 6 m ago',
    'agent-version': 'none older than 1.2.3',
    'token-key': 'readable',
    records: 'none damaged since the start',
  });
});

test('the values are in the order of the findings, and an answer of the API', () => {
  const checks = valuesOf(FACTS);
  assert.deepEqual(
    checks.map(({ id }) => id),
    [...DOCTOR_FINDINGS],
  );
  doctorReportSchema.parse({ findings: [], checks });
});

test('a check of which nothing was measured has no value', () => {
  assert.deepEqual(said({ nowMs: NOW, dataFolder: '/data' }), {});
  assert.deepEqual(said({ nowMs: NOW, dataFolder: '/data', disks: [] }), {});
});

test('values tell what is wrong, too, and what has not been yet', () => {
  const { clockJump: _, ...calm } = FACTS;
  const disks = [...FACTS.disks, { path: '/log', freeBytes: 0, sizeBytes: 0 }];
  const of = (facts: Partial<DoctorFacts>, id: string): string | undefined => said({ ...calm, ...facts })[id];
  assert.deepEqual(
    [
      of({ disks }, 'disk'),
      of({ readers: [{ pid: 1, isAlive: true, behind: 0 }] }, 'readers'),
      of({}, 'clock'),
      of({ nodeClocks: { known: 0, ahead: 0, behind: 0 } }, 'clock'),
      of({ certificate: { ...FACTS.certificate, endMs: NOW + 30 * HOUR, missingName: 'a' } }, 'certificate-expiry'),
      of({ certificate: { ...FACTS.certificate, endMs: NOW - HOUR } }, 'certificate-expiry'),
      of({ certificate: { ...FACTS.certificate, missingName: 'a' } }, 'certificate-name'),
      of({ openPaths: [{ path: '/data', mode: '755' }] }, 'permissions'),
      of({ journal: { entries: 0, stuckMs: 0 } }, 'journal'),
      of({ backup: { lastMs: null, firstStartMs: NOW } }, 'backup-age'),
      of({ backup: { lastMs: NOW + HOUR, firstStartMs: NOW } }, 'backup-age'),
      of({ agents: { old: 1, versions: ['1.2.2'], server: '1.2.3' } }, 'agent-version'),
      of({ tokenKeyFault: 'gone' }, 'token-key'),
      of({ damagedRecords: ['job a'] }, 'records'),
    ],
    [
      '312.0 GiB free (78 %) at /data, 0 bytes free at /log',
      '1 reader',
      'no jump, 7 of 10 nodes agree',
      'no jump',
      'ends in 30 h',
      'ended 1 h ago',
      'does not name the address',
      '1 open to others',
      'no entry waits',
      'no backup yet',
      'last backup just now',
      '1 node older than 1.2.3',
      'not readable',
      '1 damaged',
    ],
  );
});
