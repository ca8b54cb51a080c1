/**
 * Starts the shard threads and the writer, connects them with each other, and starts a shard again when it has crashed.
 * Supervision has a budget: a shard that keeps crashing takes the process down, for the service manager to see.
 */
import { MessageChannel, type MessagePort, Worker } from 'node:worker_threads';
import type { Clock } from '../../../base/clock.ts';
import { CodedError } from '../../../base/errors.ts';
import type { Logger } from '../../../base/log.ts';
import { RestartCounter, SHARD_THREAD_BUDGET } from '../../runtime/supervision.ts';
import type { ShardData } from '../host/shard-host.ts';
import { type RemoteMethods, RpcEnd, Transferred } from '../wire/rpc.ts';
import type { SharedState } from '../wire/shared-state.ts';
import { MAIN_CLIENT, type WriterControl, type WriterData, type WriterReport } from '../writer/writer-messages.ts';

/** What every shard offers to its supervisor. */
export interface SupervisedShard {
  connectPeer(index: number, port: MessagePort): Promise<void>;
  /** Resolves when the shard has replayed and takes requests. */
  ready(): Promise<void>;
}

export interface SupervisorHost<Control extends SupervisedShard & RemoteMethods<Control>> {
  readonly shardCount: number;
  /** The shard thread's composition root. */
  readonly entry: URL;
  readonly databaseFolder: string;
  readonly stats: SharedArrayBuffer;
  readonly state: () => SharedState;
  /** What a shard may call, with the index of the calling shard. */
  readonly services: (shard: number) => object;
  readonly extraData: object;
  readonly clock: Clock;
  readonly log: Logger;
  /** A shard is up again after a crash. */
  readonly onRestarted: (shard: number, control: Control) => Promise<void>;
  /** The budget is spent. */
  readonly onGiveUp: () => void;
}

interface Thread<Control extends RemoteMethods<Control>> {
  readonly worker: Worker;
  readonly rpc: RpcEnd<Control>;
  readonly ended: Promise<void>;
}

const RESTART_DELAY_MS = 50;

export class ShardSupervisor<Control extends SupervisedShard & RemoteMethods<Control>> {
  readonly #host: SupervisorHost<Control>;
  readonly #threads = new Map<number, Thread<Control>>();
  readonly #restarts = new RestartCounter(SHARD_THREAD_BUDGET);
  readonly #writer: Worker;
  #stopping = false;
  restarts = 0;
  /** Unreadable records that were removed from the beginning of the event log. */
  unreadableEvents = 0;

