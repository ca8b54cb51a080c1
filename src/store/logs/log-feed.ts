/**
 * What is appended to a log, told by the one who appends it: a follower needs no look at the file, and a rotation or a trim
 * cannot come between. Positions count the bytes of the whole log, whatever has gone of it since; they never go back, so after
 * a log was cut at its end they are ahead of its offsets.
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

/** Where the log's end was cut off. */
interface EndCut {
  /** Position of the end, before and after. */
  readonly position: number;
  /** Offset of the end since. */
  readonly offset: number;
  /** By how much positions were ahead before. */
  readonly ahead: number;
}

/** Cuts by which a follower may lag behind. Overflow policy: forget the oldest; a follower behind it must reconnect. */
const CUTS_MAX = 64;

export class LogFeed {
  readonly #listeners = new Set<LogListener>();
  /** By how much positions are ahead of offsets. */
  #ahead = 0;
  /** In the order of their positions. */
  #cuts: EndCut[] = [];
  /** Positions below this one cannot be told any more. */
  #forgotten = 0;

  /** The log's end was cut off: it has gone back from one offset to another. */
  cut(from: number, to: number): void {
    this.#cuts.push({ position: this.positionOf(from), offset: to, ahead: this.#ahead });
    this.#ahead += from - to;
    if (this.#cuts.length > CUTS_MAX) this.#forgotten = (this.#cuts.shift() as EndCut).position;
  }

  positionOf(offset: number): number {
    return offset + this.#ahead;
  }

  /** Where a follower at the position goes on, without what was cut off before it came so far; null if that is forgotten. */
  offsetOf(position: number): number | null {
    if (position < this.#forgotten) return null;
    const missed = this.#cuts.filter((cut) => cut.position > position);
    const [first] = missed;
    return Math.min(position - (first?.ahead ?? this.#ahead), ...missed.map(({ offset }) => offset));
  }

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
