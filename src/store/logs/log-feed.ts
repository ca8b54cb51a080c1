/**
 * What is appended to a log, told by the one who appends it: a follower needs no look at the file, and a rotation or a trim
 * cannot come between. Positions count the bytes of the whole log, whatever has gone of it since.
 */
export interface LogListener {
  /** The bytes are the writer's: copy what must live longer than the call. */
  bytes(position: number, bytes: Uint8Array): void;
  /** Nothing more will come. */
  end(): void;
}

/** A part of a log on disk. The path is a hint: only a file with this inode is it. */
export interface LogSegment {
  readonly path: string;
  readonly inode: number;
  /** Bytes of the file. */
  readonly from: number;
  readonly to: number;
}

/** Where a log's bytes are, oldest first, and the position behind the last. */
export interface LogPlace {
  readonly segments: readonly LogSegment[];
  readonly end: number;
}

/** A log that can be followed. */
export interface LogSource {
  readonly feed: LogFeed;
  /** Null where bytes behind the position are gone; `null` for a position means from the oldest on. */
  locate(position: number | null): Promise<LogPlace | null>;
}

export class LogFeed {
  readonly #listeners = new Set<LogListener>();

  get isHeard(): boolean {
    return this.#listeners.size > 0;
  }

  /** Returns what ends it. */
  listen(listener: LogListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  tell(position: number, bytes: Uint8Array): void {
    for (const listener of this.#listeners) listener.bytes(position, bytes);
  }

  end(): void {
    for (const listener of this.#listeners) listener.end();
    this.#listeners.clear();
  }
}
