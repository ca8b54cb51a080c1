/** Worker nodes: registration and lists (endpoint 13, contract section 4). */

import {
  compareIds,
  type DirectoryMessage,
  type NodeFilter,
  type NodeItem,
  type NodePage,
} from '../../actors/node/directory.ts';
import { nodeAddress } from '../../actors/node/messages.ts';
import { addressOf } from '../../actors/runtime/address.ts';
import { DIRECTORY, shardOf } from '../../actors/thread/placement.ts';
import type { ShardHost } from '../../actors/thread/shard-host.ts';
import { CodedError } from '../../base/errors.ts';
import { idSchema } from '../../protocol/id.ts';
import { factsOf, NODE_STATES, nodeRegistrationSchema } from '../../protocol/node.ts';
import { cutLongTexts } from '../../protocol/text.ts';
import { validate } from '../body.ts';
import type { Principal } from '../call.ts';
import type { Handler, HandlerServices } from '../handler.ts';

export const registerNode: Handler = async ({ call, params, body }, { host, main, bearer }) => {
  const id = mustBeId(params['id'] as string);
  const warnings: string[] = [];
  const sent = validate(nodeRegistrationSchema, cutLongTexts(body, warnings));
  if (sent.id !== undefined && sent.id !== null && sent.id !== id) {
    throw new CodedError('invalid', undefined, { id: 'differs from the id in the path' });
  }
  const reply = await host.ask(nodeAddress(id), { type: 'register', facts: factsOf(id, sent) });
  const token = await newTokenFor(id, await bearer(call), main);
  call.json(200, { id, ...reply, ...(token ? { token } : {}), ...(warnings.length > 0 ? { warnings } : {}) });
};

/** A join brings the node its own token, and a token that came so is renewed by registering again. */
async function newTokenFor(
  id: string,
  bearer: Principal | undefined,
  main: HandlerServices['main'],
): Promise<string | undefined> {
  const renews = bearer?.kind === 'node' && bearer.nodeId === id && bearer.isRenewable === true;
  return bearer?.kind === 'join' || renews ? main.ownNodeToken(id) : undefined;
}

export const deregisterNode: Handler = async ({ call, params }, { host }) => {
  const id = params['id'] as string;
  if (!idSchema.safeParse(id).success) throw new CodedError('notFound');
  await host.ask(nodeAddress(id), { type: 'deregister' });
  call.json(200, { id });
};

export const getNode: Handler = async ({ call, params }, { host }) => {
  const item = await findNode(host, params['id'] as string);
  if (!item) throw new CodedError('notFound');
  call.send(200, 'application/json; charset=utf-8', item.json, [['cache-control', 'no-cache']]);
};

export const listNodes: Handler = async ({ call }, { host }) => {
  const filter = filterOf(call.query);
  await call.stream(200, 'application/json; charset=utf-8', listJson(host, filter), [['cache-control', 'no-cache']]);
};

export function mustBeId(id: string): string {
  const result = idSchema.safeParse(id);
  if (!result.success)
    throw new CodedError('invalid', undefined, { id: result.error.issues[0]?.message ?? 'is not an id' });
  return id;
}

export async function findNode(host: ShardHost, id: string): Promise<NodeItem | null> {
  if (!idSchema.safeParse(id).success) return null;
  const shard = shardOf(nodeAddress(id), host.shardCount);
  return (await askDirectory(host, shard, { type: 'one', id })) as NodeItem | null;
}

const STATES = ['running', 'all', ...NODE_STATES];

function filterOf(query: URLSearchParams): NodeFilter {
  const state = query.get('state') ?? 'running';
  if (!STATES.includes(state))
    throw new CodedError('invalid', undefined, { state: `is not one of ${STATES.join(', ')}` });
  const texts: Record<string, string> = {};
  for (const name of ['cloud', 'zone', 'instanceType', 'payType', 'q']) {
    const value = query.get(name);
    if (value !== null) texts[name] = value;
  }
  return { state: state as NodeFilter['state'], ...texts };
}

/** Nodes of a page from one shard: bounded memory, few messages. */
const PAGE = 500;

function askDirectory(host: ShardHost, shard: number, message: DirectoryMessage): Promise<unknown> {
  return host.ask(addressOf(DIRECTORY, String(shard)), message as never);
}

/** The shards' nodes as one JSON array by id: a merge of their pages. */
async function* listJson(host: ShardHost, filter: NodeFilter): AsyncGenerator<Uint8Array> {
  const sources = await Promise.all(
    Array.from({ length: host.shardCount }, (_, shard) => PageSource.open(host, shard, filter)),
  );
  let parts: string[] = [];
  let first = true;
  for (;;) {
    let next: PageSource | undefined;
    for (const source of sources) {
      if (source.head && (!next?.head || compareIds(source.head.id, next.head.id) < 0)) next = source;
    }
    if (!next?.head) break;
    parts.push(first ? '[' : ',', next.head.json);
    first = false;
    const loaded = next.advance();
    if (parts.length >= 2 * PAGE) {
      yield Buffer.from(parts.join(''));
      parts = [];
    }
    if (loaded) await loaded;
  }
  yield Buffer.from(`${parts.join('')}${first ? '[]' : ']'}`);
}

class PageSource {
  head: NodeItem | undefined;
  readonly #host: ShardHost;
  readonly #shard: number;
  readonly #filter: NodeFilter;
  #page: NodePage = { items: [], more: true, last: '' };
  #at = 0;

  private constructor(host: ShardHost, shard: number, filter: NodeFilter) {
    this.#host = host;
    this.#shard = shard;
    this.#filter = filter;
  }

  static async open(host: ShardHost, shard: number, filter: NodeFilter): Promise<PageSource> {
    const source = new PageSource(host, shard, filter);
    await source.#load();
    return source;
  }

  /** Goes to the next node; a promise where a page has to come first. */
  advance(): Promise<void> | undefined {
    this.head = this.#page.items[++this.#at];
    return this.head || !this.#page.more ? undefined : this.#load();
  }

  async #load(): Promise<void> {
    do {
      const message: DirectoryMessage = { type: 'page', filter: this.#filter, after: this.#page.last, limit: PAGE };
      this.#page = (await askDirectory(this.#host, this.#shard, message)) as NodePage;
    } while (this.#page.items.length === 0 && this.#page.more);
    this.#at = 0;
    this.head = this.#page.items[0];
  }
}
