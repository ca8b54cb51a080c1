/** A search finds jobs by the names of their nodes in every order, with the index of texts and without it. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JOB_SORTS, type JobQuery } from '../../../../src/protocol/lists/job-query.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { selectPage } from '../../../../src/workers/jobs/page.ts';
import { TextIndex } from '../../../../src/workers/jobs/text-index.ts';
import { JobShelf, modelOf, type ShelfJob } from '../../../support/job-shelf.ts';

const JOBS = 60;
/** Every third of them is called like one of the nodes. */
const jobs: readonly ShelfJob[] = Array.from({ length: JOBS }, (_, i) => ({
  id: `job-${i}`,
  queueName: i % 2 === 0 ? 'q' : 'other',
  name: i % 3 === 0 ? 'box-7' : 'train',
  times: ['2026-01-31T08:00:00Z', `2026-01-31T09:00:${String((i * 7) % JOBS).padStart(2, '0')}Z`],
  last: i % 5 === 0 ? 'Job-Failed' : 'Job-Running',
  node: `i-${i % 10}`,
}));
const nodeIds = { 'i-1': 'Box-7', 'i-3': 'box-70', 'i-4': 'crate' };

function shelfWith(names: Readonly<Record<string, string>>): JobShelf {
  const shelf = new JobShelf(new MemoryStore());
  shelf.put(...jobs);
  for (const [oid, id] of Object.entries(names)) shelf.nameNode(oid, id);
  return shelf;
}

const shelf = shelfWith(nodeIds);
const texts = new TextIndex();
while (!texts.work(shelf.store));

for (const by of JOB_SORTS) {
  for (const q of ['box-7', 'crat', 'box-70']) {
    test(`by ${by}, ${q} finds what has it in its text and what is on a node of that name, each once`, () => {
      for (const descending of [false, true]) {
        const query: JobQuery = { by, descending, filter: { q } };
        const wanted = modelOf(shelf.jobs, query, nodeIds).map(({ id }) => id);
        assert.ok(wanted.length > 0 && wanted.length < JOBS);
        for (const index of [undefined, texts])
          assert.deepEqual(
            selectPage(shelf.store, query, null, { limit: JOBS, costMax: 1e9, texts: index }).ids,
            wanted,
          );
      }
    });
  }
}

test('where more nodes have the name than an index is asked for, the jobs are found one by one', () => {
  const many = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`i-${i}`, `pool-${i}`]));
  const { store } = shelfWith(many);
  const query: JobQuery = { by: 'name', descending: false, filter: { q: 'pool-' } };
  const index = new TextIndex();
  while (!index.work(store));
  assert.equal(selectPage(store, query, null, { limit: 1_000, costMax: 1e9, texts: index }).ids.length, JOBS);
});
