/** What the process beside a container is told, as a file in the copy's folder; the agent reads it again when it saves. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JobSpec } from '../wire/job-spec.ts';
import { engineConfigPath } from './engine-config.ts';
import type { Podman } from './podman.ts';

export interface ContainerPlan {
  readonly podman: Podman;
  readonly name: string;
  /** `podman run` with these arguments, or a restore from this archive. */
  readonly start: { readonly run: readonly string[] } | { readonly archive: string };
  /** The caller's, for `--env` without values: podman reads them from its own environment. */
  readonly env: Readonly<Record<string, string>>;
  /** Bytes of the job's output before this copy's. */
  readonly begins: { readonly stdout: number; readonly stderr: number };
}

/** Of a machine, not of a job: the image has its own. */
const OWN_OF_IMAGE = /^(PATH|HOME|HOSTNAME|PWD|OLDPWD|SHLVL|_|TMPDIR|LD_.*)$/;
const OPEN_FILES = 7;
const PROCESSES = 6;

export const PLAN = 'container.json';
/** Why the container could not be started. */
export const FAULT = 'container.fault';
/** Written when the container runs: where its log is. */
export const STARTED = 'container.started';

export function containerName(copyId: string, jobId: string): string {
  return `cairn-${jobId}-${copyId}`.replace(/[^A-Za-z0-9_.-]/g, '-');
}

/** `podman run` of a job: its folder is the caller's, its network the machine's, its limits the caller's. */
export function runArgs(name: string, spec: JobSpec, log: string, volume: string | null): string[] {
  const [image = '', ...command] = spec.argv;
  const ulimits = [
    ['nofile', OPEN_FILES],
    ['nproc', PROCESSES],
  ] as const;
  return [
    ...['run', '--detach', '--name', name, '--network', 'host'],
    ...['--log-driver', 'k8s-file', '--log-opt', `path=${log}`],
    ...['--annotation', `org.criu.config=${engineConfigPath(spec.id)}`],
    ...ulimits.flatMap(([word, number]) => {
      const limit = spec.limits.find(({ resource }) => resource === number);
      return limit ? ['--ulimit', `${word}=${limitText(word, limit.soft)}:${limitText(word, limit.hard)}`] : [];
    }),
    ...(spec.cwd === '/' ? [] : ['--volume', `${spec.cwd}:${spec.cwd}`, '--workdir', spec.cwd]),
    ...(volume === null ? [] : ['--volume', `${volume}:${volume}`]),
    ...Object.keys(envOf(spec)).flatMap((key) => ['--env', key]),
    image,
    ...command,
  ];
}

export function envOf({ env }: JobSpec): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter(([key]) => !OWN_OF_IMAGE.test(key)));
}

export function readPlan(copyFolder: string): ContainerPlan {
  return JSON.parse(readFileSync(join(copyFolder, PLAN), 'utf8')) as ContainerPlan;
}

/** conmon runs with so many, and without CAP_SYS_RESOURCE nobody below it can have more. */
const PROCESSES_MAX = 32_768;

/** podman has no word for "none" but -1. */
function limitText(word: 'nofile' | 'nproc', limit: string): string {
  const text = limit === 'u' ? '-1' : limit;
  if (word !== 'nproc') return text;
  return text === '-1' || Number(text) > PROCESSES_MAX ? String(PROCESSES_MAX) : text;
}
