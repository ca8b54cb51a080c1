/** The nodes of all shards by id: a merge of the pages that each shard's directory gives. */
import {
  compareIds,
  type DirectoryMessage,
  type NodeFilter,
  type NodeItem,
  type NodePage,
} from '../../actors/node/directory.ts';
import type { ShardHost } from '../../actors/thread/shard-host.ts';
import { askDirectory } from '../handlers/nodes.ts';

/** Nodes of a page from one shard: bounded memory, few messages, and less than a millisecond of the shard's time. */
const PAGE = 500;

/** Behind `after`; `wanted` is how many the caller will take, so that a short list asks for few. */
export async function* nodesById(
  host: ShardHost,
  filter: NodeFilter,
  after: string,
  wanted: number,
): AsyncGenerator<NodeItem> {
  const page = Math.min(PAGE, wanted);
  const sources = await Promise.all(
    Array.from({ length: host.shardCount }, (_, shard) => PageSource.open(host, shard, filter, after, page)),
  );
  for (;;) {
    let next: PageSource | undefined;
    for (const source of sources) {
      if (source.head && (!next?.head || compareIds(source.head.id, next.head.id) < 0)) next = source;
    }
    if (!next?.head) return;
    yield next.head;
    const loaded = next.advance();
    if (loaded) await loaded;
  }
}

class PageSource {
  head: NodeItem | undefined;
  readonly #host: ShardHost;
  readonly #shard: number;
  readonly #filter: NodeFilter;
  readonly #limit: number;
  #page: NodePage;
  #at = 0;

  private constructor(host: ShardHost, shard: number, filter: NodeFilter, after: string, limit: number) {
    this.#host = host;
    this.#shard = shard;
    this.#filter = filter;
    this.#limit = limit;
    this.#page = { items: [], more: true, last: after };
  }

  static async open(
    host: ShardHost,
    shard: number,
    filter: NodeFilter,
    after: string,
    limit: number,
  ): Promise<PageSource> {
    const source = new PageSource(host, shard, filter, after, limit);
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
      const after = this.#page.last;
      const message: DirectoryMessage = { type: 'page', filter: this.#filter, after, limit: this.#limit };
      this.#page = (await askDirectory(this.#host, this.#shard, message)) as NodePage;
    } while (this.#page.items.length === 0 && this.#page.more);
    this.#at = 0;
    this.head = this.#page.items[0];
  }
}
