/** `cairn job checkpoint ID`: has this node's agent save a job now. */
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { EXIT_NO_AGENT } from '../wire/job-spec.ts';
import type { Reply } from '../wire/wire.ts';
import { connectAgent } from './agent-link.ts';

export const JOB_HELP = `cairn job checkpoint ID [--data-dir DIR]

Checkpoints a running job of this machine's agent now, whatever ckpt.ckptMode says, and prints the name of the image.
If the job cannot be saved, prints the reason and exits with 1.
`;

const FLAGS = { 'data-dir': { type: 'string' }, help: { type: 'boolean', short: 'h' } } as const;

export async function jobCommand(args: readonly string[]): Promise<number> {
  let parsed: { values: { 'data-dir'?: string; help?: boolean }; positionals: string[] };
  try {
    parsed = parseArgs({ args: [...args], options: FLAGS, allowPositionals: true });
  } catch (error) {
    process.stderr.write(`cairn job: ${(error as Error).message}\n`);
    return 2;
  }
  const [what, job, ...rest] = parsed.positionals;
  if (parsed.values.help) {
    process.stdout.write(JOB_HELP);
    return 0;
  }
  if (what !== 'checkpoint' || job === undefined || rest.length > 0) {
    process.stderr.write(JOB_HELP);
    return 2;
  }
  const dataFolder = resolve(parsed.values['data-dir'] ?? (process.env['CAIRN_AGENT_DIR'] || '/var/lib/cairn-agent'));
  return new Promise((done) => {
    const conclude = (reply: Reply): void => {
      const isDone = reply.type === 'done';
      const text = isDone ? reply.message : reply.type === 'end' ? reply.message : null;
      (isDone && reply.ok ? process.stdout : process.stderr).write(`${text ?? 'the agent did not answer'}\n`);
      done(isDone && reply.ok ? 0 : 1);
    };
    const events = {
      onReply: conclude,
      onClose: () => conclude({ type: 'end', exitCode: 1, message: 'the agent has stopped' }),
    };
    connectAgent(dataFolder, events).then(
      (link) => link.send({ type: 'checkpoint', job }),
      (error: Error) => {
        process.stderr.write(`cairn job: no agent answers in ${dataFolder}: ${error.message}\n`);
        done(EXIT_NO_AGENT);
      },
    );
  });
}
