/**
 * Saves a running copy: freezes and dumps it into a local folder, lets it go on, then stores the image in the shared
 * folder. A save that fails is reported and harms nothing; the next one comes after the interval.
 */
import { copyFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { VERSION } from '../../src/base/version.ts';
import { detailOf } from '../base/detail-codes.ts';
import { makeFolder } from '../base/make-folder.ts';
import { isAlive, residentBytesOf, treeOf, trySignal, tryText } from '../base/process-id.ts';
import type { Cancel } from '../base/timers.ts';
import { compareImages, restorableImages, splitImageName } from '../claims/claims.ts';
import type { DumpResult } from '../engine/dump.ts';
import { releaseHeld } from '../engine/hold.ts';
import { ImageStore } from '../images/image-store.ts';
import { thawContainer } from '../podman/container-start.ts';
import { deadlineWarning } from './deadline.ts';
import { keepDiagnosis } from './diagnosis.ts';
import type { JobContext, NewEvent } from './job-context.ts';
import { type Dumped, dumpCopy, SaveFault } from './job-dump.ts';
import type { JobRecord } from './job-record.ts';
import type { JobVolume } from './job-volume.ts';
import { saveOutputEnd } from './saved-output.ts';

export type SaveResult =
  | { readonly ok: true; readonly image: string }
  | { readonly ok: false; readonly detail: string };

/** Images that are kept: the newest may turn out damaged. */
const KEPT_IMAGES = 2;
/** A changed interval or mode is noticed within this. */
const LOOK_MS = 1_000;
/** An engine of an earlier life of the agent gets this long to finish: cutting it off would harm the job. */
const SETTLE_MS = 30_000;

export class JobSaver {
  readonly #context: JobContext;
  readonly #volume: JobVolume;
  #cancel: Cancel = () => {};
  #saving: Promise<SaveResult> | null = null;
  #savingLast: Promise<SaveResult> | null = null;
  #isStopped = false;
  /** What became of the save that is in progress is reported. */
  #isTold = true;
  #isAbandoned = false;
  #good = 0;

  constructor(context: JobContext, volume: JobVolume) {
    this.#context = context;
    this.#volume = volume;
  }

  /** From now on the copy is saved at each interval, while the settings say so. */
  start(): void {
    this.#isStopped = false;
    this.#schedule();
  }

  /** Good saves since this agent has the job. */
  get good(): number {
    return this.#good;
  }

  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }

  /** The copy has ended: what is in progress comes to its end, and nothing begins after it. */
  async finish(): Promise<void> {
    this.stop();
    if (!this.#isAbandoned) await this.#saving;
  }

  /** There is no time left: what is in progress is reported as failed, its engine ends, and nothing of it counts. */
  async abandon(): Promise<void> {
    this.stop();
    if (!this.#saving) return;
    this.#isAbandoned = true;
    const { dump: engine } = this.#context.record;
    const detail = detailOf('no-time', 'the machine is reclaimed before the image is stored');
    const told = this.#tell({ isSaving: false }, { eventType: 'Job-CheckpointFailed', detail });
    if (engine) trySignal(engine, 'SIGKILL');
    await told;
  }

  /** One at a time: who asks while one is in progress gets that one's result. */
  save(why: string): Promise<SaveResult> {
    this.#saving ??= this.#save(why).finally(() => {
      this.#saving = null;
    });
    return this.#saving;
  }

  /** The copy as it is from now on: one that is in progress has begun too early. */
  async saveAgain(why: string): Promise<SaveResult> {
    await this.#saving;
    return this.save(why);
  }

  /** Before SIGTERM: a second one that comes meanwhile waits for the same save, for the job is not ending yet. */
  async saveLast(): Promise<void> {
    this.#savingLast ??= this.saveAgain('on SIGTERM').finally(() => {
      this.#savingLast = null;
    });
    await this.#savingLast;
  }

  /** After the agent's death: its engine may still be at work, or have been cut off. */
  async settleCutOff(): Promise<void> {
    const { record, services, copy } = this.#context;
    if (!record.isSaving) return;
    const { dump: engine } = record;
    for (let waitedMs = 0; engine && isAlive(engine) && waitedMs < SETTLE_MS; waitedMs += 100) {
      await new Promise<void>((resolve) => services.timers.after(100, resolve));
    }
    if (engine) trySignal(engine, 'SIGKILL');
    await this.#letGoOn();
    if (record.engine === 'podman') await thawContainer(copy.folder).catch(() => {});
    if (copy.init) wakeStopped(copy.init.pid);
    const isPublished = await wasPublished(this.#context);
    const outcome = isPublished
      ? { eventType: 'Job-CheckpointSucceeded' }
      : { eventType: 'Job-CheckpointFailed', detail: detailOf('agent-restarted', 'the agent was restarted meanwhile') };
    const dumpCutOffMs = engine ? services.timers.clock.wallMs() : record.dumpCutOffMs;
    await this.#context.commit({ dump: null, isSaving: false, dumpCutOffMs }, [outcome]);
  }

  #schedule(): void {
    if (this.#isStopped) return;
    const { services, record } = this.#context;
    const { ckptMode, intervalMs } = services.settings();
    const dueMs = Math.max(record.startedMs, record.lastCheckpointMs) + intervalMs - services.timers.clock.wallMs();
    const isOn = ckptMode === 'iterative' && record.engine !== 'none';
    if (isOn && dueMs <= 0 && record.phase === 'running') {
      void this.save('the interval').finally(() => this.#schedule());
      return;
    }
    this.#cancel = services.timers.after(isOn ? Math.min(LOOK_MS, Math.max(1, dueMs)) : LOOK_MS, () =>
      this.#schedule(),
    );
  }

  async #save(why: string): Promise<SaveResult> {
    const { record } = this.#context;
    if (record.phase !== 'running' || this.#isStopped)
      return { ok: false, detail: 'not-running: the job does not run' };
    if (record.engine === 'none')
      return { ok: false, detail: detailOf('no-engine', this.#context.services.engineFault()) };
    this.#context.services.log.debug(`job ${this.#context.id}: checkpoint (${why})`);
    this.#isTold = false;
    await this.#context.commit({ isSaving: true }, [{ eventType: 'Job-Checkpointing', ...this.#warning() }]);
    try {
      const image = await this.#saveNow();
      this.#good++;
      return { ok: true, image };
    } catch (error) {
      const { services } = this.#context;
      const detail = error instanceof SaveFault ? error.message : detailOf('store-failed', (error as Error).message);
      await keepDiagnosis(this.#context, this.#context.folder.dump, 'dump.log');
      const lastCheckpointMs = services.timers.clock.wallMs();
      await this.#tell(
        { dump: null, isSaving: false, lastCheckpointMs },
        { eventType: 'Job-CheckpointFailed', detail },
      );
      return { ok: false, detail };
    }
  }

  /** Each attempt has one outcome: the first that is known. */
  async #tell(changes: Partial<JobRecord>, event: NewEvent): Promise<void> {
    if (this.#isTold) return;
    this.#isTold = true;
    await this.#context.commit(changes, [event]);
  }

  /** That a save of the job as it is now would take longer than the cloud gives. */
  #warning(): { readonly detail?: string } {
    const { copy, services, id } = this.#context;
    const bytes = copy.init ? residentBytesOf(treeOf(copy.init.pid)) : 0;
    const detail = deadlineWarning(bytes, services.saveMBps(), services.noticeMs);
    if (detail === null) return {};
    services.log.warn(`job ${id}: ${detail}`);
    return { detail };
  }

  async #saveNow(): Promise<string> {
    const { services, copy, claims } = this.#context;
    const { init } = copy;
    if (!init || !isAlive(init)) throw new SaveFault('copy-ended', 'the job ended meanwhile');
    const store = new ImageStore(services.settings().imagePath, this.#context.id);
    await makeFolder(store.folder).catch((error: Error) => {
      throw new SaveFault('image-folder', error.message);
    });
    const dumped = await dumpCopy({ context: this.#context, volume: this.#volume, init, store });
    if (!dumped.result.ok) throw await this.#dumpFault(dumped.result, init.pid);
    await this.#context.commit({ dump: null });
    if (await claims.isSuperseded(this.#context.record.epoch))
      throw new SaveFault('superseded', 'another node has claimed the job');
    return this.#store(store, dumped.result, dumped.facts);
  }

  /** The job goes on meanwhile. */
  async #store(store: ImageStore, dumped: Extract<DumpResult, { ok: true }>, facts: Dumped['facts']): Promise<string> {
    const { services, folder, record, claims } = this.#context;
    const sinceMs = performance.now();
    const output = {
      stdout: await saveOutputEnd(this.#context, 'stdout', dumped.stdoutBytes),
      stderr: await saveOutputEnd(this.#context, 'stderr', dumped.stderrBytes),
    };
    if (facts.engine === 'criu') await copyFile(facts.shim, join(folder.dump, 'cairn-shim'));
    const names = (await store.names()).sort(compareImages);
    const epoch = record.epoch;
    const number = nextNumber(names, epoch);
    const name = `${epoch}-${number}`;
    const stored = await store.store(folder.dump, name, names.at(-1) ?? null);
    const volume = await this.#volume.save(name);
    const storeMs = performance.now() - sinceMs;
    const { frozenMs, dumpMs } = dumped;
    if (this.#isTold) throw new SaveFault('no-time', 'given up meanwhile');
    await store.publish(name, {
      format: 1,
      job: this.#context.id,
      epoch,
      number,
      time: new Date(services.timers.clock.wallMs()).toISOString(),
      ...{ nodeId: services.nodeId, cairnVersion: VERSION, ...facts },
      files: stored.files,
      compression: stored.compression,
      lastEventMs: this.#context.record.lastEventMs,
      output,
      ...(volume ? { volume } : {}),
      openFiles: [...dumped.openFiles],
      stages: { frozenMs, dumpMs, storeMs, imageBytes: stored.imageBytes, storedBytes: stored.storedBytes },
    });
    const totalMs = dumpMs + storeMs;
    services.onSaved(stored.imageBytes, totalMs);
    const lastCheckpointMs = services.timers.clock.wallMs();
    const { noticeMs } = services;
    const slow = detailOf(
      'slow',
      `the checkpoint took ${Math.round(totalMs / 1_000)} s; the cloud may give only ${noticeMs / 1_000} s notice`,
    );
    const event = { eventType: 'Job-CheckpointSucceeded', ...(totalMs > noticeMs ? { detail: slow } : {}) };
    await this.#tell({ isSaving: false, lastCheckpointMs }, event);
    services.log.info(
      `job ${this.#context.id}: image ${name}, paused ${Math.round(frozenMs)} ms, stored ${Math.ceil(stored.storedBytes / 1_024)} of ` +
        `${Math.ceil(stored.imageBytes / 1_024)} KiB in ${Math.round(storeMs)} ms`,
    );
    await this.#sweep(store, claims).catch((error: Error) =>
      services.log.warn(`cannot sweep ${store.folder}: ${error.message}`),
    );
    await rm(folder.dump, { recursive: true, force: true });
    return name;
  }

  async #sweep(store: ImageStore, claims: JobContext['claims']): Promise<void> {
    const names = await store.names();
    const good = restorableImages(names, await claims.all()).reverse();
    const superseded = names.filter((name) => !good.includes(name)).sort(compareImages);
    await store.sweep([...superseded, ...good], KEPT_IMAGES, null);
    await this.#volume.sweep();
  }

  /** A guard that was killed has left the job standing still. */
  async #letGoOn(): Promise<void> {
    const { services, folder, id } = this.#context;
    await releaseHeld(services.shim().hold, folder.held).catch((error: Error) =>
      services.log.error(`job ${id} cannot be continued after a checkpoint that was cut off: ${error.message}`),
    );
  }

  async #dumpFault(dumped: Extract<DumpResult, { ok: false }>, init: number): Promise<SaveFault> {
    const { services, copy } = this.#context;
    await this.#letGoOn();
    wakeStopped(init);
    if (!dumped.wasKilled && copy.end()) return new SaveFault('copy-ended', 'the job ended meanwhile');
    if (dumped.wasKilled) await this.#context.commit({ dumpCutOffMs: services.timers.clock.wallMs() });
    return new SaveFault(dumped.wasKilled ? 'engine-killed' : 'dump-failed', dumped.reason);
  }
}

/**
 * What agents that were killed left of unfinished and half removed images: no later save will remove it. A copy elsewhere
 * has a later epoch, and what it writes stays.
 */
export async function removeUnfinished({ services, id, record }: JobContext): Promise<void> {
  await new ImageStore(services.settings().imagePath, id).removeUnfinished(record.epoch);
}

function nextNumber(names: readonly string[], epoch: number): number {
  const own = names.map(splitImageName).filter((name) => name.epoch === epoch);
  return 1 + Math.max(0, ...own.map(({ number }) => number));
}

/** An engine that was cut off may have left processes stopped. */
function wakeStopped(init: number): void {
  for (const pid of treeOf(init)) {
    const stat_ = tryText(`/proc/${pid}/stat`);
    const state = stat_.slice(stat_.lastIndexOf(')') + 2)[0];
    if (state !== 'T' && state !== 't') continue;
    try {
      process.kill(pid, 'SIGCONT');
    } catch {
      // Gone meanwhile.
    }
  }
}

/** The image was renamed into its place, and that was all that the agent came to: it names the event that began it. */
async function wasPublished({ record, services, id }: JobContext): Promise<boolean> {
  const store = new ImageStore(services.settings().imagePath, id);
  const newest = (await store.names()).sort(compareImages).at(-1);
  if (newest === undefined || splitImageName(newest).epoch !== record.epoch) return false;
  const manifest = await store.manifest(newest).catch(() => null);
  return manifest?.lastEventMs === record.lastEventMs;
}
