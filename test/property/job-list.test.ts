/** Laws of lists of jobs: pages put together are the list, and a walk neither repeats nor skips while jobs come and go. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JOB_SORTS, type JobQuery } from '../../src/protocol/lists/job-query.ts';
import { PHASES } from '../../src/protocol/phase.ts';
import { mustParseTimestamp } from '../../src/protocol/timestamp.ts';
import { MemoryStore } from '../../src/store/kv/memory-store.ts';
import { Cost } from '../../src/workers/jobs/cost.ts';
import { selectPage } from '../../src/workers/jobs/page.ts';
import { TextIndex } from '../../src/workers/jobs/text-index.ts';
import { JobShelf, modelOf, type ShelfJob } from '../support/job-shelf.ts';
import fc from '../support/laws/fast-check.ts';

/** Few values, so that ties and empty groups are common; ids and queues of which one begins the other. */
const ids = ['a', 'ab', 'b', 'b-1', 'job-1', 'job-10', 'job-2', 'z', 'Z.9'];
const queues = ['q', 'q/1', 'other one'];
const nodes = ['', 'i-1', 'i-10', 'i-2'];
/** Of some nodes, as they call themselves; one has a text that jobs have as well. */
const nodeIds = { 'i-10': 'Trainer', 'i-2': 'web-1' };
const times = [
  '2026-01-01T00:00:00Z',
  '2026-01-01T00:00:00.000000001Z',
  '2026-01-01T00:00:01Z',
  '2026-01-02T00:00:00Z',
];
const lasts = ['Job-Creating', 'Job-Running', 'Job-Succeeded', 'Job-Failed', 'Volume-Created'];

const shelfJob: fc.Arbitrary<ShelfJob> = fc
  .record({
    id: fc.constantFrom(...ids),
    queueName: fc.constantFrom(...queues),
    name: fc.constantFrom(undefined, 'Train', 'train-2', 'é'),
    times: fc.subarray(times, { minLength: 1 }),
    last: fc.constantFrom(...lasts),
    node: fc.constantFrom(...nodes),
  })
  .map(({ name, ...job }) => ({ ...job, ...(name === undefined ? {} : { name }) }));

const query: fc.Arbitrary<JobQuery> = fc.record({
  by: fc.constantFrom(...JOB_SORTS),
  descending: fc.boolean(),
  filter: fc.record(
    {
      queues: fc.subarray([...queues, 'none']),
      statuses: fc.subarray(['Creating', 'Running', 'Succeeded', 'Failed', 'Unknown']),
      phases: fc.subarray([...PHASES]),
      nodes: fc.subarray(['i-1', 'i-2', 'i-9'], { minLength: 1 }),
      createdAfter: fc.constantFrom(...times).map(mustParseTimestamp),
      createdBefore: fc.constantFrom(...times).map(mustParseTimestamp),
      updatedAfter: fc.constantFrom(...times).map(mustParseTimestamp),
      updatedBefore: fc.constantFrom(...times).map(mustParseTimestamp),
      q: fc.constantFrom('train', 'job-1', 'i-1', 'q', 'é', 'web-', 'r', 'nothing has this'),
    },
    { requiredKeys: [] },
  ),
});

/** From one place a page to all at once; pages that stop for cost at every step, and never; with an index of texts, and without. */
const paging = fc.record({
  limit: fc.constantFrom(1, 2, 3, 100),
  costMax: fc.constantFrom(1, 30, 1_000_000),
  hasTexts: fc.boolean(),
  effort: fc.constantFrom(1, 10),
});
interface Paging {
  readonly limit: number;
  readonly costMax: number;
  readonly hasTexts?: boolean;
  readonly effort?: number;
}
/** More pages than places in any of these lists; reaching it is a walk that does not come to an end. */
const PAGES_MAX = 500;

type Change = { readonly put: ShelfJob } | { readonly remove: string };
const change: fc.Arbitrary<Change> = fc.oneof(
  shelfJob.map((put) => ({ put })),
  fc.constantFrom(...ids).map((remove) => ({ remove })),
);

function shelfOf(jobs: readonly ShelfJob[]): JobShelf {
  const shelf = new JobShelf(new MemoryStore());
  for (const job of jobs) shelf.put(job);
  for (const [oid, id] of Object.entries(nodeIds)) shelf.nameNode(oid, id);
  return shelf;
}

/** Ids of all pages; `between` runs after each. */
function walkAll(
  shelf: JobShelf,
  asked: JobQuery,
  { limit, costMax, hasTexts = false, effort = 1 }: Paging,
  between: () => void = () => {},
): string[] {
  const seen: string[] = [];
  let after: Uint8Array | null = null;
  const texts = hasTexts ? new TextIndex() : undefined;
  for (let i = 0; texts && i < PAGES_MAX && !texts.work(shelf.store); i++);
  for (let i = 0; i < PAGES_MAX; i++) {
    const page = selectPage(shelf.store, asked, after, { limit, costMax, texts }, new Cost().next(effort));
    assert.ok(page.ids.length <= limit, 'a page has more than its limit');
    seen.push(...page.ids);
    if (page.next === null) return seen;
    after = page.next;
    between();
  }
  assert.fail(`the walk has not ended after ${PAGES_MAX} pages; saw ${seen.length} jobs`);
}

test('the pages of a list, put together, are the list, whatever their size and wherever a search stops', () => {
  fc.assert(
    fc.property(fc.array(shelfJob, { maxLength: 40 }), query, paging, (jobs, asked, pages) => {
      const shelf = shelfOf(jobs);
      assert.deepEqual(
        walkAll(shelf, asked, pages),
        modelOf(shelf.jobs, asked, nodeIds).map(({ id }) => id),
      );
    }),
    { numRuns: 2_000 },
  );
});

test('a walk meets every job that stays as it is once, in its order, while others come, change and go', () => {
  const world = fc.record({
    jobs: fc.array(shelfJob, { maxLength: 30 }),
    asked: query,
    pages: paging,
    changes: fc.array(change, { maxLength: 20 }),
  });
  fc.assert(
    fc.property(world, ({ jobs, asked, pages, changes }) => {
      const shelf = shelfOf(jobs);
      const before = modelOf(shelf.jobs, asked, nodeIds).map(({ id }) => id);
      const touched = new Set<string>();
      let at = 0;
      const seen = walkAll(shelf, asked, pages, () => {
        const next = changes[at++];
        if (!next) return;
        const id = 'put' in next ? next.put.id : next.remove;
        touched.add(id);
        if ('put' in next) shelf.put(next.put);
        else if (shelf.jobs.some((job) => job.id === id)) shelf.remove(id);
      });
      const still = (id: string): boolean => !touched.has(id);
      assert.deepEqual(seen.filter(still), before.filter(still));
    }),
    { numRuns: 2_000 },
  );
});

test('by createdAt a job that is updated during a walk keeps its place, so it is met once', () => {
  fc.assert(
    fc.property(
      fc.array(shelfJob, { maxLength: 30 }),
      fc.boolean(),
      fc.constantFrom(...lasts),
      (jobs, descending, last) => {
        const shelf = shelfOf(jobs);
        const all = new Map(jobs.map((job) => [job.id, job]));
        const asked: JobQuery = { by: 'createdAt', descending, filter: {} };
        const before = modelOf(shelf.jobs, asked).map(({ id }) => id);
        const seen = walkAll(shelf, asked, { limit: 1, costMax: 1_000 }, () => {
          for (const job of all.values())
            shelf.put({ ...job, last, times: [job.times[0] as string, '2026-02-01T00:00:00Z'] });
        });
        assert.deepEqual(seen, before);
      },
    ),
  );
});
