/**
 * Texts of whole windows as they were answered: a page that shows a week of a series asks for the same week again after half a
 * minute, and what lies in a merged window hardly ever changes. Decoding it and writing its numbers is most of such an answer.
 *
 * A text belongs to the very bytes that it was made of, told by their sum and size as in `QuietParts`, so that nothing has to be
 * taken back where a late sample changes a window.
 */
import type { BucketValue } from '../../protocol/metric.ts';
import type { Level } from '../../protocol/rollup-retention.ts';
import type { SeriesFormat } from '../task/task.ts';

/** What the texts of a process's threads take in all: some hundred weeks of series at 1m. */
const TEXT_BYTES_MAX = 67_108_864;
/** Beside a text: its key, its place and its array. */
const ENTRY_BYTES = 300;

/** Where a window's buckets of an object lie in the store, unchanged and complete. */
export interface StoredWindow {
  readonly level: Level;
  readonly windowMs: number;
  /** Of the object's part of the segment. */
  readonly sum: number;
  readonly size: number;
}

/** What is asked of a window. */
export interface WindowQuestion {
  readonly objectId: string;
  readonly metric: string;
  readonly value: BucketValue;
  readonly format: SeriesFormat;
}

interface Kept {
  readonly sum: number;
  readonly size: number;
  readonly text: Uint8Array;
}

export class WindowTexts {
  readonly #bytesMax: number;
  /** The one that was asked for last comes last. Overflow policy: drop-oldest. */
  readonly #kept = new Map<string, Kept>();
  #bytes = 0;

  /** `threads`: how many share the memory. */
  constructor(threads: number, bytesMax = TEXT_BYTES_MAX) {
    this.#bytesMax = bytesMax / threads;
  }

  get bytes(): number {
    return this.#bytes;
  }

  find(question: WindowQuestion, window: StoredWindow): Uint8Array | undefined {
    const key = keyOf(question, window);
    const kept = this.#kept.get(key);
    if (kept === undefined || kept.sum !== window.sum || kept.size !== window.size) return undefined;
    this.#kept.delete(key);
    this.#kept.set(key, kept);
    return kept.text;
  }

  /** `text` must not change afterwards. */
  add(question: WindowQuestion, window: StoredWindow, text: Uint8Array): void {
    const key = keyOf(question, window);
    this.#drop(key);
    this.#kept.set(key, { sum: window.sum, size: window.size, text });
    this.#bytes += sizeOf(text);
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#bytesMax) break;
      this.#drop(oldest);
    }
  }

  #drop(key: string): void {
    const kept = this.#kept.get(key);
    if (kept === undefined) return;
    this.#kept.delete(key);
    this.#bytes -= sizeOf(kept.text);
  }
}

function sizeOf(text: Uint8Array): number {
  return text.byteLength + ENTRY_BYTES;
}

function keyOf({ objectId, metric, value, format }: WindowQuestion, { level, windowMs }: StoredWindow): string {
  return `${level.name} ${windowMs} ${value} ${format} ${metric} ${objectId}`;
}
