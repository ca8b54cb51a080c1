/** A reader of server-sent events over a plain socket answer: what a browser's EventSource does, with nothing hidden. */
import http from 'node:http';

export interface SentEvent {
  readonly id: number;
  readonly event: string;
  // biome-ignore lint/suspicious/noExplicitAny: a test looks at whatever came.
  readonly data: any;
}

export class EventReader {
  readonly events: SentEvent[] = [];
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  /** The position to resume from: that of the last event or comment. */
  lastId = '';
  isOpen = true;
  readonly #request: http.ClientRequest;
  #rest = '';
  #wake: () => void = () => {};

  private constructor(request: http.ClientRequest, response: http.IncomingMessage) {
    this.#request = request;
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    const ended = (): void => {
      this.isOpen = false;
      this.#wake();
    };
    response.setEncoding('utf8');
    response.on('data', (text: string) => this.#take(text));
    response.on('close', ended);
    response.on('error', ended);
  }

  /** Resolves when the head of the answer is there: from then on nothing is missed. */
  static open(base: string, query = '', lastEventId?: string, token?: string): Promise<EventReader> {
    return new Promise((resolve, reject) => {
      const headers = {
        ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
        ...(token === undefined ? {} : { authorization: `bearer ${token}` }),
      };
      const request = http.get(`${base}/api/v1/event${query}`, { headers, agent: false }, (response) =>
        resolve(new EventReader(request, response)),
      );
      request.on('error', reject);
    });
  }

  /** Waits until `accept` says yes to the events so far. */
  async until(accept: (events: readonly SentEvent[]) => boolean, what: string, deadlineMs = 20_000): Promise<void> {
    const end = Date.now() + deadlineMs;
    while (!accept(this.events)) {
      const left = end - Date.now();
      if (left <= 0 || !this.isOpen) {
        const seen = JSON.stringify(this.events.slice(-5)).slice(0, 1_000);
        throw new Error(
          `waited for ${what}; the stream is ${this.isOpen ? 'open' : 'closed'}; the last events: ${seen}`,
        );
      }
      await this.#news(left);
    }
  }

  /** Waits until the server has ended the stream. */
  async closed(what: string, deadlineMs = 20_000): Promise<void> {
    const end = Date.now() + deadlineMs;
    while (this.isOpen) {
      if (Date.now() >= end) throw new Error(`waited for ${what}; the stream is open still`);
      await this.#news(end - Date.now());
    }
  }

  close(): void {
    this.#request.destroy();
  }

  #news(deadlineMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, deadlineMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #take(text: string): void {
    this.#rest += text;
    const blocks = this.#rest.split('\n\n');
    this.#rest = blocks.pop() as string;
    for (const block of blocks) this.#takeBlock(block);
    this.#wake();
  }

  #takeBlock(block: string): void {
    const fields = new Map<string, string>();
    for (const line of block.split('\n')) {
      const colon = line.indexOf(': ');
      if (colon > 0) fields.set(line.slice(0, colon), line.slice(colon + 2));
    }
    this.lastId = fields.get('id') ?? this.lastId;
    const data = fields.get('data');
    if (data === undefined) return;
    this.events.push({ id: Number(this.lastId), event: fields.get('event') ?? 'message', data: JSON.parse(data) });
  }
}
