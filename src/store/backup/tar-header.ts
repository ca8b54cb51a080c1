/**
 * Tar headers (POSIX ustar, with a pax record where a path or a size needs one). The same entry always gives the same
 * bytes: `backup verify` makes each header again and compares, so that no byte of an archive is left unchecked.
 */
export interface TarFile {
  /** Relative, with slashes. */
  readonly path: string;
  readonly size: number;
  /** Seconds since 1970. */
  readonly mtime: number;
}

export const BLOCK = 512;
/** Two blocks of zeros end an archive. */
export const END_SIZE = 2 * BLOCK;

const MODE = 0o600;
const NAME_MAX = 100;
/** Eleven octal digits. */
const SIZE_MAX = 0o77777777777;
const CHECKSUM_AT = 148;

/** The header blocks of a regular file that only its owner may read. */
export function tarHeader({ path, size, mtime }: TarFile): Buffer {
  const isShort = /^[\x20-\x7e]*$/.test(path) && path.length <= NAME_MAX;
  const records = [
    ...(isShort ? [] : [paxRecord('path', path)]),
    ...(size <= SIZE_MAX ? [] : [paxRecord('size', String(size))]),
  ];
  const name = isShort ? path : `${asciiOf(path).slice(-NAME_MAX)}`;
  const header = block({ name, size: Math.min(size, SIZE_MAX), mtime, type: '0' });
  if (records.length === 0) return header;
  const pax = Buffer.from(records.join(''));
  const paxHeader = block({ name: `PaxHeader/${name}`.slice(0, NAME_MAX), size: pax.length, mtime, type: 'x' });
  return Buffer.concat([paxHeader, pax, Buffer.alloc(paddingOf(pax.length)), header]);
}

/** Bytes between the end of a file's content and the next header. */
export function paddingOf(size: number): number {
  return (BLOCK - (size % BLOCK)) % BLOCK;
}

/** The size that a plain ustar header states; undefined where the block is none. For the first entry, whose size nothing else tells. */
export function statedSize(header: Buffer): number | undefined {
  const digits = header.toString('latin1', 124, 135);
  return /^[0-7]{11}$/.test(digits) ? Number.parseInt(digits, 8) : undefined;
}

/** As `statedSize`, for the time. */
export function statedTime(header: Buffer): number | undefined {
  const digits = header.toString('latin1', 136, 147);
  return /^[0-7]{11}$/.test(digits) ? Number.parseInt(digits, 8) : undefined;
}

function block({ name, size, mtime, type }: { name: string; size: number; mtime: number; type: string }): Buffer {
  const bytes = Buffer.alloc(BLOCK);
  bytes.write(name, 0, NAME_MAX, 'latin1');
  bytes.write(octal(MODE, 7), 100, 'latin1');
  bytes.write(octal(0, 7), 108, 'latin1');
  bytes.write(octal(0, 7), 116, 'latin1');
  bytes.write(octal(size, 11), 124, 'latin1');
  bytes.write(octal(mtime, 11), 136, 'latin1');
  bytes.write('        ', CHECKSUM_AT, 'latin1');
  bytes.write(type, 156, 'latin1');
  bytes.write('ustar\u000000', 257, 'latin1');
  let sum = 0;
  for (const byte of bytes) sum += byte;
  bytes.write(`${octal(sum, 6)}\0 `, CHECKSUM_AT, 'latin1');
  return bytes;
}

function octal(number: number, digits: number): string {
  return number.toString(8).padStart(digits, '0');
}

function asciiOf(path: string): string {
  return path.replace(/[^\x20-\x7e]/g, '_');
}

/** Its length counts its own digits. */
function paxRecord(key: string, value: string): string {
  const rest = ` ${key}=${value}\n`;
  let length = Buffer.byteLength(rest);
  while (Buffer.byteLength(`${length}${rest}`) !== length) length = Buffer.byteLength(`${length}${rest}`);
  return `${length}${rest}`;
}
