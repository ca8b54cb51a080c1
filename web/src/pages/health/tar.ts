/** A tar archive (POSIX ustar) of a few plain files. Pure. */

const BLOCK = 512;

/** `path`: at most 100 bytes of ASCII. `mtime`: seconds since 1970. */
export function tarOf(files: readonly { readonly path: string; readonly text: string }[], mtime: number): Uint8Array[] {
  const encoder = new TextEncoder();
  const parts = files.flatMap(({ path, text }) => {
    const content = encoder.encode(text);
    return [headerOf(path, content.byteLength, mtime), content, new Uint8Array(-content.byteLength & (BLOCK - 1))];
  });
  return [...parts, new Uint8Array(2 * BLOCK)];
}

function headerOf(path: string, size: number, mtime: number): Uint8Array {
  const block = new Uint8Array(BLOCK);
  const write = (at: number, text: string): void => block.set(new TextEncoder().encode(text), at);
  const octal = (at: number, width: number, value: number): void =>
    write(at, value.toString(8).padStart(width - 1, '0'));
  write(0, path);
  // Only who saves it reads it.
  octal(100, 8, 0o600);
  octal(108, 8, 0);
  octal(116, 8, 0);
  octal(124, 12, size);
  octal(136, 12, mtime);
  // The sum counts its own place as blanks.
  write(148, ' '.repeat(8));
  write(156, '0');
  write(257, 'ustar\u000000');
  const sum = block.reduce((total, byte) => total + byte, 0);
  write(148, `${sum.toString(8).padStart(6, '0')}\u0000 `);
  return block;
}
