/**
 * Which token goes with the next request. A join token may be good for registering only, and the server then issues the
 * node's own: that one is kept in the data folder, so that a restart after the join token's end still gets in.
 */
export interface TokenSource {
  /** The operator's token, read again each time: the file may have been replaced. */
  readonly given: () => string | null;
  /** The node's own token that an earlier registration brought. */
  readonly issued: string | null;
  readonly keep: (token: string) => void;
}

/** Without a new token from a registration, the next try comes after this part of the token's life. */
const RETRY_PART = 0.05;

export class Tokens {
  readonly #source: TokenSource;
  #given: string | null;
  #issued: string | null;
  #usesGiven: boolean;
  /** Wall clock; when a new one should be asked for. */
  #agesAtMs: number;

  constructor(source: TokenSource) {
    this.#source = source;
    this.#given = source.given();
    this.#issued = source.issued;
    this.#usesGiven = source.issued === null;
    this.#agesAtMs = agesAtMs(source.issued);
  }

  get current(): string | null {
    return this.#usesGiven ? this.#given : this.#issued;
  }

  /** A registration's reply may carry the node's own token. */
  take(token: string): void {
    if (token !== this.#issued) this.#source.keep(token);
    this.#issued = token;
    this.#agesAtMs = agesAtMs(token);
    this.#usesGiven = false;
  }

  /** Half of the life of the node's own token is over. */
  isAging(nowMs: number): boolean {
    return !this.#usesGiven && nowMs >= this.#agesAtMs;
  }

  /** A registration brought no new token: this one goes on. */
  keepOn(nowMs: number): void {
    const life = this.#issued === null ? undefined : lifeOf(this.#issued);
    if (life && this.isAging(nowMs)) this.#agesAtMs = nowMs + RETRY_PART * (life.untilMs - life.fromMs);
  }

  /** The server did not accept the current one: the next request carries the other, where there are two. */
  onDenied(): void {
    this.#given = this.#source.given();
    this.#usesGiven = !this.#usesGiven || this.#issued === null;
  }
}

function agesAtMs(token: string | null): number {
  const life = token === null ? undefined : lifeOf(token);
  return life ? (life.fromMs + life.untilMs) / 2 : Number.POSITIVE_INFINITY;
}

/** What the token says of itself; undefined where it says nothing that can be read. The server is who checks it. */
function lifeOf(token: string): { readonly fromMs: number; readonly untilMs: number } | undefined {
  try {
    const payload = Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8');
    const { iat, exp } = JSON.parse(payload) as { iat?: unknown; exp?: unknown };
    if (typeof iat !== 'number' || typeof exp !== 'number' || exp <= iat) return undefined;
    return { fromMs: iat * 1_000, untilMs: exp * 1_000 };
  } catch {
    return undefined;
  }
}
