/**
 * The event log of a server that does not lead, as its streams hear of it: no actor tells them, so the database is looked at. Only
 * while somebody has asked for events.
 */
import { pack } from 'msgpackr';
import { lastPositionOf, readRecords } from '../../store/commit/event-log.ts';
import type { Reader } from '../../store/kv/store.ts';

type OnEvents = (first: number, bytes: Uint8Array) => void;

const LOOK_EVERY_MS = 100;
/** Where more have come at once, readers read them from the store. */
const RECORDS_MAX = 2_000;

export class StoredEvents {
  readonly #reader: Reader;
  #onEvents: OnEvents = () => {};
  #next = 0;
  #timer: NodeJS.Timeout | undefined;
  #isClosed = false;

  constructor(reader: Reader) {
    this.#reader = reader;
  }

  /** The first call of `onEvents` tells where the log stands. */
  listen(onEvents: OnEvents): void {
    if (this.#isClosed) return;
    this.#onEvents = onEvents;
    this.#reader.refresh();
    this.#skipTo(lastPositionOf(this.#reader) + 1);
    this.#timer ??= setInterval(() => this.catchUp(), LOOK_EVERY_MS).unref();
  }

  /** What is in the database by now has been heard afterwards. */
  catchUp(): void {
    if (!this.#timer) return;
    this.#reader.refresh();
    const records = [...readRecords(this.#reader, this.#next, RECORDS_MAX + 1)];
    const first = records[0];
    if (!first) return;
    if (records.length > RECORDS_MAX || first.position !== this.#next) {
      this.#skipTo(lastPositionOf(this.#reader) + 1);
      return;
    }
    const from = this.#next;
    this.#next += records.length;
    this.#onEvents(from, Uint8Array.from(pack(records.map(({ record }) => record))));
  }

  /** Before the reader is closed. Nothing is heard afterwards. */
  close(): void {
    this.#isClosed = true;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #skipTo(position: number): void {
    this.#next = position;
    this.#onEvents(position, new Uint8Array(0));
  }
}
