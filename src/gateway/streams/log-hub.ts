/**
 * Followers of logs on one shard. Main tells what it appends, once a shard and log however many follow; a follower is a
 * position. It takes from the ring in memory what is there, and from the files what is not: at the beginning, and when it
 * was slower than the ring is long. Since positions count the bytes of the whole log, neither a rotation nor a trim can
 * lose or repeat one. A follower so slow that the files it needs are gone is cut, never sent a hole.
 */
import { openChannel } from '../../actors/shard/wire/channel.ts';
import { receiveFeed } from '../../actors/shard/wire/log-feed-port.ts';
import type { Clock } from '../../base/clock.ts';
import { CodedError } from '../../base/errors.ts';
import { LineFilter } from '../../base/lines/line-filter.ts';
import type { LineTexts } from '../../base/lines/wanted-texts.ts';
import type { LogPlace, LogSegment } from '../../store/logs/log-feed.ts';
import type { LogName, MainServices } from '../api/services.ts';
import type { LogQuery } from '../lists/log-query.ts';
import { ByteRing } from './byte-ring.ts';
import { OpenLog } from './open-log.ts';
import { type Subscriber, Waiters } from './waiters.ts';

/** Followers of one shard. Overflow policy: refuse (503). */
const FOLLOWERS_MAX = 4_096;
/** What is appended is collected this long before it goes out: see `event-hub.ts`. */
const COLLECT_MS_A_FOLLOWER = 0.1;
const COLLECT_MS_MAX = 100;
/** How often followers look whether what they follow has ended. */
const TICK_MS = 1_000;
/**
 * A follower of a silent log is told so often that it is silent, where its form has bytes that mean nothing: a peer that has gone
 * without a word is noticed by what it does not acknowledge.
 */
const KEEP_ALIVE_MS = 15_000;
/** Looks for a file that a rotation may rename between the look and the opening. */
const LOOKS_MAX = 20;

/** Whether what a follower waits for has ended: the node, or the job. */
export type IsDone = () => Promise<boolean>;

export class LogHub {
  readonly #main: MainServices;
  readonly #clock: Clock;
  readonly #followersMax: number;
  readonly #logs = new Map<string, FollowedLog>();
  readonly #subscribers = new Set<Subscriber>();

  constructor(main: MainServices, clock: Clock, followersMax = FOLLOWERS_MAX) {
    this.#main = main;
    this.#clock = clock;
    this.#followersMax = followersMax;
  }

  get followers(): number {
    return this.#subscribers.size;
  }

