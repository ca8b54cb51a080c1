/**
 * A store with jobs and nodes as a server would have written it: each job goes through the job actor's behaviour, and what
 * that wants written is committed, many jobs a transaction. Through the API it would take ten times as long.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { jobBehaviour } from '../../src/actors/job/behaviour.ts';
import { newJobState } from '../../src/actors/job/job-state.ts';
import { type Random, seededRandom } from '../../src/base/random.ts';
import type { JobUpdate, SentJobEvent } from '../../src/protocol/job.ts';
import { factsOf, nodeRegistrationSchema } from '../../src/protocol/node.ts';
import { textKey } from '../../src/store/kv/keys.ts';
import { openLmdbStore } from '../../src/store/kv/lmdb-store.ts';
import { migrate } from '../../src/store/kv/schema.ts';
import type { Store } from '../../src/store/kv/store.ts';
import { WriteBatch } from '../../src/store/kv/write-batch.ts';
import { MIGRATIONS } from '../../src/store/migrations/migrations.ts';
import {
  encodeNodePrice,
  encodeNodeRecord,
  endedKey,
  nodePriceOf,
  oidKey,
  oidsOf,
} from '../../src/store/records/node-record.ts';
import { registrationOf } from '../load/workload.ts';

export interface FillPlan {
  readonly jobs: number;
  readonly nodes: number;
  /** Of the nodes the last ones, which were lost within the last day, evenly spread; none where it is left out. */
  readonly lost?: number;
  readonly seed: number;
  /** Of the newest job, in milliseconds since 1970; the others are older, by three days at most. */
  readonly nowMs: number;
}

const PER_COMMIT = 2_000;
const DAY_MS = 86_400_000;
const SPAN_MS = 3 * DAY_MS;
const LOST_SPAN_MS = DAY_MS;
/** From a node's last heartbeat until it counts as lost. */
const LOST_AFTER_MS = 60_000;
const NOTHING = new Uint8Array(0);
export const QUEUES = 40;

/** Rare ones, too: one job in 4,000 is in the last queue. */
export function queueOf(random: Random): string {
  return `queue-${Math.min(QUEUES - 1, Math.floor(QUEUES * random.between(0, 1) ** 2.25))}`;
}

export function nodeIdOf(i: number): string {
  return `i-${(0x0abc00000000 + i * 7919).toString(16).padStart(17, '0')}`;
}

export async function fillStore(dataFolder: string, plan: FillPlan): Promise<void> {
  const folder = join(dataFolder, 'db');
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const store = openLmdbStore(folder);
  migrate(store, MIGRATIONS);
  fillNodes(store, plan);
  fillJobs(store, plan);
  await store.close();
}

function fillNodes(store: Store, { nodes, lost = 0, nowMs }: FillPlan): void {
  const batch = new WriteBatch();
  for (let i = 0; i < nodes; i++) {
    const id = nodeIdOf(i);
    const facts = factsOf(id, nodeRegistrationSchema.parse(registrationOf({ id, path: '' })));
    const factsJson = JSON.stringify(facts);
    if (i >= nodes - lost) {
      const lastBeatWallMs = nowMs - Math.floor((LOST_SPAN_MS * (nodes - i)) / lost);
      const endedAtMs = lastBeatWallMs + LOST_AFTER_MS;
      const registeredAtMs = nowMs - SPAN_MS;
      const record = { factsJson, state: 'lost', registeredAtMs, endedAtMs, lastBeatWallMs } as const;
      batch.put('node', textKey(id), encodeNodeRecord(record));
      batch.put('nodeEnded', endedKey(endedAtMs, id), NOTHING);
    } else {
      const record = { factsJson, state: 'alive', registeredAtMs: nowMs, endedAtMs: null } as const;
      batch.put('node', textKey(id), encodeNodeRecord({ ...record, lastBeatWallMs: nowMs }));
    }
    for (const oid of oidsOf(facts)) batch.put('nodeByOid', oidKey(oid), encodeNodePrice(nodePriceOf(facts)));
    if (batch.count >= PER_COMMIT) store.commit([batch.seal()]);
  }
  store.commit([batch.seal()]);
}

function fillJobs(store: Store, plan: FillPlan): void {
  const random = seededRandom(plan.seed);
  const batch = new WriteBatch();
  const env = { takeSeries: () => true };
  for (let i = 0; i < plan.jobs; i++) {
    const update = updateOf(i, plan, random);
    const now = { wallMs: plan.nowMs, monotonicMs: 0 };
    const { writes = [] } = jobBehaviour.receive(newJobState(update.id), { type: 'update', update }, now, env);
    for (const { table, key, value } of writes) {
      if (value) batch.put(table, key, value);
      else batch.remove(table, key);
    }
    if ((i + 1) % PER_COMMIT === 0) store.commit([batch.seal()]);
  }
  store.commit([batch.seal()]);
}

/** A job of six to ten events, some 1,200 bytes; nine of ten have succeeded. */
function updateOf(i: number, { jobs, nodes, nowMs }: FillPlan, random: Random): JobUpdate {
  const createdMs = nowMs - SPAN_MS + Math.floor((SPAN_MS * i) / jobs);
  const nodeOid = nodeIdOf(random.int(Math.max(1, nodes)));
  const hex = (): string => random.int(0x7fffffff).toString(16).padStart(8, '0');
  let atMs = createdMs;
  const event = (eventType: string, more: Partial<SentJobEvent> = {}): SentJobEvent => {
    atMs += 1 + random.int(600_000);
    return { timestamp: new Date(atMs).toISOString(), eventType, ...more };
  };
  const pairs = Array.from({ length: random.int(3) }, () => [
    event('Job-Checkpointing'),
    event('Job-CheckpointSucceeded'),
  ]).flat();
  const luck = random.between(0, 1);
  const last = luck < 0.9 ? 'Job-Succeeded' : luck < 0.94 ? 'Job-Failed' : luck < 0.95 ? 'Job-Stopped' : 'Job-Running';
  return {
    id: `${hex()}-${hex()}-${i}`,
    queueName: queueOf(random),
    name: `train-${random.int(5_000)}`,
    cpus: 4,
    memoryInMB: 16_384,
    events: [
      event('Job-Creating', { nodeOid, containerId: hex() + hex(), batchJobId: `batch-${hex()}-${hex()}` }),
      event('Volume-Created', { volumnId: `vol-${hex()}${hex()}` }),
      event('Job-Created'),
      event('Job-Running'),
      ...pairs,
      event(last),
    ].sort((a, b) => (a.timestamp < b.timestamp ? -1 : 1)),
  };
}
