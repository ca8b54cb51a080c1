/**
 * What `/metrics` tells since the process began (contract section 13). A server of a cluster exchanges its shards with its role:
 * what they had counted until then is kept here, and so are the names of queues.
 */
import { JobTotals, type QueueTotals } from '../../actors/job/job-totals.ts';
import { QueueNames } from './queue-names.ts';

export const INTERRUPTIONS = {
  name: 'cairn_node_interruptions_total',
  help: 'Interruption notices that nodes reported',
};

/** What a shard has counted since its thread began. */
export interface ShardTotals {
  readonly jobTotals: readonly QueueTotals[];
  readonly interruptions: number;
}

export class ProcessFigures {
  readonly queueNames = new QueueNames();
  readonly #jobTotals = new JobTotals();
  #interruptions = 0;

  shardEnded({ jobTotals, interruptions }: ShardTotals): void {
    this.#jobTotals.addAll(jobTotals);
    this.#interruptions += interruptions;
  }

  /** Of the shards that have ended. */
  get totals(): ShardTotals {
    return { jobTotals: this.#jobTotals.totals(), interruptions: this.#interruptions };
  }
}
