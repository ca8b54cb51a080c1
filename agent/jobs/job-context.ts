/** What the parts of a job's life share: its record, its events, and what they need of the agent. */
import { formatTimestampMs } from '../../src/protocol/timestamp.ts';
import type { JobSettings } from '../base/job-settings.ts';
import type { AgentLog } from '../base/log.ts';
import type { Timers } from '../base/timers.ts';
import { Claims } from '../claims/claims.ts';
import { Copy } from '../copies/copy.ts';
import type { Shim } from '../copies/shim-program.ts';
import { killStrays } from '../copies/strays.ts';
import type { CriuEngine } from '../engine/criu.ts';
import type { JobFolder } from '../output/job-folder.ts';
import type { JobOutput } from '../output/output-shipper.ts';
import { containerName } from '../podman/container-plan.ts';
import { type Podman, removeContainer } from '../podman/podman.ts';
import type { SentEvent, SpooledUpdate } from '../updates/update-spool.ts';
import type { VolumeDrivers } from '../volumes/drivers.ts';
import type { Shown } from '../wire/wire.ts';
import { type JobRecord, writeRecord } from './job-record.ts';

/** What every job of this node uses. */
export interface JobServices {
  readonly nodeId: string;
  /** The node's name in events: its instance id. */
  readonly nodeOid: string;
  readonly dataFolder: string;
  readonly settings: () => JobSettings;
  /** Null where nothing can be checkpointed. */
  readonly engine: () => CriuEngine | null;
  /** Why there is no engine, and what to do. */
  readonly engineFault: () => string;
  readonly shim: () => Shim;
  readonly podman: () => Podman | null;
  /** Why there is no podman, and what to do. */
  readonly podmanFault: () => string;
  readonly volumes: VolumeDrivers;
  /** Durable when it returns. */
  readonly report: (update: SpooledUpdate) => void;
  /** Resolves when the server has the job's events and output, or after a moment: a caller that waits for the job may look then. */
  readonly told: (jobId: string) => Promise<void>;
  /** Sends a small file once, as a node log; what cannot be sent now stays on disk only. */
  readonly ship: (path: string) => Promise<void>;
  readonly timers: Timers;
  readonly log: AgentLog;
  /** The machine or the agent is about to stop. */
  readonly isGoingDown: () => boolean;
  readonly onSaved: (bytes: number, ms: number) => void;
  /** MiB a second of the last save; null before the first. */
  readonly saveMBps: () => number | null;
  /** How long before it takes the machine the cloud says so. */
  readonly noticeMs: number;
}

export type NewEvent = Pick<SentEvent, 'eventType' | 'detail' | 'stdoutBytes' | 'stderrBytes' | 'volumnId'>;

export class JobContext {
  readonly services: JobServices;
  readonly folder: JobFolder;
  readonly output: JobOutput;
  /** Where the newest copy's part of the logs begins; resolved when the logs are what that copy appends to. */
  readonly outputBegun: Promise<Shown>;
  #onOutputBegun: (at: Shown) => void = () => {};
  #record: JobRecord;
  #writing: Promise<void> = Promise.resolve();

  constructor(services: JobServices, folder: JobFolder, record: JobRecord, output: JobOutput) {
    this.services = services;
    this.folder = folder;
    this.output = output;
    this.outputBegun = new Promise((resolve) => {
      this.#onOutputBegun = resolve;
    });
    this.#record = record;
  }

  get record(): JobRecord {
    return this.#record;
  }

  get id(): string {
    return this.#record.spec.id;
  }

  get copy(): Copy {
    return new Copy(this.folder.copy(this.#record.copyNumber));
  }

  get container(): string {
    return containerName(this.#record.copyId, this.id);
  }

  /** Its shim is gone: whatever is left of the copy ends. */
  killCopy(): void {
    this.copy.kill();
    const killed = killStrays(this.folder.restore, this.folder.output('stdout'));
    if (killed > 0) this.services.log.warn(`job ${this.id}: killed ${killed} processes that its copy had left`);
  }

  /** With the process beside it gone, a container would run on by itself. */
  async removeContainer(): Promise<void> {
    const podman = this.services.podman();
    if (podman && this.#record.engine === 'podman' && this.#record.copyId !== '')
      await removeContainer(podman, this.container);
  }

  /** The image folder may change at any time; work in progress finishes in the folder where it began. */
  get claims(): Claims {
    return new Claims(this.services.settings().imagePath, this.id);
  }

  /** The first call counts: who watches from the beginning sees what later copies go on with. */
  outputBegins(at: Shown): void {
    this.#onOutputBegun(at);
  }

  /** Changes the record and reports events, in the order of the calls. Both are on disk when it resolves. */
  commit(changes: Partial<JobRecord>, events: readonly NewEvent[] = []): Promise<void> {
    const done = this.#writing.then(() => this.#commit(changes, events));
    this.#writing = done;
    return done;
  }

  /** What an earlier agent had put in the record, and perhaps not in the spool. */
  async flushOutbox(): Promise<void> {
    if (this.#record.outbox.length > 0) this.#report(this.#record.outbox);
    await this.commit({ outbox: [] });
  }

  async #commit(changes: Partial<JobRecord>, events: readonly NewEvent[]): Promise<void> {
    const { services } = this;
    let { lastEventMs } = this.#record;
    const copyId = changes.copyId ?? this.#record.copyId;
    const outbox = events.map((event): SentEvent => {
      lastEventMs = Math.max(services.timers.clock.wallMs(), lastEventMs + 1);
      return { timestamp: formatTimestampMs(lastEventMs), nodeOid: services.nodeOid, containerId: copyId, ...event };
    });
    this.#record = { ...this.#record, ...changes, lastEventMs, outbox };
    try {
      await writeRecord(this.folder.record, this.#record);
    } catch (error) {
      // The job must not fail because our disk is full; an agent that dies now may not find its way back to it.
      services.log.error(`cannot save the record of job ${this.id}: ${(error as Error).message}`);
    }
    if (outbox.length > 0) this.#report(outbox);
    this.#record = { ...this.#record, outbox: [] };
  }

  #report(events: readonly SentEvent[]): void {
    const { spec, epoch } = this.#record;
    try {
      this.services.report({
        id: spec.id,
        queueName: spec.queueName,
        epoch,
        name: spec.name,
        cpus: spec.cpus,
        ...(spec.memoryInMB === null ? {} : { memoryInMB: spec.memoryInMB }),
        ...(spec.batchJobIds.length === 0 ? {} : { batchJobIds: spec.batchJobIds }),
        events,
      });
    } catch (error) {
      this.services.log.error(`cannot save an event of job ${this.id}: ${(error as Error).message}`);
    }
    for (const { eventType, detail } of events) {
      this.services.log.info(`job ${this.id}: ${eventType}${detail === undefined ? '' : ` (${detail})`}`);
    }
  }
}
