/** `cairn webhook …` (contract section 14). */
import { readFileSync } from 'node:fs';
import type { CommandAction } from '../../src/base/command-input.ts';
import { UsageError } from '../../src/base/usage-error.ts';
import { requestOf, type Webhook, type WebhookTest } from '../../src/protocol/webhook.ts';
import { Failure } from '../api/failure.ts';
import { printObject } from '../output/rows.ts';
import { apiCommand, printArray, type Session, segment, textFlag } from './session.ts';

const PATH = '/api/v1/webhook';

export const webhookList: CommandAction = apiCommand(async (session) => {
  const columns = [
    { name: 'id' },
    { name: 'url' },
    { name: 'types' },
    { name: 'queue' },
    { name: 'format' },
    { name: 'state' },
  ];
  await printArray(session, PATH, columns);
  return undefined;
});

export const webhookSet: CommandAction = apiCommand(async (session) => {
  const { client, screen, args } = session;
  const given = (name: string): Record<string, string> => {
    const value = textFlag(session, name);
    return value === undefined ? {} : { [name]: value };
  };
  const secretFile = textFlag(session, 'secret-file');
  const eventTypes = textFlag(session, 'event-types');
  const body = {
    url: textFlag(session, 'url'),
    types: namesIn(textFlag(session, 'types') ?? ''),
    format: textFlag(session, 'format') ?? 'cairn',
    ...given('queue'),
    ...given('job'),
    ...given('node'),
    ...(eventTypes === undefined ? {} : { eventTypes: namesIn(eventTypes) }),
    ...(secretFile === undefined ? {} : { secret: secretIn(secretFile) }),
  };
  await printObject(screen, await client.text(`${PATH}/${segment(args[0] ?? '')}`, { method: 'PUT', body }));
  return undefined;
});

export const webhookPause: CommandAction = apiCommand((session) => setPaused(session, true));
export const webhookResume: CommandAction = apiCommand((session) => setPaused(session, false));

function namesIn(list: string): string[] {
  return list.split(',').filter((name) => name !== '');
}

/** A PUT takes the whole webhook: what it is now, and whether it is paused. */
async function setPaused({ client, screen, args: [id = ''] }: Session, paused: boolean): Promise<undefined> {
  const path = `${PATH}/${segment(id)}`;
  const webhook = await client.json<Webhook>(path);
  const body = { ...requestOf(webhook), paused };
  const text = await client.text(path, { method: 'PUT', body });
  if (screen.form !== 'table') await printObject(screen, text);
  else await screen.print(paused ? `paused ${id}: events wait\n` : `resumed ${id}: ${webhook.waiting} waiting\n`);
}

/** From a file: what stands on a command line can be read by every user of the machine. */
function secretIn(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch (error) {
    throw new UsageError(`cannot read --secret-file ${file}: ${(error as NodeJS.ErrnoException).code}`);
  }
}

export const webhookTest: CommandAction = apiCommand(async ({ client, screen, args: [id = ''] }) => {
  const text = await client.text(`${PATH}/${segment(id)}/test`, { method: 'POST' });
  const { delivered, status, ms, error } = JSON.parse(text) as WebhookTest;
  if (screen.form !== 'table') await printObject(screen, text);
  else if (delivered) await screen.print(`${id} took the test event: ${status} in ${ms} ms\n`);
  if (!delivered) throw new Failure(`${id} did not take the test event: ${error}`);
  return undefined;
});

export const webhookRemove: CommandAction = apiCommand(async ({ client, screen, args: [id = ''] }) => {
  const text = await client.text(`${PATH}/${segment(id)}`, { method: 'DELETE' });
  if (screen.form === 'table') await screen.print(`removed ${id}\n`);
  else await printObject(screen, text);
  return undefined;
});
