/**
 * The dashboard's one connection to `GET /api/v1/event`: resumes where it was, notices silence (a machine that slept, a cable
 * that was pulled), rests while nobody looks at the tab, and keeps the last events for "what changed".
 */
import { isTabSeen, onTabSeen } from '../browser/seen.ts';
import { eventsBefore } from './event-history.ts';
import type { FeedEvent } from './feed-event.ts';
import { lastHeardMs } from './heard.ts';
import { isNotable, newestOf, withNewest } from './kept-events.ts';
import { ApiError, ask, giveUpUnanswered } from './request.ts';
import { type ServerEvent, SseParser } from './sse.ts';
import { needsSignIn, onTokenChange } from './token.ts';

export type FeedState = 'connecting' | 'live' | 'away';

export interface FeedSnapshot {
  readonly state: FeedState;
  /** Milliseconds since 1970 of the last sign of life before it went away; undefined while it is there. */
  readonly awaySinceMs: number | undefined;
  /** Whether it was ever heard: of a page that was opened while it is away, nobody knows since when. */
  readonly hasHeard: boolean;
  /** Whether the server answers at all: one that only refuses the stream does. */
  readonly isAnswering: boolean;
  /** Newest first. */
  readonly recent: readonly FeedEvent[];
  /** Those that one wants to know of, beyond every checkpoint that went well. Newest first. */
  readonly notable: readonly FeedEvent[];
  /** Whether what the server still tells of the last hour is among them; true as well where it tells nothing. */
  readonly hasLookedBack: boolean;
}

const NOTHING_HEARD = { recent: [], notable: [], hasLookedBack: false } as const;

/** The server speaks at least every 15 s. Beyond that it is asked for another stream, which a server that hangs does not open. */
const SILENCE_MS = 20_000;
const ANSWER_MS = 10_000;
const WATCH_MS = 2_500;
const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 10_000;
/** A restart takes seconds: in the first minute it is looked for more often. */
const RETRY_MS_MAX_AT_FIRST = 3_000;
const AT_FIRST_MS = 60_000;
/** Subscribers are notified at most this often: a busy fleet sends hundreds of events a second. */
const NOTIFY_MS = 250;
/** So much later the server's clock may say what the browser's does. */
const CLOCKS_APART_MS = 10_000;
/** Said by a proxy, or by the browser itself (0), in place of a server that is gone. */
const GONE = new Set([0, 502, 504]);

