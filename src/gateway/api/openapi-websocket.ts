/** The WebSocket of heartbeats, which OpenAPI has no words for: `x-websocket` on its path (contract section 14). */
import { z } from 'zod';
import { JSON_SUBPROTOCOL, MSGPACK_SUBPROTOCOL } from '../../protocol/beat-frame.ts';
import { heartbeatBatchReplySchema, heartbeatBatchSchema } from '../../protocol/heartbeat.ts';
import { errorSchema, referenceTo } from './openapi-schemas.ts';

export const HEARTBEAT_PATH = '/api/v1/heartbeat';

const seq = z.union([z.number(), z.string()]).optional().describe('Repeated in the reply');

const numberedSchema = z.object({ seq, beats: heartbeatBatchSchema }).meta({
  id: 'NumberedHeartbeats',
  description: 'Heartbeats of many nodes, with a number that the reply repeats',
  examples: [{ seq: 1, beats: [{ id: 'node-1' }] }],
});

const frameSchema = z.union([heartbeatBatchSchema, numberedSchema]).meta({
  id: 'HeartbeatFrame',
  description: 'Heartbeats of many nodes, with or without a number that the reply repeats',
  examples: [{ seq: 1, beats: [{ id: 'node-1' }] }],
});

const replySchema = heartbeatBatchReplySchema.extend({ seq }).meta({
  id: 'HeartbeatFrameReply',
  description: 'The reply to a frame; frames are answered when they are durable, so replies may overtake each other',
  examples: [{ seq: 1, nextBeatMs: 30_000, configVersion: 1, accepted: 1, unknown: [] }],
});

const failureSchema = errorSchema.extend({ seq }).meta({
  id: 'HeartbeatFrameError',
  description: 'Why a frame was refused',
  examples: [{ seq: 1, statusCode: 400, errorCode: 1001, message: 'Malformed request' }],
});

const pushSchema = z.object({ type: z.literal('config'), configVersion: z.int() }).meta({
  id: 'ConfigurationPush',
  description: 'Sent by the server when the configuration has changed',
  examples: [{ type: 'config', configVersion: 2 }],
});

export function heartbeatWebSocket(): object {
  return {
    summary: 'Send heartbeats of many nodes over one connection',
    description:
      'Each frame is a batch of at most 10,000 heartbeats and 8 MiB. At most 64 frames may be unanswered. Access is that of POST on this path.',
    subprotocols: {
      [JSON_SUBPROTOCOL]: 'Frames are JSON texts',
      [MSGPACK_SUBPROTOCOL]: 'Frames are MessagePack, binary',
    },
    security: [{ bearer: [] }],
    send: referenceTo(frameSchema),
    receive: { oneOf: [replySchema, failureSchema, pushSchema].map(referenceTo) },
    closeCodes: {
      1001: 'The server stops',
      1009: 'A frame is too large',
      1012: 'The server restarts; connect again',
      1013: 'Too many unanswered frames; try later',
    },
  };
}
