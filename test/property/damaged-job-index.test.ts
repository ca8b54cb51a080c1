/**
 * Rows of job indexes whose keys a disk has damaged. LMDB has no checksum for keys, and most of these rows are nothing but a key:
 * so whatever bit is flipped, every list comes to an end and no call fails.
 */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JOB_SORTS, type JobQuery } from '../../src/protocol/lists/job-query.ts';
import { PHASES } from '../../src/protocol/phase.ts';
import { mustParseTimestamp } from '../../src/protocol/timestamp.ts';
import { KeyReader, keyOf } from '../../src/store/kv/keys.ts';
import { MemoryStore } from '../../src/store/kv/memory-store.ts';
import { idAtEnd, JOB_INDEX_KINDS } from '../../src/store/records/job-index.ts';
import { jobCount } from '../../src/workers/jobs/job-count.ts';
import { selectPage } from '../../src/workers/jobs/page.ts';
import { queueList } from '../../src/workers/jobs/queue-list.ts';
import { expiredJobs } from '../../src/workers/series/retention.ts';
import { JobShelf, type ShelfJob } from '../support/job-shelf.ts';
import fc from '../support/laws/fast-check.ts';
import { DamagedKeyReader, type DamagedRow } from '../support/operations/damaged-key-reader.ts';

const lasts = ['Job-Creating', 'Job-Running', 'Job-Succeeded', 'Job-Failed'];
const times = Array.from({ length: 40 }, (_, i) => `2026-01-01T00:${10 + i}:00Z`);

const shelfJobs: fc.Arbitrary<ShelfJob[]> = fc
  .array(
    fc.record({
      queueName: fc.constantFrom('q', 'zz', 'other one'),
      name: fc.constantFrom('train', 'é'),
      last: fc.constantFrom(...lasts),
      node: fc.constantFrom('', 'i-1', 'i-2'),
      time: fc.constantFrom(...times),
    }),
    { minLength: 1, maxLength: 30 },
  )
  .map((jobs) => jobs.map(({ time, ...job }, i) => ({ ...job, id: `job-${i}`, times: [time] })));

const query: fc.Arbitrary<JobQuery> = fc.record({
  by: fc.constantFrom(...JOB_SORTS),
  descending: fc.boolean(),
  filter: fc.record(
    {
      queues: fc.subarray(['q', 'zz'], { minLength: 1 }),
      statuses: fc.subarray(['Creating', 'Running', 'Succeeded', 'Failed'], { minLength: 1 }),
      phases: fc.subarray([...PHASES]),
      nodes: fc.constant(['i-1']),
      createdAfter: fc.constantFrom(...times).map(mustParseTimestamp),
      q: fc.constantFrom('train', 'job-1'),
    },
    { requiredKeys: [] },
  ),
});

const row: fc.Arbitrary<DamagedRow> = fc.record({
  table: fc.constantFrom('jobIndex', 'jobByCreated'),
  at: fc.nat(),
  bit: fc.nat(),
});

const PAGES_MAX = 400;

function readerOf(jobs: readonly ShelfJob[], damaged: DamagedRow): DamagedKeyReader {
  const shelf = new JobShelf(new MemoryStore());
  shelf.put(...jobs);
  return new DamagedKeyReader(shelf.store, damaged);
}

/** Ids of all pages. */
function listed(reader: DamagedKeyReader, asked: JobQuery, pages: { limit: number; costMax: number }): string[] {
  const ids: string[] = [];
  let after: Uint8Array | null = null;
  for (let i = 0; i < PAGES_MAX; i++) {
    const page = selectPage(reader, asked, after, pages);
    ids.push(...page.ids);
    if (page.next === null) return ids;
    after = page.next;
  }
  assert.fail(`the list has not ended after ${PAGES_MAX} pages`);
}

const paging = fc.record({ limit: fc.constantFrom(1, 3, 100), costMax: fc.constantFrom(30, 1_000_000) });

test('every list of jobs ends, whatever bit of whatever row is flipped', () => {
  fc.assert(
    fc.property(shelfJobs, row, query, paging, (jobs, damaged, asked, pages) => {
      listed(readerOf(jobs, damaged), asked, pages);
    }),
    { numRuns: 1_000 },
  );
});

test('a page that would end at a damaged place does not lead back to the beginning', () => {
  const minutes = [41, 32, 26, 10, 38, 10, 30, 20, 28, 42, 12, 32, 43, 31];
  const jobs = minutes.map((minute, i): ShelfJob => {
    const name = i === 5 || i === 10 ? 'é' : 'train';
    const time = `2026-01-01T00:${minute}:00Z`;
    return { id: `job-${i}`, queueName: 'q', name, last: 'Job-Creating', node: '', times: [time] };
  });
  // By this bit, the second oldest says the largest time.
  const reader = readerOf(jobs, { table: 'jobByCreated', at: 1, bit: 0 });
  const asked: JobQuery = { by: 'createdAt', descending: true, filter: { q: 'train' } };
  const ids = listed(reader, asked, { limit: 1, costMax: 30 });
  assert.equal(new Set(ids).size, ids.length, ids.join());
});

