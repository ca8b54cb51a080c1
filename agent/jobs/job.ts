/**
 * The life of one job on this node: a copy is started or restored, watched, saved now and then, and its end reported.
 * Each step is on disk before the next, so that an agent that is started again goes on where the last one was.
 */
import { chownSync, closeSync, openSync } from 'node:fs';
import { bootId } from '../base/process-id.ts';
import { Copy, type CopyEnd } from '../copies/copy.ts';
import { containerStarted, planRun } from '../podman/container-start.ts';
import { removeEngineConfig } from '../podman/engine-config.ts';
import { EXIT_ELSEWHERE } from '../wire/names.ts';
import { exitCodeOf, verdictOf } from './end-of-copy.ts';
import { makeInitFolder, newInitFolder, removeInitFolder } from './init-folder.ts';
import type { JobContext } from './job-context.ts';
import type { JobRecord, StopReason } from './job-record.ts';
import { JobRestorer } from './job-restore.ts';
import { JobSaver, removeUnfinished } from './job-save.ts';
import { JobVolume } from './job-volume.ts';

/** In a row without a good checkpoint between them; more is a quarrel with whatever kills it. */
const AGAIN_MAX = 5;
/** A process that an engine left half-way dies at its next system call, or lives. */
const CUT_OFF_COUNTS_MS = 60_000;

/** A healthy folder answers within milliseconds. */
const CLAIMS_MS = 3_000;

export interface JobEnd {
  readonly exitCode: number;
  readonly message: string | null;
}

export class Job {
  readonly context: JobContext;
  readonly saver: JobSaver;
  readonly ended: Promise<JobEnd>;
  readonly #restorer: JobRestorer;
  readonly #volume: JobVolume;
  #resolve: (end: JobEnd) => void = () => {};
  #agains = 0;
  /** Good saves when a copy was last lost. */
  #goodBefore = 0;
  /** It came while the copy was not there yet. */
  #missedSignal: NodeJS.Signals | null = null;
  /** Notes for the user of `cairn run`: that nothing can be checkpointed, that an image was damaged. */
  onNote: (text: string) => void = () => {};

