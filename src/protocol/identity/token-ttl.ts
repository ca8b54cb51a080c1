/** How long a token that the server makes is valid. Pure. */
import { z } from 'zod';
import { tryParseDuration } from '../duration.ts';

/** Ten years: longer than any machine that holds a token. */
export const TOKEN_TTL_MS_MAX = 87_600 * 3_600_000;

export const ttlSchema = z
  .union([z.string(), z.number().int()])
  .refine((ttl) => ttlMsOf(ttl) !== undefined, 'is not a duration above 0 and up to 87600h, such as 720h')
  .describe('How long the token is valid: a duration, or integer nanoseconds')
  .meta({
    id: 'TokenLifetime',
    description: 'How long a token is valid: a duration, or integer nanoseconds',
    examples: ['720h'],
  });

/** Milliseconds, at least 1; undefined where it is no duration, or out of bounds. */
export function ttlMsOf(ttl: string | number): number | undefined {
  const ns = typeof ttl === 'string' ? tryParseDuration(ttl) : BigInt(Number.isSafeInteger(ttl) ? ttl : 0);
  if (ns === undefined) return undefined;
  const ms = Number(ns / 1_000_000n);
  return ms >= 1 && ms <= TOKEN_TTL_MS_MAX ? ms : undefined;
}
