/** Laws of retention: it removes what has outlived its time, nothing inside it, and a second sweep finds nothing. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobBehaviour } from '../../src/actors/job/behaviour.ts';
import { newJobState } from '../../src/actors/job/job-state.ts';
import type { Write } from '../../src/actors/runtime/behaviour.ts';
import { keyOf, textKey } from '../../src/store/kv/keys.ts';
import { MemoryStore } from '../../src/store/kv/memory-store.ts';
import { encodeNodeRecord } from '../../src/store/records/node-record.ts';
import { endedNodes, expiredJobs } from '../../src/workers/series/retention.ts';
import type { FoundIds } from '../../src/workers/task/task.ts';
import fc from '../support/laws/fast-check.ts';
import { writeAll } from '../support/write-all.ts';

const NOW = { monotonicMs: 0, wallMs: Date.UTC(2026, 0, 31, 12) };
const MINUTE_MS = 60_000;
const ENV = { takeSeries: () => true };

interface TestJob {
  readonly id: string;
  readonly status: string;
  readonly updatedMs: number;
}

function storeJob(store: MemoryStore, { id, status, updatedMs }: TestJob): void {
  const timestamp = new Date(updatedMs).toISOString();
  const events = [
    { timestamp, eventType: 'Job-Running' },
    { timestamp, eventType: `Job-${status}` },
  ];
  const message = { type: 'update' as const, update: { id, queueName: 'q', events } };
  const { writes = [] } = jobBehaviour.receive(newJobState(id), message, NOW, ENV);
  writeAll(store, writes);
}

interface Limits {
  readonly succeededBeforeMs: number;
  readonly failedBeforeMs: number;
}

/** As maintenance does it: find some, ask each, go on behind them. */
function sweep(store: MemoryStore, limits: Limits, step: number): string[] {
  const removed: string[] = [];
  let after: Uint8Array | null = null;
  do {
    const { ids, next }: FoundIds = expiredJobs(store, { type: 'expiredJobs', ...limits, after, limit: step });
    assert.ok(ids.length <= step);
    after = next;
    for (const id of ids) {
      const state = jobBehaviour.hydrate(id, store, NOW, ENV);
      const { reply, writes = [] } = jobBehaviour.receive(state, { type: 'expire', ...limits }, NOW, ENV);
      if (!(reply as { removed: boolean }).removed) continue;
      writeAll(store, writes);
      removed.push(id);
    }
  } while (after);
  return removed;
}

const minute = fc.integer({ min: 0, max: 30 }).map((minutes) => NOW.wallMs - minutes * MINUTE_MS);
const STATUSES = ['Succeeded', 'Failed', 'Stopped', 'Running', 'RestoreFailed', 'CheckpointSucceeded'] as const;
const jobs = fc.array(fc.record({ status: fc.constantFrom(...STATUSES), updatedMs: minute }), { maxLength: 20 });

test('a sweep removes exactly the ended jobs whose time is up, and a second one nothing', () => {
  fc.assert(
    fc.property(
      jobs,
      minute,
      minute,
      fc.integer({ min: 1, max: 5 }),
      (made, succeededBeforeMs, failedBeforeMs, step) => {
        const store = new MemoryStore();
        const all: TestJob[] = made.map((job, i) => ({ ...job, id: `j-${i}` }));
        for (const job of all) storeJob(store, job);
        const isUp = ({ status, updatedMs }: TestJob): boolean => {
          if (status === 'Succeeded') return updatedMs < succeededBeforeMs;
          return (status === 'Failed' || status === 'Stopped') && updatedMs < failedBeforeMs;
        };
        const limits = { succeededBeforeMs, failedBeforeMs };
        assert.deepEqual(
          sweep(store, limits, step).sort(),
          all
            .filter(isUp)
            .map(({ id }) => id)
            .sort(),
        );
        const kept = [...store.range('job')].map(({ key }) => Buffer.from(key).toString());
        assert.deepEqual(
          kept,
          all
            .filter((job) => !isUp(job))
            .map(({ id }) => id)
            .sort(),
        );
        assert.deepEqual(sweep(store, limits, step), []);
        if (kept.length === 0)
          assert.equal(store.count('jobByCreated') + store.count('jobIndex'), 0, 'no row is left over');
      },
    ),
    { numRuns: 200 },
  );
});

const node = fc.record({
  state: fc.constantFrom('alive' as const, 'lost' as const, 'deregistered' as const),
  endedMs: minute,
});

test('a node is forgotten when it ended before the time, and never while it lives', () => {
  fc.assert(
    fc.property(
      fc.array(node, { maxLength: 12 }),
      minute,
      fc.integer({ min: 1, max: 12 }),
      (nodes, endedBeforeMs, limit) => {
        const store = new MemoryStore();
        const all = nodes.map(({ state, endedMs }, i) => ({
          id: `n-${i}`,
          endedAtMs: state === 'alive' ? null : endedMs,
          state,
        }));
        const writes = all.flatMap(({ id, state, endedAtMs }): Write[] => {
          const record = { factsJson: '{}', state, registeredAtMs: 0, endedAtMs, lastBeatWallMs: 0 };
          const row: Write = { table: 'node', key: textKey(id), value: encodeNodeRecord(record) };
          if (endedAtMs === null) return [row];
          const key = keyOf({ ms: endedAtMs }, { text: id });
          return [row, { table: 'nodeEnded', key, value: new Uint8Array(0) }];
        });
        writeAll(store, writes);
        const up = all.filter(({ endedAtMs }) => endedAtMs !== null && endedAtMs < endedBeforeMs).map(({ id }) => id);
        const { ids: found } = endedNodes(store, { type: 'endedNodes', after: null, endedBeforeMs, limit });
        assert.equal(found.length, Math.min(limit, up.length));
        assert.ok(found.every((id) => up.includes(id)));
      },
    ),
    { numRuns: 200 },
  );
});
