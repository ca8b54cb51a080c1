/** By name, nodeOid and id a filter's pages, put together, are its list, where its jobs are too many to be sorted on the spot. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JobFilter, JobQuery } from '../../../../src/protocol/lists/job-query.ts';
import { mustParseTimestamp } from '../../../../src/protocol/timestamp.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { selectPage } from '../../../../src/workers/jobs/page.ts';
import { JobShelf, modelOf, type ShelfJob } from '../../../support/job-shelf.ts';

const JOBS = 360;
/** Each page comes at least one job further. */
const PAGES_MAX = 2 * JOBS;
/** More of each than are sorted on the spot. */
const LASTS = ['Job-Succeeded', 'Job-Running', 'Job-Checkpointing'];
const timeOf = (i: number): string => new Date(Date.UTC(2026, 0, 1) + i * 1_000).toISOString();

const shelf = new JobShelf(new MemoryStore());
shelf.put(
  ...Array.from({ length: JOBS }, (_, i): ShelfJob => {
    return {
      id: `j-${(i * 7) % JOBS}`,
      queueName: i % 2 === 0 ? 'q' : 'q/1',
      ...(i % 3 === 0 ? {} : { name: `train ${i % 11}` }),
      times: [timeOf(Math.floor(i / 2))],
      last: LASTS[i % LASTS.length] as string,
      node: i % 5 === 4 ? '' : `i-${i % 3}`,
    };
  }),
);
const jobs = shelf.jobs;

const FILTERS: readonly JobFilter[] = [
  { queues: ['q'] },
  { queues: ['q', 'q/1', 'none'] },
  { queues: [] },
  { statuses: ['Succeeded'] },
  { statuses: ['Running'] },
  { statuses: ['Failed', 'Running', 'Checkpointing', 'Creating'] },
  { queues: ['q', 'q/1'], statuses: ['Succeeded', 'Failed'] },
  { queues: ['q/1'], statuses: ['Succeeded', 'Creating', 'Running'] },
  { queues: ['q', 'q/1'], nodes: ['i-1', 'i-2'] },
  { statuses: ['Succeeded', 'Failed'], createdAfter: mustParseTimestamp(timeOf(8)) },
  { queues: ['q/1'], q: 'train 1' },
];

for (const by of ['name', 'nodeOid', 'id'] as const) {
  test(`the pages of each filter by ${by}, put together, are its list, wherever a search stops`, () => {
    for (const filter of FILTERS)
      for (const descending of [false, true])
        for (const paging of [
          { limit: 64, costMax: 1_000_000 },
          { limit: 100, costMax: 600 },
        ]) {
          const query: JobQuery = { by, descending, filter };
          const what = `${JSON.stringify(filter, (_, value) => (typeof value === 'bigint' ? String(value) : value))} ${descending}`;
          assert.deepEqual(
            pagesOf(query, paging),
            modelOf(jobs, query).map(({ id }) => id),
            what,
          );
        }
  });
}

function pagesOf(query: JobQuery, paging: { readonly limit: number; readonly costMax: number }): string[] {
  const ids: string[] = [];
  let after: Uint8Array | null = null;
  for (let i = 0; i < PAGES_MAX; i++) {
    const page = selectPage(shelf.store, query, after, paging);
    ids.push(...page.ids);
    if (page.next === null) return ids;
    after = page.next;
  }
  assert.fail(`a walk has not ended after ${PAGES_MAX} pages`);
}
