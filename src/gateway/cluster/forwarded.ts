/**
 * The header by which a server tells the leader whose call it passes on. It is signed with a key that only servers of the
 * cluster have, so that a caller cannot claim another address; without a valid signature the header says nothing.
 *
 *   x-cairn-forwarded: <JSON of the claim, base64url>.<HMAC-SHA-256, base64url>
 */
import { createHmac, timingSafeEqual } from 'node:crypto';

export const FORWARDED_HEADER = 'x-cairn-forwarded';

export interface ForwardedClaim {
  /** The caller's address. */
  readonly from: string;
  /** No certificate was asked for, or one was shown. */
  readonly isCertified: boolean;
}

const SIZE_MAX = 512;

export function signForwarded({ from, isCertified }: ForwardedClaim, key: string): string {
  const claim = Buffer.from(JSON.stringify([from, isCertified])).toString('base64url');
  return `${claim}.${signatureOf(claim, key).toString('base64url')}`;
}

/** Undefined where it was not signed with this key. */
export function readForwarded(header: string, key: string): ForwardedClaim | undefined {
  const [claim, signature, rest] = header.length <= SIZE_MAX ? header.split('.') : [];
  if (claim === undefined || signature === undefined || rest !== undefined || key === '') return undefined;
  const sent = Buffer.from(signature, 'base64url');
  const wanted = signatureOf(claim, key);
  if (sent.byteLength !== wanted.byteLength || !timingSafeEqual(sent, wanted)) return undefined;
  const [from, isCertified] = JSON.parse(Buffer.from(claim, 'base64url').toString()) as [string, boolean];
  return { from, isCertified };
}

/** The key serves another purpose too: what is signed says which one this is. */
function signatureOf(claim: string, key: string): Buffer {
  return createHmac('sha256', key).update(`${FORWARDED_HEADER}\n${claim}`).digest();
}
