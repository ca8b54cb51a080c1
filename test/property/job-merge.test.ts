/**
 * Law: a job follows from the set of its events, not from how they were sent. Any order, any repetition and any cutting
 * into updates gives the same job; only among events of one time does arrival decide, as the contract says.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobBehaviour } from '../../src/actors/job/behaviour.ts';
import { type JobState, newJobState } from '../../src/actors/job/job-state.ts';
import type { UpdateJob } from '../../src/actors/job/messages.ts';
import { hydrateJob } from '../../src/actors/job/stored-job.ts';
import type { Step } from '../../src/actors/runtime/behaviour.ts';
import type { JobDetail, JobEvent } from '../../src/protocol/job.ts';
import { detailOf } from '../support/job-events.ts';
import fc from '../support/laws/fast-check.ts';

const NOW = { monotonicMs: 0, wallMs: Date.UTC(2026, 0, 31, 12) };
const TYPES = [
  'Job-Creating',
  'Job-Created',
  'Job-Running',
  'Job-Checkpointing',
  'Job-CheckpointSucceeded',
  'Job-CheckpointFailed',
  'Job-Restoring',
  'Job-RestoreSucceeded',
  'Job-RestoreFailed',
  'Job-Stopped',
  'Job-Succeeded',
  'Job-Failed',
  'Volume-Created',
  'Volume-Attached',
  'Volume-Unready',
  'Job-Levitating',
] as const;

/** The job that the updates make; now and then it is forgotten and read from its record, as a real one is. */
function jobOf(updates: readonly (readonly JobEvent[])[]): Omit<JobDetail, 'phase'> {
  let state: JobState = newJobState('j-1');
  updates.forEach((events, i) => {
    const message: UpdateJob = { type: 'update', update: { id: 'j-1', queueName: 'q', events: [...events] } };
    const step: Step<JobState> = jobBehaviour.receive(state, message, NOW, { takeSeries: () => true });
    assert.equal(step.refuse, undefined);
    const record = step.writes?.find(({ table }) => table === 'job')?.value;
    assert.ok(record);
    state = i % 2 === 0 ? step.state : hydrateJob('j-1', record);
  });
  return detailOf(state, NOW.wallMs);
}

/** As the contract says it, in the plainest way. */
function modelOf(updates: readonly (readonly JobEvent[])[]): readonly JobEvent[] {
  const arrived: JobEvent[] = [];
  for (const update of updates) {
    for (const event of update)
      if (!arrived.some((known) => identityOf(known) === identityOf(event))) arrived.push(event);
  }
  return arrived
    .map((event, arrival) => ({ event, arrival, digits: digitsOf(event) }))
    .sort((a, b) => (a.digits < b.digits ? -1 : a.digits > b.digits ? 1 : a.arrival - b.arrival))
    .map(({ event }) => event);
}

/** The digits in which a time is written make no other event. */
function identityOf(event: JobEvent): string {
  return JSON.stringify({ ...event, timestamp: digitsOf(event) });
}

/** Of one day, so that the clock with nine fraction digits compares as text. */
function digitsOf({ timestamp }: JobEvent): string {
  const [clock = '', fraction = ''] = timestamp.slice(11, -1).split('.');
  return `${clock}.${fraction.padEnd(9, '0')}`;
}

const oid = fc.constantFrom('1', '2', '3');
const eventAtSecond = (second: number, fraction: string, type: string, number: string): JobEvent => {
  const timestamp = `2026-01-31T08:${String(second).padStart(2, '0')}:00${fraction === '' ? '' : `.${fraction}`}Z`;
  if (type.startsWith('Volume-')) return { timestamp, eventType: type, volumnId: `vol-${number}` };
  if (type === 'Job-Creating')
    return {
      timestamp,
      eventType: type,
      nodeOid: `i-${number}`,
      containerId: `c-${number}`,
      batchJobId: `b-${number}`,
    };
  if (type === 'Job-Restoring')
    return { timestamp, eventType: type, nodeOid: `i-${number}`, containerId: `c-${number}` };
  return { timestamp, eventType: type };
};
const fraction = fc.constantFrom('', '0', '1', '10', '09', '000000001', '100000000', '999999999');
const event = fc.tuple(fc.nat(59), fraction, fc.constantFrom(...TYPES), oid).map((parts) => eventAtSecond(...parts));

/** A list, some of it repeated, in any order, cut into updates anywhere. */
function sendings(events: readonly JobEvent[]): fc.Arbitrary<JobEvent[][]> {
  const repeated = fc.subarray([...events]).map((again) => [...events, ...again]);
  return repeated.chain((all) =>
    fc
      .tuple(
        fc.shuffledSubarray(all, { minLength: all.length, maxLength: all.length }),
        fc.array(fc.boolean(), { minLength: all.length, maxLength: all.length }),
      )
      .map(([order, cuts]) => {
        const updates: JobEvent[][] = [[]];
        order.forEach((one, i) => {
          updates.at(-1)?.push(one);
          if (cuts[i]) updates.push([]);
        });
        return updates;
      }),
  );
}

/** No two events of one instant. */
const distinct = fc.uniqueArray(event, { selector: digitsOf, minLength: 1, maxLength: 14 });

test('any order, repetition and cutting of events of different times gives the same job', () => {
  fc.assert(
    fc.property(
      distinct.chain((events) => fc.tuple(sendings(events), sendings(events))),
      ([one, other]) => {
        const [a, b] = [jobOf(one), jobOf(other)];
        // Unions are in the order of first sight, and that is the order of sending.
        const sorted = (job: Omit<JobDetail, 'phase'>) => ({
          ...job,
          batchJobIds: [...job.batchJobIds].sort(),
          volumeIds: [...job.volumeIds].sort(),
        });
        assert.deepEqual(sorted(a), sorted(b));
        assert.deepEqual(a.events, modelOf(one));
      },
    ),
    { numRuns: 400 },
  );
});

test('among events of one time arrival decides, for their order and for the status', () => {
  const crowded = fc.array(
    event.map((one) => ({ ...one, timestamp: one.timestamp.replace(/08:\d\d/, '08:00') })),
    { maxLength: 10 },
  );
  fc.assert(
    fc.property(crowded.chain(sendings), (updates) => {
      const job = jobOf(updates);
      const expected = modelOf(updates);
      assert.deepEqual(job.events, expected);
      const bearing = expected
        .filter(({ eventType }) => /^Job-(?!Levitating)|Unready$/.test(eventType))
        .at(-1)?.eventType;
      const status =
        bearing === undefined ? 'Unknown' : bearing === 'Volume-Unready' ? 'VolumeUnready' : bearing.slice(4);
      assert.equal(job.status, status);
      const place = expected.findLast(({ eventType }) => eventType === 'Job-Creating' || eventType === 'Job-Restoring');
      assert.deepEqual([job.nodeOid, job.containerId], [place?.nodeOid ?? '', place?.containerId ?? '']);
    }),
    { numRuns: 400 },
  );
});

test('a set that was sent makes nothing new when it is sent again in any way', () => {
  fc.assert(
    fc.property(
      distinct.chain((events) => fc.tuple(fc.constant(events), sendings(events))),
      ([events, again]) => {
        assert.deepEqual(jobOf([events, ...again]), jobOf([events]));
      },
    ),
    { numRuns: 200 },
  );
});
