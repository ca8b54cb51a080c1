/** `cairn node …` */
import type { CommandAction } from '../../src/base/command-input.ts';
import { printObject } from '../output/rows.ts';
import { printBytes } from '../output/stdout.ts';
import { printExplanation } from './explanation.ts';
import { apiCommand, printArray, printList, queryOf, segment } from './session.ts';

const LIST_FLAGS = [
  'state',
  'cloud',
  'zone',
  'instance-type',
  'pay-type',
  'heartbeat-after',
  'heartbeat-before',
  'q',
  'sort',
  'limit',
  'fields',
] as const;

export const nodeList: CommandAction = apiCommand(async (session) => {
  await printList(session, {
    path: '/api/v1/node',
    query: queryOf(session, LIST_FLAGS),
    columns: [
      { name: 'id' },
      { name: 'state', text: (state, { drained }) => `${state}${drained === true ? ' (drained)' : ''}` },
      { name: 'host', path: 'hostName' },
      { name: 'type', path: 'instance.instanceType' },
      { name: 'zone', path: 'instance.zone' },
      { name: 'pay', path: 'instance.payType' },
      { name: 'cores' },
      { name: 'memory MB', path: 'memoryInMB' },
      { name: 'last heartbeat', path: 'lastHeartbeat' },
    ],
    alsoAsked: ['drained'],
  });
  return undefined;
});

export const nodeShow: CommandAction = apiCommand(async ({ client, screen, args: [id = ''] }) => {
  await printObject(screen, await client.text(`/api/v1/node/${segment(id)}`));
  return undefined;
});

export const nodeLogs: CommandAction = apiCommand(async (session) => {
  const { client, args, values } = session;
  const [id = '', file] = args;
  if (file === undefined) {
    const rowsOf = (paths: unknown) => (paths as string[]).map((path) => ({ file: fileOf(path) }));
    await printArray(session, `/api/v1/nodes/${segment(id)}/files`, [{ name: 'file' }], rowsOf);
    return undefined;
  }
  const isListed = [id, segment(id)].some((name) => file.startsWith(`/nodes/${name}/`));
  const path = isListed ? file : `/nodes/${segment(id)}/${pathOf(file)}`;
  const query = { ...queryOf(session, ['tail', 'q', 'job']), ...(values['follow'] ? { follow: 'true' } : {}) };
  await printBytes((await client.ask(path, { query })).bytes);
  return undefined;
});

/** The path on the worker of `/nodes/n1/var/log/a.log`. */
function fileOf(listed: string): string {
  return `/${listed.split('/').slice(3).map(decodeURIComponent).join('/')}`;
}

function pathOf(file: string): string {
  return file.replace(/^\/+/, '').split('/').map(encodeURIComponent).join('/');
}

export const nodeDrain: CommandAction = apiCommand(async ({ client, screen, args: [id = ''], values }) => {
  const method = values['undo'] ? 'DELETE' : 'POST';
  const text = await client.text(`/api/v1/node/${segment(id)}/drain`, { method });
  if (screen.form !== 'table') await printObject(screen, text);
  else await screen.print(values['undo'] ? `${id} takes jobs again\n` : `${id} is drained: it takes no new job\n`);
  return undefined;
});

export const nodeExplain: CommandAction = apiCommand(async (session) => {
  await printExplanation(session, `/api/v1/node/${segment(session.args[0] ?? '')}/explain`);
  return undefined;
});