  /** Cuts every stream: what it follows goes on, so it must not look as if it had ended. */
  close(): void {
    for (const subscriber of this.#subscribers) subscriber.cut();
  }

  /** Counts a follower, also of what is no single log, until the returned function is called. Throws `overloaded`. */
  enter(subscriber: Subscriber): () => void {
    if (this.#subscribers.size >= this.#followersMax)
      throw new CodedError('overloaded', `${this.#followersMax} followers are connected`);
    this.#subscribers.add(subscriber);
    return () => this.#subscribers.delete(subscriber);
  }

  /**
   * The log's bytes or lines, then what is appended, until it or what it tells of has ended, or the subscriber is over. The first
   * chunk is empty: the log is there and can be followed. So is one in each KEEP_ALIVE_MS of silence.
   */
  async *follow(name: LogName, query: LogQuery, subscriber: Subscriber, isDone: IsDone): AsyncGenerator<Uint8Array> {
    const leave = this.enter(subscriber);
    const log = this.#enter(name);
    try {
      await log.subscribed;
      const cursor = yield* this.#begin(name, query);
      const appended = this.#appended(log, cursor, subscriber, isDone);
      if (query.texts.length === 0) yield* appended;
      else yield* filtered(appended, query.texts);
    } finally {
      leave();
      this.#leave(log);
    }
  }

  /** What the log holds by now, as far as it is wanted; the position to go on from. */
  async *#begin(name: LogName, { tail, texts }: LogQuery): AsyncGenerator<Uint8Array, number> {
    const { place, files } = await this.#open(name, null);
    const [file, segment] = [files.at(-1), place.segments.at(-1)];
    try {
      yield NOTHING;
      if (!file || !segment) return place.end;
      const { start, unfinished } = await file.tail(this.#main, tail, texts, segment.to);
      yield* file.read(this.#main, start, unfinished, { texts });
      // A line that is not ended yet is looked at when it is.
      return place.end - segment.to + Math.max(start, unfinished);
    } finally {
      for (const opened of files) opened.release();
    }
  }

  async *#appended(log: FollowedLog, from: number, subscriber: Subscriber, isDone: IsDone): AsyncGenerator<Uint8Array> {
    let position = from;
    let lookedMs = Number.NEGATIVE_INFINITY;
    let toldMs = this.#clock.monotonicMs();
    while (!subscriber.isOver) {
      const chunk = log.ring.at(position);
      const nowMs = this.#clock.monotonicMs();
      if (chunk) {
        yield chunk;
        position += chunk.byteLength;
        toldMs = nowMs;
      } else if (nowMs - toldMs >= KEEP_ALIVE_MS) {
        yield NOTHING;
        toldMs = nowMs;
      } else if (log.ring.start !== null && position < log.ring.start) {
        position = yield* this.#fromFiles(log.name, position);
      } else if (log.isEnded && position >= log.ring.end) {
        return;
      } else if (nowMs - lookedMs >= TICK_MS) {
        lookedMs = nowMs;
        if (!(await isDone())) continue;
        // What came with the end belongs to it.
        yield* this.#fromFiles(log.name, position);
        return;
      } else {
        await subscriber.waitIn(log.room);
      }
    }
    if (subscriber.isCut) throw new CodedError('overloaded', 'the stream was interrupted; connect again');
  }

  /** Everything from the position to the log's end by now; the position behind it. */
  async *#fromFiles(name: LogName, position: number): AsyncGenerator<Uint8Array, number> {
    const { place, files } = await this.#open(name, position);
    try {
      for (const [i, file] of files.entries()) {
        const { from, to } = place.segments[i] as LogSegment;
        let left = to - from;
        for await (const chunk of file.read(this.#main, from, to)) {
          left -= chunk.byteLength;
          yield chunk;
        }
        if (left > 0) throw new CodedError('overloaded', 'a log was truncated while it was followed');
      }
      return place.end;
    } finally {
      for (const file of files) file.release();
    }
  }

  /** Opens the files of a place; looks again where one has another name by now. */
  async #open(name: LogName, position: number | null): Promise<{ place: LogPlace; files: OpenLog[] }> {
    for (let look = 0; look < LOOKS_MAX; look++) {
      const place = await this.#main.locateLog(name, position);
      if (!place) throw new CodedError('overloaded', 'the follower was too slow: part of the log is already removed');
      const files = await Promise.all(place.segments.map(({ path }) => OpenLog.open(path)));
      const opened = files.filter((file) => file !== undefined);
      if (files.every((file, i) => file?.inode === place.segments[i]?.inode)) return { place, files: opened };
      for (const file of opened) file.release();
    }
    throw new CodedError('overloaded', 'a log was renamed faster than it could be opened');
  }

  #enter(name: LogName): FollowedLog {
    const log = this.#logs.get(name.file) ?? new FollowedLog(name, this.#main);
    // One that has ended is a file of the past; its name may be another log's by now.
    const live = log.isEnded ? new FollowedLog(name, this.#main) : log;
    this.#logs.set(name.file, live);
    live.followers++;
    return live;
  }

  #leave(log: FollowedLog): void {
    if (--log.followers > 0) return;
    log.close();
    if (this.#logs.get(log.name.file) === log) this.#logs.delete(log.name.file);
  }
}

/** A log that somebody on this shard follows. */
class FollowedLog {
  readonly name: LogName;
  readonly ring = new ByteRing();
  readonly room = new Waiters();
  readonly subscribed: Promise<void>;
  followers = 0;
  isEnded = false;
  readonly #ticks: NodeJS.Timeout;
  readonly #close: () => void;
  #collecting: NodeJS.Timeout | undefined;

  constructor(name: LogName, main: MainServices) {
    this.name = name;
    const { here, there } = openChannel();
    receiveFeed(here, {
      bytes: (position, bytes) => {
        this.ring.take(position, bytes);
        const collectMs = Math.min(COLLECT_MS_MAX, this.followers * COLLECT_MS_A_FOLLOWER);
        this.#collecting ??= setTimeout(() => this.#send(), collectMs);
      },
      end: () => {
        this.isEnded = true;
        this.#send();
      },
    });
    this.#close = () => here.close();
    this.subscribed = main.followLog(name, there);
    this.subscribed.catch(() => {});
    this.#ticks = setInterval(() => this.room.wakeAll(), TICK_MS).unref();
  }

  close(): void {
    clearInterval(this.#ticks);
    clearTimeout(this.#collecting);
    this.#close();
  }

  #send(): void {
    this.#collecting = undefined;
    this.ring.seal();
    this.room.wakeAll();
  }
}

const NOTHING = new Uint8Array(0);

async function* filtered(chunks: AsyncIterable<Uint8Array>, texts: LineTexts): AsyncGenerator<Uint8Array> {
  const filter = new LineFilter(texts);
  for await (const chunk of chunks) {
    const lines = filter.push(chunk);
    if (lines.byteLength > 0 || chunk.byteLength === 0) yield lines;
  }
  const last = filter.end();
  if (last.byteLength > 0) yield last;
}
