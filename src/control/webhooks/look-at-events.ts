/** Follows the event log for the webhooks: what one of them wants becomes a row that waits for delivery. */
import type { Write } from '../../actors/runtime/behaviour.ts';
import type { PublicEvent } from '../../protocol/event.ts';
import { eventBounds, readEvents } from '../../store/commit/event-log.ts';
import type { Reader } from '../../store/kv/store.ts';
import { type WebhookQueue, writeOf } from './webhook-queue.ts';

/** Events looked at in one step, so that main's event loop is not held. */
const LOOKED_MAX = 500;
/** A place without an event for the webhook is written down after so many; after a start the log is looked through from there. */
const SEEN_STEP = 10_000;

interface Wanted {
  readonly queue: WebhookQueue;
  readonly position: number;
  readonly event: PublicEvent;
}

/**
 * One step; whether there is more. The rows and the place up to which a webhook has looked are one transaction. `commit`
 * resolves when it is durable.
 */
export async function lookAtEvents(
  queues: readonly WebhookQueue[],
  reader: Reader,
  nowMs: number,
  commit: (writes: readonly Write[]) => Promise<void>,
): Promise<boolean> {
  if (queues.length === 0) return false;
  reader.refresh();
  const { first, last } = eventBounds(reader);
  const places = new Map(queues.map((queue) => [queue, Math.max(queue.place, first - 1)]));
  const wanted: Wanted[] = [];
  for (const { position, event } of readEvents(reader, 1 + Math.min(...places.values()), LOOKED_MAX)) {
    for (const [queue, place] of places) {
      if (position <= place) continue;
      places.set(queue, position);
      if (event && queue.wants(event, reader)) wanted.push({ queue, position, event });
    }
  }
  const isLooking = new Set(wanted.map(({ queue }) => queue));
  const moved = [...places].flatMap(([queue, place]) => {
    const { seen, lost } = queue.webhook;
    // Trimmed from the log before it was looked at.
    const missed = Math.max(0, first - 1 - queue.place);
    const isWorthIt = isLooking.has(queue) || missed > 0 || place >= seen + SEEN_STEP;
    return isWorthIt ? [{ queue, webhook: { ...queue.webhook, seen: place, lost: lost + missed } }] : [];
  });
  const rows = wanted.map(({ queue, position, event }) => queue.row(position, event, nowMs));
  const writes = [...rows, ...moved.map(({ webhook }) => writeOf(webhook))];
  if (writes.length > 0) await commit(writes);
  for (const { queue, webhook } of moved) queue.webhook = webhook;
  for (const [queue, place] of places) queue.place = place;
  const tooMany = wanted.flatMap(({ queue, position, event }) => queue.enter(position, event, nowMs, reader));
  if (tooMany.length > 0) await commit(tooMany);
  return Math.min(...places.values()) < last;
}
