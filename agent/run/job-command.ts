/** `cairn job checkpoint ID`: has this node's agent save a job now. */
import { resolve } from 'node:path';
import type { CommandInput } from '../../src/base/command-input.ts';
import { EXIT_NO_AGENT } from '../wire/names.ts';
import type { Reply } from '../wire/wire.ts';
import { connectAgent } from './agent-link.ts';

export async function jobCommand({ values, args: [job = ''] }: CommandInput): Promise<number> {
  const dataFolder = resolve(
    (values['data-dir'] as string | undefined) ?? (process.env['CAIRN_AGENT_DIR'] || '/var/lib/cairn-agent'),
  );
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
        process.stderr.write(`cairn job checkpoint: no agent answers in ${dataFolder}: ${error.message}\n`);
        done(EXIT_NO_AGENT);
      },
    );
  });
}
