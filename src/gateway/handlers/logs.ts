/** Server, access and node logs (endpoints 11, 12, 14, 15, and the upload of contract section 4). */
import { stat } from 'node:fs/promises';
import { CodedError } from '../../base/errors.ts';
import { accessLogFileOf, type Config, logNameOf } from '../../protocol/config.ts';
import { isPlainFile, listNodeLogs, nodeLogFile } from '../../store/node-log-files.ts';
import { type ByteRange, rangeOf } from '../byte-range.ts';
import type { Call, Headers } from '../call.ts';
import type { Handler, HandlerServices } from '../handler.ts';
import { streamOf } from '../streams.ts';
import { findNode } from './nodes.ts';

const TEXT_TYPE = 'text/plain; charset=utf-8';

/** The file that a path of the form /{log_name}.log or /{log_name}-access.log names now. */
export function serverLogFile(config: Config, path: string): string | undefined {
  const name = logNameOf(config);
  if (path === `/${name}.log`) return config.log.file;
  if (path === `/${name}-access.log`) return accessLogFileOf(config);
  return undefined;
}

export const getServerLog: Handler = async ({ call }, services) => {
  const file = serverLogFile(services.host.shared.config, decodeURIComponent(call.path));
  if (file === undefined) throw new CodedError('notFound');
  // A log that has no line yet is empty, not missing.
  await sendLog(call, file, services, true);
};

export const getNodeFile: Handler = async ({ call, params }, services) => {
  const name = { nodeId: params['id'] as string, path: params['path'] as string };
  const file = nodeLogFile(services.logFolder, name);
  if (!file || !(await isPlainFile(services.logFolder, name))) throw new CodedError('notFound');
  await sendLog(call, file, services, false);
};

async function sendLog(call: Call, file: string, { main }: HandlerServices, emptyIfMissing: boolean): Promise<void> {
  const size = await stat(file).then(
    (stats) => stats.size,
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' && emptyIfMissing) return 0;
      throw error.code === 'ENOENT' ? new CodedError('notFound') : error;
    },
  );
  const range = rangeOf(call.headers.range, size);
  if (range === 'unsatisfiable') {
    call.fail({ name: 'rangeNotSatisfiable', fields: { size } }, [['content-range', `bytes */${size}`]]);
    return;
  }
  const { from, to }: ByteRange = range ?? { from: 0, to: size };
  const headers: Headers = [
    ['accept-ranges', 'bytes'],
    ['cache-control', 'no-cache'],
    ...(range ? [['content-range', `bytes ${from}-${to - 1}/${size}`] as const] : []),
  ];
  const status = range ? 206 : 200;
  if (from === to) call.send(status, TEXT_TYPE, '', headers);
  else await call.stream(status, TEXT_TYPE, streamOf(main, { type: 'logRead', file, from, to }), headers, to - from);
}

export const listNodeFiles: Handler = async ({ call, params }, { host, logFolder }) => {
  const id = params['id'] as string;
  if (!(await findNode(host, id))) throw new CodedError('notFound');
  call.json(200, await listNodeLogs(logFolder, id));
};

export const appendNodeFile: Handler = async ({ call, params, body }, { host, main, logFolder }) => {
  const nodeId = params['id'] as string;
  const path = params['path'] as string;
  const offset = call.query.get('offset') ?? '';
  if (!/^\d{1,15}$/.test(offset))
    throw new CodedError('invalid', undefined, { offset: 'is not a whole number of bytes' });
  if (!nodeLogFile(logFolder, { nodeId, path }) || !(await findNode(host, nodeId))) throw new CodedError('notFound');
  // Copied into a buffer of its own: a small body may be a part of a shared pool.
  const bytes = Uint8Array.from((body as Buffer | undefined) ?? []);
  call.json(200, { size: await main.appendNodeLog(nodeId, path, Number(offset), bytes) });
};
