/** Heartbeats over HTTP: one, and many (contract section 4). */

import type { Sample } from '../../actors/aggregator/messages.ts';
import { nodeAddress } from '../../actors/node/messages.ts';
import type { ShardHost } from '../../actors/thread/shard-host.ts';
import { CodedError } from '../../base/errors.ts';
import {
  type BatchedBeat,
  type Heartbeat,
  type HeartbeatReply,
  heartbeatBatchSchema,
  heartbeatSchema,
} from '../../protocol/heartbeat.ts';
import { idSchema } from '../../protocol/id.ts';
import { nodeObjectId } from '../../protocol/metric.ts';
import { validate } from '../body.ts';
import type { Handler, HandlerServices } from '../handler.ts';
import { defineMissing, sampleFault, sampleOf, takesSeries } from '../samples.ts';

export const postHeartbeat: Handler = async ({ call, params, body }, services) => {
  const id = params['id'] as string;
  if (!idSchema.safeParse(id).success) throw new CodedError('notFound');
  const beat = body === undefined || body === null ? {} : validate(heartbeatSchema, body);
  const warnings: string[] = [];
  const samples = await samplesOf(id, beat, services, warnings);
  const reply = await services.host.ask(nodeAddress(id), { type: 'beat', samples });
  call.json(200, warnings.length > 0 ? { ...reply, warnings } : reply);
};

export const postHeartbeats: Handler = async ({ call, body }, services) => {
  const beats = validate(heartbeatBatchSchema, body);
  const warnings: string[] = [];
  const unknown: string[] = [];
  const outcomes = await Promise.all(beats.map((beat) => beatOf(beat, services, warnings)));
  let accepted = 0;
  let latest: HeartbeatReply | undefined;
  outcomes.forEach((outcome, i) => {
    if (outcome === 'unknown') {
      unknown.push((beats[i] as BatchedBeat).id);
      return;
    }
    accepted++;
    latest = outcome;
  });
  const { nextBeatMs, configVersion } = latest ?? idleReply(services.host);
  call.json(200, { accepted, unknown, nextBeatMs, configVersion, ...(warnings.length > 0 ? { warnings } : {}) });
};

async function beatOf(
  beat: BatchedBeat,
  services: HandlerServices,
  warnings: string[],
): Promise<HeartbeatReply | 'unknown'> {
  try {
    const samples = await samplesOf(beat.id, beat, services, warnings);
    return await services.host.ask(nodeAddress(beat.id), { type: 'beat', samples });
  } catch (error) {
    if (error instanceof CodedError && error.name === 'notFound') return 'unknown';
    throw error;
  }
}

function idleReply(host: ShardHost): HeartbeatReply {
  return { nextBeatMs: Math.round(host.system.env.times.heartbeatMs), configVersion: host.shared.configVersion };
}

const WARNINGS_MAX = 32;
const NO_SAMPLES: readonly Sample[] = [];

/** What the beat carries, as samples; what cannot be taken is told as a warning, and the beat counts all the same. */
async function samplesOf(
  nodeId: string,
  beat: Heartbeat,
  services: HandlerServices,
  warnings: string[],
): Promise<readonly Sample[]> {
  const names = beat.metrics ? Object.keys(beat.metrics) : [];
  if (names.length === 0) return NO_SAMPLES;
  const warn = (text: string): void => {
    if (warnings.length < WARNINGS_MAX) warnings.push(text);
  };
  const nowMs = services.host.clock.wallMs();
  const late = beat.time ? sampleFault(beat.time, nowMs) : undefined;
  if (late !== undefined) {
    warn(`the metrics were not taken: time ${late}`);
    return NO_SAMPLES;
  }
  const objectId = nodeObjectId(nodeId);
  const samples: Sample[] = [];
  for (const name of names) {
    const defined = await defineMissing(name, services);
    if (!defined) warn(`${name} was not taken: there are as many metric definitions as there may be`);
    else if (!takesSeries(services.host, objectId, defined))
      warn(`${name} was not taken: there are as many series as there may be`);
    else
      samples.push(
        sampleOf(defined, beat.time ?? null, nowMs, (beat.metrics as Record<string, number>)[name] as number),
      );
  }
  return samples;
}
