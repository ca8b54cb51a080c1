/** The cpio form "newc", in which an rpm holds its content. */
import type { Entry } from './entry.ts';

const TYPE_BITS = { file: 0o100000, folder: 0o040000, link: 0o120000 } as const;
const END = 'TRAILER!!!';

export function cpioOf(entries: readonly Entry[], epoch: number): Uint8Array {
  const parts: Uint8Array[] = [];
  entries.forEach((entry, index) => {
    const content = entry.kind === 'file' ? entry.bytes : Buffer.from(entry.kind === 'link' ? entry.target : '');
    const mode = TYPE_BITS[entry.kind] | (entry.kind === 'link' ? 0o777 : entry.mode);
    parts.push(...member(`.${entry.path}`, content, { mode, epoch, inode: index + 1 }));
  });
  parts.push(...member(END, new Uint8Array(0), { mode: 0, epoch: 0, inode: 0 }));
  return Buffer.concat(parts);
}

function member(
  name: string,
  content: Uint8Array,
  { mode, epoch, inode }: { readonly mode: number; readonly epoch: number; readonly inode: number },
): Uint8Array[] {
  const nameBytes = Buffer.from(`${name}\0`);
  const fields = [inode, mode, 0, 0, 1, epoch, content.byteLength, 0, 1, 0, 0, nameBytes.byteLength, 0];
  const head = Buffer.from(`070701${fields.map((field) => field.toString(16).padStart(8, '0')).join('')}`, 'latin1');
  return [head, nameBytes, padding(head.byteLength + nameBytes.byteLength), content, padding(content.byteLength)];
}

function padding(size: number): Uint8Array {
  return new Uint8Array((4 - (size % 4)) % 4);
}
