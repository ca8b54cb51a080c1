/** Strict ends of tokens: to the millisecond, where the JWT library rounds to whole seconds. Pure. */
import type { JWTPayload } from 'jose';
import { CodedError } from '../../base/errors.ts';

/** When the token ends; throws tokenInvalid where that has passed. */
export function untilMsOf({ exp }: JWTPayload, leewayMs: number, nowMs: number): number {
  const untilMs = (exp ?? 0) * 1_000 + leewayMs;
  if (nowMs >= untilMs) throw new CodedError('tokenInvalid', 'it has expired');
  return untilMs;
}
