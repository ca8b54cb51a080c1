/** `cairn job …`, but for `job checkpoint`, which talks to this machine's agent. */

import { open, rename, rm } from 'node:fs/promises';
import type { CommandAction } from '../../src/base/command-input.ts';
import { Failure } from '../api/failure.ts';
import { Progress } from '../output/progress.ts';
import { printObject, printPairs, printTable } from '../output/rows.ts';
import { printBytes } from '../output/stdout.ts';
import { flatten, type Row } from '../output/values.ts';
import { printExplanation } from './explanation.ts';
import { apiCommand, printList, queryOf, segment, textFlag } from './session.ts';

const LIST_FLAGS = [
  'queue',
  'status',
  'phase',
  'node',
  'created-after',
  'created-before',
  'updated-after',
  'updated-before',
  'q',
  'sort',
  'limit',
  'fields',
] as const;

export const jobList: CommandAction = apiCommand(async (session) => {
  await printList(session, {
    path: '/api/v1/job',
    query: queryOf(session, LIST_FLAGS),
    columns: [
      { name: 'id' },
      { name: 'queue', path: 'queueName' },
      { name: 'status' },
      { name: 'node', path: 'nodeOid' },
      { name: 'created', path: 'createdAt' },
      { name: 'updated', path: 'updatedAt' },
    ],
  });
  return undefined;
});

interface ShownJob extends Row {
  readonly events?: readonly Row[];
}

export const jobShow: CommandAction = apiCommand(async ({ client, screen, args: [id = ''] }) => {
  const text = await client.text(`/api/v1/job/${segment(id)}`);
  if (screen.form !== 'table') {
    await printObject(screen, text);
    return undefined;
  }
  const { events = [], ...job } = JSON.parse(text) as ShownJob;
  await printPairs(screen, flatten(job));
  if (events.length === 0) return undefined;
  await screen.print('\n');
  const columns = [
    { name: 'time', path: 'timestamp' },
    { name: 'event', path: 'eventType' },
    { name: 'node', path: 'nodeOid' },
    { name: 'detail' },
  ];
  await printTable(screen, columns, events);
  return undefined;
});

export const jobExplain: CommandAction = apiCommand(async (session) => {
  await printExplanation(session, `/api/v1/job/${segment(session.args[0] ?? '')}/explain`);
  return undefined;
});

export const jobLogs: CommandAction = apiCommand(async (session) => {
  const { client, values, args } = session;
  const path = `/api/v1/job/${segment(args[0] ?? '')}/output/${values['stderr'] ? 'stderr' : 'stdout'}`;
  const query = { copy: textFlag(session, 'copy'), ...(values['follow'] ? { follow: 'true' } : {}) };
  await printBytes((await client.ask(path, { query })).bytes);
  return undefined;
});

export const jobBundle: CommandAction = apiCommand(async (session) => {
  const [id = ''] = session.args;
  const { bytes } = await session.client.ask(`/api/v1/job/${segment(id)}/logs.tar.gz`);
  const target = textFlag(session, 'to') ?? `${id}.tar.gz`;
  if (target === '-') {
    await printBytes(bytes);
    return undefined;
  }
  const size = await saveTo(target, bytes);
  await session.screen.print(`wrote ${target} (${size} bytes)\n`);
  return undefined;
});

/** Beside the target first: a file of that name is a whole bundle. Returns its size. */
async function saveTo(target: string, bytes: AsyncIterable<Uint8Array>): Promise<number> {
  const draft = `${target}.part`;
  const progress = new Progress(`writing ${target}`);
  let size = 0;
  try {
    const file = await open(draft, 'w');
    try {
      for await (const chunk of bytes) {
        await file.writeFile(chunk);
        size += chunk.byteLength;
        progress.bytes(size);
      }
    } finally {
      await file.close();
    }
    await rename(draft, target);
    return size;
  } catch (error) {
    await rm(draft, { force: true });
    throw error instanceof Failure ? error : new Failure(`cannot write ${target}: ${(error as Error).message}`);
  } finally {
    progress.end();
  }
}
