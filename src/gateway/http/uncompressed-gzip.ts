/**
 * Bytes in the form of gzip, not compressed: blocks that are stored as they are (RFC 1951, 3.2.4). A stream of which a client
 * waits for each byte is sent like this to clients that accept gzip, because the form has bytes that mean nothing: uWS 20.51.4 sends the head
 * of a chunked answer with its first byte, and ends a chunk when it writes the next one. In plain text there is no such byte,
 * so a client would see the head with the first line, and, where it waits for a chunk's end, each line with the one after it.
 */
import { crc32 } from 'node:zlib';

const BLOCK_SIZE_MAX = 65_535;
const BLOCK_HEAD_SIZE = 5;
/** Deflate, no name and no time, unknown system (RFC 1952, 2.3). */
const HEAD = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);
const LAST_BLOCK = 1;

/** Means nothing: a block without bytes. */
export const EMPTY_BLOCK: Uint8Array = blockHead(0, 0);

export class UncompressedGzip {
  #crc = 0;
  #size = 0;

  head(): Uint8Array {
    return Buffer.from(HEAD);
  }

  bytes(chunk: Uint8Array): Uint8Array {
    this.#crc = crc32(chunk, this.#crc);
    this.#size = (this.#size + chunk.byteLength) % 2 ** 32;
    const parts: Uint8Array[] = [];
    for (let at = 0; at < chunk.byteLength; at += BLOCK_SIZE_MAX) {
      const block = chunk.subarray(at, at + BLOCK_SIZE_MAX);
      parts.push(blockHead(0, block.byteLength), block);
    }
    return Buffer.concat(parts);
  }

  end(): Uint8Array {
    const trailer = Buffer.alloc(8);
    trailer.writeUInt32LE(this.#crc, 0);
    trailer.writeUInt32LE(this.#size, 4);
    return Buffer.concat([blockHead(LAST_BLOCK, 0), trailer]);
  }
}

function blockHead(flag: number, size: number): Buffer {
  const head = Buffer.alloc(BLOCK_HEAD_SIZE);
  head[0] = flag;
  head.writeUInt16LE(size, 1);
  head.writeUInt16LE(size ^ 0xffff, 3);
  return head;
}
