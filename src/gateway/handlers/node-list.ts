/** The list of worker nodes (endpoint 13, contract section 7): live state from the actors, ended nodes from the store. */
import { createHash, type Hash } from 'node:crypto';
import type { NodeItem } from '../../actors/node/directory.ts';
import { RowWriter } from '../../workers/rows/row-writer.ts';
import { namesEtag } from '../http/etag.ts';
import type { Headers } from '../http/headers.ts';
import { queuesSeenBy } from '../identity/access.ts';
import { nextLink } from '../lists/next-link.ts';
import { nodePositionBytes, placeOfNode } from '../lists/node-order.ts';
import { NODE_FIELDS, nodeListRequestOf } from '../lists/node-parameters.ts';
import { nodeRows } from '../lists/node-rows.ts';
import { CONTENT_TYPES } from '../lists/parameters.ts';
import type { Handler } from './handler.ts';

/** `instance` is spread over its fields; what few nodes have is asked for by `fields`. */
const CSV_COLUMNS = NODE_FIELDS.filter((field) => !['instance', 'drained', 'interruption', 'endedAt'].includes(field));
/**
 * Characters of a list that are held before the first byte goes out, about 4,000 nodes. Up to here a list has an ETag, made
 * from what it says. A longer one is sent as it comes.
 */
const HELD_MAX = 2 * 1024 * 1024;

export const listNodes: Handler = async ({ exchange }, { host }) => {
  const request = nodeListRequestOf(exchange.query, exchange.headers.accept);
  const { style, order, limit, scope } = request;
  const batches = nodeRows(host, request, queuesSeenBy(exchange.principal));
  const hash = createHash('sha256').update(JSON.stringify([exchange.rawQuery, style.format]));
  const held = await hold(batches, limit, hash);
  // A page that was the last one says something else when another follows, though its rows are the same.
  hash.update(held.next ? 'more' : 'last');
  const etag = held.isAll ? `"${hash.digest('base64url').slice(0, 22)}"` : undefined;
  const next = held.next && nodePositionBytes(placeOfNode(held.next.json, held.next.id, order));
  const headers: Headers = [
    ['vary', 'accept'],
    ...(etag === undefined ? [] : [['etag', etag] as const]),
    ...(next ? [nextLink(exchange, next, scope)] : []),
  ];
  if (etag !== undefined && namesEtag(exchange.headers['if-none-match'], etag)) {
    exchange.send(304, '', '', headers);
    return;
  }
  const writer = new RowWriter(style, CSV_COLUMNS);
  await exchange.stream(200, CONTENT_TYPES[style.format], written(held, batches, writer), headers);
};

interface Held {
  readonly rows: readonly NodeItem[];
  readonly isAll: boolean;
  /** The last row of the page, where another page follows. */
  readonly next: NodeItem | undefined;
}

/** A page is held whole, however long: it has at most 10,000 rows, and Link stands before them. */
async function hold(batches: AsyncGenerator<readonly NodeItem[]>, limit: number | null, hash: Hash): Promise<Held> {
  const rows: NodeItem[] = [];
  let size = 0;
  while (limit !== null || size < HELD_MAX) {
    const { done, value } = await batches.next();
    if (done) return { rows, isAll: true, next: undefined };
    const room = limit === null ? value.length : limit - rows.length;
    const taken = value.slice(0, room);
    for (const row of taken) {
      rows.push(row);
      size += row.json.length;
    }
    // The same text wherever batches end: that differs between two walks over the same nodes.
    hash.update(taken.map(({ json }) => `${json}\n`).join(''));
    if (value.length > room) {
      await batches.return(undefined);
      return { rows, isAll: true, next: rows.at(-1) };
    }
  }
  return { rows, isAll: false, next: undefined };
}

async function* written(
  { rows, isAll }: Held,
  more: AsyncGenerator<readonly NodeItem[]>,
  writer: RowWriter,
): AsyncGenerator<Uint8Array> {
  yield* chunksOf(rows, writer);
  if (!isAll) for await (const batch of more) yield* chunksOf(batch, writer);
  const rest = writer.end();
  if (rest.byteLength > 0) yield rest;
}

function* chunksOf(rows: readonly NodeItem[], writer: RowWriter): Generator<Uint8Array> {
  for (const { json } of rows) {
    const chunk = writer.add(json);
    if (chunk) yield chunk;
  }
}
