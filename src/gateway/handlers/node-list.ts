/** The list of worker nodes (endpoint 13, contract section 7): live state from the actors, ended nodes from the store. */
import { createHash } from 'node:crypto';
import { RowWriter } from '../../workers/rows/row-writer.ts';
import type { Headers } from '../call.ts';
import { namesEtag } from '../etag.ts';
import type { Handler } from '../handler.ts';
import { nextLink } from '../lists/next-link.ts';
import { nodePositionBytes } from '../lists/node-order.ts';
import { NODE_FIELDS, type NodeListRequest, nodeListRequestOf } from '../lists/node-parameters.ts';
import { type NodeRow, nodeRows } from '../lists/node-rows.ts';
import { CONTENT_TYPES } from '../lists/parameters.ts';

/** `instance` is spread over its fields. */
const CSV_COLUMNS = NODE_FIELDS.filter((field) => field !== 'instance');
/**
 * Characters of a list that are held before the first byte goes out. Up to here a list has an ETag, made from what it says,
 * and a Link: the next page is known. A longer one is sent as it comes.
 */
const HELD_MAX = 8 * 1024 * 1024;

export const listNodes: Handler = async ({ call }, { host }) => {
  const request = nodeListRequestOf(call.query, call.headers.accept);
  const rows = nodeRows(host, request);
  const held = await hold(rows, request.limit);
  const headers: Headers = [
    ['cache-control', 'no-cache'],
    ['vary', 'accept'],
    ...(held.isAll ? [['etag', etagOf(held.rows, call.rawQuery, request)] as const] : []),
    ...(held.next ? [nextLink(call, nodePositionBytes(held.next.place), request.scope)] : []),
  ];
  const etag = headers.find(([name]) => name === 'etag')?.[1];
  if (etag !== undefined && namesEtag(call.headers['if-none-match'], etag)) {
    call.send(304, '', '', headers);
    return;
  }
  await call.stream(200, CONTENT_TYPES[request.style.format], written(held, rows, request), headers);
};

interface Held {
  readonly rows: readonly NodeRow[];
  readonly isAll: boolean;
  /** The last row of the page, where another page follows. */
  readonly next: NodeRow | undefined;
}

async function hold(rows: AsyncGenerator<NodeRow>, limit: number | null): Promise<Held> {
  const held: NodeRow[] = [];
  let size = 0;
  // A page is held whole, however long: it has at most 10,000 rows, and Link stands before them.
  while (limit !== null || size < HELD_MAX) {
    const { done, value } = await rows.next();
    if (done) return { rows: held, isAll: true, next: undefined };
    if (held.length === limit) {
      await rows.return(undefined);
      return { rows: held, isAll: true, next: held.at(-1) };
    }
    held.push(value);
    size += value.json.length;
  }
  return { rows: held, isAll: false, next: undefined };
}

function etagOf(rows: readonly NodeRow[], rawQuery: string, { style }: NodeListRequest): string {
  const hash = createHash('sha256').update(JSON.stringify([rawQuery, style.format]));
  for (const { json } of rows) hash.update('\n').update(json);
  return `"${hash.digest('base64url').slice(0, 22)}"`;
}

async function* written(
  { rows, isAll }: Held,
  more: AsyncGenerator<NodeRow>,
  { style }: NodeListRequest,
): AsyncGenerator<Uint8Array> {
  const writer = new RowWriter(style, CSV_COLUMNS);
  for (const { json } of rows) {
    const chunk = writer.add(Buffer.from(json));
    if (chunk) yield chunk;
  }
  if (!isAll) {
    for await (const { json } of more) {
      const chunk = writer.add(Buffer.from(json));
      if (chunk) yield chunk;
    }
  }
  const rest = writer.end();
  if (rest.byteLength > 0) yield rest;
}
