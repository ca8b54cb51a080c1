/**
 * Law: a job whose events are in rows is the job that holds all of them, and makes the samples that it makes. The reference
 * keeps every event in memory and passes all of them for each update, as the formulas are written.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JobSample, samplesOfEvents } from '../../src/actors/job/formulas.ts';
import type { JobState } from '../../src/actors/job/job-state.ts';
import { mergeEvents, union } from '../../src/actors/job/merge-events.ts';
import { priceSegments } from '../../src/actors/job/segment-prices.ts';
import type { JobDetail, JobEvent } from '../../src/protocol/job.ts';
import { textKey } from '../../src/store/kv/keys.ts';
import { WriteBatch } from '../../src/store/kv/write-batch.ts';
import { jobMetaOf } from '../../src/store/records/job-record.ts';
import { encodeNodePrice, type NodePrice, oidKey } from '../../src/store/records/node-record.ts';
import { jobDetailText } from '../../src/workers/jobs/job-detail.ts';
import { detailOf, eventAt, jobWith, priceOf, timed } from '../support/job-events.ts';
import { JobWorld } from '../support/job-world.ts';
import fc from '../support/laws/fast-check.ts';

const TYPES = [
  'Job-Creating',
  'Job-Running',
  'Job-Checkpointing',
  'Job-CheckpointSucceeded',
  'Job-CheckpointFailed',
  'Job-Restoring',
  'Job-RestoreSucceeded',
  'Job-RestoreFailed',
  'Job-Stopped',
  'Job-Succeeded',
  'Volume-Created',
  'Volume-Attached',
] as const;

/** What the nodes cost; one is not known. */
const NODE_PRICES: ReadonlyMap<string, NodePrice> = new Map([
  ['i-1', priceOf('n-1', true, 0.25, 1)],
  ['i-2', priceOf('n-2', false, 2, 2)],
]);

function worldWithNodes(): JobWorld {
  const world = new JobWorld();
  const batch = new WriteBatch();
  for (const [oid, price] of NODE_PRICES) batch.put('nodeByOid', oidKey(oid), encodeNodePrice(price));
  world.actors.store.commit([batch.seal()]);
  return world;
}

/** A job that holds all its events. */
class Reference {
  state: JobState = jobWith([]);

  /** The samples that the events make. */
  update(sent: readonly JobEvent[]): readonly JobSample[] {
    const before = this.state;
    const arriving = sent.map(timed).sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0));
    const { events, arrived } = mergeEvents(before.events, arriving);
    const prices = priceSegments(events, before.prices, NODE_PRICES);
    const { counted: known, folded } = before;
    const { samples, counted } = samplesOfEvents({
      events,
      arrived,
      cpus: 1,
      prices,
      nodePrices: NODE_PRICES,
      counted: known,
      folded,
    });
    const volumes = arrived.map((place) => events[place]?.event.volumnId ?? '');
    this.state = { ...before, events, prices, counted, volumeIds: union(before.volumeIds, volumes) };
    const at = events[0]?.at;
    const isFirst = before.events.length === 0 && at !== undefined;
    return [...(isFirst ? [{ metric: 'jobSubmitted', at, value: 1 }] : []), ...samples];
  }
}

/** Seconds since the last event, mostly; some events are late, some are of one time. */
const step = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 1, max: 20 }) },
  { weight: 2, arbitrary: fc.constant(0) },
  { weight: 1, arbitrary: fc.integer({ min: -3_000, max: -1 }) },
);
const sent = fc.record({
  step,
  type: fc.constantFrom(...TYPES),
  number: fc.constantFrom('1', '2', '3'),
  /** Long enough that some rows are full by their bytes. */
  detail: fc.constantFrom(undefined, undefined, undefined, 'x'.repeat(1_000)),
});
const updates = fc.array(fc.array(sent, { minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 12 });

type Sent = readonly (readonly {
  step: number;
  type: (typeof TYPES)[number];
  number: string;
  detail: string | undefined;
}[])[];

function eventsOf(all: Sent): JobEvent[][] {
  let second = 20_000;
  return all.map((update) =>
    update.map(({ step: seconds, type, number, detail }) => {
      const at = Math.max(0, Math.min(39_000, second + seconds));
      if (seconds > 0) second = at;
      const more = detail === undefined ? {} : { detail };
      if (type.startsWith('Volume-')) return eventAt(at, type, { volumnId: `vol-${number}`, ...more });
      if (type === 'Job-Creating' || type === 'Job-Restoring')
        return eventAt(at, type, { nodeOid: `i-${number}`, containerId: `c-${number}`, ...more });
      return eventAt(at, type, more);
    }),
  );
}

function detailIn(world: JobWorld): JobDetail {
  const { store } = world.actors;
  const record = store.get('job', textKey('j-1')) as Uint8Array;
  const { sealed } = jobMetaOf(record);
  assert.equal(store.count('jobEvent') > 0, sealed !== undefined, 'rows and the record tell the same');
  const text = jobDetailText(store, 'j-1', record, { nowMs: world.actors.clock.wallMs(), warnings: [] });
  return JSON.parse(text) as JobDetail;
}

test('a job with sealed events is, and counts, what one that holds all its events is and counts', () => {
  fc.assert(
    fc.property(updates, fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }), (all, restarts) => {
      const world = worldWithNodes();
      const reference = new Reference();
      for (const [i, events] of eventsOf(all).entries()) {
        const samples = reference.update(events).map(({ metric, value }) => `${metric}=${Number(value.toFixed(9))}`);
        world.update(events);
        assert.deepEqual(world.samples(), samples);
        if (restarts[i]) world.restart();
      }
      const expected = detailOf(reference.state, world.actors.clock.wallMs());
      assert.deepEqual(detailIn(world), expected);
    }),
    { numRuns: 200 },
  );
});

test('updates that do not wait for one another make the same job', () => {
  fc.assert(
    fc.property(updates, (all) => {
      const world = worldWithNodes();
      const reference = new Reference();
      for (const events of eventsOf(all)) {
        world.send(events);
        world.actors.turn();
        reference.update(events);
      }
      world.actors.settle();
      assert.deepEqual(detailIn(world), detailOf(reference.state, world.actors.clock.wallMs()));
    }),
    { numRuns: 100 },
  );
});
