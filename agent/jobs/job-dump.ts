/** Freezes a running copy and dumps it into the job's local folder, by the engine that it runs under. */
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { type DetailCode, detailOf } from '../base/detail-codes.ts';
import { type ProcessId, programOf, treeOf, workingFolderOf } from '../base/process-id.ts';
import { type DumpResult, dump } from '../engine/dump.ts';
import { hostFactsOf } from '../engine/host-fit.ts';
import { findObstacle, findSpaceObstacle } from '../engine/obstacles.ts';
import type { ImageStore } from '../images/image-store.ts';
import type { Manifest } from '../images/manifest.ts';
import { saveContainer } from '../podman/container-save.ts';
import { containerPid } from '../podman/container-start.ts';
import type { Podman } from '../podman/podman.ts';
import type { JobContext } from './job-context.ts';
import type { JobVolume } from './job-volume.ts';

/** Why a save failed: a code that the documentation explains, and a sentence. */
export class SaveFault extends Error {
  constructor(code: DetailCode, text: string) {
    super(detailOf(code, text));
  }
}

export interface Dumped {
  readonly result: DumpResult;
  readonly facts: Pick<
    Manifest,
    | 'kernel'
    | 'arch'
    | 'cpuFeatures'
    | 'executables'
    | 'tcpClose'
    | 'cwd'
    | 'initCwd'
    | 'ckptFiles'
    | 'engine'
    | 'engineVersion'
    | 'shim'
  >;
}

export interface DumpParts {
  readonly context: JobContext;
  readonly volume: JobVolume;
  readonly init: ProcessId;
  readonly store: ImageStore;
}

const LOOK_MS = 20;
/** What a container wrote is copied to the job's output every 100 ms. */
const COPIED_MS_MAX = 10_000;

/** Throws a SaveFault where it is not even tried. */
export function dumpCopy(parts: DumpParts): Promise<Dumped> {
  const { record, services } = parts.context;
  const podman = record.engine === 'podman' ? services.podman() : null;
  return podman ? dumpContainer(parts, podman) : dumpProcesses(parts);
}

async function dumpProcesses({ context, init, store }: DumpParts): Promise<Dumped> {
  const { services, folder, copy, record } = context;
  const { tcpClose, rootFSDiff, irmapScanPaths, ckptFiles } = services.settings();
  const engine = services.engine();
  if (!engine) throw new SaveFault('no-engine', services.engineFault());
  await mustBeSavable(init.pid, tcpClose, [folder.path, store.folder]);
  const facts = hostFactsOf(treeOf(init.pid));
  // A copy that was started before an upgrade maps that version's program. One that is gone is in the image as a deleted file.
  const shim = programOf(init.pid) ?? services.shim().program;
  const { cwd } = record.spec;
  const copied = ckptFiles.map((path) => (path.startsWith('/') ? path : join(cwd, path)));
  const result = await dump({
    engine,
    hold: services.shim().hold,
    heldRecord: folder.held,
    init,
    folder: folder.dump,
    jobFolder: folder.path,
    output: { stdout: folder.output('stdout'), stderr: folder.output('stderr') },
    ckptFiles: copied,
    changedBelow: rootFSDiff ? { folder: cwd, since: join(copy.folder, 'started') } : null,
    tcpClose,
    irmapScanPaths,
    onEngine: (dumper) => void context.commit({ dump: dumper }),
  });
  return {
    result,
    facts: {
      ...facts,
      ...{ tcpClose, cwd, initCwd: workingFolderOf(init.pid), ckptFiles: copied },
      ...{ engine: 'criu', engineVersion: engine.version, shim },
    },
  };
}

async function dumpContainer({ context, volume, store }: DumpParts, podman: Podman): Promise<Dumped> {
  const { services, folder, copy, record } = context;
  const { tcpClose, rootFSDiff, irmapScanPaths, ckptFiles } = services.settings();
  const pid = await containerPid(copy.folder);
  if (pid === null) throw new SaveFault('copy-ended', 'the job ended meanwhile');
  await mustBeSavable(pid, tcpClose, [folder.path, store.folder]);
  const { cwd } = record.spec;
  const own = await volume.folder();
  const ours = [...(cwd === '/' ? [] : [cwd]), ...(own === null ? [] : [own])];
  // Of the container's own files there are no paths on this machine: those are in the image with rootFSDiff.
  const copiedFiles = ckptFiles
    .map((path) => (path.startsWith('/') ? path : join(cwd, path)))
    .filter((path) => ours.some((place) => path === place || path.startsWith(`${place}/`)));
  const result = await saveContainer({
    ...{ copyFolder: copy.folder, folder: folder.dump, jobId: context.id, pid },
    ...{ tcpClose, rootFSDiff, irmapScanPaths, ckptFiles: copiedFiles, ours },
    onEngine: (dumper) => void context.commit({ dump: dumper }),
  });
  if (result.ok) {
    await copied(folder.output('stdout'), result.stdoutBytes);
    await copied(folder.output('stderr'), result.stderrBytes);
  }
  // What a container maps is its image's: podman has that, or gets it.
  const facts = { ...hostFactsOf([]), tcpClose, cwd, engine: 'podman', engineVersion: podman.version };
  return { result, facts: { ...facts, ckptFiles: copiedFiles, shim: services.shim().program } };
}

async function mustBeSavable(root: number, tcpClose: boolean, folders: readonly string[]): Promise<void> {
  const obstacle = findObstacle(root, tcpClose) ?? (await findSpaceObstacle(root, folders));
  if (obstacle) throw new SaveFault(obstacle.code, obstacle.text);
}

/** Resolves when the job's output has what the container wrote before it was frozen. */
async function copied(path: string, bytes: number): Promise<void> {
  for (let waitedMs = 0; waitedMs < COPIED_MS_MAX; waitedMs += LOOK_MS) {
    const size = (await stat(path).catch(() => null))?.size ?? 0;
    if (size >= bytes) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  throw new SaveFault('output-missing', 'what the container wrote is not in its log');
}
