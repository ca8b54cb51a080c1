/** `cairn queue list`, `cairn logs …`, `cairn events`, `cairn openapi`. */
import { createParser } from 'eventsource-parser';
import type { CommandAction } from '../../src/base/command-input.ts';
import { PHASES } from '../../src/protocol/phase.ts';
import { printJson } from '../output/rows.ts';
import { printBytes } from '../output/stdout.ts';
import { apiCommand, printArray, queryOf, segment } from './session.ts';

export const queueList: CommandAction = apiCommand(async (session) => {
  const phases = PHASES.map((phase) => ({ name: phase, path: `phases.${phase}` }));
  const columns = [{ name: 'name' }, { name: 'total' }, ...phases, { name: 'updated', path: 'updatedAt' }];
  await printArray(session, '/api/v1/queue', columns);
  return undefined;
});

/** Which log is where follows the configuration: `log.file` names both. */
const logs = (suffix: string): CommandAction =>
  apiCommand(async (session) => {
    const { client, values } = session;
    const { log } = await client.json<{ log: { file: string } }>('/api/v1/config');
    const name = (log.file.split('/').at(-1) ?? '').replace(/\.log$/, '');
    const query = { ...queryOf(session, ['tail', 'q']), ...(values['follow'] ? { follow: 'true' } : {}) };
    await printBytes((await client.ask(`/${segment(name)}${suffix}.log`, { query })).bytes);
    return undefined;
  });

export const logsServer: CommandAction = logs('');
export const logsAccess: CommandAction = logs('-access');

/** From the first event that is retained; without `--follow` to the one that was the last when we asked. */
export const events: CommandAction = apiCommand(async (session) => {
  const { client, screen, values } = session;
  const from = (values['after'] as string | undefined) ?? '0';
  const query = {
    ...queryOf(session, ['types', 'queue', 'job', 'node']),
    lastEventId: from,
    ...(values['follow'] ? {} : { follow: 'false' }),
  };
  const { bytes } = await client.ask('/api/v1/event', { query });
  const lines: string[] = [];
  const parser = createParser({
    onEvent: ({ id, event, data }) => lines.push(`${JSON.stringify({ id, event, data: JSON.parse(data) })}\n`),
  });
  const decoder = new TextDecoder();
  for await (const chunk of bytes) {
    parser.feed(decoder.decode(chunk, { stream: true }));
    if (lines.length > 0) await screen.print(lines.splice(0).join(''));
  }
  return undefined;
});

export const openapi: CommandAction = apiCommand(async ({ client, screen }) => {
  await printJson(screen, await client.text('/api/v1/openapi.json'));
  return undefined;
});
