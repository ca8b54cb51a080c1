/**
 * Tells receivers of events. The event log is the outbox: each event is in it in the transaction of the fact that it tells of.
 * A webhook follows the log; what it wants becomes a row of its own in the same transaction as the place up to which it has
 * looked, and the row goes once the receiver has taken it. So an event is delivered at least once, whenever the process ends.
 *
 *   event log ── look ──► rows (durable) ── send ──► receiver ── 2xx ──► row removed
 *                                            ▲  └─ failure: backs off; given up: set aside
 *                                            └─ replay
 */
import { randomBytes, randomUUID } from 'node:crypto';
import type { Write } from '../../actors/runtime/behaviour.ts';
import type { Clock } from '../../base/clock.ts';
import { CodedError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { Config } from '../../protocol/config/config.ts';
import { mustDurationMs } from '../../protocol/duration.ts';
import { formatTimestampMs } from '../../protocol/timestamp.ts';
import {
  SECRET_BYTES,
  WEBHOOKS_MAX,
  type Webhook,
  type WebhookDetail,
  type WebhookMade,
  type WebhookRequest,
  type WebhookTest,
} from '../../protocol/webhook.ts';
import { lastPositionOf } from '../../store/commit/event-log.ts';
import type { Reader } from '../../store/kv/store.ts';
import type { AuditEntry } from '../../store/records/audit-record.ts';
import { readWebhooks, type StoredWebhook, webhookKey } from '../../store/records/webhook-record.ts';
import { lookAtEvents } from './look-at-events.ts';
import { Sender } from './sender.ts';
import { storedDeliveries } from './stored-deliveries.ts';
import { faultOfHost } from './target-guard.ts';
import { auditDetailOf } from './webhook-audit.ts';
import { WebhookQueue, writeOf } from './webhook-queue.ts';

export interface WebhooksHost {
  readonly reader: Reader;
  readonly clock: Clock;
  readonly log: Logger;
  readonly config: () => Config;
  /** Durable when it resolves; with an entry, the record of who did it is in the same transaction. */
  readonly commit: (writes: readonly Write[], entry?: AuditEntry) => Promise<void>;
}

export interface WebhookAuthor {
  readonly name: string;
  readonly from: string;
}

/** How late an event may be looked at. */
const LOOK_EVERY_MS = 200;
const ROWS_PER_COMMIT = 500;

export class Webhooks {
  readonly #host: WebhooksHost;
  readonly #queues = new Map<string, WebhookQueue>();
  readonly #sender: Sender;
  #turns: Promise<unknown> = Promise.resolve();
  #isLooking = false;
  #timer: NodeJS.Timeout | undefined;

  private constructor(host: WebhooksHost) {
    this.#host = host;
    this.#sender = new Sender({
      reader: host.reader,
      clock: host.clock,
      allowsPrivate: () => this.#settings.privateTargets,
      queues: () => this.#queues.values(),
      has: (queue) => this.#queues.get(queue.webhook.id) === queue,
    });
    host.reader.refresh();
    for (const webhook of readWebhooks(host.reader)) this.#queues.set(webhook.id, new WebhookQueue(webhook));
  }

  /** With what waits from before; it may be much, so threads that watch this one are not kept waiting. */
  static async open(host: WebhooksHost): Promise<Webhooks> {
    const webhooks = new Webhooks(host);
    const byUid = new Map([...webhooks.#queues.values()].map((queue) => [queue.webhook.uid, queue]));
    for await (const rows of storedDeliveries(host.reader))
      for (const { uid, position, delivery } of rows) if (delivery) byUid.get(uid)?.restore(position, delivery);
    return webhooks;
  }

  /** Removes what a killed removal left behind, too. */
  start(): void {
    const uids = new Set([...this.#queues.values()].map(({ webhook }) => webhook.uid));
    void this.#oneAtATime(() => this.#sweep((uid) => !uids.has(uid))).catch((error) => this.#warn(error));
    this.#timer = setInterval(() => void this.#look(), LOOK_EVERY_MS).unref();
  }

  /** What was delivered and is not written down by then is delivered again, under the same id. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#sender.stop();
    await this.#oneAtATime(() => this.#removeDelivered()).catch((error) => this.#warn(error));
  }

  list(): Webhook[] {
    return [...this.#queues.values()].map((queue) => queue.view()).sort((a, b) => (a.id < b.id ? -1 : 1));
  }

  /** Throws `notFound`. */
  detail(id: string): WebhookDetail {
    return this.#find(id).detail();
  }

  /** Throws `invalid`. */
  async put(id: string, request: WebhookRequest, author: WebhookAuthor): Promise<WebhookMade> {
    const fault = this.#settings.privateTargets ? undefined : faultOfHost(request.url);
    if (fault !== undefined) throw new CodedError('invalid', undefined, { url: fault });
    return this.#oneAtATime(async () => {
      const known = this.#queues.get(id);
      if (!known && this.#queues.size >= WEBHOOKS_MAX)
        throw new CodedError('invalid', undefined, { id: `there are ${WEBHOOKS_MAX} webhooks already: remove one` });
      const secret = request.secret ?? known?.webhook.secret ?? `whsec_${randomBytes(SECRET_BYTES).toString('base64')}`;
      const webhook = this.#storedOf(id, request, secret, known?.webhook);
      const detail = auditDetailOf(webhook, known?.webhook);
      await this.#host.commit([writeOf(webhook)], { ...entryOf(author, 'webhook.set', id), detail });
      const queue = known ?? new WebhookQueue(webhook);
      const isResumed = queue.isPaused && webhook.isPaused === false;
      if (known && known.webhook.url !== webhook.url) queue.turnTo();
      queue.webhook = webhook;
      this.#queues.set(id, queue);
      // A person who resumes it expects what waits now, not after the back-off of failures from before.
      if (isResumed) queue.outbox.release();
      const isMade = !known && !request.secret;
      return { ...queue.view(), ...(isMade ? { secret } : {}) };
    });
  }

  /** Throws `notFound`. What waits for it goes with it. */
  remove(id: string, author: WebhookAuthor): Promise<void> {
    return this.#oneAtATime(async () => {
      const { webhook } = this.#find(id);
      const removal: Write = { table: 'webhook', key: webhookKey(id), value: null };
      await this.#host.commit([removal], entryOf(author, 'webhook.removed', id));
      this.#queues.delete(id);
      await this.#sweep((uid) => uid === webhook.uid);
    });
  }

  /** Sends an event that did not happen, at once and once. Throws `notFound`. */
  async test(id: string): Promise<WebhookTest> {
    const queue = this.#find(id);
    const timeMs = this.#host.clock.wallMs();
    const json = JSON.stringify({ time: formatTimestampMs(timeMs), message: 'A test of this webhook.' });
    const event = { id: `test_${randomUUID()}`, type: 'webhook.test', timeMs, json };
    const { status, error, ms } = await this.#sender.send(queue, event, 1);
    return { delivered: error === null, status, ms, error };
  }

  /** What is set aside and what waits is sent at once. Throws `notFound`, and `invalid` while it is paused. */
  async replay(id: string, author: WebhookAuthor): Promise<Webhook> {
    return this.#oneAtATime(async () => {
      const queue = this.#find(id);
      if (queue.isPaused) throw new CodedError('invalid', undefined, { paused: 'is true: resume the webhook first' });
      const { reader, clock, commit } = this.#host;
      await commit([], entryOf(author, 'webhook.replayed', id));
      reader.refresh();
      const back = [...queue.takeBack(clock.wallMs(), reader)];
      await this.#commitRows(back.map(({ write }) => write));
      for (const { position, delivery } of back) queue.restore(position, delivery);
      queue.outbox.release();
      this.#sender.sendAll();
      return queue.view();
    });
  }

  get #settings(): Config['security']['webhooks'] {
    return this.#host.config().security.webhooks;
  }

  #storedOf(id: string, request: WebhookRequest, secret: string, known: StoredWebhook | undefined): StoredWebhook {
    const { url, types, queue, job, node, eventTypes, format, paused } = request;
    this.#host.reader.refresh();
    return {
      id,
      uid: known?.uid ?? randomUUID(),
      url,
      types,
      queue: queue ?? null,
      job: job ?? null,
      node: node ?? null,
      eventTypes: eventTypes ?? null,
      format,
      secret,
      isPaused: paused ?? known?.isPaused === true,
      seen: known?.seen ?? lastPositionOf(this.#host.reader),
      lost: known?.lost ?? 0,
    };
  }

  #find(id: string): WebhookQueue {
    const queue = this.#queues.get(id);
    if (!queue) throw new CodedError('notFound');
    return queue;
  }

  /** Never two at a time; what fails (a full disk) is tried again with the next. */
  async #look(): Promise<void> {
    if (this.#isLooking || this.#queues.size === 0) return;
    this.#isLooking = true;
    try {
      while (await this.#oneAtATime(() => this.#lookOnce()));
      await this.#oneAtATime(() => this.#removeDelivered());
      this.#sender.sendAll();
    } catch (error) {
      this.#warn(error);
    } finally {
      this.#isLooking = false;
    }
  }

  async #lookOnce(): Promise<boolean> {
    const { reader, clock, commit } = this.#host;
    const queues = [...this.#queues.values()];
    const nowMs = clock.wallMs();
    const beforeMs = nowMs - mustDurationMs(this.#settings.giveUpAfter);
    const expired = queues.flatMap((queue) => queue.expire(beforeMs, reader));
    await this.#commitRows(expired);
    return lookAtEvents(queues, reader, nowMs, commit);
  }

  async #removeDelivered(): Promise<void> {
    const removals = this.#sender.takeRemovals();
    try {
      await this.#commitRows(removals);
    } catch (error) {
      this.#sender.giveBack(removals);
      throw error;
    }
  }

  async #sweep(isMeant: (uid: string) => boolean): Promise<void> {
    for await (const rows of storedDeliveries(this.#host.reader)) {
      const gone = rows.filter(({ uid }) => isMeant(uid));
      await this.#commitRows(gone.map(({ key }) => ({ table: 'webhookEvent', key, value: null })));
    }
  }

  async #commitRows(writes: readonly Write[]): Promise<void> {
    for (let at = 0; at < writes.length; at += ROWS_PER_COMMIT)
      await this.#host.commit(writes.slice(at, at + ROWS_PER_COMMIT));
  }

  #warn(error: unknown): void {
    this.#host.log.warn({ error }, 'cannot look after the events of webhooks; will be retried');
  }

  #oneAtATime<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#turns.catch(() => {}).then(run);
    this.#turns = turn;
    return turn;
  }
}

function entryOf({ name, from }: WebhookAuthor, action: string, id: string): AuditEntry {
  return { who: name, from, action, target: `webhook ${id}`, detail: {} };
}
