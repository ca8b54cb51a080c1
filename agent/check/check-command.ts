/** `cairn agent check`: what this machine can do for jobs, and how to fix what it cannot. */
import { accessSync, constants, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { CommandInput } from '../../src/base/command-input.ts';
import { jobSettingsOf } from '../base/job-settings.ts';
import { tryText } from '../base/process-id.ts';
import { findShim } from '../copies/shim-program.ts';
import { findCriu } from '../engine/criu.ts';
import { containerFindings, type Finding } from './container-check.ts';
import { checkFolder, type FolderReport } from './folder-check.ts';

export interface CheckReport {
  readonly canCheckpoint: boolean;
  readonly engine: 'criu' | 'none';
  readonly version: string | null;
  readonly memoryTracking: boolean;
  readonly rights: { readonly root: boolean; readonly capabilities: readonly string[] };
  readonly imageFolder: Pick<FolderReport, 'path' | 'writable' | 'writeMBps'>;
  readonly findings: readonly Finding[];
}

/** Numbers of the capabilities that CRIU is about (linux/capability.h). */
const CAPABILITIES: Readonly<Record<string, number>> = {
  CAP_NET_ADMIN: 12,
  CAP_SYS_PTRACE: 19,
  CAP_SYS_ADMIN: 21,
  CAP_SYS_RESOURCE: 24,
  CAP_CHECKPOINT_RESTORE: 40,
};

/** Resolves with the exit code. */
export async function checkCommand(input: CommandInput): Promise<number> {
  const values = input.values as { 'data-dir'?: string; 'image-path'?: string; json?: boolean };
  const dataFolder = resolve(values['data-dir'] ?? (process.env['CAIRN_AGENT_DIR'] || '/var/lib/cairn-agent'));
  const report = await check(
    dataFolder,
    values['image-path'] ?? jobSettingsOf(tryJson(`${dataFolder}/config.json`)).imagePath,
  );
  process.stdout.write(values.json ? `${JSON.stringify(report)}\n` : textOf(report));
  return report.canCheckpoint ? 0 : 1;
}

export async function check(dataFolder: string, imagePath: string): Promise<CheckReport> {
  const [found, shim, folder] = [await findCriu(process.env), await findShim(dataFolder), await checkFolder(imagePath)];
  const isRoot = process.getuid?.() === 0;
  const findings: Finding[] = [];
  if (!isRoot) {
    const what = 'the agent does not run as root: jobs run as its own user and cannot be checkpointed';
    findings.push({ id: 'rights', severity: 'critical', what, remedy: 'run the agent as root' });
  }
  if ('fault' in found && isRoot) {
    const [what = '', remedy = ''] = found.fault.split(': ');
    findings.push({ id: 'engine', severity: 'critical', what, remedy: remedy || 'install criu 4.1 or later' });
  }
  if ('missing' in shim) {
    findings.push({
      id: 'shim',
      severity: 'critical',
      what: shim.missing,
      remedy: 'install a C compiler or the packaged agent',
    });
  }
  if (!folder.writable) {
    const remedy =
      'mount a shared folder there (exclusive create, rename and fsync must work), or set ckpt.ckptImagePath';
    findings.push({
      id: 'image-folder',
      severity: 'critical',
      what: `cannot store images in ${imagePath}: ${folder.fault}`,
      remedy,
    });
  }
  const engine = 'engine' in found ? found.engine : null;
  if (engine && !engine.memoryTracking) {
    const what =
      'the kernel does not track written memory: every checkpoint pauses the job while all of its memory is copied';
    findings.push({ id: 'memory-tracking', severity: 'info', what, remedy: 'use a kernel with CONFIG_MEM_SOFT_DIRTY' });
  }
  findings.push(...(await containerFindings(dataFolder)));
  if (!mayRun('tar')) {
    findings.push({
      id: 'tar',
      severity: 'warning',
      what: 'tar is not installed: ckptFiles cannot be saved',
      remedy: 'install tar',
    });
  }
  const { path, writable, writeMBps } = folder;
  return {
    canCheckpoint: engine !== null && 'path' in shim && writable,
    engine: engine ? 'criu' : 'none',
    version: engine?.version ?? ('version' in found ? found.version : null),
    memoryTracking: engine?.memoryTracking ?? false,
    rights: { root: isRoot, capabilities: capabilitiesIn(tryText('/proc/self/status')) },
    imageFolder: { path, writable, writeMBps },
    findings,
  };
}

/** Of the ones that matter, those that are effective. */
export function capabilitiesIn(status: string): string[] {
  const mask = BigInt(`0x${/^CapEff:\s*([0-9a-f]+)/m.exec(status)?.[1] ?? '0'}`);
  return Object.entries(CAPABILITIES).flatMap(([name, bit]) => ((mask >> BigInt(bit)) & 1n ? [name] : []));
}

function textOf(report: CheckReport): string {
  const { engine, version, imageFolder, findings, canCheckpoint } = report;
  const speed = imageFolder.writeMBps === null ? 'not writable' : `writable, ${imageFolder.writeMBps} MB/s`;
  return [
    canCheckpoint ? 'jobs of this machine can be checkpointed' : 'jobs of this machine run, but cannot be checkpointed',
    `  engine        ${engine}${version === null ? '' : ` ${version}`}`,
    `  image folder  ${imageFolder.path} (${speed})`,
    `  rights        ${report.rights.root ? 'root' : 'no root'}, ${report.rights.capabilities.join(' ') || 'no capabilities'}`,
    ...findings.map(({ severity, what, remedy }) => `${severity}: ${what}\n  remedy: ${remedy}`),
    '',
  ].join('\n');
}

function mayRun(name: string): boolean {
  return (process.env['PATH'] ?? '').split(':').some((folder) => {
    try {
      accessSync(`${folder}/${name}`, constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}

function tryJson(path: string): unknown {
  try {
    return JSON.parse(readFileSync(path, 'utf8'));
  } catch {
    return {};
  }
}
