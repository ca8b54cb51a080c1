/** The list of queues with their jobs by phase, as one JSON text. Looks at every job, in slices. */

import type { Queues } from '../../protocol/identity/role.ts';
import { PHASES, type Phase } from '../../protocol/phase.ts';
import type { Queue } from '../../protocol/queue.ts';
import { type EpochNs, mustParseTimestamp } from '../../protocol/timestamp.ts';
import { isDamaged } from '../../store/kv/checksum.ts';
import { afterKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { type JobHead, jobHeadOf, jobJsonOf } from '../../store/records/job-record.ts';
import { GoneNodes } from './gone-nodes.ts';

/** Jobs looked at before the thread may do something else: 3 to 5 ms. */
const SLICE = 500;

export async function* queueList(reader: Reader, seen: Queues = null, slice = SLICE): AsyncGenerator<Uint8Array> {
  const tally = new QueueTally(reader);
  let start: Uint8Array | undefined;
  do {
    reader.refresh();
    let last: Uint8Array | undefined;
    let count = 0;
    for (const { key, value } of reader.range('job', { ...(start ? { start } : {}), limit: slice })) {
      last = key;
      count++;
      if (isDamaged(value)) continue;
      const job = jobHeadOf(jobJsonOf(value));
      if (!seen || seen.includes(job.queueName)) tally.add(job);
    }
    start = last && count === slice ? afterKey(last) : undefined;
    await new Promise((resolve) => setImmediate(resolve));
  } while (start);
  yield Uint8Array.from(Buffer.from(JSON.stringify(tally.queues())));
}

interface Counted {
  total: number;
  readonly phases: Record<Phase, number>;
  updatedAt: string;
  updated: EpochNs;
}

class QueueTally {
  readonly #nodes: GoneNodes;
  readonly #queues = new Map<string, Counted>();

  constructor(reader: Reader) {
    this.#nodes = new GoneNodes(reader);
  }

  add(job: JobHead): void {
    const { queueName, updatedAt } = job;
    const updated = mustParseTimestamp(updatedAt);
    const queue = this.#queues.get(queueName) ?? { total: 0, phases: noJobs(), updatedAt, updated };
    queue.total++;
    queue.phases[this.#nodes.phaseOf(job)]++;
    if (updated > queue.updated) Object.assign(queue, { updatedAt, updated });
    this.#queues.set(queueName, queue);
  }

  queues(): Queue[] {
    return [...this.#queues]
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, { total, phases, updatedAt }]) => ({ name, total, phases, updatedAt }));
  }
}

function noJobs(): Record<Phase, number> {
  return Object.fromEntries(PHASES.map((phase) => [phase, 0])) as Record<Phase, number>;
}
