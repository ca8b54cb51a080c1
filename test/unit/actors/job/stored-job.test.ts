/** What a job's record keeps beside what readers see. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobState } from '../../../../src/actors/job/job-state.ts';
import { SegmentPrices } from '../../../../src/actors/job/segment-price-table.ts';
import { hydrateJob, recordOf } from '../../../../src/actors/job/stored-job.ts';
import { event, jobWith } from '../../../support/job-events.ts';

const EVENTS = [event('08:00:00.000000001', 'Job-Running'), event('08:10:00', 'Job-Succeeded')];
const COUNTED = { runtimeNs: 2n ** 70n, runNs: 7n, cost: 0.1, onDemandSavings: 0 };

test('a job is read back as it was written', () => {
  const jobs: Partial<JobState>[] = [
    {},
    { name: 'n', cpus: 2, memoryInMB: 3, maxRootFSUsageMB: 4, batchJobIds: ['b'], volumeIds: ['v'], receivedAtMs: 5 },
    { counted: COUNTED },
    { folded: { pairs: 3, through: 2n ** 61n } },
    { folded: { pairs: 3, through: 9n, mark: { runNs: 2n ** 65n, suspendedNs: null, attemptNs: null } } },
    { folded: { pairs: 3, through: 9n, mark: { runNs: 5n, suspendedNs: 0n, attemptNs: 4n } } },
    { claim: { epoch: 3, nodeId: 'n-1' } },
    { claim: { epoch: 4, nodeId: null } },
    { prices: new SegmentPrices([{ start: 8n, nodeOid: 'i-a', spot: true, price: 0.1, onDemandPrice: 2 }]) },
  ];
  for (const more of jobs) {
    const job = jobWith(EVENTS, more);
    const read = hydrateJob('j-1', recordOf(job));
    assert.deepEqual(read, job);
    assert.deepEqual(read.prices.all, job.prices.all);
  }
});

test('a job without a record does not exist', () => {
  assert.equal(hydrateJob('j-1', undefined).exists, false);
});