  constructor(context: JobContext) {
    this.context = context;
    this.#volume = new JobVolume(context);
    this.saver = new JobSaver(context, this.#volume);
    this.#restorer = new JobRestorer(context, this.#volume, (text) => this.onNote(text));
    this.ended = new Promise((resolve) => {
      this.#resolve = resolve;
    });
  }

  /** A job that was claimed a moment ago. `fromScratch`: it ended before, so that no image of it counts. */
  start(fromScratch: boolean): void {
    void this.#guarded(async () => {
      const { spec } = this.context.record;
      if (fromScratch || spec.fresh === 'always') await this.#restorer.setAllAside();
      await this.#begin();
    });
  }

  /** A job of an earlier life of the agent. */
  adopt(): void {
    void this.#guarded(async () => {
      const { record, copy, services } = this.context;
      this.context.outputBegins({ stdout: 0, stderr: 0 });
      await this.context.flushOutbox();
      if (await this.#isSuperseded()) return this.#conclude({ kind: 'lost' });
      await this.saver.settleCutOff();
      services.log.info(`job ${this.context.id}: adopted (${record.phase}, copy ${record.copyId})`);
      if (record.bootId !== '' && record.bootId !== bootId()) return this.#conclude({ kind: 'lost' });
      if (record.phase === 'running') return this.#watch();
      // Its shim may run, may have ended, or may never have begun.
      if (record.copyNumber > 0 && (copy.shim || copy.end())) {
        return record.phase === 'restoring' ? this.#afterRestore() : this.#afterStart();
      }
      copy.retire();
      return this.#begin();
    });
  }

  get isEnded(): boolean {
    return this.context.record.phase === 'ended';
  }

  /** From `cairn run`. SIGTERM may take a last checkpoint first. */
  async signal(signal: NodeJS.Signals): Promise<void> {
    const ends = signal === 'SIGTERM' || signal === 'SIGINT' || signal === 'SIGHUP' || signal === 'SIGQUIT';
    if (signal === 'SIGTERM' && this.context.services.settings().ckptOnSigTerm) await this.saver.saveLast();
    if (ends && this.context.record.stop === null) await this.context.commit({ stop: 'signal' });
    if (!this.context.copy.signal(signal)) this.#missedSignal = signal;
  }

  /** Ends the copy: gently first, by force after `graceMs`. Resolves when it is gone. */
  async stop(reason: StopReason, graceMs: number): Promise<void> {
    if (this.isEnded) return;
    this.saver.stop();
    await this.context.commit({ stop: reason });
    if (graceMs > 0) this.context.copy.signal('SIGTERM');
    const cancel = this.context.services.timers.after(graceMs, () => this.context.copy.kill());
    await this.ended;
    cancel();
  }

  async #guarded(run: () => Promise<void>): Promise<void> {
    try {
      await run();
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      this.context.services.log.error(`job ${this.context.id}: ${error instanceof Error ? error.stack : text}`);
      await this.#finish('Failed', 1, text, `the agent cannot run the job: ${text}`);
    }
  }

  /** From the newest image that can be restored, or from scratch. */
  async #begin(): Promise<void> {
    const { record } = this.context;
    await this.context.removeContainer();
    // Told to stop while it had no copy: none begins.
    if (record.stop !== null) return this.#conclude({ kind: 'lost' });
    const how = await this.#restorer.tryRestore();
    if (how === 'started') return this.#afterRestore();
    if (how === 'unready') return this.#giveUp('its volume cannot be attached here');
    if (record.spec.fresh === 'never') {
      return this.#finish(
        'Failed',
        1,
        'no-image',
        'none of its images can be restored, and --fresh never forbids starting from scratch',
      );
    }
    await this.#startFresh();
  }

  async #startFresh(): Promise<void> {
    const { context } = this;
    const { spec, epoch } = context.record;
    const copyNumber = context.record.copyNumber + 1;
    const copyId = `${context.services.nodeId}-${epoch}-${copyNumber}`;
    const engine = engineFor(context, this.onNote);
    // Without root there is no namespace, and without a namespace no checkpoint; a container has its own.
    const hasFolder = process.getuid?.() === 0 && engine !== 'podman';
    const initFolder = hasFolder ? (context.record.initFolder ?? newInitFolder(spec.id)) : null;
    await context.commit(
      { phase: 'creating', copyNumber, copyId, bootId: bootId(), image: null, engine, initFolder, startedMs: 0 },
      [{ eventType: 'Job-Creating' }],
    );
    await this.#restorer.beginOutput();
    const unready = await this.#volume.create();
    if (unready !== null) return this.#giveUp(`its volume is not ready: ${unready}`);
    for (const stream of ['stdout', 'stderr'] as const) makeOutput(context.folder.output(stream), spec.uid, spec.gid);
    await context.commit({}, [{ eventType: 'Job-Created' }]);
    const output = { stdout: context.folder.output('stdout'), stderr: context.folder.output('stderr') };
    const copyFolder = context.folder.copy(copyNumber);
    const podman = engine === 'podman' ? context.services.podman() : null;
    const beside = { copyFolder, name: context.container, spec, output };
    const program = podman ? planRun({ podman, ...beside }, await this.#volume.folder()) : spec;
    const initCwd = initFolder === null ? null : await makeInitFolder(initFolder);
    Copy.run(copyFolder, context.services.shim(), program, output, initCwd);
    await this.#afterStart();
  }

  async #afterStart(): Promise<void> {
    const { copy, record } = this.context;
    const end = await copy.started();
    if (end && end.kind !== 'code' && end.kind !== 'signal') return this.#conclude(end);
    if (record.engine === 'podman') {
      const fault = await containerStarted(copy.folder, () => copy.end() !== null);
      if (fault !== null) {
        return this.#finish('Failed', exitCodeOf(await copy.ended()), fault, `podman cannot start the job: ${fault}`);
      }
    }
    const nowMs = this.context.services.timers.clock.wallMs();
    await this.context.commit({ phase: 'running', startedMs: nowMs }, [{ eventType: 'Job-Running' }]);
    this.#passOn();
    return this.#watch();
  }

  async #afterRestore(): Promise<void> {
    const outcome = await this.#restorer.concludeRestore();
    if (outcome === 'failed') return this.#begin();
    this.#passOn();
    return this.#watch();
  }

  /** What was asked of the copy before it was there. */
  #passOn(): void {
    const { record, copy } = this.context;
    if (record.stop === 'reclaim' || record.stop === 'superseded') copy.kill();
    else if (this.#missedSignal !== null) copy.signal(this.#missedSignal);
    this.#missedSignal = null;
  }

  async #watch(): Promise<void> {
    this.saver.start();
    const end = await this.context.copy.ended();
    await this.saver.finish();
    return this.#conclude(end);
  }

  async #conclude(end: CopyEnd): Promise<void> {
    const { record, services, copy } = this.context;
    if (await this.#isSuperseded()) {
      copy.kill();
      return this.#finish(null, EXIT_ELSEWHERE, undefined, 'another node has claimed the job');
    }
    // Without its shim a copy may still run, but its exit code would be lost.
    if (end.kind === 'lost') this.context.killCopy();
    const cutOffAgoMs = services.timers.clock.wallMs() - record.dumpCutOffMs;
    const verdict = verdictOf({
      end,
      command: record.spec.argv[0] ?? '',
      stop: record.stop,
      wasCutOff: cutOffAgoMs < CUT_OFF_COUNTS_MS,
      isOtherBoot: record.bootId !== '' && record.bootId !== bootId(),
      isGoingDown: services.isGoingDown(),
    });
    switch (verdict.kind) {
      case 'ended':
        return this.#finish(verdict.status, verdict.exitCode, verdict.detail, verdict.message);
      case 'superseded':
        return this.#finish(null, EXIT_ELSEWHERE, undefined, 'another node has claimed the job');
      case 'again':
        services.log.warn(
          `job ${this.context.id}: the copy is gone because ${verdict.why}: restarting it from its newest image`,
        );
        if (this.saver.good > this.#goodBefore) this.#agains = 0;
        this.#goodBefore = this.saver.good;
        if (++this.#agains > AGAIN_MAX)
          return this.#finish('Stopped', EXIT_ELSEWHERE, 'copy-gone', 'its copies are killed repeatedly');
        await this.context.commit({ dumpCutOffMs: 0 });
        return this.#begin();
    }
  }

  /** A folder that does not answer says nothing; the server then has the last word over the events. */
  async #isSuperseded(): Promise<boolean> {
    const { claims, record, services } = this.context;
    const late = new Promise<boolean>((resolve) => services.timers.after(CLAIMS_MS, () => resolve(false)));
    return Promise.race([claims.isSuperseded(record.epoch).catch(() => false), late]);
  }

  /** Not on this node: its claim is free for others, and its status says what is missing. */
  async #giveUp(message: string): Promise<void> {
    await this.context.claims.end(this.context.record.epoch, 'Stopped').catch(() => {});
    return this.#finish(null, EXIT_ELSEWHERE, undefined, message);
  }

  async #finish(
    status: 'Succeeded' | 'Failed' | 'Stopped' | null,
    exitCode: number,
    detail?: string,
    message?: string,
  ): Promise<void> {
    const { context } = this;
    const endedMs = context.services.timers.clock.wallMs();
    const events = status === null ? [] : [{ eventType: `Job-${status}`, ...(detail === undefined ? {} : { detail }) }];
    await context.commit({ phase: 'ended', exitCode, message: message ?? null, endedMs, dump: null }, events);
    this.saver.stop();
    await context.removeContainer();
    await this.#volume.detach();
    await context.folder.removeScratch().catch(() => {});
    this.context.outputBegins({ stdout: 0, stderr: 0 });
    if (status !== null) {
      await removeInitFolder(context.id, context.record.initFolder);
      await removeEngineConfig(context.id).catch(() => {});
      await this.saver.finish();
      await removeUnfinished(context).catch(() => {});
      await context.claims.end(context.record.epoch, status).catch(() => {
        // Without it another node asks the server, or waits for the claim to grow old.
      });
    }
    await context.services.told(context.id);
    this.#resolve({ exitCode, message: message ?? null });
  }
}

/** Created before the copy, and owned by the job's user: `/dev/stderr` is opened again by name. */
function makeOutput(path: string, uid: number, gid: number): void {
  closeSync(openSync(path, 'a', 0o640));
  if (process.getuid?.() === 0) chownSync(path, uid, gid);
}

function engineFor({ services, record }: JobContext, onNote: (text: string) => void): JobRecord['engine'] {
  const { engine } = record.spec;
  if (engine === 'none' || engine === 'podman') return engine;
  if (services.engine()) return 'criu';
  const isWanted = engine !== 'auto' || services.settings().ckptMode === 'iterative';
  if (isWanted) onNote(`the job runs, but it cannot be checkpointed: ${services.engineFault()}`);
  return 'none';
}
