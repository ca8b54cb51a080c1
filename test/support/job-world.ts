/** Job actors on an actor system under the test's hand, beside aggregators that only write down what reaches them. */
import type { Sample, Samples } from '../../src/actors/aggregator/messages.ts';
import { type SampleSink, visitSamples } from '../../src/actors/aggregator/sample-batch.ts';
import { jobBehaviour } from '../../src/actors/job/behaviour.ts';
import { jobAddress } from '../../src/actors/job/messages.ts';
import type { Behaviour, Delivery } from '../../src/actors/runtime/behaviour.ts';
import type { Job, JobEvent, JobUpdate } from '../../src/protocol/job.ts';
import { textKey } from '../../src/store/kv/keys.ts';
import type { Table } from '../../src/store/kv/tables.ts';
import type { SeriesEnv } from '../../src/store/series/series-index.ts';
import { wholeJob } from '../../src/workers/jobs/whole-job.ts';
import { ActorWorld, type Answer } from './actor-world.ts';

export interface JobEnv extends SeriesEnv {
  /** What every aggregator was handed, oldest first. */
  readonly delivered: { readonly to: string; readonly sample: Sample }[];
  /** Series that were counted as new. */
  series: number;
  /** Whether there is room for more. */
  hasRoom: boolean;
}

const listener: Behaviour<{ readonly id: string }, Delivery, JobEnv> = {
  kind: 'aggregator',
  hydrate: (id) => ({ id }),
  receive: (state, message, _now, env) => {
    let to = '';
    const sink: SampleSink = {
      turn: (objectId) => {
        to = objectId;
      },
      take: (...sample) => void env.delivered.push({ to, sample }),
    };
    for (const batch of message.messages as readonly Samples[]) visitSamples(batch, sink);
    return { state, acknowledged: message.seq };
  },
  idleMs: () => null,
};

export class JobWorld {
  readonly env: JobEnv;
  readonly actors: ActorWorld<JobEnv>;

  constructor() {
    const env: JobEnv = {
      delivered: [],
      series: 0,
      hasRoom: true,
      takeSeries: (_objectId, metrics) => {
        if (!env.hasRoom) return false;
        env.series += metrics.length;
        return true;
      },
    };
    this.env = env;
    this.actors = new ActorWorld<JobEnv>([jobBehaviour, listener], env);
  }

  /** Asks, and carries nothing out yet. */
  send(events: readonly JobEvent[], more: Partial<JobUpdate> = {}): Answer {
    const update: JobUpdate = { id: 'j-1', queueName: 'q', events: [...events], ...more };
    return this.actors.ask(jobAddress(update.id), { type: 'update', update });
  }

  /** A new thread on the same disk, after the journal was cleared of what reached the aggregators. */
  restart(): void {
    this.actors.trim();
    this.actors.restart();
    this.actors.settle();
  }

  /** Events that were new; everything is durable then. */
  update(events: readonly JobEvent[], more: Partial<JobUpdate> = {}): number {
    const update: JobUpdate = { id: 'j-1', queueName: 'q', events: [...events], ...more };
    return this.actors.reply(jobAddress(update.id), { type: 'update', update }).events;
  }

  /** The job as it is on disk. */
  job(id = 'j-1'): Job | undefined {
    const record = this.actors.store.get('job', textKey(id));
    const { store } = this.actors;
    return record && (JSON.parse(Buffer.from(wholeJob(store, id, record)).toString('utf8')) as Job);
  }

  /** `metric=value` of what one aggregator was handed since the last look. */
  samples(objectId = 'queue-q'): string[] {
    const { delivered } = this.env;
    const mine = delivered.filter(({ to }) => to === objectId);
    this.env.delivered.splice(0);
    return mine.map(({ sample: [metric, , , value] }) => `${metric}=${Number(value.toFixed(9))}`);
  }

  rows(table: Table): number {
    return this.actors.store.count(table);
  }
}
