/** Jobs by queue and phase (contract sections 7 and 11). */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { JOB_STATUSES } from '../../../../src/protocol/job.ts';
import { PHASES, type Phase, phaseOf } from '../../../../src/protocol/phase.ts';
import type { Queue } from '../../../../src/protocol/queue.ts';
import { textKey } from '../../../../src/store/kv/keys.ts';
import { MemoryStore } from '../../../../src/store/kv/memory-store.ts';
import { WriteBatch } from '../../../../src/store/kv/write-batch.ts';
import {
  encodeNodePrice,
  encodeNodeRecord,
  type NodeRecord,
  oidKey,
} from '../../../../src/store/records/node-record.ts';
import { queueList } from '../../../../src/workers/jobs/queue-list.ts';
import { priceOf } from '../../../support/job-events.ts';
import { JobShelf } from '../../../support/job-shelf.ts';

const at = (second: number): string => new Date(Date.UTC(2026, 0, 31, 12, 0, second)).toISOString();

async function queuesOf(store: MemoryStore, slice?: number): Promise<Queue[]> {
  let text = '';
  for await (const chunk of queueList(store, null, slice)) text += Buffer.from(chunk).toString('utf8');
  return JSON.parse(text) as Queue[];
}

/** Phases that have a job. */
function phasesIn(queue: Queue | undefined): string {
  const counts = Object.entries(queue?.phases ?? {}).filter(([, count]) => count > 0);
  return counts.map(([phase, count]) => `${phase} ${count}`).join(', ');
}

function putNode(store: MemoryStore, id: string, state: NodeRecord['state']): void {
  const batch = new WriteBatch();
  const record = { factsJson: '{}', state, registeredAtMs: 0, endedAtMs: null, lastBeatWallMs: 0 };
  batch.put('node', textKey(id), encodeNodeRecord(record));
  batch.put('nodeByOid', oidKey(`i-${id}`), encodeNodePrice(priceOf(id, true, 1, 1)));
  store.commit([batch.seal()]);
}

test('every status has the phase that the contract gives it, and is stranded unless it has ended', () => {
  const phases: Readonly<Record<Exclude<Phase, 'stranded'>, string>> = {
    starting: 'Unknown Creating Created VolumeUnready',
    running: 'Running Checkpointing CheckpointSucceeded CheckpointFailed RestoreSucceeded',
    restoring: 'Restoring RestoreFailed RestoreVolumeUnready',
    succeeded: 'Succeeded',
    failed: 'Failed',
    stopped: 'Stopped',
  };
  const seen = new Set<string>();
  for (const [phase, statuses] of Object.entries(phases)) {
    for (const status of statuses.split(' ')) {
      seen.add(status);
      const isEnd = ['succeeded', 'failed', 'stopped'].includes(phase);
      assert.equal(
        phaseOf(status, () => false),
        phase,
        status,
      );
      assert.equal(
        phaseOf(status, () => true),
        isEnd ? phase : 'stranded',
        status,
      );
    }
  }
  assert.deepEqual([...seen].sort(), [...JOB_STATUSES].sort());
});

test('a job is stranded while its node is lost, deregistered or not known', async () => {
  const store = new MemoryStore();
  const shelf = new JobShelf(store);
  for (const [id, state] of [
    ['a', 'alive'],
    ['l', 'lost'],
    ['d', 'deregistered'],
  ] as const)
    putNode(store, id, state);
  for (const node of ['i-a', 'i-l', 'i-d', 'i-never', ''])
    shelf.put({ id: `job-${node}`, queueName: node || 'none', times: [at(1)], last: 'Job-Creating', node });
  const queues = new Map((await queuesOf(store)).map((queue) => [queue.name, phasesIn(queue)]));
  assert.deepEqual(Object.fromEntries(queues), {
    none: 'starting 1',
    'i-a': 'starting 1',
    'i-l': 'stranded 1',
    'i-d': 'stranded 1',
    'i-never': 'stranded 1',
  });
});

test('queues come by name, each with its total, all phases and when a job of it was last updated', async () => {
  const store = new MemoryStore();
  const shelf = new JobShelf(store);
  assert.deepEqual(await queuesOf(store), []);
  for (let i = 0; i < 23; i++) {
    const last = i % 2 === 0 ? 'Job-Succeeded' : 'Job-Failed';
    shelf.put({ id: `j-${i}`, queueName: `q${i % 3}`, times: [at(0), at(i === 5 ? 59 : i)], last, node: '' });
  }
  for (const slice of [1, 2, 7, 23, 24, 500]) {
    const queues = await queuesOf(store, slice);
    assert.deepEqual(
      queues.map(({ name, total, updatedAt }) => [name, total, updatedAt]),
      [
        ['q0', 8, at(21)],
        ['q1', 8, at(22)],
        ['q2', 7, at(59)],
      ],
      `in slices of ${slice}`,
    );
    assert.equal(phasesIn(queues[0]), 'succeeded 4, failed 4');
    assert.deepEqual(Object.keys(queues[0]?.phases ?? {}).sort(), [...PHASES].sort());
  }
});
