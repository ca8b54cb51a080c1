/** The nodes of all shards by id: a merge of the pages that each shard's directory gives. */
import {
  compareIds,
  type DirectoryMessage,
  type NodeFilter,
  type NodeItem,
  type NodePage,
} from '../../actors/node/directory.ts';
import type { ShardHost } from '../../actors/shard/host/shard-host.ts';
import { askDirectory } from './find-node.ts';

/** Nodes of a page from one shard, and of a batch: bounded memory, few messages, and less than a millisecond of a thread. */
const PAGE = 500;

/**
 * Batches of nodes behind `after`; `wanted` is how many the caller will take, so that a short list asks for few. Between two
 * batches the thread does what else has come: a list of a million nodes must not keep one heartbeat waiting.
 */
export async function* nodesById(
  host: ShardHost,
  filter: NodeFilter,
  after: string,
  wanted: number,
): AsyncGenerator<readonly NodeItem[]> {
  const limit = Math.min(PAGE, wanted);
  const sources = await Promise.all(
    Array.from({ length: host.shardCount }, (_, shard) => PageSource.open(host, shard, filter, after, limit)),
  );
  for (;;) {
    const batch: NodeItem[] = [];
    let loading: Promise<void> | undefined;
    while (!loading && batch.length < PAGE) {
      const next = firstOf(sources);
      if (!next?.head) break;
      batch.push(next.head);
      loading = next.advance();
    }
    if (batch.length === 0) return;
    yield batch;
    await loading;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function firstOf(sources: readonly PageSource[]): PageSource | undefined {
  let first: PageSource | undefined;
  for (const source of sources) {
    if (source.head && (!first?.head || compareIds(source.head.id, first.head.id) < 0)) first = source;
  }
  return first;
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
