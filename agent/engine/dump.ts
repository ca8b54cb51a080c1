/** One save of a running copy by CRIU into a local folder; while it is frozen, files are copied and lengths are taken. */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openFilesOf, type ProcessId, processIdOf, treeOf, tryText } from '../base/process-id.ts';
import { type CriuEngine, dumpArgs, reasonIn } from './criu.ts';
import { savedFilesIn } from './criu-files.ts';
import { type HeldDump, holdArgs, holdReportIn, releaseHeld } from './hold.ts';

export interface DumpRequest {
  readonly engine: CriuEngine;
  /** `cairn-hold`; null where there is none, and a killed CRIU may take the job along. */
  readonly hold: string | null;
  /** Where the guard keeps what it must put back. */
  readonly heldRecord: string;
  readonly init: ProcessId;
  readonly folder: string;
  /** Of the job: the script and the lengths lie there. */
  readonly jobFolder: string;
  readonly output: { readonly stdout: string; readonly stderr: string };
  readonly ckptFiles: readonly string[];
  /** With rootFSDiff: below this folder, files that changed since `since` was written. */
  readonly changedBelow: { readonly folder: string; readonly since: string } | null;
  readonly tcpClose: boolean;
  readonly irmapScanPaths: readonly string[];
  /** Told at once, so that a later agent finds the engine. */
  readonly onEngine: (engine: ProcessId) => void;
}

export interface DumpedFile {
  readonly path: string;
  readonly bytes: number;
}

export type DumpResult =
  | {
      readonly ok: true;
      readonly frozenMs: number;
      readonly dumpMs: number;
      readonly stdoutBytes: number;
      readonly stderrBytes: number;
      /** Open for writing, except the output. */
      readonly openFiles: readonly DumpedFile[];
    }
  | { readonly ok: false; readonly wasKilled: boolean; readonly reason: string };

export const CKPT_FILES_TAR = 'ckpt-files.tar';
/** A dump of 512 MiB takes a second; one that takes longer than this hangs, and the job with it. */
const DUMP_MS_MAX = 600_000;

export async function dump(request: DumpRequest): Promise<DumpResult> {
  const { folder, jobFolder, engine, init, hold, heldRecord } = request;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const script = join(jobFolder, 'dump.sh');
  const lengths = join(jobFolder, 'dump.lengths');
  rmSync(lengths, { force: true });
  writeFileSync(script, scriptText(request, lengths));
  chmodSync(script, 0o700);
  const sinceMs = performance.now();
  const args = dumpArgs({ ...request, pid: init.pid, script });
  const report = join(jobFolder, 'dump.report');
  const guard = hold && { program: hold, record: heldRecord, report, image: folder, init: init.pid };
  const { code, signal, frozenMs } = guard
    ? await runHeld(guard, [engine.path, ...args], request.onEngine)
    : await runEngine(engine.path, args, request.onEngine);
  const dumpMs = performance.now() - sinceMs;
  if (code !== 0) {
    const reason = signal ? `the engine was killed by ${signal}` : reasonIn(tryText(join(folder, 'dump.log')));
    return { ok: false, wasKilled: signal !== null, reason };
  }
  const known = lengthsIn(tryText(lengths));
  const { stdout, stderr } = request.output;
  return {
    ok: true,
    frozenMs: frozenMs ?? frozenMsIn(tryBytes(join(folder, 'stats-dump'))) ?? dumpMs,
    dumpMs,
    stdoutBytes: known.get(stdout) ?? 0,
    stderrBytes: known.get(stderr) ?? 0,
    openFiles: writableFiles(tryBytes(join(folder, 'files.img')), known, [stdout, stderr]),
  };
}

interface EngineEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | number | null;
  /** As the guard has measured it. */
  readonly frozenMs?: number;
}

async function runHeld(
  guard: HeldDump,
  engine: readonly string[],
  onEngine: DumpRequest['onEngine'],
): Promise<EngineEnd> {
  await releaseHeld(guard.program, guard.record);
  rmSync(guard.report, { force: true });
  const end = await runEngine(guard.program, holdArgs(guard, engine), onEngine);
  const report = holdReportIn(tryText(guard.report));
  if (report) return report;
  // The guard itself was killed: the job stands still until somebody lets it go on.
  await releaseHeld(guard.program, guard.record);
  return { code: end.code === 0 ? 1 : end.code, signal: end.signal };
}

