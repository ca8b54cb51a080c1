/** Main's handle on the replicator, which lives in the writer's thread. */
import type { Worker } from 'node:worker_threads';
import { CodedError } from '../../../base/errors.ts';
import type { ReplicaPeer, ReplicaStatus } from '../../../store/replica/status.ts';
import type { WriterControl, WriterReport } from './writer-messages.ts';

const BARRIER_MS = 5_000;
/** Beyond what the writer itself waits for the engine. */
const GRACE_MS = 5_000;

export class ReplicaControl {
  readonly #writer: Worker;
  readonly #listeners: ((status: ReplicaStatus) => void)[] = [];
  readonly #barriers = new Map<
    number,
    { readonly resolve: () => void; readonly reject: (error: CodedError) => void }
  >();
  #status: ReplicaStatus = NO_STATUS;
  #number = 0;

  /** `news`: what an operator should read in the server's log. */
  constructor(writer: Worker, news: (level: 'info' | 'warn', text: string) => void) {
    this.#writer = writer;
    writer.on('message', (report: WriterReport) => {
      if (report.type === 'replicaNews') news(report.level, report.text);
      else if (report.type === 'replica') this.#take(report.status);
      else if (report.type === 'passed' || report.type === 'notPassed')
        this.#pass(report.number, report.type === 'passed');
    });
    writer.on('exit', () => {
      for (const number of [...this.#barriers.keys()]) this.#pass(number, false);
    });
  }

  /** The newest; it comes when it changes, and every 250 ms. */
  get status(): ReplicaStatus {
    return this.#status;
  }

  onChange(heard: (status: ReplicaStatus) => void): void {
    this.#listeners.push(heard);
  }

  /** Resolves when everything that was acknowledged anywhere before the call is applied here. Rejects with `notLeader`. */
  barrier(timeoutMs = BARRIER_MS): Promise<void> {
    const number = ++this.#number;
    return new Promise((resolve, reject) => {
      this.#barriers.set(number, { resolve, reject });
      setTimeout(() => this.#pass(number, false), timeoutMs + GRACE_MS).unref();
      this.#writer.postMessage({ type: 'barrier', number, timeoutMs } satisfies WriterControl);
    });
  }

  /** The server is reached in another way from now on. */
  register(self: ReplicaPeer): void {
    this.#writer.postMessage({ type: 'register', self } satisfies WriterControl);
  }

  #take(status: ReplicaStatus): void {
    this.#status = status;
    for (const heard of this.#listeners) heard(status);
  }

  #pass(number: number, hasPassed: boolean): void {
    const barrier = this.#barriers.get(number);
    this.#barriers.delete(number);
    if (hasPassed) barrier?.resolve();
    else barrier?.reject(new CodedError('notLeader'));
  }
}

const NO_STATUS: ReplicaStatus = {
  role: 'catching-up',
  leader: null,
  term: 0,
  behindMs: 0,
  isCutOff: true,
  applied: 0,
  last: 0,
  published: 0,
  acknowledged: 0,
  appliedGroups: 0,
  takeovers: 0,
  cutOffs: 0,
};
