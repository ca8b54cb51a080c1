/**
 * The form of a service token and its check. A token is random and long enough that one round of SHA-256 keeps it: there
 * is nothing to guess, unlike with passwords. The prefix lets people and secret scanners see what they found.
 *
 *   cairn_st_ <16 hex: the token's id> _ <43 base64url: 256 random bits>
 */
import { hash, randomBytes, timingSafeEqual } from 'node:crypto';
import { CodedError } from '../../base/errors.ts';
import { scopeOf } from '../../protocol/identity/role.ts';
import type { StoredServiceToken } from '../../protocol/identity/service-token.ts';
import { principalOf } from './principal.ts';
import type { CheckedToken } from './token-cache.ts';

const FORM = /^cairn_st_([0-9a-f]{16})_[A-Za-z0-9_-]{43}$/;

export function newServiceToken(): { readonly id: string; readonly token: string } {
  const id = randomBytes(8).toString('hex');
  return { id, token: `cairn_st_${id}_${randomBytes(32).toString('base64url')}` };
}

export function hashOfServiceToken(token: string): string {
  return hash('sha256', token, 'base64url');
}

export function isServiceToken(token: string): boolean {
  return token.startsWith('cairn_st_');
}

/** Who the token makes its bearer; throws tokenInvalid. */
export function checkServiceToken(
  token: string,
  known: ReadonlyMap<string, StoredServiceToken>,
  nowMs: number,
): CheckedToken {
  const stored = known.get(FORM.exec(token)?.[1] ?? '');
  const isOne =
    stored !== undefined && timingSafeEqual(Buffer.from(hashOfServiceToken(token)), Buffer.from(stored.hash));
  if (!isOne) throw new CodedError('tokenInvalid', 'it is not known: it may have been revoked');
  if (nowMs >= stored.untilMs) throw new CodedError('tokenInvalid', 'it has expired');
  const { name, role, queues, untilMs } = stored;
  const grants = [{ role, queues }];
  return { caller: principalOf(`service token ${name}`, null, grants, scopeOf(grants), untilMs), fromMs: 0 };
}
