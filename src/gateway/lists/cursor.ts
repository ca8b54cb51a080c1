/**
 * Cursors of lists: the position in the order, sealed to the list, its filters and its sort. A cursor holds no state of
 * the server's, so it never expires. The digest keeps honest mistakes apart; it is not a secret, and need not be one:
 * any caller who may send a position may see the list.
 */
import { createHash } from 'node:crypto';

const DIGEST_SIZE = 9;
const POSITION_SIZE_MAX = 1_024;

/** `scope` is a text that stands for the list, its filters and its sort. */
export function cursorOf(position: Uint8Array, scope: string): string {
  return Buffer.concat([digestOf(position, scope), position]).toString('base64url');
}

/** Undefined where it is no cursor, or one of another question. */
export function positionOfCursor(cursor: string, scope: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]+$/.test(cursor) || cursor.length > POSITION_SIZE_MAX * 2) return undefined;
  const bytes = Buffer.from(cursor, 'base64url');
  if (bytes.byteLength <= DIGEST_SIZE) return undefined;
  const position = Uint8Array.from(bytes.subarray(DIGEST_SIZE));
  return digestOf(position, scope).equals(bytes.subarray(0, DIGEST_SIZE)) ? position : undefined;
}

function digestOf(position: Uint8Array, scope: string): Buffer {
  return createHash('sha256').update(scope).update('\0').update(position).digest().subarray(0, DIGEST_SIZE);
}
