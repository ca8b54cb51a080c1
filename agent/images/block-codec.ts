/** The work on the blocks of a chunk: sums, compression, and back. Runs on the threads of `block-workers.ts`, or where it is called. */
import { createHash } from 'node:crypto';
import zlib from 'node:zlib';

/** Two images of a process in its stride differ by some 1.2 MiB in 4 KiB blocks, by 2.1 MiB in these, with a sixteenth of the list. */
export const BLOCK_BYTES = 65_536;
/** A compressed block that saves less than an eighth is not worth the time that it costs a restore. */
const WORTH = 7 / 8;
/** The fastest: on memory of programs level 3 saves a few percent more in twice the time. */
const ZSTD_LEVEL = 1;
const ZEROS = Buffer.alloc(BLOCK_BYTES);

/** zstd is in Node 22.15, 23.8 and later, and not yet in the types that we compile with. */
interface WithZstd {
  readonly zstdCompressSync?: (bytes: Uint8Array, options: { params: Record<number, number> }) => Buffer;
  readonly zstdDecompressSync?: (bytes: Uint8Array, options: { maxOutputLength: number }) => Buffer;
  readonly constants: { readonly ZSTD_c_compressionLevel?: number };
}

const { zstdCompressSync, zstdDecompressSync, constants } = zlib as unknown as WithZstd;

export type Compression = 'none' | 'zstd';

/** What this Node compresses blocks with. */
export const COMPRESSION: Compression = zstdCompressSync && zstdDecompressSync ? 'zstd' : 'none';

export interface PackedBlock {
  readonly bytes: Uint8Array;
  readonly compression: Compression;
}

export function blockOf(chunk: Uint8Array, number: number): Uint8Array {
  return chunk.subarray(number * BLOCK_BYTES, (number + 1) * BLOCK_BYTES);
}

/** SHA-256 of each block in hexadecimal; null for zeros. */
export function sumsOf(chunk: Uint8Array): (string | null)[] {
  return Array.from({ length: Math.ceil(chunk.byteLength / BLOCK_BYTES) }, (_, number) => {
    const block = blockOf(chunk, number);
    if (ZEROS.subarray(0, block.byteLength).equals(block)) return null;
    return createHash('sha256').update(block).digest('hex');
  });
}

/** The blocks with these numbers as they are stored. */
export function packedOf(chunk: Uint8Array, numbers: readonly number[]): PackedBlock[] {
  const params = { [constants.ZSTD_c_compressionLevel ?? 0]: ZSTD_LEVEL };
  return numbers.map((number) => {
    const block = blockOf(chunk, number);
    const packed = COMPRESSION === 'zstd' ? zstdCompressSync?.(block, { params }) : undefined;
    if (!packed || packed.byteLength > block.byteLength * WORTH) return { bytes: block, compression: 'none' };
    return { bytes: packed, compression: 'zstd' };
  });
}

/** The block of `length` bytes; null where what is stored is damaged. */
export function unpacked(stored: Uint8Array, compression: Compression, length: number): Uint8Array | null {
  if (compression === 'none') return stored;
  mustBeReadable(compression);
  try {
    return zstdDecompressSync?.(stored, { maxOutputLength: length }) ?? null;
  } catch {
    return null;
  }
}

/** Throws a sentence where this Node cannot read blocks that are compressed so. */
export function mustBeReadable(compression: string): void {
  if (compression === 'none' || compression === COMPRESSION) return;
  const remedy = compression === 'zstd' ? 'run the agent with Node 22.15 or later' : 'upgrade the agent';
  throw new Error(
    `its blocks are compressed with ${compression}, which Node ${process.versions.node} here cannot read: ${remedy}`,
  );
}
