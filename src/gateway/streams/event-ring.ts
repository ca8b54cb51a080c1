/**
 * The latest public events in memory, in blocks that are encoded once: every reader without a filter is sent the same
 * bytes, and every reader with the same filter too. Pure: positions and records in, chunks out.
 *
 *    start                                sealed        end
 *      ├── block ──┬── block ──┬── block ──┤  incoming   ├───
 *
 * Bound: RING_BYTES_MAX. Overflow policy: the oldest block goes; a reader that still needs it reads from the store.
 */
import { EVERYTHING, type EventFilter, fitsFilter, type PublicEvent } from '../../protocol/event.ts';
import { decodeEvent } from '../../store/commit/event-log.ts';
import { EventView } from '../../workers/rows/event-view.ts';

const RING_BYTES_MAX = 8 * 1024 * 1024;
/** Characters of a block: what one write to a slow reader may leave in memory. */
const BLOCK_BYTES_MAX = 64 * 1024;

/** Readers with the same key want the same events. */
export function filterKeyOf(filter: EventFilter): string {
  return JSON.stringify(filter);
}

/** Which nodes a reader who is bound to the queues sees. */
export type SeesNode = (nodeId: string, queues: readonly string[]) => boolean;

const PLAIN = new EventView(EVERYTHING, () => true);

export class EventBlock {
  readonly first: number;
  /** Null if the record could not be read: every reader gets a gap. */
  readonly events: (PublicEvent | null)[] = [];
  readonly #frames: string[] = [];
  readonly #chunks = new Map<string, Uint8Array>();
  byteLength = 0;
  #madeMs = 0;

  constructor(first: number) {
    this.first = first;
  }

  get next(): number {
    return this.first + this.events.length;
  }

  add(event: PublicEvent | null, nowMs: number): void {
    const position = this.next;
    this.#madeMs = nowMs;
    const frame = event ? PLAIN.event(position, event) : PLAIN.gap(nowMs, position, position, position);
    this.events.push(event);
    this.#frames.push(frame);
    this.byteLength += frame.length;
  }

  /** What a reader at `from` is sent of this block; the whole block is encoded once a filter. */
  chunk(from: number, filter: EventFilter, filterKey: string, seesNode: SeesNode = SEES_NONE): Uint8Array {
    if (from > this.first) return this.#encode(from, filter, seesNode);
    const known = this.#chunks.get(filterKey);
    if (known) return known;
    const made = this.#encode(from, filter, seesNode);
    this.#chunks.set(filterKey, made);
    return made;
  }

  #encode(from: number, filter: EventFilter, seesNode: SeesNode): Uint8Array {
    const skipped = from - this.first;
    const { scope } = filter;
    if (scope) {
      const view = new EventView(filter, (nodeId) => seesNode(nodeId, scope.queues));
      const frames = this.events.slice(skipped).map((event, i) => {
        const position = from + i;
        return event ? view.event(position, event) : view.gap(this.#madeMs, position, position, position);
      });
      return Buffer.from(frames.join(''));
    }
    const fits = (event: PublicEvent | null): boolean => event === null || fitsFilter(event, filter);
    return Buffer.from(
      this.#frames.filter((_, i) => i >= skipped && fits(this.events[i] as PublicEvent | null)).join(''),
    );
  }
}

const SEES_NONE: SeesNode = () => false;

export class EventRing {
  #blocks: EventBlock[] = [];
  #incoming: Uint8Array[] = [];
  #start = 1;
  #sealed = 1;
  #byteLength = 0;
  readonly #bytesMax: number;

  constructor(bytesMax = RING_BYTES_MAX) {
    this.#bytesMax = bytesMax;
  }

  get start(): number {
    return this.#start;
  }

  /** Position of the next event to come. */
  get end(): number {
    return this.#sealed + this.#incoming.length;
  }

  /** Records from `first` on. Where that is not the end, events were left out, and the ring starts again. */
  take(first: number, records: readonly Uint8Array[]): void {
    if (first !== this.end) this.#restart(first);
    for (const record of records) this.#incoming.push(record);
  }

  /** Makes blocks of what has come in; how many of the records could not be read. */
  seal(nowMs: number): number {
    let block: EventBlock | undefined;
    let unreadable = 0;
    for (const record of this.#incoming) {
      if (!block || block.byteLength >= BLOCK_BYTES_MAX) {
        block = new EventBlock(block?.next ?? this.#sealed);
        this.#blocks.push(block);
      }
      const before = block.byteLength;
      const event = decodeEvent(record);
      if (event === null) unreadable++;
      block.add(event, nowMs);
      this.#byteLength += block.byteLength - before;
    }
    this.#sealed = this.end;
    this.#incoming = [];
    while (this.#byteLength > this.#bytesMax) this.#dropOldest();
    return unreadable;
  }

  /** Releases everything: there is no reader. */
  clear(): void {
    this.#restart(this.end);
  }

  /** The block that holds the position; undefined where it is not sealed yet, or gone. */
  blockAt(position: number): EventBlock | undefined {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#blocks[middle] as EventBlock).next <= position) low = middle + 1;
      else high = middle;
    }
    const block = this.#blocks[low];
    return block && block.first <= position ? block : undefined;
  }

  #restart(first: number): void {
    this.#blocks = [];
    this.#incoming = [];
    this.#start = first;
    this.#sealed = first;
    this.#byteLength = 0;
  }

  #dropOldest(): void {
    const block = this.#blocks.shift() as EventBlock;
    this.#start = block.next;
    this.#byteLength -= block.byteLength;
  }
}
