/** A client that follows a stream of bytes and keeps all of them. */
import http from 'node:http';

export class ByteFollower {
  status = 0;
  isOpen = true;
  /** Whether the answer came to its proper end. */
  isComplete = false;
  readonly #request: http.ClientRequest;
  readonly #chunks: Buffer[] = [];
  /** Bytes that have come: counted, as joining them for each chunk that comes takes the time of all others. */
  size = 0;
  #response: http.IncomingMessage | undefined;
  #wakes: (() => void)[] = [];

  /** Begins at once: the head of an answer comes with its first byte. */
  constructor(base: string, path: string) {
    this.#request = http.get(`${base}${path}`, { agent: false }, (response) => {
      this.#response = response;
      this.status = response.statusCode ?? 0;
      response.on('data', (chunk: Buffer) => {
        this.#chunks.push(chunk);
        this.size += chunk.length;
        this.#wake();
      });
      response.on('end', () => {
        this.isComplete = true;
      });
      response.on('close', () => this.#ended());
      response.on('error', () => {});
    });
    this.#request.on('error', () => this.#ended());
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get text(): string {
    return this.bytes.toString();
  }

  /** Takes nothing more from the socket until `resume`. */
  pause(): void {
    this.#response?.pause();
  }

  resume(): void {
    this.#response?.resume();
  }

  /** Waits until `accept` says yes to what has come. */
  async until(accept: (follower: ByteFollower) => boolean, what: string, deadlineMs = 20_000): Promise<void> {
    const end = Date.now() + deadlineMs;
    while (!accept(this)) {
      const left = end - Date.now();
      if (left <= 0 || !this.isOpen) {
        const state = `${this.bytes.length} bytes, ${this.isOpen ? 'open' : this.isComplete ? 'ended' : 'cut'}`;
        throw new Error(`waited for ${what}; seen: ${state}, at the end ${JSON.stringify(this.text.slice(-300))}`);
      }
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, left);
        this.#wakes.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
  }

  close(): void {
    this.#request.destroy();
  }

  #ended(): void {
    this.isOpen = false;
    this.#wake();
  }

  #wake(): void {
    for (const wake of this.#wakes.splice(0)) wake();
  }
}
