/** Which lines of a log are shown, and which part of it. */

/** It stands in the address of the page. */
export interface LogFilter {
  readonly q?: string | undefined;
  readonly level?: string | undefined;
  /** RFC 3339: from this moment on, which is not followed. */
  readonly from?: string | undefined;
  /** RFC 3339: what stands around this moment, in place of `from`. */
  readonly around?: string | undefined;
  /** What stands around this byte, in place of both: lines may tell no time. */
  readonly byte?: string | undefined;
}

/** Neither from a moment on, nor around one. */
export const AT_END = { from: undefined, around: undefined, byte: undefined };

interface Wanted {
  readonly q: string;
  readonly level: string | undefined;
  readonly from: string;
  readonly around: string;
  readonly byte: number | undefined;
  readonly isAtEnd: boolean;
}

export function wantedOf({ q = '', level, from = '', around = '', byte = '' }: LogFilter): Wanted {
  const isAtEnd = from === '' && around === '' && byte === '';
  return { q, level, from, around, byte: byte === '' ? undefined : Number(byte), isAtEnd };
}
