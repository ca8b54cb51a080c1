/**
 * Reads server-sent events out of a byte stream. Not the browser's EventSource, which cannot carry a token and does not tell
 * when it last heard something. What a line, a field and an event are is `eventsource-parser`'s to know.
 */
import { createParser } from 'eventsource-parser';

export interface ServerEvent {
  readonly name: string;
  readonly id: string;
  readonly data: string;
}

/** Longest text held for one event; the server's are far smaller. What is longer is dropped with its event. */
const FRAME_LENGTH_MAX = 1_048_576;

export class SseParser {
  #events: ServerEvent[] = [];
  /** The position of the block that is being read, until it turns out to be an event's. */
  #id: string | undefined;
  #isTooLong = false;
  readonly #parser = createParser({
    maxBufferSize: FRAME_LENGTH_MAX,
    onId: (id) => {
      this.#endBlock();
      this.#id = id;
    },
    onEvent: ({ event, id, data }) => {
      if (id === undefined) this.#endBlock();
      this.#id = undefined;
      this.#events.push({ name: event ?? 'message', id: id ?? '', data });
    },
    onError: ({ type }) => {
      if (type === 'max-buffer-size-exceeded') this.#isTooLong = true;
    },
  });

  /** Events that are complete with this text. One without data (a position) has an empty name. */
  take(text: string): ServerEvent[] {
    this.#parser.feed(text);
    if (this.#isTooLong) this.#parser.reset();
    this.#isTooLong = false;
    this.#endBlock();
    const events = this.#events;
    this.#events = [];
    return events;
  }

  #endBlock(): void {
    if (this.#id !== undefined) this.#events.push({ name: '', id: this.#id, data: '' });
    this.#id = undefined;
  }
}
