/** What this machine can do for jobs in containers (`cairn run --engine podman`). */
import { accessSync, constants, existsSync } from 'node:fs';
import { findPodman } from '../podman/podman.ts';

export interface Finding {
  readonly id: string;
  readonly severity: 'info' | 'warning' | 'critical';
  readonly what: string;
  readonly remedy: string;
}

/** Where cgroups are mounted: those of the first version have a mount for each controller. */
const CGROUPS = ['/sys/fs/cgroup/freezer', '/sys/fs/cgroup'];

export async function containerFindings(dataFolder: string): Promise<Finding[]> {
  const found = await findPodman(process.env, null, dataFolder);
  if ('fault' in found) {
    const [what = '', remedy = 'install podman and runc'] = found.fault.split(': ');
    return [{ id: 'podman', severity: 'info', what: `no jobs in containers: ${what}`, remedy }];
  }
  const findings: Finding[] = [];
  if (!found.podman.options.includes('--runtime')) {
    const what = 'runc is not installed: jobs in containers run, and probably cannot be checkpointed';
    findings.push({ id: 'runc', severity: 'warning', what, remedy: 'install runc' });
  }
  if (!isWritable(CGROUPS.find(existsSync))) {
    const what =
      'cgroups cannot be written to: no jobs in containers; other jobs run and are checkpointed without cgroups';
    const remedy = 'mount /sys/fs/cgroup writable for the agent, or do not use --engine podman';
    findings.push({ id: 'cgroups', severity: 'warning', what, remedy });
  }
  return findings;
}

function isWritable(path: string | undefined): boolean {
  try {
    if (path === undefined) return false;
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
