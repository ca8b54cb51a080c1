/** Server, access and node logs (endpoints 11, 12, 14, 15, and the upload of contract section 4). */
import { Transferred } from '../../actors/shard/wire/rpc.ts';
import { CodedError } from '../../base/errors.ts';
import { accessLogFileOf, type Config, logNameOf } from '../../protocol/config/config.ts';
import { jobOutputOf } from '../../protocol/job-output.ts';
import { isCleanText } from '../../protocol/text.ts';
import { isPlainFile, listNodeLogs } from '../../store/logs/node-log-files.ts';
import { type NodeLogName, nodeLogFile } from '../../store/logs/node-log-name.ts';
import { isLogOf } from '../../store/records/queue-node.ts';
import type { LogName, MainServices } from '../api/services.ts';
import { acceptsGzip } from '../http/accept.ts';
import { rangeOf } from '../http/byte-range.ts';
import type { HttpExchange } from '../http/exchange.ts';
import type { Headers } from '../http/headers.ts';
import { EMPTY_BLOCK, UncompressedGzip } from '../http/uncompressed-gzip.ts';
import { queuesSeenBy } from '../identity/access.ts';
import { findNode, mustSeeNode } from '../lists/find-node.ts';
import { type LogQuery, logQueryOf } from '../lists/log-query.ts';
import { endOf } from '../streams/follow-termination.ts';
import { OpenLog } from '../streams/open-log.ts';
import { Subscriber } from '../streams/waiters.ts';
import type { Handler, HandlerServices } from './handler.ts';

const TEXT_TYPE = 'text/plain; charset=utf-8';
const HEADERS: Headers = [['accept-ranges', 'bytes']];

/** The log that a path of the form /{log_name}.log or /{log_name}-access.log names now. */
export function serverLogOf(config: Config, path: string): { file: string; kind: 'server' | 'access' } | undefined {
  const name = logNameOf(config);
  if (path === `/${name}.log`) return { file: config.log.file, kind: 'server' };
  if (path === `/${name}-access.log`) return { file: accessLogFileOf(config), kind: 'access' };
  return undefined;
}

export const getServerLog: Handler = async ({ exchange }, services) => {
  const log = serverLogOf(services.host.shared.config, decodeURIComponent(exchange.path));
  if (log === undefined) throw new CodedError('notFound');
  const { file, kind } = log;
  const query = logQueryOf(exchange.query, kind);
  if (query.follow && exchange.method !== 'HEAD') await follow(exchange, { file, node: null }, query, services);
  else await sendLog(exchange, file, query, services, true);
};

export const getNodeFile: Handler = async ({ exchange, params }, services) => {
  const name = nameOf(params);
  const queues = queuesSeenBy(exchange.principal);
  if (queues) {
    await mustSeeNode(services.host, name.nodeId, queues);
    if (!isLogOf(services.host.reader, name.path, queues)) throw new CodedError('notFound');
  }
  const file = nodeLogFile(services.logFolder, name);
  if (!file || !(await isPlainFile(services.logFolder, name))) throw new CodedError('notFound');
  const query = logQueryOf(exchange.query);
  if (query.follow && exchange.method !== 'HEAD') await follow(exchange, { file, node: name }, query, services);
  else await sendLog(exchange, file, query, services, false);
};

