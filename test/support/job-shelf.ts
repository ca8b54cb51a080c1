/** A store with jobs and their indexes, written as the job actor writes them, beside the simplest model of a list. */

import { indexedJobOf, jobOf } from '../../src/actors/job/derive.ts';
import { type JobState, newJobState } from '../../src/actors/job/job-state.ts';
import type { Job } from '../../src/protocol/job.ts';
import type { JobQuery } from '../../src/protocol/lists/job-query.ts';
import { phaseOf } from '../../src/protocol/phase.ts';
import { mustParseTimestamp } from '../../src/protocol/timestamp.ts';
import { textKey } from '../../src/store/kv/keys.ts';
import type { Store } from '../../src/store/kv/store.ts';
import { WriteBatch } from '../../src/store/kv/write-batch.ts';
import { jobIndexWrites, keyText, searchTextOf } from '../../src/store/records/job-index.ts';
import { encodeJobRecord } from '../../src/store/records/job-record.ts';
import { encodeNodePrice, oidKey } from '../../src/store/records/node-record.ts';

export interface ShelfJob {
  readonly id: string;
  readonly queueName: string;
  readonly name?: string;
  /** RFC 3339, ascending. */
  readonly times: readonly string[];
  /** Type of the last event. */
  readonly last: string;
  readonly node: string;
}

export class JobShelf {
  readonly store: Store;
  readonly #states = new Map<string, JobState>();

  constructor(store: Store) {
    this.store = store;
  }

  get jobs(): Job[] {
    return [...this.#states.values()].map(jobOf);
  }

  put(...jobs: readonly ShelfJob[]): void {
    const batch = new WriteBatch();
    for (const job of jobs) this.#add(batch, job.id, stateOf(job));
    this.store.commit([batch.seal()]);
  }

  /** As a node that registers is known by the instance id that jobs have. */
  nameNode(nodeOid: string, nodeId: string): void {
    const batch = new WriteBatch();
    batch.put('nodeByOid', oidKey(nodeOid), encodeNodePrice({ nodeId, spot: false, price: 0, onDemandPrice: 0 }));
    this.store.commit([batch.seal()]);
  }

  remove(id: string): void {
    const batch = new WriteBatch();
    this.#add(batch, id, null);
    this.store.commit([batch.seal()]);
  }

  #add(batch: WriteBatch, id: string, after: JobState | null): void {
    const before = this.#states.get(id);
    const writes = jobIndexWrites(before ? indexedJobOf(before) : null, after && indexedJobOf(after));
    for (const { table, key, value } of writes) {
      if (value) batch.put(table, key, value);
      else batch.remove(table, key);
    }
    if (after) {
      batch.put('job', textKey(id), encodeJobRecord({ receivedAtMs: 0, counted: null, folded: null }, jobOf(after)));
      this.#states.set(id, after);
    } else {
      batch.remove('job', textKey(id));
      this.#states.delete(id);
    }
  }
}

function stateOf({ id, queueName, name, times, last, node }: ShelfJob): JobState {
  const events = times.map((timestamp, i) => ({
    at: mustParseTimestamp(timestamp),
    event: {
      timestamp,
      eventType: i === times.length - 1 ? last : 'Job-Creating',
      ...(node === '' ? {} : { nodeOid: node }),
    },
  }));
  return { ...newJobState(id), exists: true, queueName, ...(name === undefined ? {} : { name }), events };
}

/** What a list must hold, computed from all jobs at once; `nodeIds` by the instance ids that jobs have. */
export function modelOf(
  jobs: readonly Job[],
  { by, descending, filter }: JobQuery,
  nodeIds: Readonly<Record<string, string>> = {},
): Job[] {
  const wanted = jobs.filter((job) => {
    const created = mustParseTimestamp(job.createdAt);
    const updated = mustParseTimestamp(job.updatedAt);
    return (
      (filter.queues === undefined || filter.queues.includes(job.queueName)) &&
      (filter.statuses === undefined || filter.statuses.includes(job.status)) &&
      (filter.phases === undefined || filter.phases.includes(phaseOf(job.status, () => job.nodeOid !== ''))) &&
      (filter.nodes === undefined || filter.nodes.includes(keyText(job.nodeOid))) &&
      (filter.createdAfter === undefined || created > filter.createdAfter) &&
      (filter.createdBefore === undefined || created < filter.createdBefore) &&
      (filter.updatedAfter === undefined || updated > filter.updatedAfter) &&
      (filter.updatedBefore === undefined || updated < filter.updatedBefore) &&
      (filter.q === undefined ||
        searchTextOf(job).includes(filter.q) ||
        nodeIds[job.nodeOid]?.toLowerCase().includes(filter.q) === true)
    );
  });
  const keys = (job: Job): (string | bigint)[] => {
    const created = mustParseTimestamp(job.createdAt);
    if (by === 'id') return [job.id];
    if (by === 'createdAt') return [created, job.id];
    if (by === 'updatedAt') return [mustParseTimestamp(job.updatedAt), job.id];
    return [(by === 'name' ? job.name : job[by]) ?? '', created, job.id];
  };
  wanted.sort((a, b) => compareAll(keys(a), keys(b)));
  return descending ? wanted.reverse() : wanted;
}

function compareAll(a: readonly (string | bigint)[], b: readonly (string | bigint)[]): number {
  for (let i = 0; i < a.length; i++) {
    const [left, right] = [a[i] as string | bigint, b[i] as string | bigint];
    if (left !== right) return left < right ? -1 : 1;
  }
  return 0;
}
