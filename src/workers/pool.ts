/** The door to piscina: a pool of threads for everything that could hold an event loop for more than 2 ms. */
import type { MessagePort } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { CodedError, errorOf } from '../base/errors.ts';
import type { PoolInput } from './task/pool-data.ts';
import type { AnswerTask, PoolData, StreamTask, TaskAnswers, TaskOutcome } from './task/task.ts';

/** Tasks that may wait. Overflow policy: reject with `overloaded` (503). */
const QUEUE_MAX = 1_024;
/** Streams wait for their readers most of the time, so a thread serves many. */
const TASKS_PER_THREAD = 64;

/** How long a background thread stays after its last task. */
const IDLE_MS = 30_000;

/** A start has better use for the processors, and a server that ends at once has none for this. */
const WARM_UP_AFTER_MS = 2_000;

export class Pool {
  readonly #piscina: Piscina;
  readonly #warmUp: NodeJS.Timeout | undefined;

  /** `isWarmed`: threads run warm once the start is over (`CAIRN_WARM_UP`). Those of the background never do. */
  constructor(place: Omit<PoolData, 'threads'>, threads: number, isWarmed = false) {
    const data: PoolData = { ...place, threads };
    this.#piscina = new Piscina({
      filename: new URL('./entry.js', import.meta.url).href,
      workerData: data,
      minThreads: data.isBackground ? 0 : threads,
      maxThreads: threads,
      idleTimeout: IDLE_MS,
      maxQueue: QUEUE_MAX,
      concurrentTasksPerWorker: TASKS_PER_THREAD,
      recordTiming: false,
    });
    // No caller should meet a cold thread. The pool gives each thread one of as many tasks.
    const each = (): void => {
      for (let i = 0; i < threads; i++) void this.#run({ task: 'warmUp' }, []).catch(() => {});
    };
    if (isWarmed) this.#warmUp = setTimeout(each, WARM_UP_AFTER_MS).unref();
  }

  get waiting(): number {
    return this.#piscina.queueSize;
  }

  async answer<T extends AnswerTask>(task: T): Promise<TaskAnswers[T['type']]> {
    return (await this.#run({ task }, [])) as TaskAnswers[T['type']];
  }

  /** The answer goes to `port` as a byte stream. Resolves when the stream has ended. */
  async stream(task: StreamTask, port: MessagePort): Promise<void> {
    await this.#run({ task, port }, [port]);
  }

  async close(): Promise<void> {
    clearTimeout(this.#warmUp);
    await this.#piscina.destroy();
  }

  async #run(input: PoolInput, transferList: MessagePort[]): Promise<unknown> {
    let outcome: TaskOutcome;
    try {
      outcome = (await this.#piscina.run(input, { transferList })) as TaskOutcome;
    } catch (error) {
      if (error instanceof Error && error.message.includes('at limit')) throw new CodedError('overloaded');
      throw error;
    }
    if (outcome.failure) throw errorOf(outcome.failure);
    return outcome.value;
  }
}
