/**
 * Orders that wait for their nodes, on main: on disk before they are answered, and with every shard, which adds them to the
 * replies to heartbeats. They go when a heartbeat says that they are done, when a later one makes them void, or after a day. One to
 * save a job stays for its readers when its node has taken it, until the next one for that job.
 */
import { randomUUID } from 'node:crypto';
import type { Write } from '../actors/runtime/behaviour.ts';
import type { Clock } from '../base/clock.ts';
import { type CheckpointOrder, ORDERS_MAX, type Order } from '../protocol/order.ts';
import { formatTimestampMs } from '../protocol/timestamp.ts';
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
  /** Of one to save a job, when its node had taken it; absent while it waits. */
  readonly takenMs?: number;
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
    for (const { atMs: _, ...order } of this.#orders.filter(isWaiting)) {
      const orders = nodes.get(order.node);
      if (orders) orders.push(order);
      else nodes.set(order.node, [order]);
    }
    return nodes;
  }

  /** The last order to save that job; null without one in a day. */
  checkpointOf(job: string): CheckpointOrder | null {
    const sinceMs = this.#host.clock.wallMs() - KEPT_MS;
    const order = this.#orders.findLast((one) => one.type === 'checkpoint' && one.job === job && one.atMs >= sinceMs);
    if (!order) return null;
    const { node, atMs, takenMs } = order;
    return {
      node,
      orderedAt: formatTimestampMs(atMs),
      takenAt: takenMs === undefined ? null : formatTimestampMs(takenMs),
    };
  }

  /** The order; one that is the same and still waits is not repeated. */
  give(type: Order['type'], node: string, job?: string): Promise<Order> {
    return this.#oneAtATime(async () => {
      const wanted = { type, node, ...(job === undefined ? {} : { job }) };
      const same = this.#orders.find(
        (order) => isWaiting(order) && order.node === node && order.type === type && order.job === job,
      );
      if (same) return { id: same.id, ...wanted };
      const order = { id: randomUUID(), ...wanted };
      // Of a drain and its undoing only the later one counts.
      const isVoid = (other: StoredOrder): boolean =>
        job === undefined ? other.node === node && other.job === undefined : other.job === job && !isWaiting(other);
      await this.#set([
        ...this.#orders.filter((other) => !isVoid(other)),
        { ...order, atMs: this.#host.clock.wallMs() },
      ]);
      return order;
    });
  }

  done(ids: readonly string[]): Promise<void> {
    return this.#oneAtATime(async () => {
      const takenMs = this.#host.clock.wallMs();
      const isDone = (order: StoredOrder): boolean => isWaiting(order) && ids.includes(order.id);
      if (!this.#orders.some(isDone)) return;
      await this.#set(
        this.#orders.flatMap((order) =>
          !isDone(order) ? [order] : order.type === 'checkpoint' ? [{ ...order, takenMs }] : [],
        ),
      );
    });
  }

  async #set(orders: readonly StoredOrder[]): Promise<void> {
    const sinceMs = this.#host.clock.wallMs() - KEPT_MS;
    const recent = orders.filter(({ atMs }) => atMs >= sinceMs);
    const takenFirst = recent.toSorted((a, b) => Number(isWaiting(a)) - Number(isWaiting(b)));
    const surplus = new Set(takenFirst.slice(0, Math.max(0, recent.length - ORDERS_MAX)));
    // The last one of a job stays its last.
    const kept = recent.filter((order) => !surplus.has(order));
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

function isWaiting({ takenMs }: StoredOrder): boolean {
  return takenMs === undefined;
}
