/** Sends what waits for webhooks, each queue in its own order, and remembers which rows the receivers have taken. */
import type { Write } from '../../actors/runtime/behaviour.ts';
import type { Clock } from '../../base/clock.ts';
import { formatTimestampMs } from '../../protocol/timestamp.ts';
import type { Reader } from '../../store/kv/store.ts';
import { canConnect, deliver, type Outcome } from './deliver.ts';
import { bodyOf, signedHeaders, subjectOf, type WebhookEvent } from './message.ts';
import type { WebhookQueue } from './webhook-queue.ts';

export interface SenderHost {
  readonly reader: Reader;
  readonly clock: Clock;
  /** Addresses of the server's own network are allowed. */
  readonly allowsPrivate: () => boolean;
  /** Those that exist; an answer for one that was removed meanwhile counts no more. */
  readonly queues: () => Iterable<WebhookQueue>;
  readonly has: (queue: WebhookQueue) => boolean;
}

/** Over all webhooks. */
const IN_FLIGHT_MAX = 64;

export class Sender {
  readonly #host: SenderHost;
  #inFlight = 0;
  #isStopped = false;
  #removals: Write[] = [];

  constructor(host: SenderHost) {
    this.#host = host;
  }

  stop(): void {
    this.#isStopped = true;
  }

  /** The writes that remove what was delivered; who takes them makes them durable, or gives them back. */
  takeRemovals(): Write[] {
    return this.#removals.splice(0);
  }

  giveBack(removals: readonly Write[]): void {
    this.#removals.unshift(...removals);
  }

  /** Everything that may be sent now. */
  sendAll(): void {
    const nowMs = this.#host.clock.wallMs();
    for (const queue of this.#host.queues()) {
      if (queue.isPaused) continue;
      for (;;) {
        const next = this.#isStopped || this.#inFlight >= IN_FLIGHT_MAX ? null : queue.outbox.next(nowMs);
        if (!next) break;
        void this.#sendNext(queue, next.position, next.attempt);
      }
      if (!this.#isStopped && queue.outbox.mustCheckConnection(nowMs)) void this.#checkConnection(queue);
    }
  }

  /** One attempt, whatever waits. */
  async send(queue: WebhookQueue, event: WebhookEvent, attempt: number): Promise<Outcome & { readonly ms: number }> {
    const { clock, allowsPrivate } = this.#host;
    const { url, secret, format } = queue.webhook;
    const beganMs = clock.wallMs();
    const monotonicMs = clock.monotonicMs();
    const body = bodyOf(event, format);
    const headers = signedHeaders(secret, event.id, body, beganMs);
    const outcome = await deliver({ url, headers, body, allowsPrivate: allowsPrivate() }, beganMs);
    const ms = Math.round(clock.monotonicMs() - monotonicMs);
    const { status, error } = outcome;
    const time = formatTimestampMs(beganMs);
    queue.note({ id: event.id, type: event.type, time, ...subjectOf(event), attempt, status, ms, error }, url);
    return { ...outcome, ms };
  }

  async #sendNext(queue: WebhookQueue, position: number, attempt: number): Promise<void> {
    const { reader, clock, has } = this.#host;
    reader.refresh();
    const delivery = queue.read(position, reader);
    const { url } = queue.webhook;
    this.#inFlight++;
    const { error, retryAfterMs, isUnreached } = delivery
      ? await this.send(queue, { ...delivery, id: `evt_${position}` }, attempt)
      : { error: null, retryAfterMs: null, isUnreached: false };
    this.#inFlight--;
    if (this.#isStopped || !has(queue)) return;
    if (error === null) {
      queue.outbox.succeeded(position);
      this.#removals.push(queue.removal(position));
    } else queue.outbox.failed(position, clock.wallMs(), retryAfterMs, isUnreached);
    // That it failed says nothing of the address that the webhook has by now.
    if (queue.webhook.url !== url) queue.outbox.release();
    this.sendAll();
  }

  async #checkConnection(queue: WebhookQueue): Promise<void> {
    const { allowsPrivate, has } = this.#host;
    const { url } = queue.webhook;
    const isThere = await canConnect({ url, allowsPrivate: allowsPrivate() });
    if (!isThere || this.#isStopped || !has(queue) || queue.webhook.url !== url) return;
    queue.outbox.release();
    this.sendAll();
  }
}
