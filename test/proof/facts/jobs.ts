/** Jobs of one queue and their events; with them the samples that events make, each exactly once. */
import type { Answer, Api } from '../../support/api.ts';
import { until } from '../../support/api.ts';
import { BrokenPromise } from '../machine.ts';
import { type Facts, isTaken } from './fact.ts';

const LIFE = [
  'Job-Creating',
  'Job-Created',
  'Job-Running',
  'Job-Checkpointing',
  'Job-CheckpointSucceeded',
  'Job-Checkpointing',
  'Job-CheckpointSucceeded',
  'Job-Succeeded',
];

interface SentEvent {
  readonly eventType: string;
  readonly timestamp: string;
}

interface Sending {
  readonly id: string;
  readonly events: readonly SentEvent[];
}

export class JobFacts implements Facts {
  readonly name: string;
  readonly queue: string;
  /** Events that were acknowledged, of all jobs in the order of their acknowledgement. */
  readonly told: { readonly job: string; readonly timestamp: string }[] = [];
  readonly #events = new Map<string, SentEvent[]>();
  #sending: Sending | undefined;
  /** An hour ago: a sample must not be from the future, and one that is older would be folded elsewhere. */
  readonly #begunMs: number;
  #sent = 0;

  constructor(number: number, nowMs: number) {
    this.name = `jobs of queue ${number}`;
    this.queue = `proof-${number}`;
    this.#begunMs = nowMs - 3_600_000;
  }

  get acknowledged(): number {
    return this.told.length;
  }

  async step(api: Api): Promise<void> {
    // What was broken off is sent again as it was, as an agent does.
    this.#sending ??= this.#next();
    const { id, events } = this.#sending;
    const answer = await api.post('/api/v1/job', { id, queueName: this.queue, events });
    if (!isTaken(answer, this.name)) return;
    const { rejected } = answer.json as { readonly rejected: readonly object[] };
    if (rejected.length > 0) throw new BrokenPromise(`${this.name} were rejected: ${answer.text.slice(0, 300)}`);
    const own = this.#events.get(id) ?? [];
    this.#events.set(id, [...own, ...events]);
    for (const { timestamp } of events) this.told.push({ job: id, timestamp });
    this.#sending = undefined;
  }

  async audit(api: Api): Promise<string[]> {
    const answer = await api.get(`/api/v1/job?queue=${this.queue}`);
    if (answer.status !== 200) return [`${this.name}: the list answered ${answer.status}`];
    const faults = this.#missing(answer);
    const jobs = answer.json as { id: string; events: SentEvent[] }[];
    const count = (type: string): number =>
      jobs.reduce((sum, { events }) => sum + events.filter(({ eventType }) => eventType === type).length, 0);
    for (const [metric, wanted] of [
      ['jobSubmitted', jobs.length],
      ['checkpointAttempt', count('Job-Checkpointing')],
      ['checkpointSuccess', count('Job-CheckpointSucceeded')],
    ] as const) {
      const seen = await this.#sum(api, metric, wanted);
      if (seen !== wanted) faults.push(`${this.name}: ${metric} is ${seen}, and the events make ${wanted}`);
    }
    return faults;
  }

  #missing(answer: Answer): string[] {
    const jobs = new Map(
      (answer.json as { id: string; status: string; events: SentEvent[] }[]).map((job) => [job.id, job]),
    );
    const faults: string[] = [];
    for (const [id, events] of this.#events) {
      const job = jobs.get(id);
      const times = job?.events.map(({ timestamp }) => timestamp) ?? [];
      const lost = events.filter(({ timestamp }) => !times.includes(timestamp));
      if (lost.length > 0) faults.push(`${this.name}: ${id} has lost ${JSON.stringify(lost)}`);
      if (new Set(times).size !== times.length) faults.push(`${this.name}: ${id} has an event twice`);
      const doubtful = this.#sending?.id === id ? this.#sending.events.length : 0;
      if (times.length > events.length + doubtful) faults.push(`${this.name}: ${id} has events that nobody sent`);
      const last = job?.events.at(-1)?.eventType.replace('Job-', '');
      if (job && job.status !== last) faults.push(`${this.name}: ${id} is ${job.status} after Job-${last}`);
    }
    return faults;
  }

  /** Samples are delivered after the events are durable: it may take a moment. */
  async #sum(api: Api, metric: string, wanted: number): Promise<number> {
    const from = new Date(this.#begunMs - 60_000).toISOString();
    const to = new Date(this.#begunMs + 6 * 3_600_000).toISOString();
    const path = `/api/v1/metricValue/queue-${this.queue}/metricDef-${metric}?interval=1m&start=${from}&end=${to}`;
    const ask = async (): Promise<number> => {
      const { status, json } = await api.get(path);
      if (status === 404) return 0;
      return (json.points as { value: number }[]).reduce((sum, { value }) => sum + value, 0);
    };
    return until(ask, (sum) => sum === wanted, `${metric} of ${this.queue}`, 10_000).catch(ask);
  }

  #next(): Sending {
    const jobNumber = Math.floor(this.#sent / LIFE.length);
    const at = this.#sent % LIFE.length;
    const count = Math.min(LIFE.length - at, 1 + (this.#sent % 3));
    const events = LIFE.slice(at, at + count).map((eventType, i) => ({
      eventType,
      timestamp: new Date(this.#begunMs + (this.#sent + i) * 7).toISOString(),
    }));
    this.#sent += count;
    return { id: `${this.queue}-${jobNumber}`, events };
  }
}