export class EventFeed {
  #snapshot: FeedSnapshot = {
    state: 'connecting',
    awaySinceMs: undefined,
    hasHeard: false,
    isAnswering: true,
    ...NOTHING_HEARD,
  };
  #pending: FeedEvent[] = [];
  #notifyTimer: number | undefined;
  #lastId = '';
  #heardAtMs = Date.now();
  #beganMs = 0;
  #attempt = 0;
  #abort: AbortController | undefined;
  #retryTimer: number | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #eventListeners = new Set<(events: readonly FeedEvent[]) => void>();

  start(): void {
    this.#beganMs = Date.now();
    if (isTabSeen()) void this.#connect();
    onTabSeen(() => this.#reconnect());
    window.setInterval(() => this.#watch(), WATCH_MS);
    document.addEventListener('visibilitychange', () => this.#watch());
    window.addEventListener('online', () => this.#reconnect());
    onTokenChange((isRenewal) => {
      // The stream goes on until its token ends, and then resumes with the new one.
      if (isRenewal) return;
      this.#snapshot = { ...this.#snapshot, ...NOTHING_HEARD };
      this.#lastId = '';
      this.#reconnect();
    });
  }

  readonly snapshot = (): FeedSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Batches of new events, oldest first: with those that came while the page asked for what it shows. */
  onEvents(listener: (events: readonly FeedEvent[]) => void): () => void {
    this.#eventListeners.add(listener);
    return () => this.#eventListeners.delete(listener);
  }

  async #connect(): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    let isAnswering = false;
    let isOpen = false;
    const timer = window.setTimeout(() => abort.abort(), ANSWER_MS);
    try {
      const headers: Record<string, string> = this.#lastId === '' ? {} : { 'last-event-id': this.#lastId };
      const response = await ask('/api/v1/event', { headers, signal: abort.signal });
      window.clearTimeout(timer);
      this.#attempt = 0;
      this.#heardAtMs = Date.now();
      isOpen = true;
      this.#setState('live', true);
      await this.#read(response);
    } catch (error) {
      // Whatever ended it, it is tried again; the state says so.
      isAnswering = error instanceof ApiError && !GONE.has(error.status);
    }
    window.clearTimeout(timer);
    if (this.#abort !== abort) return;
    // That the stream ends is the last that is heard of the server. After a rest none may have been opened.
    if (isOpen) this.#heardAtMs = Date.now();
    this.#setState('away', isAnswering);
    // A stream that ends is no sign of a hang: a server that checks who listens ends it, and answers the rest.
    if (!isAnswering && !isOpen) giveUpUnanswered();
    const maxMs = Date.now() - this.#heardAtMs < AT_FIRST_MS ? RETRY_MS_MAX_AT_FIRST : RETRY_MS_MAX;
    const waitMs = Math.min(maxMs, RETRY_MS_MIN * 2 ** this.#attempt++);
    if (!needsSignIn()) this.#retryTimer = window.setTimeout(() => void this.#connect(), waitMs);
  }

  async #read(response: Response): Promise<void> {
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const parser = new SseParser();
    for (;;) {
      const chunk = await reader?.read();
      if (!chunk || chunk.done) return;
      this.#heardAtMs = Date.now();
      for (const event of parser.take(chunk.value)) this.#take(event);
    }
  }

  #take({ name, id, data }: ServerEvent): void {
    if (id !== '') {
      if (this.#lastId === '') void this.#lookBack(Number(id));
      this.#lastId = id;
    }
    if (name === '' || data === '') return;
    this.#pending.push({ position: id, name, data: JSON.parse(data) as Record<string, unknown> });
    this.#notifyTimer ??= window.setTimeout(() => this.#notify(), NOTIFY_MS);
  }

  /** Once: the first position tells where the log stood when the page was opened. */
  async #lookBack(position: number): Promise<void> {
    const show = (change: Partial<FeedSnapshot>): void => {
      this.#snapshot = { ...this.#snapshot, ...change };
      for (const listener of this.#listeners) listener();
    };
    await eventsBefore(position, Date.now(), (events) => {
      const { recent, notable } = this.#snapshot;
      show({
        recent: newestOf([...recent, ...events]),
        notable: newestOf([...notable, ...events.filter(isNotable)]),
      });
      const sinceMs = this.#beganMs - CLOCKS_APART_MS;
      const during = events.filter(({ data }) => Date.parse(String(data['time'])) > sinceMs);
      for (const listener of this.#eventListeners) listener(during);
    });
    show({ hasLookedBack: true });
  }

  #notify(): void {
    this.#notifyTimer = undefined;
    const events = this.#pending;
    this.#pending = [];
    const newest = events.toReversed();
    const { recent, notable } = this.#snapshot;
    this.#snapshot = {
      ...this.#snapshot,
      recent: withNewest(newest, recent),
      notable: withNewest(newest.filter(isNotable), notable),
    };
    for (const listener of this.#listeners) listener();
    for (const listener of this.#eventListeners) listener(events);
  }

  #setState(state: FeedState, isAnswering: boolean): void {
    if (this.#snapshot.state === state && this.#snapshot.isAnswering === isAnswering) return;
    const heardMs = Math.max(this.#heardAtMs, lastHeardMs());
    const awaySinceMs = state === 'away' ? (this.#snapshot.awaySinceMs ?? heardMs) : undefined;
    const hasHeard = this.#snapshot.hasHeard || state === 'live';
    this.#snapshot = { ...this.#snapshot, state, awaySinceMs, hasHeard, isAnswering };
    for (const listener of this.#listeners) listener();
  }

  #watch(): void {
    if (!isTabSeen() || this.#snapshot.state !== 'live' || Date.now() - this.#heardAtMs <= SILENCE_MS) return;
    this.#setState('connecting', true);
    this.#reconnect();
  }

  #reconnect(): void {
    window.clearTimeout(this.#retryTimer);
    const abort = this.#abort;
    // What ends because it is aborted here says nothing of the server.
    this.#abort = undefined;
    abort?.abort();
    this.#attempt = 0;
    if (needsSignIn()) this.#setState('connecting', true);
    // What it has heard stays; it goes on from there once the tab is looked at.
    else if (isTabSeen()) void this.#connect();
  }
}

export const eventFeed = new EventFeed();
