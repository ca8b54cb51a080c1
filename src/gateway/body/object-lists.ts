/**
 * Lists of object ids that were read before, found by their bytes: a collector sends the same objects in the same order each
 * time, and then nothing of the list is decoded, hashed or looked up again.
 */
import { ObjectList } from '../../actors/aggregator/sample-table.ts';

/** Overflow policy of both: the list that was not used for the longest time is forgotten. */
const LISTS_MAX = 64;
const BYTES_MAX = 1024 * 1024;

interface Known {
  readonly bytes: Buffer;
  readonly list: ObjectList;
}

export class ObjectLists {
  /** The one that was used last is the first. */
  readonly #known: Known[] = [];
  #bytes = 0;

  /** The list whose bytes stand there. */
  find(body: Buffer, from: number): { readonly list: ObjectList; readonly end: number } | undefined {
    for (let place = 0; place < this.#known.length; place++) {
      const { bytes, list } = this.#known[place] as Known;
      const end = from + bytes.byteLength;
      if (end > body.byteLength || body.compare(bytes, 0, bytes.byteLength, from, end) !== 0) continue;
      if (place > 0) this.#known.unshift(...this.#known.splice(place, 1));
      return { list, end };
    }
    return undefined;
  }

  learn(bytes: Buffer, ids: readonly string[]): ObjectList {
    const list = new ObjectList(ids);
    if (bytes.byteLength > BYTES_MAX) return list;
    this.#known.unshift({ bytes: Buffer.from(bytes), list });
    this.#bytes += bytes.byteLength;
    while (this.#known.length > LISTS_MAX || this.#bytes > BYTES_MAX)
      this.#bytes -= (this.#known.pop() as Known).bytes.byteLength;
    return list;
  }
}