/** A path is that on the worker, with its leading slash or without. */
function nameOf(params: Readonly<Record<string, string>>): NodeLogName {
  return { nodeId: params['id'] as string, path: (params['path'] as string).replace(/^\//, '') };
}

async function follow(
  exchange: HttpExchange,
  name: LogName,
  query: LogQuery,
  services: HandlerServices,
): Promise<void> {
  const subscriber = new Subscriber();
  exchange.onAbort(() => subscriber.end());
  const bytes = services.logs.follow(name, query, subscriber, endOf(services.host, name, query.job));
  // Proxies that collect answers would hold lines back.
  const headers: Headers = [
    ['x-accel-buffering', 'no'],
    ['vary', 'accept-encoding'],
  ];
  if (!acceptsGzip(exchange.headers['accept-encoding'])) {
    await exchange.stream(200, TEXT_TYPE, bytes, headers);
    return;
  }
  const gzip = new UncompressedGzip();
  await exchange.stream(200, TEXT_TYPE, stored(bytes, gzip), [...headers, ['content-encoding', 'gzip']], {
    filler: EMPTY_BLOCK,
    last: () => gzip.end(),
  });
}

async function* stored(chunks: AsyncIterable<Uint8Array>, gzip: UncompressedGzip): AsyncGenerator<Uint8Array> {
  let isFirst = true;
  for await (const chunk of chunks) {
    if (isFirst) yield gzip.head();
    if (chunk.byteLength > 0) yield gzip.bytes(chunk);
    else if (!isFirst) yield EMPTY_BLOCK;
    isFirst = false;
  }
}

async function sendLog(
  exchange: HttpExchange,
  file: string,
  query: LogQuery,
  { main }: HandlerServices,
  emptyIfMissing: boolean,
): Promise<void> {
  const log = await OpenLog.open(file);
  // A log that has no line yet is empty, not missing.
  if (!log && !emptyIfMissing) throw new CodedError('notFound');
  try {
    if (query.tail !== null || query.texts.length > 0) await sendLines(exchange, log, query, main);
    else await sendBytes(exchange, log, main);
  } finally {
    log?.release();
  }
}

/** The whole file, or the range that is asked for. */
async function sendBytes(exchange: HttpExchange, log: OpenLog | undefined, main: MainServices): Promise<void> {
  const size = log?.size ?? 0;
  // We give no validator, so none that comes with a range can be ours: the whole is sent (RFC 9110, 13.1.5).
  const range = exchange.headers['if-range'] === '' ? rangeOf(exchange.headers.range, size) : undefined;
  if (range === 'unsatisfiable') {
    exchange.fail({ name: 'rangeNotSatisfiable', fields: { size } }, [['content-range', `bytes */${size}`]]);
    return;
  }
  const { from, to } = range ?? { from: 0, to: size };
  const headers: Headers = range ? [...HEADERS, ['content-range', `bytes ${from}-${to - 1}/${size}`]] : HEADERS;
  const status = range ? 206 : 200;
  if (!log || from === to) exchange.send(status, TEXT_TYPE, '', headers);
  else
    await exchange.stream(status, TEXT_TYPE, log.read(main, from, to, { givesBack: true }), headers, {
      size: to - from,
    });
}

/** Lines are counted or chosen, so the size is not known before, and a range means nothing. */
async function sendLines(
  exchange: HttpExchange,
  log: OpenLog | undefined,
  query: LogQuery,
  main: MainServices,
): Promise<void> {
  const { tail, texts } = query;
  const start = log && tail !== null ? (await log.tail(main, tail, texts)).start : 0;
  if (!log || start === log.size) exchange.send(200, TEXT_TYPE, '', HEADERS);
  else await exchange.stream(200, TEXT_TYPE, log.read(main, start, log.size, { texts, givesBack: true }), HEADERS);
}

export const listNodeFiles: Handler = async ({ exchange, params }, { host, logFolder }) => {
  const id = params['id'] as string;
  const queues = queuesSeenBy(exchange.principal);
  await mustSeeNode(host, id, queues);
  const files = await listNodeLogs(logFolder, id);
  const isSeen = (file: string): boolean =>
    !queues || isLogOf(host.reader, file.split('/').slice(3).map(decodeURIComponent).join('/'), queues);
  exchange.json(200, files.filter(isSeen));
};

/** Only what a job wrote is ever taken back: it is written again by the copy that was restored. */
function isCut(sent: string | null, path: string): boolean {
  if (sent === null || sent === 'false') return false;
  if (sent !== 'true') throw new CodedError('invalid', undefined, { cut: 'is not true or false' });
  if (!jobOutputOf(path))
    throw new CodedError('invalid', undefined, { cut: 'is only for …/jobs/{job id}/stdout.log and stderr.log' });
  return true;
}

export const appendNodeFile: Handler = async ({ exchange, params, body }, { host, main, logFolder, crossing }) => {
  const { nodeId, path } = nameOf(params);
  const offset = exchange.query.get('offset') ?? '';
  if (!/^\d{1,15}$/.test(offset))
    throw new CodedError('invalid', undefined, { offset: 'is not a whole number of bytes' });
  if (!nodeLogFile(logFolder, { nodeId, path }) || !(await findNode(host, nodeId))) throw new CodedError('notFound');
  const cut = isCut(exchange.query.get('cut'), path);
  if (!isCleanText(path)) throw new CodedError('invalid', undefined, { path: 'holds a control character' });
  const sent = (body as Buffer | undefined) ?? Buffer.alloc(0);
  const size = sent.byteLength;
  if (!crossing.take(size))
    throw new CodedError('overloaded', 'log chunks that are waiting for the disk use all the memory reserved for them');
  try {
    // Copied into a buffer of its own, which is handed over: a small body may be a part of a shared pool.
    const bytes = Uint8Array.from(sent);
    const chunk = new Transferred(bytes, [bytes.buffer]) as unknown as Uint8Array;
    exchange.json(200, { size: await main.appendNodeLog(nodeId, path, Number(offset), chunk, cut) });
  } finally {
    crossing.give(size);
  }
};
