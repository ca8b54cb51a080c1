/**
 * Restores a job from its newest image that can be: verified, fitting this machine, its files cut back to where it was
 * saved. A damaged or unfit image is set aside by name, and the one before it is tried.
 */
import { execFile } from 'node:child_process';
import { chownSync, existsSync } from 'node:fs';
import { chmod, copyFile, mkdir, open, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { detailOf } from '../base/detail-codes.ts';
import { bootId, tryText } from '../base/process-id.ts';
import { compareImages, restorableImages } from '../claims/claims.ts';
import { reasonIn } from '../engine/criu.ts';
import { CKPT_FILES_TAR } from '../engine/dump.ts';
import { misfitOf } from '../engine/host-fit.ts';
import { ImageStore } from '../images/image-store.ts';
import type { Manifest } from '../images/manifest.ts';
import { appendTail, bytesInPlace } from '../output/log-tail.ts';
import { continued, joinsAt, tailStart } from '../output/output-join.ts';
import { saveOutput } from '../output/output-shipper.ts';
import { containerStarted } from '../podman/container-start.ts';
import { keepDiagnosis } from './diagnosis.ts';
import type { JobContext } from './job-context.ts';
import type { JobVolume } from './job-volume.ts';
import { startRestored } from './restored-copy.ts';

const run = promisify(execFile);
const FAILURES_MAX = 3;
const STREAMS = ['stdout', 'stderr'] as const;

export class JobRestorer {
  readonly #context: JobContext;
  readonly #volume: JobVolume;
  readonly #onNote: (text: string) => void;
  /** Images that failed since this agent began with the job; the counts on disk are for all nodes. */
  readonly #tried = new Set<string>();

  constructor(context: JobContext, volume: JobVolume, onNote: (text: string) => void) {
    this.#context = context;
    this.#volume = volume;
    this.#onNote = onNote;
  }

  /** The job starts from the beginning: what earlier runs saved must not come back. */
  async setAllAside(): Promise<void> {
    const store = this.#store();
    for (const name of await store.names()) await store.setAside(name, 'the job was started from scratch');
    await this.#volume.setAside().catch(() => {});
  }

  /** `started`: the engine is at work on an image, and Job-Restoring is reported. `unready`: the job's volume cannot follow. */
  async tryRestore(): Promise<'started' | 'none' | 'unready'> {
    const store = this.#store();
    const { claims, services } = this.#context;
    await store.removeUnfinished().catch(() => {});
    const names = await store.names();
    if (names.length === 0) return 'none';
    const notes: string[] = [];
    for (const name of restorableImages(names, await claims.all().catch(() => []))) {
      if (this.#tried.has(name)) continue;
      const isContainer = this.#context.record.spec.engine === 'podman';
      if (!(isContainer ? services.podman() : services.engine())) {
        const fault = isContainer ? services.podmanFault() : services.engineFault();
        this.#onNote(`image ${name} cannot be restored here: ${fault}`);
        return 'none';
      }
      this.#tried.add(name);
      const manifest = await this.#prepare(store, name).catch((error: Error) => error);
      if (!(manifest instanceof Error)) {
        const how = await this.#start(store, name, manifest, notes);
        if (how !== 'failed') return how;
        continue;
      }
      const note = `image ${name} is set aside: ${manifest.message}`;
      notes.push(note);
      this.#onNote(note);
      services.log.warn(`job ${this.#context.id}: ${note}`);
      await store.setAside(name, manifest.message);
    }
    return 'none';
  }

  /** What became of it; also for an agent that found it half-way. */
  async concludeRestore(): Promise<'running' | 'failed'> {
    const { copy, folder, record, services } = this.#context;
    const end = await copy.started();
    const fault = record.engine === 'podman' ? await containerStarted(copy.folder, () => copy.end() !== null) : null;
    if (fault !== null) {
      copy.kill();
      await this.#context.removeContainer();
      await this.#failed(this.#store(), record.image ?? '', detailOf('restore-failed', fault));
      return 'failed';
    }
    if (end && end.kind !== 'code' && end.kind !== 'signal') {
      const reason =
        end.kind === 'unrestorable' ? reasonIn(tryText(join(folder.restore, 'restore.log'))) : 'the shim was killed';
      this.#context.killCopy();
      await this.#failed(this.#store(), record.image ?? '', detailOf('restore-failed', reason));
      return 'failed';
    }
    const nowMs = services.timers.clock.wallMs();
    this.#tried.clear();
    await this.#context.commit({ phase: 'running', startedMs: nowMs, lastCheckpointMs: nowMs }, [
      { eventType: 'Job-RestoreSucceeded' },
    ]);
    if (record.image !== null) {
      await this.#keepFailures(this.#store(), record.image, 0);
      await this.#setNewerAside(this.#store(), record.image).catch(() => {});
    }
    await rm(folder.restore, { recursive: true, force: true }).catch(() => {});
    return 'running';
  }

  /** Files and logs were cut back behind what newer images hold: they do not fit what the job has on its disks any more. */
  async #setNewerAside(store: ImageStore, image: string): Promise<void> {
    for (const name of await store.names()) {
      if (compareImages(name, image) > 0) await store.setAside(name, `the job was restored from ${image} since`);
    }
  }

  /** The output of a job that starts from scratch: a log of its own, from the first byte. */
  async beginOutput(): Promise<void> {
    const { output, folder, services } = this.#context;
    for (const stream of STREAMS) {
      await rm(folder.output(stream), { force: true });
      output[stream].cutTo(0);
    }
    await saveOutput(output);
    const segments = [{ nodeId: services.nodeId, start: 0 }];
    await this.#context.commit({ segments: { stdout: segments, stderr: segments } });
    this.#context.outputBegins({ stdout: 0, stderr: 0 });
  }

  #store(): ImageStore {
    return new ImageStore(this.#context.services.settings().imagePath, this.#context.id);
  }

  /** The engine's files, verified and put together. Throws a sentence where the image cannot serve. */
  async #prepare(store: ImageStore, name: string): Promise<Manifest> {
    const target = this.#context.folder.restore;
    await rm(target, { recursive: true, force: true });
    await mkdir(target, { recursive: true, mode: 0o700 });
    const manifest = await store.manifest(name);
    await store.materialise(name, manifest, target);
    if (!existsSync(manifest.shim)) await this.#putShim(manifest.shim).catch(() => {});
    const isContainer = this.#context.record.spec.engine === 'podman';
    if (isContainer !== (manifest.engine === 'podman'))
      throw new Error(`it was made with the engine ${manifest.engine}`);
    const misfit = misfitOf(manifest);
    if (misfit !== null) throw new Error(misfit);
    if ((await failuresOf(store, name)) >= FAILURES_MAX) throw new Error(`it has failed ${FAILURES_MAX} times`);
    return manifest;
  }

  /** The root process of the copy maps this program: it must be where it was. */
  async #putShim(path: string): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    await copyFile(join(this.#context.folder.restore, 'cairn-shim'), path);
    await chmod(path, 0o755);
  }

  /** `failed` where the files of the job cannot be put back; that is reported, and another image may do. */
  async #start(
    store: ImageStore,
    name: string,
    manifest: Manifest,
    notes: readonly string[],
  ): Promise<'started' | 'failed' | 'unready'> {
    const { services, record } = this.#context;
    const copyNumber = record.copyNumber + 1;
    const next = {
      stdout: continued(manifest.output.stdout, services.nodeId),
      stderr: continued(manifest.output.stderr, services.nodeId),
    };
    const isAlone = await isAloneSince(this.#context, manifest.epoch);
    const { stdout, stderr } = manifest.output;
    const offsets = {
      stdoutBytes: joinsAt(stdout, services.nodeId, isAlone),
      stderrBytes: joinsAt(stderr, services.nodeId, isAlone),
    };
    const lastEventMs = Math.max(record.lastEventMs, manifest.lastEventMs);
    await this.#context.commit({ lastEventMs });
    await this.#context.commit(
      {
        phase: 'restoring',
        copyNumber,
        copyId: `${services.nodeId}-${record.epoch}-${copyNumber}`,
        bootId: bootId(),
        image: name,
        engine: manifest.engine === 'podman' ? 'podman' : 'criu',
        initFolder: manifest.initCwd ?? null,
        segments: { stdout: next.stdout.segments, stderr: next.stderr.segments },
      },
      [
        {
          eventType: 'Job-Restoring',
          ...offsets,
          ...(notes.length > 0 ? { detail: notes.join('; ').slice(0, 900) } : {}),
        },
      ],
    );
    const unready = await this.#volume.follow(manifest.volume?.snapshot ?? null);
    if (unready !== null) {
      this.#onNote(`its volume is not ready: ${unready}`);
      return 'unready';
    }
    try {
      await this.#putFilesBack(manifest);
      for (const stream of STREAMS) await this.#continueOutput(stream, next[stream]);
      await saveOutput(this.#context.output);
      this.#context.outputBegins({ stdout: next.stdout.logLength, stderr: next.stderr.logLength });
    } catch (error) {
      await this.#failed(store, name, detailOf('file-changed', (error as Error).message));
      return 'failed';
    }
    await startRestored(this.#context, manifest);
    return 'started';
  }

  async #continueOutput(stream: (typeof STREAMS)[number], next: ReturnType<typeof continued>): Promise<void> {
    const { folder, output, record } = this.#context;
    const path = folder.output(stream);
    const log = output[stream];
    const size = (await stat(path).catch(() => null))?.size ?? 0;
    const start = tailStart(next);
    const tail = join(folder.restore, `${stream}.tail`);
    let kept = 0;
    if (size < start) {
      // This node's part of the output is gone here; the server has it, or it is lost.
      await rm(path, { force: true });
      log.beginAt(start);
    } else {
      // An image of another node, tried since, has cut the log to what the server had, and its copy has written behind that.
      if (next.tail > 0 && size > start) kept = await bytesInPlace(path, start, tail);
      if (size > 0) await truncate(path, start + kept);
      log.cutTo(start + kept);
    }
    const file = await open(path, 'a', 0o640);
    try {
      if (kept < next.tail) await appendTail(file, tail, kept);
      await file.sync();
    } finally {
      await file.close();
    }
    if (process.getuid?.() === 0) chownSync(path, record.spec.uid, record.spec.gid);
  }

  /** Copies of `ckptFiles` first, then what was only appended to since is cut off. */
  async #putFilesBack({ cwd, openFiles, ckptFiles }: Manifest): Promise<void> {
    const tar = join(this.#context.folder.restore, CKPT_FILES_TAR);
    if (existsSync(tar)) await run('tar', ['-C', '/', '-xpf', tar]);
    const volume = await this.#volume.folder();
    const ours = [cwd, ...(volume === null ? [] : [volume]), ...ckptFiles];
    for (const { path, bytes } of openFiles) {
      const size = (await stat(path).catch(() => null))?.size ?? null;
      if (size === bytes) continue;
      if (size === null) throw new Error(`${path} is missing`);
      if (size < bytes) throw new Error(`${path} has ${size} bytes but had ${bytes} when the job was saved`);
      const isOurs = ours.some(
        (folder) => path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`),
      );
      if (!isOurs) throw new Error(`${path} has changed, and lies outside the working folder and ckptFiles`);
      await truncate(path, bytes);
    }
  }

  async #failed(store: ImageStore, name: string, detail: string): Promise<void> {
    await keepDiagnosis(this.#context, this.#context.folder.restore, 'restore.log');
    await this.#context.commit({}, [{ eventType: 'Job-RestoreFailed', detail: `${detail} (image ${name})` }]);
    this.#onNote(`image ${name} cannot be restored: ${detail}`);
    await this.#keepFailures(store, name, (await failuresOf(store, name)) + 1);
  }

  async #keepFailures(store: ImageStore, name: string, failures: number): Promise<void> {
    const path = store.failures(name);
    if (failures === 0) await rm(path, { force: true }).catch(() => {});
    else await writeFile(path, String(failures), { mode: 0o600 }).catch(() => {});
    if (failures >= FAILURES_MAX) await store.setAside(name, `it failed ${failures} times`);
  }
}

/** False where another node has claimed the job since that epoch, or where that is not known. */
async function isAloneSince({ claims, services }: JobContext, epoch: number): Promise<boolean> {
  const all = await claims.all().catch(() => null);
  return all?.every((claim) => claim.epoch <= epoch || claim.nodeId === services.nodeId) ?? false;
}

async function failuresOf(store: ImageStore, name: string): Promise<number> {
  return Number(await readFile(store.failures(name), 'utf8').catch(() => '0')) || 0;
}
