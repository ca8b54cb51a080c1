import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CodedError } from '../../../../src/base/errors.ts';
import { type Job, jobSchema } from '../../../../src/protocol/job.ts';
import { decodeJobRecord, encodeJobRecord, type JobMeta, jobJsonOf } from '../../../../src/store/records/job-record.ts';

const JOB: Job = {
  id: 'j-1',
  queueName: 'night/long runs',
  name: 'größe',
  createdAt: '2026-01-31T08:15:00.123456789Z',
  updatedAt: '2026-01-31T08:15:00.123456789Z',
  status: 'Creating',
  nodeOid: 'i-1',
  containerId: '',
  spotProtCount: 0,
  batchJobIds: ['b\u{1f600}'],
  volumeIds: [],
  events: [{ timestamp: '2026-01-31T08:15:00.123456789Z', eventType: 'Job-Creating', nodeOid: 'i-1' }],
};
const META: JobMeta = {
  receivedAtMs: 1_769_847_300_123.5,
  counted: { runtimeNs: '123456789012345678901', runNs: '1', cost: 0.1 + 0.2, onDemandSavings: -0.5 },
  folded: { pairs: 3, through: '1769847300123456789' },
};

test('a record is read as what was written', () => {
  for (const meta of [META, { receivedAtMs: 0, counted: null, folded: null }]) {
    assert.deepEqual(decodeJobRecord(encodeJobRecord(meta, JOB)), { meta, job: JOB });
  }
});

test('the JSON that readers get stands in the record byte for byte, in the interface’s form', () => {
  const json = Buffer.from(jobJsonOf(encodeJobRecord(META, JOB))).toString('utf8');
  assert.equal(json, JSON.stringify(JOB));
  assert.ok(jobSchema.safeParse(JSON.parse(json)).success);
});

test('a record that stands in a larger buffer is read all the same', () => {
  const record = encodeJobRecord(META, JOB);
  const buffer = Buffer.alloc(record.length + 11, 0xee);
  buffer.set(record, 5);
  assert.deepEqual(decodeJobRecord(buffer.subarray(5, 5 + record.length)), { meta: META, job: JOB });
});

test('a record of another version is refused', () => {
  const record = Uint8Array.from(encodeJobRecord(META, JOB));
  record[0] = 3;
  assert.throws(() => decodeJobRecord(record), CodedError);
  assert.throws(() => jobJsonOf(record), CodedError);
});
