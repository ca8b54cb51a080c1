/** The socket between `cairn run` and the agent carries one JSON object a line. */

/** An environment may have 2 MiB (ARG_MAX), and JSON may double it. Overflow policy: the connection is ended. */
export const LINE_BYTES_MAX = 8 * 1_048_576;

/** Cuts a stream of bytes into lines. */
export class Lines {
  #rest: Buffer = Buffer.alloc(0);

  /** The whole lines that `bytes` completes; null where a line is over the bound. */
  push(bytes: Buffer): string[] | null {
    this.#rest = this.#rest.byteLength === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    const lines: string[] = [];
    let at = 0;
    for (let end = this.#rest.indexOf(0x0a); end >= 0; end = this.#rest.indexOf(0x0a, at)) {
      lines.push(this.#rest.toString('utf8', at, end));
      at = end + 1;
    }
    this.#rest = this.#rest.subarray(at);
    return this.#rest.byteLength > LINE_BYTES_MAX ? null : lines;
  }
}
