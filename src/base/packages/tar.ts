/** The tar form (POSIX ustar with GNU long names), as dpkg and every tar read it: owned by root, one time for all. */
import type { Entry } from './entry.ts';

const BLOCK = 512;
const NAME_MAX = 100;
/** GNU's marker of a long name that follows as content. */
const LONG_NAME = '././@LongLink';
const TYPES = { file: '0', link: '2', folder: '5', longName: 'L', longTarget: 'K' } as const;

/** `prefix` stands in front of each path in place of its first slash: `./` for dpkg, a folder for a plain archive. */
export function tarOf(entries: readonly Entry[], { prefix, epoch }: { prefix: string; epoch: number }): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const entry of entries) {
    // The root itself is `./`: dpkg takes `.//` for a file without a name, and fails at the next upgrade.
    const isFolder = entry.kind === 'folder' && entry.path !== '/';
    const name = Buffer.from(`${prefix}${entry.path.slice(1)}${isFolder ? '/' : ''}`);
    const target = Buffer.from(entry.kind === 'link' ? entry.target : '');
    if (name.byteLength > NAME_MAX) parts.push(...longText(name, TYPES.longName));
    if (target.byteLength > NAME_MAX) parts.push(...longText(target, TYPES.longTarget));
    const size = entry.kind === 'file' ? entry.bytes.byteLength : 0;
    const mode = entry.kind === 'link' ? 0o777 : entry.mode;
    parts.push(header({ name, target, size, mode, epoch, type: TYPES[entry.kind] }));
    if (entry.kind === 'file') parts.push(entry.bytes, padding(size));
  }
  parts.push(new Uint8Array(2 * BLOCK));
  return Buffer.concat(parts);
}

function longText(text: Buffer, type: string): Uint8Array[] {
  const bytes = Buffer.concat([text, Buffer.alloc(1)]);
  const name = Buffer.from(LONG_NAME);
  const target = Buffer.alloc(0);
  return [header({ name, target, size: bytes.byteLength, mode: 0, epoch: 0, type }), bytes, padding(bytes.byteLength)];
}

interface Header {
  readonly name: Buffer;
  readonly target: Buffer;
  readonly size: number;
  readonly mode: number;
  readonly epoch: number;
  readonly type: string;
}

function header({ name, target, size, mode, epoch, type }: Header): Uint8Array {
  const block = Buffer.alloc(BLOCK);
  name.copy(block, 0, 0, Math.min(name.byteLength, NAME_MAX));
  octal(block, 100, 8, mode);
  octal(block, 108, 8, 0);
  octal(block, 116, 8, 0);
  octal(block, 124, 12, size);
  octal(block, 136, 12, epoch);
  block.write('        ', 148, 'latin1');
  block.write(type, 156, 'latin1');
  target.copy(block, 157, 0, Math.min(target.byteLength, NAME_MAX));
  block.write('ustar  \0', 257, 'latin1');
  block.write('root', 265, 'latin1');
  block.write('root', 297, 'latin1');
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${sum.toString(8).padStart(6, '0')}\0 `, 148, 'latin1');
  return block;
}

function octal(block: Buffer, at: number, width: number, value: number): void {
  block.write(`${value.toString(8).padStart(width - 1, '0')}\0`, at, 'latin1');
}

function padding(size: number): Uint8Array {
  return new Uint8Array((BLOCK - (size % BLOCK)) % BLOCK);
}
