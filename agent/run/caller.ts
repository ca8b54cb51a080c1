/** The user and limits of `cairn run`, which the job gets, whatever the agent's own are. */
import { readFileSync } from 'node:fs';
import type { JobSpec } from '../wire/job-spec.ts';

export type Caller = Pick<JobSpec, 'env' | 'cwd' | 'uid' | 'gid' | 'groups' | 'umask' | 'limits'>;

/** Lines of /proc/self/limits → the kernel's number of the resource (asm-generic/resource.h). */
const RESOURCES: Readonly<Record<string, number>> = {
  'Max cpu time': 0,
  'Max file size': 1,
  'Max data size': 2,
  'Max stack size': 3,
  'Max core file size': 4,
  'Max resident set': 5,
  'Max processes': 6,
  'Max open files': 7,
  'Max locked memory': 8,
  'Max address space': 9,
  'Max file locks': 10,
  'Max pending signals': 11,
  'Max msgqueue size': 12,
  'Max nice priority': 13,
  'Max realtime priority': 14,
  'Max realtime timeout': 15,
};

export function callerOf(process: NodeJS.Process): Caller {
  return {
    env: Object.fromEntries(
      Object.entries(process.env).filter((entry): entry is [string, string] => entry[1] !== undefined),
    ),
    cwd: process.cwd(),
    uid: process.getuid?.() ?? 0,
    gid: process.getgid?.() ?? 0,
    groups: process.getgroups?.() ?? [],
    umask: process.umask(),
    limits: limitsOf(tryText('/proc/self/limits'), tryText(`/proc/${process.ppid}/limits`)),
  };
}

const OPEN_FILES = 7;

/** Node raises its own soft limit of open files at its start: the one of its parent is the caller's. */
export function limitsOf(own: string, parents: string): JobSpec['limits'] {
  const openFiles = linesOf(parents).find(({ resource }) => resource === OPEN_FILES);
  return linesOf(own).map((limit) =>
    limit.resource === OPEN_FILES && openFiles?.hard === limit.hard ? openFiles : limit,
  );
}

function linesOf(text: string): JobSpec['limits'] {
  return text.split('\n').flatMap((line) => {
    const parts = /^(Max [a-z ]+?) {2,}(unlimited|\d+) +(unlimited|\d+)/.exec(line);
    const resource = parts ? RESOURCES[parts[1] as string] : undefined;
    if (!parts || resource === undefined) return [];
    const value = (word: string | undefined): string => (word === 'unlimited' ? 'u' : (word as string));
    return [{ resource, soft: value(parts[2]), hard: value(parts[3]) }];
  });
}

function tryText(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
