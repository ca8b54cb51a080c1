/**
 * Reads server-sent events out of a byte stream. Not the browser's EventSource, which cannot carry a token and does not tell
 * when it last heard something.
 */
export interface ServerEvent {
  readonly name: string;
  readonly id: string;
  readonly data: string;
}

/** Longest text held for one event; the server's are far smaller. What is longer is dropped with its event. */
const FRAME_LENGTH_MAX = 1_048_576;

export class SseParser {
  #rest = '';

  /** Events that are complete with this text. One without data (a position) has an empty name. */
  take(text: string): ServerEvent[] {
    const frames = (this.#rest + text).split('\n\n');
    this.#rest = frames.pop() ?? '';
    if (this.#rest.length > FRAME_LENGTH_MAX) this.#rest = '';
    return frames.map(eventOf);
  }
}

function eventOf(frame: string): ServerEvent {
  let name = '';
  let id = '';
  let data = '';
  for (const line of frame.split('\n')) {
    if (line.startsWith('event: ')) name = line.slice(7);
    else if (line.startsWith('id: ')) id = line.slice(4);
    else if (line.startsWith('data: ')) data += line.slice(6);
  }
  return { name, id, data };
}
