/** The agent's part for jobs: puts its pieces together, keeps the settings at hand, and starts and stops them in order. */
import { mkdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { systemRandom } from '../../src/base/random.ts';
import type { Order } from '../../src/protocol/order.ts';
import { writeFileAtomically } from '../base/atomic-file.ts';
import { type JobSettings, jobSettingsOf } from '../base/job-settings.ts';
import type { AgentLog } from '../base/log.ts';
import type { Cancel, Timers } from '../base/timers.ts';
import { ClaimWatch } from '../claims/claim-watch.ts';
import { findShim, nodeShim, type Shim } from '../copies/shim-program.ts';
import { type CriuEngine, findCriu } from '../engine/criu.ts';
import { sweepImages } from '../images/image-sweep.ts';
import type { Instance } from '../instance/instance.ts';
import type { AgentFacts } from '../instance/registration.ts';
import type { Reply } from '../link/outcome.ts';
import { fieldTrue, numberIn } from '../link/reply.ts';
import type { ServerCalls } from '../link/server-calls.ts';
import { OutputShipper } from '../output/output-shipper.ts';
import { findPodman, type Podman } from '../podman/podman.ts';
import { UpdateSender } from '../updates/update-sender.ts';
import { UpdateSpool } from '../updates/update-spool.ts';
import { VolumeDrivers } from '../volumes/drivers.ts';
import { noticeMsOf } from './deadline.ts';
import { Door } from './door.ts';
import { Jobs } from './jobs.ts';
import { type ReclaimPlan, reclaimJobs, shipRest } from './reclaim.ts';

export interface JobsPartParts {
  readonly nodeId: string;
  readonly instance: Instance;
  readonly dataFolder: string;
  readonly calls: Pick<ServerCalls, 'call' | 'postLog'>;
  readonly isUp: () => boolean;
  /** Asks a server that was away now. */
  readonly tryNow: () => void;
  readonly beatMs: () => number;
  readonly timers: Timers;
  readonly log: AgentLog;
}

/** The agent's socket: connections are passed on. */
export interface SocketOfAgent {
  serve(accept: (socket: Socket) => void): void;
}

const CLAIM_DEADLINE_MS = 10_000;
/** Of an engine's log, the end says why it failed. */
const SHIPPED_BYTES_MAX = 1_048_576;
const LOOK_AT_NODE_MS = 2_000;
/** `cairn run` waits so long for the server to know how its job ended. */
const TOLD_MS_MAX = 1_000;
/** Due sweeps are looked for this often, so that a changed `job.storCleanIntvl` takes effect. */
const SWEEP_LOOK_MS = 5_000;
const NOT_FOUND = 404;
const NOT_FOUND_CODE = 1004;

export class JobsPart {
  readonly #parts: JobsPartParts;
  readonly #spool: UpdateSpool;
  readonly #sender: UpdateSender;
  readonly #shipper: OutputShipper;
  readonly jobs: Jobs;
  readonly #volumes: VolumeDrivers;
  readonly #configFile: string;
  #settings: JobSettings;
  #engine: CriuEngine | null = null;
  #engineFault = 'the agent is still looking for the engine';
  #podman: Podman | null = null;
  #podmanFault = 'the agent is still looking for podman';
  #shim: Shim = nodeShim();
  #saveMBps: number | null = null;
  #isGoingDown = false;
  /** Why the node takes no job: set by an interruption notice. */
  #refusal: string | null = null;
  #isDrained = false;
  readonly #claimWatch: ClaimWatch;
  #cancelSweep: Cancel = () => {};
  #sweptAtMs: number;

  constructor(parts: JobsPartParts) {
    this.#parts = parts;
    const { dataFolder, timers, log } = parts;
    mkdirSync(join(dataFolder, 'jobs'), { recursive: true, mode: 0o750 });
    this.#sweptAtMs = timers.clock.monotonicMs();
    this.#configFile = join(dataFolder, 'config.json');
    this.#settings = jobSettingsOf(tryJson(this.#configFile));
    this.#spool = new UpdateSpool(dataFolder);
    this.#sender = new UpdateSender({
      spool: this.#spool,
      call: (request) => parts.calls.call(request),
      isUp: parts.isUp,
      timers,
      random: systemRandom,
      log,
      onStale: (jobId) => this.jobs.supersede(jobId),
    });
    this.#shipper = new OutputShipper({
      post: (path, offset, bytes, cut) => parts.calls.postLog(path, offset, bytes, cut),
      isUp: parts.isUp,
      timers,
    });
    this.#volumes = new VolumeDrivers({
      wanted: process.env['CAIRN_VOLUME_DRIVER'],
      instance: parts.instance,
      timers,
      note: (text) => log.info(text),
    });
    this.jobs = this.#makeJobs();
    const { beatMs } = parts;
    this.#claimWatch = new ClaimWatch({ timers, beatMs, look: () => void this.jobs.watchClaims() });
  }

  /** Finds the engines: what the node says of itself when it registers. */
  async findEngines(): Promise<void> {
    const shim = await findShim(this.#parts.dataFolder);
    if ('path' in shim) this.#shim = { program: shim.path, prefix: [], hold: shim.hold };
    const found = await findCriu(process.env);
    if ('engine' in found && 'path' in shim) this.#engine = found.engine;
    else this.#engineFault = 'fault' in found ? found.fault : 'missing' in shim ? shim.missing : '';
    const { log, dataFolder } = this.#parts;
    const foundPodman = await findPodman(process.env, this.#engine?.path ?? null, dataFolder);
    if ('podman' in foundPodman) this.#podman = foundPodman.podman;
    else this.#podmanFault = foundPodman.fault;
    if (this.#engine) log.info(`jobs can be checkpointed with criu ${this.#engine.version}`);
    else log.info(`jobs run, but cannot be checkpointed: ${this.#engineFault}`);
  }

  /** Adopts what runs; then the door is open. */
  start(lock: SocketOfAgent): void {
    this.jobs.adopt();
    const door = new Door(this.jobs);
    lock.serve((socket) => door.accept(socket));
    this.#claimWatch.start();
    this.#sweep();
  }

  /** Sends what can be sent, and says whether that is all. The jobs go on. */
  async finish(): Promise<boolean> {
    await this.#sender.finish();
    const drained = await Promise.all(this.jobs.list().map(({ id }) => this.#shipper.drain(id)));
    return this.#spool.isEmpty && drained.every((isWhole) => isWhole);
  }

  async stop(): Promise<void> {
    this.#isGoingDown = true;
    this.#claimWatch.stop();
    this.#cancelSweep();
    await this.#sender.stop();
    await this.#shipper.stop();
    this.#spool.close();
  }

  /** The server can be reached again. */
  onUp(): void {
    this.#sender.wake();
    this.#shipper.wake();
  }

  onConfig(config: unknown): void {
    this.#settings = jobSettingsOf(config);
    // For a start while the server is away. Only the settings of jobs: nothing else belongs on this disk.
    const { ckpt, node, job } = config as { ckpt?: unknown; node?: unknown; job?: unknown };
    writeFileAtomically(this.#configFile, `${JSON.stringify({ ckpt, node, job })}\n`).catch((error: Error) =>
      this.#parts.log.warn(`cannot save the configuration: ${error.message}`),
    );
  }

  /** From now on jobs are refused with this sentence; null takes them again. */
  refuse(why: string | null): void {
    this.#refusal = why;
  }

  /** Saves and ends every job, then sends their events and output; a server that is away is asked again until `signal`. */
  async reclaim(plan: ReclaimPlan, signal: AbortSignal): Promise<void> {
    const { timers, log, tryNow } = this.#parts;
    await reclaimJobs(this.jobs.running, plan, timers, log);
    const rest = { finish: () => this.finish(), tryNow, byMs: plan.shipByMs };
    const isAll = await shipRest({ ...rest, signal, timers, random: systemRandom });
    if (!isAll && !signal.aborted) log.warn('not all events and output of the jobs were sent before the node leaves');
  }

  /** The machine may be taken soon: each job is saved now. A save in progress will do, for a notice brings another one. */
  saveAll(why: string): void {
    if (this.#settings.ckptMode !== 'iterative') return;
    for (const job of this.jobs.running) void job.saver.save(why);
  }

  /** An order of the server. A checkpoint is begun; its outcome is in the job's events. */
  order({ type, job: id }: Order): void {
    this.#parts.log.info(`the server orders: ${type} ${id ?? ''}`.trimEnd());
    if (type !== 'checkpoint') this.#isDrained = type === 'drain';
    void this.jobs.running.find(({ context }) => context.id === id)?.saver.saveAgain('an order of the server');
  }

  get settings(): JobSettings {
    return this.#settings;
  }

  facts(): AgentFacts {
    const saveMBps = this.#saveMBps === null ? {} : { saveMBps: Math.round(this.#saveMBps * 10) / 10 };
    const reason = this.#engine ? {} : { reason: this.#engineFault };
    return { engine: this.#engine ? 'criu' : 'none', canCheckpoint: this.#engine !== null, ...reason, ...saveMBps };
  }

  #makeJobs(): Jobs {
    const { nodeId, instance, dataFolder, timers, log } = this.#parts;
    return new Jobs({
      services: {
        nodeId,
        nodeOid: instance.instanceId,
        dataFolder,
        settings: () => this.#settings,
        engine: () => this.#engine,
        engineFault: () => this.#engineFault,
        shim: () => this.#shim,
        volumes: this.#volumes,
        podman: () => this.#podman,
        podmanFault: () => this.#podmanFault,
        report: (update) => {
          if (!this.#spool.append(update))
            log.warn(`the spool of job updates is full: a checkpoint of job ${update.id} is not reported`);
          this.#sender.wake();
        },
        told: (jobId) => this.#told(jobId),
        ship: (path) => this.#ship(path),
        timers,
        log,
        isGoingDown: () => this.#isGoingDown,
        onSaved: (bytes, ms) => {
          this.#saveMBps = bytes / 1_048_576 / (Math.max(ms, 1) / 1_000);
        },
        saveMBps: () => this.#saveMBps,
        noticeMs: noticeMsOf(this.#parts.instance.cloud),
      },
      shipper: this.#shipper,
      claim: (jobId, body) => this.#claim(jobId, body),
      refusal: () => this.#whyRefused(),
      flush: async () => {
        if (this.#parts.isUp()) await this.#sender.finish();
      },
    });
  }

  async #told(jobId: string): Promise<void> {
    if (!this.#parts.isUp()) return;
    const late = new Promise((resolve) => this.#parts.timers.after(TOLD_MS_MAX, () => resolve(null)));
    await Promise.race([Promise.all([this.#sender.finish(), this.#shipper.drain(jobId)]), late]);
  }

  async #ship(path: string): Promise<void> {
    const bytes = await readFile(path).catch(() => null);
    if (bytes && this.#parts.isUp()) await this.#parts.calls.postLog(path, 0, bytes.subarray(-SHIPPED_BYTES_MAX));
  }

  #claim(jobId: string, body: object): Promise<Reply> {
    return this.#parts.calls.call({
      method: 'PUT',
      path: `/api/v1/job/${encodeURIComponent(jobId)}/claim`,
      body: JSON.stringify(body),
      type: 'application/json',
      deadlineMs: CLAIM_DEADLINE_MS,
    });
  }

  async #whyRefused(): Promise<string | null> {
    if (this.#refusal !== null) return this.#refusal;
    const path = `/api/v1/node/${encodeURIComponent(this.#parts.nodeId)}`;
    const reply = await this.#parts.calls.call({ method: 'GET', path, deadlineMs: LOOK_AT_NODE_MS });
    // Without an answer, what was heard last counts.
    if (reply.kind === 'answer' && reply.status === 200) this.#isDrained = fieldTrue(reply.json, 'drained');
    return this.#isDrained ? `the node ${this.#parts.nodeId} is drained: it accepts no new jobs` : null;
  }

  async #sweepNow(): Promise<void> {
    await this.jobs.sweep();
    const swept = await sweepImages({
      imagePath: this.#settings.imagePath,
      nodeId: this.#parts.nodeId,
      nowMs: this.#parts.timers.clock.wallMs(),
      ...{ intervalMs: this.#settings.sweepMs, nodeTtlMs: this.#settings.nodeTtlMs },
      isForgotten: (jobId) => this.#isForgotten(jobId),
      release: (folder, jobId) => this.#volumes.removeAll(folder, jobId),
      onFault: (jobId, error) => this.#parts.log.warn(`cannot remove the images of job ${jobId}: ${error.message}`),
    });
    if (swept.length > 0) this.#parts.log.info(`removed the images of ${swept.length} jobs that no longer need them`);
  }

  async #isForgotten(jobId: string): Promise<boolean | null> {
    const path = `/api/v1/job/${encodeURIComponent(jobId)}`;
    const reply = await this.#parts.calls.call({ method: 'GET', path, deadlineMs: CLAIM_DEADLINE_MS });
    if (reply.kind !== 'answer' || (reply.status !== 200 && reply.status !== NOT_FOUND)) return null;
    // A proxy's 404 says nothing of jobs.
    return reply.status === NOT_FOUND ? numberIn(reply.json, 'errorCode') === NOT_FOUND_CODE || null : false;
  }

  #sweep(): void {
    const { clock } = this.#parts.timers;
    if (clock.monotonicMs() - this.#sweptAtMs >= this.#settings.sweepMs) {
      this.#sweptAtMs = clock.monotonicMs();
      void this.#sweepNow().catch((error: Error) =>
        this.#parts.log.warn(`cannot sweep jobs and images: ${error.message}`),
      );
    }
    this.#cancelSweep = this.#parts.timers.after(SWEEP_LOOK_MS, () => this.#sweep());
  }
}

function tryJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}
