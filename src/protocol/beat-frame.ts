/**
 * The frames of `WebSocket /api/v1/heartbeat` (contract section 4), as values: their bytes are JSON or MessagePack by
 * subprotocol, which is the business of the socket's owner. Pure.
 *
 *   worker → server   {seq, beats: [{id, time?, metrics?}, …]}
 *   server → worker   {seq, accepted, unknown, nextBeatMs, configVersion}      the reply to a batch
 *                     {seq, statusCode, errorCode, message, retryAfterMs?}     the frame was not taken
 *                     {type: "config", configVersion}                          pushed, at any moment
 */
import type { BatchedBeat } from './heartbeat.ts';

export const BEAT_SOCKET_PATH = '/api/v1/heartbeat';
export const JSON_SUBPROTOCOL = 'cairn.json';
export const MSGPACK_SUBPROTOCOL = 'cairn.msgpack';

export interface BeatFrame {
  /** The sender's own count; the reply carries the same. */
  readonly seq: number;
  readonly beats: readonly BatchedBeat[];
}

export type ServerFrame =
  /** `json` is the whole frame: the reply of POST /api/v1/heartbeat, or the contract's error form. */
  | { readonly type: 'answer'; readonly seq: number; readonly status: number; readonly json: object }
  | { readonly type: 'config'; readonly configVersion: number }
  | { readonly type: 'unreadable' };

const OK = 200;

/** What a frame of the server says. An answer without a `seq` belongs to no frame and counts as unreadable. */
export function readServerFrame(value: unknown): ServerFrame {
  if (typeof value !== 'object' || value === null) return { type: 'unreadable' };
  const { type, seq, statusCode, configVersion } = value as Readonly<Record<string, unknown>>;
  if (type === 'config') {
    return typeof configVersion === 'number' ? { type, configVersion } : { type: 'unreadable' };
  }
  if (typeof seq !== 'number') return { type: 'unreadable' };
  return { type: 'answer', seq, status: typeof statusCode === 'number' ? statusCode : OK, json: value };
}

/** A frame that was not taken says when to send it again; undefined where it does not. */
export function retryAfterMsIn(json: object): number | undefined {
  const { retryAfterMs } = json as { retryAfterMs?: unknown };
  return typeof retryAfterMs === 'number' && retryAfterMs >= 0 ? retryAfterMs : undefined;
}
