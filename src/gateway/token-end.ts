/** When the right to a long answer ends: a stream must not outlive the token that it was admitted with. */
import { decodeJwt } from 'jose';
import type { Call } from './call.ts';
import type { Visitor } from './wait-room.ts';

/** What a timer holds; a token that lives longer is looked at again by whoever reconnects. */
const TIMER_MAX_MS = 2_147_483_647;

/** Cuts the visitor off when the caller's token ends. The token was verified when the call was admitted. */
export function endWithToken(call: Call, visitor: Visitor, nowWallMs: number): void {
  const token = /^bearer +([^\s]+)$/i.exec(call.headers.authorization.trim())?.[1];
  if (call.principal.kind === 'anyone' || token === undefined) return;
  const { exp } = decodeJwt(token);
  if (exp === undefined) return;
  const timer = setTimeout(() => visitor.cut(), Math.min(TIMER_MAX_MS, Math.max(0, exp * 1_000 - nowWallMs)));
  timer.unref();
  visitor.onEnd(() => clearTimeout(timer));
}
