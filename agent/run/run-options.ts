/** Every option of `cairn run`, from flags and environment; a flag takes precedence. Pure. */
import { basename, resolve } from 'node:path';
import type { CommandInput } from '../../src/base/command-input.ts';
import { isId, isQueueName } from '../../src/base/format/ids.ts';
import { UsageError } from '../../src/base/usage-error.ts';
import type { JobSpec } from '../wire/job-spec.ts';
import { ENGINES, FRESH } from '../wire/names.ts';

export type RunRequest = Pick<
  JobSpec,
  'id' | 'queueName' | 'name' | 'cpus' | 'memoryInMB' | 'batchJobIds' | 'engine' | 'fresh' | 'argv'
> & { readonly dataFolder: string };

interface RunFlags {
  readonly job?: string;
  readonly queue?: string;
  readonly name?: string;
  readonly cpus?: string;
  readonly 'memory-mb'?: string;
  readonly engine?: string;
  readonly fresh?: string;
  readonly 'data-dir'?: string;
}

/** Throws `UsageError`. */
export function readRunOptions(
  { values: flags, rest: argv }: Pick<CommandInput, 'values' | 'rest'>,
  env: Readonly<Record<string, string | undefined>>,
  newId: () => string,
): RunRequest {
  const values = flags as RunFlags;
  if (argv.length === 0 || argv[0] === '') throw new UsageError('there is no command: want cairn run -- COMMAND');
  const given = (flag: string | undefined, ...variables: string[]): string | undefined =>
    flag ?? variables.map((name) => env[name]).find((text) => text !== undefined && text !== '');
  const id = given(values.job, 'CAIRN_JOB_ID', 'AWS_BATCH_JOB_ID', 'SLURM_JOB_ID') ?? newId();
  const batchJobId = env['AWS_BATCH_JOB_ID'];
  const queueName = given(values.queue, 'CAIRN_QUEUE', 'AWS_BATCH_JQ_NAME', 'SLURM_JOB_PARTITION') ?? 'default';
  if (!isId(id)) {
    throw new UsageError(`cannot use the job id ${id}: want 1 to 128 characters of A-Z a-z 0-9 . _ : @ -`);
  }
  if (!isQueueName(queueName)) throw new UsageError(`cannot use the queue name ${queueName}`);
  return {
    id,
    queueName,
    name: (values.name || basename(argv[0] as string)).slice(0, 1_024),
    cpus: numberOf(values.cpus ?? '1', '--cpus', (n) => n > 0 && n <= 1e6),
    memoryInMB:
      values['memory-mb'] === undefined
        ? null
        : numberOf(values['memory-mb'], '--memory-mb', (n) => n >= 0 && n <= 1e12),
    batchJobIds: batchJobId ? [batchJobId] : [],
    engine: oneOf(ENGINES, values.engine ?? 'auto', '--engine'),
    fresh: oneOf(FRESH, values.fresh ?? 'last', '--fresh'),
    argv: [...argv],
    dataFolder: resolve(given(values['data-dir'], 'CAIRN_AGENT_DIR') ?? '/var/lib/cairn-agent'),
  };
}

function numberOf(text: string, name: string, fits: (n: number) => boolean): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && fits(value)) return value;
  throw new UsageError(`cannot use ${name} ${text}: want a positive number`);
}

function oneOf<T extends string>(choices: readonly T[], text: string, name: string): T {
  const choice = choices.find((known) => known === text);
  if (choice) return choice;
  throw new UsageError(`cannot use ${name} ${text}: want one of ${choices.join(', ')}`);
}