function runEngine(program: string, args: readonly string[], onEngine: DumpRequest['onEngine']): Promise<EngineEnd> {
  return new Promise((resolve) => {
    // Detached, so that what ends the agent does not cut off the engine, which would harm the job.
    const child = spawn(program, args, { detached: true, stdio: 'ignore', cwd: '/' });
    const timer = setTimeout(() => child.kill('SIGTERM'), DUMP_MS_MAX);
    const id = child.pid === undefined ? null : processIdOf(child.pid);
    if (id) onEngine(id);
    const finish = (code: number | null, signal: NodeJS.Signals | null): void => {
      clearTimeout(timer);
      resolve({ code, signal });
    };
    child.on('error', () => finish(1, null));
    child.on('close', finish);
  });
}

/** CRIU runs it at each stage; at `post-dump` all is saved and the job is still frozen. */
function scriptText(request: DumpRequest, lengths: string): string {
  const { init, output, ckptFiles, changedBelow, folder } = request;
  const open = treeOf(init.pid).flatMap((pid) => openFilesOf(pid));
  const writable = open
    .filter(({ isWritable, target }) => isWritable && isPlainPath(target))
    .map(({ target }) => target);
  const measured = [...new Set([output.stdout, output.stderr, ...writable])].map(quoted).join(' ');
  const tar = quoted(join(folder, CKPT_FILES_TAR));
  const list = quoted(join(request.jobFolder, 'dump.files'));
  const named = ckptFiles.map((path) => `[ -e ${quoted(path)} ] && printf '%s\\0' ${quoted(path.slice(1))} >>${list}`);
  const changed = changedBelow
    ? [
        `find ${quoted(changedBelow.folder)} -xdev -type f -newer ${quoted(changedBelow.since)} -printf '%P\\0' | sed -z ${quoted(`s|^|${changedBelow.folder.slice(1)}/|`)} >>${list}`,
      ]
    : [];
  return [
    '#!/bin/sh',
    '[ "$CRTOOLS_SCRIPT_ACTION" = post-dump ] || exit 0',
    `stat -L -c '%s %n' -- ${measured} >${quoted(lengths)} 2>/dev/null`,
    ...(named.length + changed.length > 0
      ? [`: >${list}`, ...named, ...changed, `tar -C / --null -T ${list} -cf ${tar} 2>/dev/null || exit 1`]
      : []),
    'exit 0',
    '',
  ].join('\n');
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function isPlainPath(target: string): boolean {
  return (
    target.startsWith('/') &&
    !target.startsWith('/dev/') &&
    !target.startsWith('/proc/') &&
    !target.endsWith(' (deleted)')
  );
}

function lengthsIn(text: string): Map<string, number> {
  return new Map(
    text.split('\n').flatMap((line) => {
      const space = line.indexOf(' ');
      return space > 0 ? [[line.slice(space + 1), Number(line.slice(0, space))] as const] : [];
    }),
  );
}

/** What the engine saved as open for writing; lengths that were taken count more than its own, which leave appended files out. */
export function writableFiles(
  image: Buffer,
  known: ReadonlyMap<string, number>,
  except: readonly string[],
): DumpedFile[] {
  const files = new Map<string, number>();
  for (const { path, flags, pos, bytes } of savedFilesIn(image)) {
    if ((flags & 3) === 0 || !isPlainPath(path) || except.includes(path)) continue;
    files.set(path, known.get(path) ?? Math.max(files.get(path) ?? 0, bytes ?? pos));
  }
  return [...files].map(([path, bytes]) => ({ path, bytes }));
}

/**
 * `stats-dump` in milliseconds: magic, magic, size, then {dump: {freezing_time: 1, frozen_time: 2, …}} as varints of
 * microseconds. Null where it is not of that form.
 */
export function frozenMsIn(image: Buffer): number | null {
  const FIRST_FIELD = 14;
  if (image[FIRST_FIELD] !== 0x08) return null;
  let at = FIRST_FIELD + 1;
  while ((image[at] ?? 0) >= 0x80) at++;
  if (image[at + 1] !== 0x10) return null;
  let value = 0;
  for (let i = at + 2, scale = 1; i < image.byteLength; i++, scale *= 128) {
    const byte = image[i] as number;
    value += (byte & 0x7f) * scale;
    if (byte < 0x80) break;
  }
  return value / 1_000;
}

function tryBytes(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}
