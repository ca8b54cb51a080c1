/**
 * The event streams of one shard. A reader is a position and a filter; it takes from the ring in memory what is there,
 * and from the store (in the pool, a page at a time) what is not: when it resumes, or when it was slower than the ring is
 * long. So a slow reader costs one chunk of memory and never holds up another, and the log on disk is the only bound:
 * a reader that asks for trimmed events gets a `gap`. A reader that takes nothing for 10 s is cut by uWS, and resumes.
 */
import type { Clock } from '../../base/clock.ts';
import { CodedError } from '../../base/errors.ts';
import type { EventFilter } from '../../protocol/event.ts';
import { recordsOf } from '../../store/commit/event-log.ts';
import { EventView } from '../../workers/rows/event-view.ts';
import type { EventPage, EventPageTask } from '../../workers/task/task.ts';
import { EventRing, filterKeyOf, type SeesNode } from './event-ring.ts';
import { type Subscriber, Waiters } from './waiters.ts';

export interface EventHubHost {
  readonly clock: Clock;
  /** Begins to hear of events; the first call tells where the log stands. */
  listen(onEvents: (first: number, bytes: Uint8Array) => void): void;
  /** Everything that is durable by now has been heard afterwards. */
  catchUp(): void;
  page(task: EventPageTask): Promise<EventPage>;
  readonly seesNode?: SeesNode;
  /** A record of the log could not be read and was skipped, for the first time. */
  onUnreadable(): void;
}

/** Readers of one shard. Overflow policy: refuse (503). */
const READERS_MAX = 4_096;
/** News is collected this long before it goes out: 0.1 ms a reader, so that a thousand readers are written to at most 10 times a second. */
const COLLECT_MS_A_READER = 0.1;
const COLLECT_MS_MAX = 100;
const TICK_MS = 5_000;
/** Below the shortest time-out of the proxies that people put in front (AWS, nginx: 60 s), with room to spare. */
const KEEP_ALIVE_MS = 15_000;

interface Following {
  readonly from: number;
  /** Position at which it ends, exclusive; null: never. */
  readonly to: number | null;
  readonly isKnown: boolean;
  readonly filter: EventFilter;
  readonly subscriber: Subscriber;
}

export class EventHub {
  readonly #host: EventHubHost;
  readonly #readersMax: number;
  readonly #ring = new EventRing();
  readonly #room = new Waiters();
  readonly #subscribers = new Set<Subscriber>();
  #listening: Promise<void> | undefined;
  #collecting: NodeJS.Timeout | undefined;
  #ticks: NodeJS.Timeout | undefined;
  #unreadable = 0;

  constructor(host: EventHubHost, readersMax = READERS_MAX) {
    this.#host = host;
    this.#readersMax = readersMax;
  }

  get readers(): number {
    return this.#subscribers.size;
  }

  /** Records of the log that could not be read and were skipped, counted each time a page or the ring meets one. */
  get unreadable(): number {
    return this.#unreadable;
  }

  /** Ends every stream; the readers come again if they like. */
  close(): void {
    for (const subscriber of this.#subscribers) subscriber.end();
  }

  /**
   * Chunks of server-sent events behind position `after` (null: from now on) until the subscription ends. Throws
   * `overloaded` where there are too many readers. Without `follow`, until the event that is the last when it begins.
   */
  async *read(
    after: number | null,
    filter: EventFilter,
    subscriber: Subscriber,
    follow = true,
  ): AsyncGenerator<Uint8Array> {
    if (this.#subscribers.size >= this.#readersMax)
      throw new CodedError('overloaded', `${this.#readersMax} readers are connected`);
    this.#enter(subscriber);
    try {
      this.#listening ??= this.#listen();
      await this.#listening;
      this.#host.catchUp();
      const { start, end } = this.#ring;
      const position = after === null ? end : after + 1;
      yield Buffer.from(viewOf(filter).position(position - 1, 'open'));
      // Only the store knows whether a position outside of the ring was ever given.
      const isKnown = position >= start && position <= end;
      yield* this.#follow({ from: position, to: follow ? null : end, isKnown, filter, subscriber });
    } finally {
      this.#leave(subscriber);
    }
  }

  async *#follow({ from, to, isKnown, filter, subscriber }: Following): AsyncGenerator<Uint8Array> {
    const filterKey = filterKeyOf(filter);
    let position = from;
    let inStore = !isKnown;
    let sentMs = this.#host.clock.monotonicMs();
    // A position that nobody has given is looked at once, also where it lies ahead: its reader is told of the gap.
    while (!subscriber.isOver && (to === null || position < to || (inStore && position > to))) {
      let chunk: Uint8Array | undefined;
      const { start } = this.#ring;
      if (inStore || position < start) {
        const page = await this.#host.page({
          type: 'eventPage',
          from: position,
          filter,
          nowMs: this.#host.clock.wallMs(),
        });
        this.#skipped(page.unreadable);
        if (page.gap) yield this.#gap(filter, page.gap, page.next);
        else if (page.next === position && position < start) {
          // They were there before the page was asked for, and are gone: asking again would never end.
          yield this.#gap(filter, { from: position, to: start - 1 }, start);
          position = start;
          continue;
        }
        position = page.next;
        inStore = page.more;
        chunk = page.frames;
      } else {
        const block = this.#ring.blockAt(position);
        chunk = block?.chunk(position, filter, filterKey, this.#host.seesNode);
        position = block?.next ?? position;
        if (!block) await subscriber.waitIn(this.#room);
      }
      const nowMs = this.#host.clock.monotonicMs();
      if (chunk?.byteLength) yield chunk;
      else if (nowMs - sentMs >= KEEP_ALIVE_MS) yield Buffer.from(viewOf(filter).position(position - 1, 'alive'));
      else continue;
      sentMs = nowMs;
    }
  }

  #gap(filter: EventFilter, { from, to }: { readonly from: number; readonly to: number }, next: number): Uint8Array {
    // Behind a gap at the log's beginning the reader resumes with its first event, which is not sent yet.
    return Buffer.from(viewOf(filter).gap(this.#host.clock.wallMs(), from, to, Math.min(to, next - 1)));
  }

  #listen(): Promise<void> {
    return new Promise((resolve) => {
      this.#host.listen((first, bytes) => {
        this.#take(first, bytes);
        resolve();
      });
    });
  }

  #take(first: number, bytes: Uint8Array): void {
    this.#ring.take(first, recordsOf(bytes));
    if (this.#subscribers.size === 0) this.#ring.clear();
    else {
      const collectMs = Math.min(COLLECT_MS_MAX, this.#subscribers.size * COLLECT_MS_A_READER);
      this.#collecting ??= setTimeout(() => this.#send(), collectMs);
    }
  }

  #send(): void {
    this.#collecting = undefined;
    this.#skipped(this.#ring.seal(this.#host.clock.wallMs()));
    this.#room.wakeAll();
  }

  #skipped(records: number): void {
    if (records === 0) return;
    this.#unreadable += records;
    if (this.#unreadable === records) this.#host.onUnreadable();
  }

  #enter(subscriber: Subscriber): void {
    this.#subscribers.add(subscriber);
    this.#ticks ??= setInterval(() => this.#room.wakeAll(), TICK_MS).unref();
  }

  #leave(subscriber: Subscriber): void {
    this.#subscribers.delete(subscriber);
    if (this.#subscribers.size > 0) return;
    clearInterval(this.#ticks);
    this.#ticks = undefined;
  }
}

/** For what is no event. */
function viewOf(filter: EventFilter): EventView {
  return new EventView(filter, () => false);
}