test('every count of jobs ends, and the sweep finds its jobs without a failure', async () => {
  const by = fc.constantFrom('phase' as const, 'status' as const, 'queue' as const);
  await fc.assert(
    fc.asyncProperty(shelfJobs, row, by, query, async (jobs, damaged, what, { filter }) => {
      const reader = readerOf(jobs, damaged);
      let texts = 0;
      for await (const bytes of jobCount(reader, { by: what, filter })) texts += bytes.byteLength;
      assert.ok(texts > 0);
      for await (const bytes of queueList(reader)) {
        const queues = JSON.parse(Buffer.from(bytes).toString()) as { name: string }[];
        for (const { name } of queues)
          assert.ok(
            jobs.some(({ queueName }) => queueName === name),
            name,
          );
      }
      const limits = { succeededBeforeMs: Date.UTC(2027), failedBeforeMs: Date.UTC(2027) };
      expiredJobs(reader, { type: 'expiredJobs', ...limits, after: null, limit: 100 });
    }),
    { numRuns: 300 },
  );
});

test('the sweep goes past a row that is too short for a time, and finds the jobs behind it', () => {
  const job = (id: string): ShelfJob => {
    return { id, queueName: 'q', name: 'train', last: 'Job-Succeeded', node: '', times: [times[0] as string] };
  };
  // Its kind has become that of the sweep, by one bit.
  const reader = readerOf([job('job-0'), job('job-1')], { table: 'jobIndex', at: 10, bit: 1 });
  const limits = { succeededBeforeMs: Date.UTC(2027), failedBeforeMs: Date.UTC(2027) };
  const { ids } = expiredJobs(reader, { type: 'expiredJobs', ...limits, after: null, limit: 100 });
  assert.ok(ids.includes('job-1'), ids.join());
});

test('a group whose name is no text any more does not keep a count, or a list by groups, from ending', async () => {
  // More than are sorted on the spot.
  const jobs = Array.from({ length: 120 }, (_, i) => ({
    id: `job-${i}`,
    queueName: i % 2 === 0 ? 'q' : 'zz',
    times: [times[i % 40] as string],
    last: i % 3 === 0 ? 'Job-Running' : 'Job-Failed',
    node: '',
  }));
  const shelf = new JobShelf(new MemoryStore());
  shelf.put(...jobs);
  const groups = new Map<string, number[]>();
  for (const [at, { key }] of [...shelf.store.range('jobIndex')].entries()) {
    if (key[0] !== JOB_INDEX_KINDS.queue && key[0] !== JOB_INDEX_KINDS.status) continue;
    const group = Buffer.from(key.subarray(0, key.indexOf(0))).toString('latin1');
    groups.set(group, [...(groups.get(group) ?? []), at]);
  }
  const rows = [...groups.values()].flat();
  // Where every walk looks for the next group; with its highest bit, a byte is no text any more.
  const ends = [...groups.values()].flatMap((ats) => [ats[0] as number, ats.at(-1) as number]);
  const examples = ends.flatMap((at) =>
    [15, 23].flatMap((bit) => [true, false].map((descending): [number, number, boolean] => [at, bit, descending])),
  );
  const filter = { createdAfter: mustParseTimestamp(times[0] as string) };
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...rows),
      fc.integer({ min: 8, max: 23 }),
      fc.boolean(),
      async (at, bit, descending) => {
        const reader = new DamagedKeyReader(shelf.store, { table: 'jobIndex', at, bit });
        for (const by of ['queueName', 'status'] as const)
          listed(reader, { by, descending, filter }, { limit: 50, costMax: 1_000_000 });
        for (const by of ['queue', 'status'] as const) {
          const counted: Buffer[] = [];
          for await (const bytes of jobCount(reader, { by, filter })) counted.push(Buffer.from(bytes));
          assert.ok(JSON.parse(Buffer.concat(counted).toString()).total <= jobs.length);
        }
      },
    ),
    { numRuns: examples.length + 30, examples },
  );
});

test('a row whose parts cannot be told apart any more names no job, and none without an id', () => {
  const ending = keyOf({ ns: mustParseTimestamp(times[0] as string) }, { text: 'job-1' });
  assert.equal(idAtEnd(ending), 'job-1');
  for (let size = 0; size <= ending.byteLength - 'job-1'.length; size++)
    assert.equal(idAtEnd(ending.subarray(0, size)), undefined);
  // LMDB refuses an empty key, so an empty id would end the sweep that meets it.
  assert.equal(new KeyReader(Buffer.from('job-1')).text(), 'job-1');
});
