/**
 * Which token goes with the next request. A join token may be good for registering only, and the server then issues the
 * node's own: that one is kept in the data folder, so that a restart after the join token's end still gets in.
 */
export interface TokenSource {
  /** The token that the operator gave, read anew each time: a file may have been renewed. */
  readonly given: () => string | null;
  /** The node's own token that an earlier registration brought. */
  readonly issued: string | null;
  readonly keep: (token: string) => void;
}

export class Tokens {
  readonly #source: TokenSource;
  #given: string | null;
  #issued: string | null;
  #usesGiven: boolean;

  constructor(source: TokenSource) {
    this.#source = source;
    this.#given = source.given();
    this.#issued = source.issued;
    this.#usesGiven = source.issued === null;
  }

  get current(): string | null {
    return this.#usesGiven ? this.#given : this.#issued;
  }

  /** A registration's reply may carry the node's own token. */
  take(token: string): void {
    if (token !== this.#issued) this.#source.keep(token);
    this.#issued = token;
    this.#usesGiven = false;
  }

  /** The server did not accept the current one: the next request carries the other, where there are two. */
  onDenied(): void {
    this.#given = this.#source.given();
    this.#usesGiven = !this.#usesGiven || this.#issued === null;
  }
}
