/**
 * All jobs of this node: claims them, starts, adopts, watches their claims, and stops them when the node is taken away.
 */
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { takeClaim } from '../claims/claim-taker.ts';
import { Claims } from '../claims/claims.ts';
import { ImageStore } from '../images/image-store.ts';
import type { Reply } from '../link/outcome.ts';
import { JobFolder } from '../output/job-folder.ts';
import { type OutputShipper, pendingOf } from '../output/output-shipper.ts';
import type { JobSpec } from '../wire/job-spec.ts';
import { EXIT_ELSEWHERE } from '../wire/names.ts';
import { Job, type JobEnd } from './job.ts';
import { JobContext, type JobServices } from './job-context.ts';
import { newRecord, tryReadRecord } from './job-record.ts';

export interface JobsParts {
  readonly services: JobServices;
  readonly shipper: OutputShipper;
  /** PUT /api/v1/job/{id}/claim. */
  readonly claim: (jobId: string, body: object) => Promise<Reply>;
  /** Why no job may be started now; null where one may. */
  readonly refusal: () => Promise<string | null>;
  /** Sends the events that wait: those of an earlier epoch do not count any more after a claim. */
  readonly flush: () => Promise<void>;
}

/** Jobs that run side by side. Overflow policy: the next one is refused (75). */
const JOBS_MAX = 1_000;
/** Files of an ended job are kept this long for inspection, and in any case until they are shipped. */
const KEPT_AFTER_END_MS = 24 * 3_600_000;

export type RunOutcome = { readonly job: Job; readonly isAttached: boolean } | JobEnd;

export class Jobs {
  readonly #parts: JobsParts;
  readonly #jobs = new Map<string, Job>();
  readonly #starting = new Map<string, Promise<RunOutcome>>();

  constructor(parts: JobsParts) {
    this.#parts = parts;
  }

  /** The jobs that an earlier life of the agent left: running, or ended while it was away. */
  adopt(): void {
    const folder = join(this.#parts.services.dataFolder, 'jobs');
    for (const id of existsSync(folder) ? readdirSync(folder) : []) {
      const record = tryReadRecord(new JobFolder(this.#parts.services.dataFolder, id).record);
      if (!record || record.spec.id !== id) continue;
      const job = this.#make(record.spec, record);
      if (record.phase !== 'ended') job.adopt();
      else {
        // A client that was disconnected before it heard of the end comes back for it.
        job.context.outputBegins({ stdout: 0, stderr: 0 });
        void job.context.flushOutbox();
      }
    }
  }

  get(id: string): Job | undefined {
    return this.#jobs.get(id);
  }

  list(): { id: string; phase: string }[] {
    return [...this.#jobs.values()].map(({ context }) => ({ id: context.id, phase: context.record.phase }));
  }

  get running(): Job[] {
    return [...this.#jobs.values()].filter((job) => !job.isEnded);
  }

  run(spec: JobSpec): Promise<RunOutcome> {
    const under = this.#starting.get(spec.id) ?? this.#run(spec);
    this.#starting.set(spec.id, under);
    return under.finally(() => this.#starting.delete(spec.id));
  }

  async #run(spec: JobSpec): Promise<RunOutcome> {
    const known = this.#jobs.get(spec.id);
    if (known && !known.isEnded) return { job: known, isAttached: true };
    const { podman, podmanFault } = this.#parts.services;
    if (spec.engine === 'podman' && !podman()) return { exitCode: 1, message: podmanFault() };
    const refusal =
      this.running.length >= JOBS_MAX ? `this node already runs ${JOBS_MAX} jobs` : await this.#parts.refusal();
    if (refusal !== null) return { exitCode: EXIT_ELSEWHERE, message: refusal };
    await this.#parts.flush();
    const { services } = this.#parts;
    const { imagePath, nodeTtlMs } = services.settings();
    const last = known?.context.record;
    const outcome = await takeClaim({
      nodeId: services.nodeId,
      jobId: spec.id,
      queueName: spec.queueName,
      nodeTtlMs,
      ask: (body) => this.#parts.claim(spec.id, body),
      claims: new Claims(imagePath, spec.id),
      images: () => new ImageStore(imagePath, spec.id).names(),
      nowMs: () => services.timers.clock.wallMs(),
      knownEpoch: last?.epoch ?? 0,
    });
    if (outcome.kind === 'held') return { exitCode: EXIT_ELSEWHERE, message: outcome.message };
    if (outcome.kind === 'refused') return { exitCode: 1, message: outcome.message };
    if (outcome.folderFault !== null) {
      services.log.warn(`job ${spec.id}: cannot store images in ${imagePath}: ${outcome.folderFault}`);
    }
    // This node's memory counts only if there is no better source: the job may have run elsewhere since.
    const endedBefore = outcome.isKnown ? outcome.ended : statusOf(last);
    const record = newRecord(spec, outcome.epoch, last?.lastEventMs ?? 0);
    const job = this.#make(spec, { ...record, copyNumber: last?.copyNumber ?? 0 });
    await job.context.commit({});
    job.start(endedBefore === 'Succeeded' || endedBefore === 'Failed');
    return { job, isAttached: false };
  }

  #make(spec: JobSpec, record: ReturnType<typeof newRecord>): Job {
    const folder = new JobFolder(this.#parts.services.dataFolder, spec.id);
    folder.make();
    const output = this.#parts.shipper.add(spec.id, folder);
    const job = new Job(new JobContext(this.#parts.services, folder, record, output));
    this.#jobs.set(spec.id, job);
    return job;
  }

  /** With each heartbeat: shows that the holders live, and looks whether another node has taken a job over. */
  async watchClaims(): Promise<void> {
    for (const job of this.running) {
      const { context } = job;
      try {
        await context.claims.touch(context.record.epoch);
        if (await context.claims.isSuperseded(context.record.epoch)) this.supersede(context.id);
      } catch {
        // A folder that is away says nothing of claims.
      }
    }
  }

  /** Another node has the job: this copy ends, and counts for nothing. */
  supersede(jobId: string): void {
    const job = this.#jobs.get(jobId);
    if (!job || job.isEnded || job.context.record.stop === 'superseded') return;
    this.#parts.services.log.warn(`job ${jobId}: another node has claimed it; stopping this copy`);
    // At once: what it writes from now on is nobody's.
    job.context.copy.freeze();
    void job.stop('superseded', 0);
  }

  /** Removes folders of jobs that ended long ago and whose output has arrived. */
  async sweep(): Promise<void> {
    const nowMs = this.#parts.services.timers.clock.wallMs();
    for (const job of [...this.#jobs.values()]) {
      const { record, folder, output } = job.context;
      if (!job.isEnded || nowMs - record.endedMs < KEPT_AFTER_END_MS || (await pendingOf(output)) > 0) continue;
      this.#jobs.delete(job.context.id);
      this.#parts.shipper.remove(job.context.id);
      await rm(folder.path, { recursive: true, force: true });
    }
  }
}

function statusOf(record: ReturnType<typeof newRecord> | undefined): string | null {
  if (record?.phase !== 'ended') return null;
  return record.exitCode === 0
    ? 'Succeeded'
    : record.stop === null && record.exitCode !== EXIT_ELSEWHERE
      ? 'Failed'
      : 'Stopped';
}
