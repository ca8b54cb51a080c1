/** The `Range` header: one range of bytes. Several ranges, or a form we do not know, mean the whole (RFC 9110, 14.2). */
export interface ByteRange {
  readonly from: number;
  /** Exclusive. */
  readonly to: number;
}

export function rangeOf(header: string, size: number): ByteRange | 'unsatisfiable' | undefined {
  const parts = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header.trim());
  if (!parts) return undefined;
  const [, first = '', last = ''] = parts;
  if (first === '' && last === '') return undefined;
  if (first === '') {
    const length = Math.min(Number(last), size);
    return length === 0 ? 'unsatisfiable' : { from: size - length, to: size };
  }
  // Compared as numbers of any length: beyond 2^53 they only have to be large.
  if (last !== '' && BigInt(last) < BigInt(first)) return undefined;
  const from = Number(first);
  if (from >= size) return 'unsatisfiable';
  return { from, to: last === '' ? size : Math.min(Number(last) + 1, size) };
}
