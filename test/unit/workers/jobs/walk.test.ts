import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobQuery } from '../../../../src/protocol/lists/job-query.ts';
import { mustParseTimestamp } from '../../../../src/protocol/timestamp.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { Cost } from '../../../../src/workers/jobs/cost.ts';
import { selectPage } from '../../../../src/workers/jobs/page.ts';
import { JobShelf, type ShelfJob } from '../../../support/job-shelf.ts';

const JOBS = 200;
const TIME = '2026-01-31T08:00:00Z';
const PAGE = { limit: 1_000, costMax: 1_000_000 };

/** More jobs of one timestamp than the walk reads at once; every second one matches. */
const jobs: ShelfJob[] = Array.from({ length: JOBS }, (_, i) => ({
  id: `job-${String(i).padStart(3, '0')}`,
  queueName: 'q',
  name: i % 2 === 0 ? 'train' : 'other',
  times: [TIME],
  last: 'Job-Running',
  node: 'i-1',
}));
const matching = jobs.filter(({ name }) => name === 'train').map(({ id }) => id);

for (const by of ['createdAt', 'updatedAt'] as const) {
  for (const descending of [false, true]) {
    const direction = descending ? 'descending' : 'ascending';
    test(`a search by ${by}, ${direction}, finds every job of one timestamp in one page`, () => {
      const shelf = new JobShelf(new MemoryStore());
      shelf.put(...jobs);
      const query: JobQuery = { by, descending, filter: { q: 'train' } };
      const { ids, next } = selectPage(shelf.store, query, null, PAGE);
      assert.deepEqual(ids, descending ? matching.toReversed() : matching);
      assert.equal(next, null);
    });
  }
}

test('with more effort, jobs of a late time are sorted on the spot though they are more than few, and stand at the end of the order', () => {
  const shelf = new JobShelf(new MemoryStore());
  const names = Array.from({ length: 1_000 }, (_, i) => `n-${String(i).padStart(4, '0')}`);
  shelf.put(
    ...names.map(
      (name, i): ShelfJob => ({
        ...(jobs[0] as ShelfJob),
        id: `id-${name}`,
        name,
        times: [i < 500 ? TIME : '2026-02-01T00:00:00Z'],
      }),
    ),
  );
  const query: JobQuery = {
    by: 'name',
    descending: false,
    filter: { createdAfter: mustParseTimestamp('2026-01-31T12:00:00Z') },
  };
  const bounds = { limit: 100, costMax: 200 };
  const cost = new Cost();
  assert.deepEqual(selectPage(shelf.store, query, null, bounds, cost).ids, []);
  const page = selectPage(shelf.store, query, null, bounds, cost.next(10));
  assert.deepEqual(
    page.ids,
    names.slice(500, 600).map((name) => `id-${name}`),
  );
  assert.notEqual(page.next, null);
});
