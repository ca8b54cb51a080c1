/** Orders with the replies to heartbeats. While none waits, which is nearly always, nobody looks at a beat for them. */
import type { ShardHost } from '../../actors/shard/host/shard-host.ts';
import { ORDERS_DONE_MAX, type Order } from '../../protocol/order.ts';
import type { BatchDone, HeartbeatServices } from './services.ts';

/** What waits for the node; undefined where nothing does. */
export function ordersOf({ shared }: ShardHost, node: string): readonly Order[] | undefined {
  return shared.orders.size === 0 ? undefined : shared.orders.get(node);
}

/**
 * `orders` for a reply to a node that says which of them are done; those are gone when it resolves. Never rejects, for the
 * beat is taken: orders that cannot be had come with the next reply.
 */
export async function ordersFor(
  { host, main, lateOrders }: Pick<HeartbeatServices, 'host' | 'main' | 'lateOrders'>,
  node: string,
  done: readonly string[] | null | undefined,
): Promise<{ readonly orders?: readonly Order[] }> {
  const waiting = ordersOf(host, node);
  if (!waiting) return {};
  const known = waiting.filter(({ id }) => done?.includes(id)).map(({ id }) => id);
  try {
    if (known.length > 0) await main.ordersDone(known);
  } catch (error) {
    lateOrders.note(error, host.clock.monotonicMs());
    return {};
  }
  const left = waiting.filter(({ id }) => !known.includes(id));
  return left.length > 0 ? { orders: left } : {};
}

/** The answer to a batch, with the orders for its nodes. */
export function withOrders(body: unknown, services: HeartbeatServices, done: BatchDone): BatchDone {
  if (services.host.shared.orders.size === 0 || !Array.isArray(body)) return done;
  return (failure, reply) => {
    if (!reply) done(failure, reply);
    else void collect(body, services).then((orders) => done(null, orders.length > 0 ? { ...reply, orders } : reply));
  };
}

async function collect(beats: readonly unknown[], services: HeartbeatServices): Promise<Order[]> {
  const waiting = new Map<string, string[]>();
  for (const beat of beats) {
    const { id, done } = (beat ?? {}) as { readonly id?: unknown; readonly done?: unknown };
    if (typeof id !== 'string' || !ordersOf(services.host, id)) continue;
    const ids = Array.isArray(done) ? done.slice(0, ORDERS_DONE_MAX).filter((one) => typeof one === 'string') : [];
    waiting.set(id, [...(waiting.get(id) ?? []), ...ids]);
  }
  const found = await Promise.all([...waiting].map(([id, ids]) => ordersFor(services, id, ids)));
  return found.flatMap(({ orders = [] }) => orders);
}
