/** Every option of `cairn run`, from flags and environment; a flag wins. Pure. */
import { basename, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { idSchema, queueNameSchema } from '../../src/protocol/id.ts';
import { ENGINES, FRESH, type JobSpec } from '../wire/job-spec.ts';

export type RunRequest = Pick<
  JobSpec,
  'id' | 'queueName' | 'name' | 'cpus' | 'memoryInMB' | 'batchJobIds' | 'engine' | 'fresh' | 'argv'
> & { readonly dataFolder: string };

export type RunOptionsResult =
  | { readonly kind: 'run'; readonly request: RunRequest }
  | { readonly kind: 'help' }
  | { readonly kind: 'wrong'; readonly message: string };

export const RUN_HELP = `cairn run [options] -- COMMAND [ARG...]

Runs a command as a job of this node's agent, which supervises it, checkpoints it, and can continue it on another node.

  --job ID         the job's id; the same id on another node is the same job   CAIRN_JOB_ID, AWS_BATCH_JOB_ID,
                                                                               SLURM_JOB_ID (generated)
  --queue NAME     its queue                                                   CAIRN_QUEUE, AWS_BATCH_JQ_NAME,
                                                                               SLURM_JOB_PARTITION (default)
  --name NAME      display name                                                (from the command)
  --cpus N         processors, for accounting                                  (1)
  --memory-mb N    memory, for accounting                                      (none)
  --engine ENGINE  ${ENGINES.join(', ')}                                      (auto)
  --fresh WHEN     ${FRESH.join(', ')}: when to start from scratch               (last)
  --data-dir DIR   the agent's data folder                                     CAIRN_AGENT_DIR (/var/lib/cairn-agent)

Exit codes: the command's own; 128 + signal; 75 the job cannot run here now (drained, reclaimed, claimed elsewhere);
127 command not found; 69 no agent; 2 invalid usage.
`;

const FLAGS = {
  job: { type: 'string' },
  queue: { type: 'string' },
  name: { type: 'string' },
  cpus: { type: 'string' },
  'memory-mb': { type: 'string' },
  engine: { type: 'string' },
  fresh: { type: 'string' },
  'data-dir': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

class WrongOption extends Error {}

export function readRunOptions(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  newId: () => string,
): RunOptionsResult {
  const end = args.indexOf('--');
  const argv = end < 0 ? [] : args.slice(end + 1);
  try {
    const { values } = parseArgs({ args: args.slice(0, end < 0 ? args.length : end), options: FLAGS });
    if (values.help) return { kind: 'help' };
    if (argv.length === 0 || argv[0] === '') throw new WrongOption('there is no command: want cairn run -- COMMAND');
    const given = (flag: string | undefined, ...variables: string[]): string | undefined =>
      flag ?? variables.map((name) => env[name]).find((text) => text !== undefined && text !== '');
    const id = given(values.job, 'CAIRN_JOB_ID', 'AWS_BATCH_JOB_ID', 'SLURM_JOB_ID') ?? newId();
    const batchJobId = env['AWS_BATCH_JOB_ID'];
    const queueName = given(values.queue, 'CAIRN_QUEUE', 'AWS_BATCH_JQ_NAME', 'SLURM_JOB_PARTITION') ?? 'default';
    if (!idSchema.safeParse(id).success) {
      throw new WrongOption(`cannot use the job id ${id}: want 1 to 128 characters of A-Z a-z 0-9 . _ : @ -`);
    }
    if (!queueNameSchema.safeParse(queueName).success) throw new WrongOption(`cannot use the queue name ${queueName}`);
    const request: RunRequest = {
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
      argv,
      dataFolder: resolve(given(values['data-dir'], 'CAIRN_AGENT_DIR') ?? '/var/lib/cairn-agent'),
    };
    return { kind: 'run', request };
  } catch (error) {
    if (error instanceof WrongOption || error instanceof TypeError) return { kind: 'wrong', message: error.message };
    throw error;
  }
}

function numberOf(text: string, name: string, fits: (n: number) => boolean): number {
  const value = Number(text);
  if (text.trim() !== '' && Number.isFinite(value) && fits(value)) return value;
  throw new WrongOption(`cannot use ${name} ${text}: want a positive number`);
}

function oneOf<T extends string>(choices: readonly T[], text: string, name: string): T {
  const choice = choices.find((known) => known === text);
  if (choice) return choice;
  throw new WrongOption(`cannot use ${name} ${text}: want one of ${choices.join(', ')}`);
}
