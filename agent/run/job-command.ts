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
    const fail = (text: string, exitCode = 1): void => {
      process.stderr.write(`cairn job checkpoint: ${text}\n`);
      done(exitCode);
    };
    const conclude = (reply: Reply): void => {
      if (reply.type === 'done' && reply.ok) {
        process.stdout.write(`${reply.message}\n`);
        done(0);
      } else if (reply.type === 'done') fail(reply.message);
      else if (reply.type === 'end') fail(reply.message ?? 'the agent did not answer', reply.exitCode);
      else fail('the agent did not answer');
    };
    const events = { onReply: conclude, onClose: () => fail('the agent has stopped') };
    connectAgent(dataFolder, events).then(
      (link) => link.send({ type: 'checkpoint', job }),
      (error: Error) => fail(`no agent answers in ${dataFolder}: ${error.message}`, EXIT_NO_AGENT),
    );
  });
}
