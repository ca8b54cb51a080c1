/**
 * How long to wait before the next attempt to open a WebSocket, by how the last one ended. Beats go over HTTP meanwhile, so
 * nothing is lost by waiting, and a server that has just come back must not meet all its agents at the same moment. Pure.
 */
import { unreachable } from '../../src/base/assert.ts';
import type { Random } from '../../src/base/random.ts';
import { BACKOFF_CAP_MS, backoffMs } from './backoff.ts';

export type SocketEnd =
  /** The upgrade was answered with a status of HTTP. */
  | { readonly type: 'refused'; readonly status: number }
  /** There was no connection, or what came over it was no WebSocket. */
  | { readonly type: 'failed'; readonly reason: string }
  /** It was open. `code` is that of RFC 6455, 1006 where the connection just broke. */
  | { readonly type: 'closed'; readonly code: number; readonly reason: string };

export interface ReconnectCase {
  readonly end: SocketEnd;
  /** Sockets in a row that ended without one answered frame; at least 1. */
  readonly failures: number;
  readonly beatMs: number;
}

const SERVICE_RESTART = 1012;
const TRY_AGAIN_LATER = 1013;
/** An old server or a proxy that knows no WebSocket will not learn it soon: twelve attempts an hour find the day it does. */
const REFUSED_BASE_MS = 2_000;
const REFUSED_CAP_MS = 300_000;
/** Of refusals, those that may be over soon: a token that is being renewed, too much to do. */
const PASSING = new Set([401, 403, 429, 500, 502, 503, 504, 507]);

export function reconnectMs({ end, failures, beatMs }: ReconnectCase, random: Random): number {
  switch (end.type) {
    case 'refused':
      return PASSING.has(end.status)
        ? backoffMs({ failures, beatMs, retryAfterMs: null }, random)
        : random.between(0.5, 1) * Math.min(REFUSED_CAP_MS, REFUSED_BASE_MS * 2 ** Math.min(failures, 20));
    case 'failed':
      return backoffMs({ failures, beatMs, retryAfterMs: null }, random);
    case 'closed':
      // A socket that worked and was closed is seldom the only one: the server restarts, or was killed. All of its clients
      // come back over the whole span, from the first attempt on.
      return failures === 1 || end.code === SERVICE_RESTART || end.code === TRY_AGAIN_LATER
        ? random.between(0, Math.min(BACKOFF_CAP_MS, beatMs))
        : backoffMs({ failures, beatMs, retryAfterMs: null }, random);
    default:
      return unreachable(end);
  }
}

export function textOf(end: SocketEnd): string {
  switch (end.type) {
    case 'refused':
      return `the server rejected it with HTTP ${end.status}`;
    case 'failed':
      return end.reason;
    case 'closed':
      return `it was closed with ${end.code}${end.reason === '' ? '' : ` (${end.reason})`}`;
    default:
      return unreachable(end);
  }
}
