/** One webhook with what it has to deliver: the rows on disk and their places in memory, changed together. */
import type { Write } from '../../actors/runtime/behaviour.ts';
import type { PublicEvent } from '../../protocol/event.ts';
import { formatTimestampMs } from '../../protocol/timestamp.ts';
import { DELIVERIES_SHOWN, type Delivery, type Webhook, type WebhookDetail } from '../../protocol/webhook.ts';
import type { Reader } from '../../store/kv/store.ts';
import { readNodePrice } from '../../store/records/node-record.ts';
import {
  decodeDelivery,
  deliveryKey,
  encodeDelivery,
  encodeWebhook,
  type StoredDelivery,
  type StoredWebhook,
  webhookKey,
} from '../../store/records/webhook-record.ts';
import { subjectOf } from './message.ts';
import { Outbox } from './outbox.ts';

export class WebhookQueue {
  readonly outbox = new Outbox();
  webhook: StoredWebhook;
  /** Position of the last event that it has looked at; `webhook.seen` on disk may be behind it. */
  place: number;
  readonly #deliveries: Delivery[] = [];
  /** To the address that it has now. */
  #last: Delivery | null = null;

  constructor(webhook: StoredWebhook) {
    this.webhook = webhook;
    this.place = webhook.seen;
  }

  /** What is in the store after a start. */
  restore(position: number, { key, sinceMs, isSetAside }: StoredDelivery): void {
    if (isSetAside) this.outbox.noteAside(position);
    else this.outbox.add(position, key, sinceMs);
  }

  get isPaused(): boolean {
    return this.webhook.isPaused === true;
  }

  wants(event: PublicEvent, reader: Reader): boolean {
    const { types, queue, job, node, eventTypes } = this.webhook;
    return (
      (types as readonly string[]).includes(event.type) &&
      (queue === null || event.queue === queue) &&
      (job === null || event.job === job) &&
      (!eventTypes || isOneOf(event, eventTypes)) &&
      // Job events name a node by its instance id or by its id.
      (node === null || event.node === node || readNodePrice(reader, event.node)?.nodeId === node)
    );
  }

  /** The row of an event that is to be delivered; once it is durable the event may `enter`. */
  row(position: number, event: PublicEvent, sinceMs: number): Write {
    const { type, timeMs, json } = event;
    const delivery = { key: keyOfEvent(event), type, timeMs, json, sinceMs, isSetAside: false };
    return this.#row(position, encodeDelivery(delivery));
  }

  /** The writes that set aside the oldest, if too much waits. */
  enter(position: number, event: PublicEvent, sinceMs: number, reader: Reader): Write[] {
    return this.#setAside(this.outbox.add(position, keyOfEvent(event), sinceMs), reader);
  }

  /** The writes that set aside what has waited since before `beforeMs`. */
  expire(beforeMs: number, reader: Reader): Write[] {
    return this.#setAside(this.outbox.expire(beforeMs), reader);
  }

  /** The writes by which what was set aside waits again. `entered` is told of it when they are durable. */
  *takeBack(sinceMs: number, reader: Reader): Iterable<{ write: Write; position: number; delivery: StoredDelivery }> {
    for (const position of this.outbox.takeAside()) {
      const stored = this.read(position, reader);
      if (!stored) continue;
      const delivery = { ...stored, sinceMs, isSetAside: false };
      yield { write: this.#row(position, encodeDelivery(delivery)), position, delivery };
    }
  }

  read(position: number, reader: Reader): StoredDelivery | null {
    const row = reader.get('webhookEvent', deliveryKey(this.webhook.uid, position));
    return row ? decodeDelivery(row) : null;
  }

  removal(position: number): Write {
    return this.#row(position, null);
  }

  /** `url`: where it went. */
  note(delivery: Delivery, url: string): void {
    this.#deliveries.push(delivery);
    if (url === this.webhook.url) this.#last = delivery;
    if (this.#deliveries.length > DELIVERIES_SHOWN) this.#deliveries.shift();
  }

  /** Its address is another one: how deliveries to the one before went says nothing of it, and what waits is sent there at once. */
  turnTo(): void {
    this.#last = null;
    this.outbox.release();
  }

  view(): Webhook {
    const { id, url, types, queue, job, node, eventTypes, format, lost } = this.webhook;
    const { waiting, setAside, isFailing, nextAttemptMs } = this.outbox;
    const lastDelivery = this.#last;
    // A test is no event of the outbox: what failed as a test would fail as an event.
    const failed = isFailing || (lastDelivery !== null && lastDelivery.error !== null);
    return {
      id,
      url,
      types: [...types],
      ...(queue === null ? {} : { queue }),
      ...(job === null ? {} : { job }),
      ...(node === null ? {} : { node }),
      ...(eventTypes ? { eventTypes: [...eventTypes] } : {}),
      format,
      paused: this.isPaused,
      state: this.isPaused ? 'paused' : failed ? 'failing' : 'ok',
      waiting,
      setAside,
      lost,
      nextAttempt: nextAttemptMs === null || this.isPaused ? null : formatTimestampMs(nextAttemptMs),
      lastDelivery,
    };
  }

  /** Newest delivery first. */
  detail(): WebhookDetail {
    return { ...this.view(), deliveries: this.#deliveries.toReversed() };
  }

  #setAside(positions: readonly number[], reader: Reader): Write[] {
    const writes: Write[] = [];
    for (const position of positions) {
      const delivery = this.read(position, reader);
      if (delivery) writes.push(this.#row(position, encodeDelivery({ ...delivery, isSetAside: true })));
      const gone = this.outbox.noteAside(position);
      writes.push(...gone.map((one) => this.removal(one)));
      if (gone.length === 0) continue;
      this.webhook = { ...this.webhook, lost: this.webhook.lost + gone.length };
      writes.push(writeOf(this.webhook));
    }
    return writes;
  }

  #row(position: number, value: Uint8Array | null): Write {
    return { table: 'webhookEvent', key: deliveryKey(this.webhook.uid, position), value };
  }
}

/** Events of nodes and settings have no such kinds. */
function isOneOf({ type, json }: PublicEvent, eventTypes: readonly string[]): boolean {
  if (type !== 'job.event') return true;
  const { eventType } = subjectOf({ json });
  return eventType !== null && eventTypes.includes(eventType);
}

export function writeOf(webhook: StoredWebhook): Write {
  return { table: 'webhook', key: webhookKey(webhook.id), value: encodeWebhook(webhook) };
}

/** What the receiver gets in order: the events of one job, of one node, or of one kind. */
function keyOfEvent({ job, node, type }: PublicEvent): string {
  if (job !== '') return `job ${job}`;
  return node !== '' ? `node ${node}` : type;
}
