/** Lists over LMDB are the lists over the store in memory, which test/property holds to the model. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  JOB_COUNT_KEYS,
  JOB_SORTS,
  type JobCount,
  type JobFilter,
  type JobQuery,
} from '../../src/protocol/lists/job-query.ts';
import { mustParseTimestamp } from '../../src/protocol/timestamp.ts';
import { openLmdbStore } from '../../src/store/kv/lmdb-store.ts';
import { MemoryStore } from '../../src/store/kv/memory-store.ts';
import { jobCount } from '../../src/workers/jobs/job-count.ts';
import { selectPage } from '../../src/workers/jobs/page.ts';
import { queueList } from '../../src/workers/jobs/queue-list.ts';
import { TextIndex } from '../../src/workers/jobs/text-index.ts';
import { atEnd } from '../support/at-end.ts';
import { JobShelf, modelOf, type ShelfJob } from '../support/job-shelf.ts';
import fc from '../support/laws/fast-check.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

const time = (i: number): string => `2026-01-01T00:${String(i % 60).padStart(2, '0')}:00Z`;

const updated = (i: number): string => `2026-01-02T00:00:00.${String(i).padStart(3, '0')}Z`;

/** More than a source reads at once, in groups of very different sizes. */
const JOBS: readonly ShelfJob[] = Array.from({ length: 900 }, (_, i) => ({
  id: `job-${(i * 7919) % 900}`,
  queueName: i % 100 === 0 ? 'rare' : i % 3 === 0 ? 'q' : 'q/1',
  ...(i % 2 === 0 ? { name: `name ${i % 20}` } : {}),
  times: [time(i), updated((i * 31) % 900)],
  last:
    i % 10 === 0 ? 'Job-Failed' : i % 7 === 0 ? 'Job-Running' : i % 50 === 3 ? 'Job-Checkpointing' : 'Job-Succeeded',
  node: `i-${i % 50}`,
}));

/** As these call themselves, a few of many: an index finds their jobs, also beside those with the text. */
const NODE_IDS = { 'i-13': 'spot-1', 'i-44': 'Spot 2', 'i-8': 'of job-77' };

const query: fc.Arbitrary<JobQuery> = fc.record({
  by: fc.constantFrom(...JOB_SORTS),
  descending: fc.boolean(),
  filter: fc.record(
    {
      queues: fc.subarray(['rare', 'q', 'q/1', 'none']),
      statuses: fc.subarray(['Succeeded', 'Failed', 'Running', 'Checkpointing', 'Creating']),
      nodes: fc.subarray(['i-1', 'i-10', 'i-2'], { minLength: 1 }),
      createdAfter: fc.nat(60).map((i) => mustParseTimestamp(time(i))),
      createdBefore: fc.nat(60).map((i) => mustParseTimestamp(time(i))),
      updatedAfter: fc.nat(899).map((i) => mustParseTimestamp(updated(i))),
      updatedBefore: fc.nat(899).map((i) => mustParseTimestamp(updated(i))),
      q: fc.constantFrom('name 1', 'job-77', 'spot', 'nothing has this'),
    },
    { requiredKeys: [] },
  ),
});

test('LMDB: the pages of every list, put together, are the list', async (t) => {
  const store = openLmdbStore(temporaryFolder(t));
  atEnd(t, () => store.close());
  const shelf = new JobShelf(store);
  shelf.put(...JOBS);
  for (const [oid, id] of Object.entries(NODE_IDS)) shelf.nameNode(oid, id);
  store.refresh();
  const all = shelf.jobs;
  const texts = new TextIndex();
  let slices = 0;
  while (!texts.work(store)) assert.ok(++slices < 100, 'the index of texts is not made after 100 slices');
  fc.assert(
    fc.property(
      query,
      fc.constantFrom(1, 7, 100, 10_000),
      fc.constantFrom(50, 1_000_000),
      fc.constantFrom(undefined, texts),
      (asked, limit, costMax, index) => {
        const ids: string[] = [];
        let after: Uint8Array | null = null;
        do {
          const page = selectPage(store, asked, after, { limit, costMax, texts: index });
          ids.push(...page.ids);
          after = page.next;
        } while (after);
        assert.deepEqual(
          ids,
          modelOf(all, asked, NODE_IDS).map(({ id }) => id),
        );
      },
    ),
    { numRuns: 300 },
  );
});

test('LMDB: counts of jobs and the list of queues are those of the store in memory', async (t) => {
  const store = openLmdbStore(temporaryFolder(t));
  atEnd(t, () => store.close());
  const memory = new MemoryStore();
  for (const one of [store, memory]) new JobShelf(one).put(...JOBS);
  const textOf = async (chunks: AsyncIterable<Uint8Array>): Promise<string> => {
    let text = '';
    for await (const chunk of chunks) text += Buffer.from(chunk).toString();
    return text;
  };
  const filters: readonly JobFilter[] = [
    {},
    { queues: ['q', 'rare'] },
    { statuses: ['Running', 'Failed'] },
    { queues: ['q/1'], statuses: ['Running', 'Succeeded'], phases: ['stranded', 'succeeded'] },
    { updatedAfter: mustParseTimestamp(updated(300)), updatedBefore: mustParseTimestamp(updated(700)) },
    { updatedAfter: mustParseTimestamp(updated(700)), updatedBefore: mustParseTimestamp(updated(300)) },
    { createdBefore: mustParseTimestamp(time(20)), statuses: ['Running', 'Succeeded'] },
    { createdAfter: mustParseTimestamp(time(30)), queues: ['q'] },
  ];
  for (const by of JOB_COUNT_KEYS) {
    for (const filter of filters) {
      const [ours, model] = [store, memory].map((one) => textOf(jobCount(one, { by, filter }, undefined, 100)));
      assert.equal(await ours, await model);
      if (filter === filters[0]) assert.equal((JSON.parse((await ours) as string) as JobCount).total, JOBS.length);
    }
  }
  for (const seen of [null, ['q']])
    assert.equal(await textOf(queueList(store, seen)), await textOf(queueList(memory, seen)));
});
