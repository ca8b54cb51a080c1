/** The ways in which this Node compresses a package. */
import zlib from 'node:zlib';
import type { Compression } from '../../base/packages/entry.ts';

/** zstd is in Node 22.15 and later, and not yet in the types that we compile with. */
interface WithZstd {
  readonly zstdCompressSync?: (bytes: Uint8Array, options: { params: Record<number, number> }) => Buffer;
  readonly constants: { readonly ZSTD_c_compressionLevel?: number };
}

/** Of the 125 MB of Node 22, level 9 makes 37 MB in 2 s, 19 makes 32 MB in 50 s, and 3 makes 41 MB in half a second. */
export const RELEASE_LEVEL = 9;
/** For what a new worker is waiting for. */
export const PROMPT_LEVEL = 3;

export const GZIP: Compression = {
  name: 'gzip',
  extension: 'gz',
  compress: (bytes) => zlib.gzipSync(bytes, { level: 6 }),
};

export function bestCompression(zstdLevel: number): Compression {
  const { zstdCompressSync, constants } = zlib as unknown as WithZstd;
  const level = constants.ZSTD_c_compressionLevel;
  if (zstdCompressSync === undefined || level === undefined) return GZIP;
  const params = { [level]: zstdLevel };
  return { name: 'zstd', extension: 'zst', compress: (bytes) => zstdCompressSync(bytes, { params }) };
}
