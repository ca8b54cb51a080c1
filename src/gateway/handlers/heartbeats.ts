/** Heartbeats over HTTP: one, and many (contract section 4). */
import { CodedError, errorOf } from '../../base/errors.ts';
import { type HeartbeatReply, heartbeatSchema } from '../../protocol/heartbeat.ts';
import { idSchema } from '../../protocol/id.ts';
import { validate } from '../body/parse-body.ts';
import { samplesOf, takeBatch } from '../heartbeats/batch.ts';
import { ordersFor } from '../heartbeats/orders.ts';
import type { Handler, HandlerServices } from './handler.ts';

export const postHeartbeat: Handler = async ({ exchange, params, body }, services) => {
  const id = params['id'] as string;
  if (!idSchema.safeParse(id).success) throw new CodedError('notFound');
  const beat = body === undefined || body === null ? {} : validate(heartbeatSchema, body);
  const warnings: string[] = [];
  const samples = await samplesOf(id, beat, services, warnings);
  const reply: HeartbeatReply = await new Promise((resolve, reject) => {
    services.host.beats.one(id, samples, (failure, nextBeatMs) => {
      if (failure) reject(errorOf(failure));
      else resolve({ nextBeatMs, configVersion: versionOf(services) });
    });
  });
  const orders = await ordersFor(services, id, beat.done);
  exchange.json(200, { ...reply, ...orders, ...(warnings.length > 0 ? { warnings } : {}) });
};

export const postHeartbeats: Handler = async ({ exchange, body }, services) => {
  const reply = await new Promise((resolve, reject) => {
    takeBatch(body, services, (failure, taken) => {
      if (failure) reject(errorOf(failure));
      else resolve(taken);
    });
  });
  exchange.json(200, reply);
};

function versionOf({ host }: HandlerServices): number {
  return host.shared.configVersion;
}
