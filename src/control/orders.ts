/**
 * Orders that wait for their nodes, on main: on disk before they are answered, and with every shard, which adds them to the
 * replies to heartbeats. They go when a heartbeat says that they are done, when a later one makes them void, or after a day.
 */
import { randomUUID } from 'node:crypto';
import type { Write } from '../actors/runtime/behaviour.ts';
import type { Clock } from '../base/clock.ts';
import { ORDERS_MAX, type Order } from '../protocol/order.ts';
import { textKey } from '../store/kv/keys.ts';
import type { Reader } from '../store/kv/store.ts';

export interface OrdersHost {
  readonly reader: Reader;
  readonly clock: Clock;
  readonly commit: (writes: readonly Write[]) => Promise<void>;
  /** Every shard knows them when it resolves. */
  readonly publish: () => Promise<void>;
}

interface StoredOrder extends Order {
  readonly atMs: number;
}

const KEY = textKey('orders');
const KEPT_MS = 86_400_000;

export class Orders {
  readonly #host: OrdersHost;
  #orders: readonly StoredOrder[];
  #turns: Promise<unknown> = Promise.resolve();

  constructor(host: OrdersHost) {
    this.#host = host;
    host.reader.refresh();
    const stored = host.reader.get('meta', KEY);
    this.#orders = stored ? (JSON.parse(Buffer.from(stored).toString('utf8')) as StoredOrder[]) : [];
  }

  get byNode(): ReadonlyMap<string, readonly Order[]> {
    const nodes = new Map<string, Order[]>();
    for (const { atMs: _, ...order } of this.#orders) {
      const orders = nodes.get(order.node);
      if (orders) orders.push(order);
      else nodes.set(order.node, [order]);
    }
    return nodes;
  }

  /** The order; one that is the same and still waits is not repeated. */
  give(type: Order['type'], node: string, job?: string): Promise<Order> {
    return this.#oneAtATime(async () => {
      const same = this.#orders.find((order) => order.node === node && order.type === type && order.job === job);
      if (same) return same;
      const order = { id: randomUUID(), type, node, ...(job === undefined ? {} : { job }) };
      // Of a drain and its undoing only the later one counts.
      const isVoid = (other: StoredOrder): boolean =>
        job === undefined && other.node === node && other.job === undefined;
      await this.#set([
        ...this.#orders.filter((other) => !isVoid(other)),
        { ...order, atMs: this.#host.clock.wallMs() },
      ]);
      return order;
    });
  }

  done(ids: readonly string[]): Promise<void> {
    return this.#oneAtATime(async () => {
      const left = this.#orders.filter(({ id }) => !ids.includes(id));
      if (left.length < this.#orders.length) await this.#set(left);
    });
  }

  async #set(orders: readonly StoredOrder[]): Promise<void> {
    const sinceMs = this.#host.clock.wallMs() - KEPT_MS;
    const kept = orders.filter(({ atMs }) => atMs >= sinceMs).slice(-ORDERS_MAX);
    await this.#host.commit([{ table: 'meta', key: KEY, value: textKey(JSON.stringify(kept)) }]);
    this.#orders = kept;
    await this.#host.publish();
  }

  #oneAtATime<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#turns.catch(() => {}).then(run);
    this.#turns = turn;
    return turn;
  }
}
