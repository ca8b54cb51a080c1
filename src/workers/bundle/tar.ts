/** A tar file as it is made: headers by the library, bodies passed through. Nothing of it is held. */
import { Header } from 'tar/header';
import { Pax } from 'tar/pax';

export interface TarEntry {
  /** Relative, with slashes. */
  readonly path: string;
  readonly size: number;
  readonly modified: Date;
  /** At least `size` bytes; what is beyond is left out, what is missing is filled with zeros. */
  readonly bytes: AsyncIterable<Uint8Array>;
}

const BLOCK = 512;
const MODE = 0o644;
/** Two blocks of zeros end the file. */
const END = new Uint8Array(2 * BLOCK);

export async function* tarOf(entries: AsyncIterable<TarEntry>): AsyncGenerator<Uint8Array> {
  for await (const entry of entries) {
    yield headerOf(entry);
    yield* exactly(entry.bytes, entry.size);
    yield new Uint8Array((BLOCK - (entry.size % BLOCK)) % BLOCK);
  }
  yield END;
}

function headerOf({ path, size, modified }: TarEntry): Uint8Array {
  const block = Buffer.alloc(BLOCK);
  const header = new Header({ path, size, mode: MODE, mtime: modified, type: 'File' });
  const needsMore = header.encode(block, 0);
  return needsMore ? Buffer.concat([new Pax({ path, size, mtime: modified }).encode(), block]) : block;
}

async function* exactly(bytes: AsyncIterable<Uint8Array>, size: number): AsyncGenerator<Uint8Array> {
  let left = size;
  for await (const chunk of bytes) {
    const part = chunk.subarray(0, left);
    left -= part.byteLength;
    yield part;
    if (left === 0) return;
  }
  for (; left > 0; left -= BLOCK) yield new Uint8Array(Math.min(BLOCK, left));
}