  readonly #onWriterReport = (report: WriterReport): void => this.#note(report);
  readonly #onWriterError = (error: unknown): void => {
    this.#host.log.fatal(
      { kind: 'environment', error },
      'the writer thread failed, and the process ends: check the disk; a new start takes up what is stored',
    );
    this.#host.onGiveUp();
  };

  private constructor(host: SupervisorHost<Control>, writer: Worker) {
    this.#host = host;
    this.#writer = writer;
  }

  /** Opens the store through the writer thread; throws a sentence for the operator where that is refused. */
  static async openWriter({ folder, ...data }: WriterData): Promise<Worker> {
    const writer = new Worker(new URL('../writer/writer-entry.js', import.meta.url), {
      workerData: { folder, ...data } satisfies WriterData,
    });
    const report = await new Promise<WriterReport>((resolve, reject) => {
      writer.on('message', (first: WriterReport) => {
        if (first.type === 'open' || first.type === 'refused') resolve(first);
      });
      writer.once('error', reject);
    });
    if (report.type === 'refused') throw new Error(`cannot open the database in ${folder}: ${report.reason}`);
    return writer;
  }

  static attachMain(writer: Worker): MessagePort {
    return attach(writer, MAIN_CLIENT);
  }

  static async start<C extends SupervisedShard & RemoteMethods<C>>(
    host: SupervisorHost<C>,
    writer: Worker,
  ): Promise<ShardSupervisor<C>> {
    const supervisor = new ShardSupervisor(host, writer);
    writer.on('error', supervisor.#onWriterError);
    writer.on('message', supervisor.#onWriterReport);
    for (let shard = 0; shard < host.shardCount; shard++) supervisor.#spawn(shard);
    for (let a = 0; a < host.shardCount; a++) {
      for (let b = a + 1; b < host.shardCount; b++) await supervisor.#connect(a, b);
    }
    await Promise.all(supervisor.controls().map(([, control]) => control.ready()));
    return supervisor;
  }

  /** Live shards. */
  controls(): (readonly [shard: number, control: Control])[] {
    return [...this.#threads].map(([shard, { rpc }]) => [shard, rpc.remote] as const);
  }

  control(shard: number): Control {
    const thread = this.#threads.get(shard);
    if (!thread) throw new CodedError('overloaded', 'a shard is restarting');
    return thread.rpc.remote;
  }

  /** Takes all shards through each of the steps (a step calls a shard's control) before the next; the last one ends them. Then the writer, unless it is kept for those that follow. */
  async stop(steps: readonly ((control: Control) => Promise<void>)[], keepsWriter = false): Promise<void> {
    this.#stopping = true;
    const threads = [...this.#threads.values()];
    const remotes = threads.map(({ rpc }) => rpc.remote);
    await inSteps(remotes, steps);
    await Promise.all(threads.map(({ ended }) => ended));
    if (keepsWriter) {
      this.#writer.off('error', this.#onWriterError);
      this.#writer.off('message', this.#onWriterReport);
      return;
    }
    const stopped = new Promise((resolve) => this.#writer.once('exit', resolve));
    this.#writer.postMessage({ type: 'stop' } satisfies WriterControl);
    await stopped;
  }

  #spawn(shard: number): void {
    const writerPort = attach(this.#writer, shard);
    const data: ShardData & object = {
      ...this.#host.extraData,
      index: shard,
      shardCount: this.#host.shardCount,
      databaseFolder: this.#host.databaseFolder,
      writerPort,
      stats: this.#host.stats,
      state: this.#host.state(),
    };
    const worker = new Worker(this.#host.entry, { workerData: data, transferList: [writerPort] });
    const rpc = new RpcEnd<Control>(worker, this.#host.services(shard), (error, method) => {
      this.#host.log.error({ kind: 'bug', error, method }, 'a call from a shard failed in the main thread');
    });
    const ended = new Promise<void>((resolve) => {
      worker.on('error', (error) => this.#host.log.error({ kind: 'bug', error, shard }, 'a shard crashed'));
      worker.on('exit', (code) => {
        rpc.close();
        resolve();
        if (!this.#stopping) void this.#restart(shard, code);
      });
    });
    this.#threads.set(shard, { worker, rpc, ended });
  }

  #note(report: WriterReport): void {
    if (report.type === 'trimFailed') {
      const { what, failure } = report;
      this.#host.log.error(
        { kind: 'environment', failure: failure.name, detail: failure.detail, what },
        'cannot delete processed records from the store: it keeps growing, and the server retries every second',
      );
    } else if (report.type === 'unreadableEvents') {
      if (this.unreadableEvents === 0)
        this.#host.log.error(
          { kind: 'environment', count: report.count },
          'removed unreadable records from the event log; cairn_event_records_lost_total counts them',
        );
      this.unreadableEvents += report.count;
    }
  }

  async #connect(a: number, b: number): Promise<void> {
    const [first, second] = [this.#threads.get(a), this.#threads.get(b)];
    if (!first || !second) return;
    const { port1, port2 } = new MessageChannel();
    await Promise.all([connectPeer(first.rpc.remote, b, port1), connectPeer(second.rpc.remote, a, port2)]);
  }

  async #restart(shard: number, code: number): Promise<void> {
    this.#threads.delete(shard);
    this.restarts++;
    const within = this.#restarts.record(this.#host.clock.monotonicMs());
    this.#host.log.error({ kind: 'bug', shard, code, within }, 'a shard ended unexpectedly and is restarted');
    if (!within) {
      this.#host.onGiveUp();
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, RESTART_DELAY_MS));
    if (this.#stopping) return;
    this.#spawn(shard);
    try {
      for (const [other] of this.controls()) if (other !== shard) await this.#connect(shard, other);
      await this.control(shard).ready();
      await this.#host.onRestarted(shard, this.control(shard));
    } catch (error) {
      // It crashed again on the way up: its exit starts the next attempt.
      this.#host.log.error({ error, shard }, 'a shard failed to start');
    }
  }
}

/** Each step runs on all of them before the next step; one that fails does not delay the others. */
export async function inSteps<C>(
  controls: readonly C[],
  steps: readonly ((control: C) => Promise<void>)[],
): Promise<void> {
  for (const step of steps) await Promise.all(controls.map((control) => step(control).catch(() => {})));
}

function attach(writer: Worker, client: number): MessagePort {
  const { port1, port2 } = new MessageChannel();
  writer.postMessage({ type: 'attach', client, port: port1 } satisfies WriterControl, [port1]);
  return port2;
}

function connectPeer(control: SupervisedShard, index: number, port: MessagePort): Promise<void> {
  return control.connectPeer(index, new Transferred(port, [port]) as unknown as MessagePort);
}
