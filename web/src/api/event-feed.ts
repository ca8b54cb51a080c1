/**
 * The dashboard's one connection to `GET /api/v1/event`: resumes where it was, notices silence (a machine that slept, a cable
 * that was pulled), and keeps the last events for "what changed".
 */
import { ask } from './request.ts';
import { type ServerEvent, SseParser } from './sse.ts';
import { needsSignIn, onTokenChange } from './token.ts';

export type FeedState = 'connecting' | 'live' | 'away';

export interface FeedEvent {
  readonly position: string;
  readonly name: string;
  /** What the event's name says; see docs/events.md. */
  readonly data: Readonly<Record<string, unknown>>;
}

export interface FeedSnapshot {
  readonly state: FeedState;
  /** Newest first. */
  readonly recent: readonly FeedEvent[];
}

/** Events kept for the overview; the oldest go. */
const RECENT_MAX = 200;
/** The server speaks at least every 15 s; three times that is silence. */
const SILENCE_MS = 45_000;
const RETRY_MS_MIN = 500;
const RETRY_MS_MAX = 10_000;
/** Readers are told at most this often: a busy fleet sends hundreds of events a second. */
const NOTIFY_MS = 250;

export class EventFeed {
  #snapshot: FeedSnapshot = { state: 'connecting', recent: [] };
  #pending: FeedEvent[] = [];
  #notifyTimer: number | undefined;
  #lastId = '';
  #heardAtMs = 0;
  #attempt = 0;
  #abort: AbortController | undefined;
  #retryTimer: number | undefined;
  readonly #listeners = new Set<() => void>();
  readonly #eventListeners = new Set<(events: readonly FeedEvent[]) => void>();

  start(): void {
    void this.#connect();
    window.setInterval(() => this.#watch(), 5_000);
    document.addEventListener('visibilitychange', () => this.#watch());
    window.addEventListener('online', () => this.#reconnect());
    onTokenChange((isRenewal) => {
      // The stream goes on until its token ends, and then resumes with the new one.
      if (!isRenewal) this.#reconnect();
    });
  }

  readonly snapshot = (): FeedSnapshot => this.#snapshot;

  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };

  /** Batches of new events, oldest first. */
  onEvents(listener: (events: readonly FeedEvent[]) => void): () => void {
    this.#eventListeners.add(listener);
    return () => this.#eventListeners.delete(listener);
  }

  async #connect(): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    this.#heardAtMs = Date.now();
    try {
      const headers: Record<string, string> = this.#lastId === '' ? {} : { 'last-event-id': this.#lastId };
      const response = await ask('/api/v1/event', { headers, signal: abort.signal });
      this.#attempt = 0;
      this.#setState('live');
      await this.#read(response);
    } catch {
      // Whatever ended it, it is tried again; the state says so.
    }
    if (this.#abort !== abort) return;
    this.#setState('away');
    const waitMs = Math.min(RETRY_MS_MAX, RETRY_MS_MIN * 2 ** this.#attempt++);
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
    if (id !== '') this.#lastId = id;
    if (name === '' || data === '') return;
    this.#pending.push({ position: id, name, data: JSON.parse(data) as Record<string, unknown> });
    this.#notifyTimer ??= window.setTimeout(() => this.#notify(), NOTIFY_MS);
  }

  #notify(): void {
    this.#notifyTimer = undefined;
    const events = this.#pending;
    this.#pending = [];
    const recent = [...events.slice(-RECENT_MAX).reverse(), ...this.#snapshot.recent].slice(0, RECENT_MAX);
    this.#snapshot = { ...this.#snapshot, recent };
    for (const listener of this.#listeners) listener();
    for (const listener of this.#eventListeners) listener(events);
  }

  #setState(state: FeedState): void {
    if (this.#snapshot.state === state) return;
    this.#snapshot = { ...this.#snapshot, state };
    for (const listener of this.#listeners) listener();
  }

  #watch(): void {
    if (this.#snapshot.state === 'live' && Date.now() - this.#heardAtMs > SILENCE_MS) this.#reconnect();
  }

  #reconnect(): void {
    window.clearTimeout(this.#retryTimer);
    this.#abort?.abort();
    this.#attempt = 0;
    if (!needsSignIn()) void this.#connect();
  }
}

export const eventFeed = new EventFeed();
