/** Which signals of the actors are public events, and how those read. The others are for the log alone. */
import type { EventType, PublicEvent } from '../../protocol/event.ts';
import { formatTimestampMs } from '../../protocol/timestamp.ts';
import type { JobEventSignal, JobRemovedSignal } from '../job/behaviour.ts';
import type { NodeSignal } from '../node/state.ts';
import type { Signal } from '../runtime/behaviour.ts';

/** The public event that the signal is; null where it is none. */
export function publicEventOf(signal: Signal, nowMs: number): PublicEvent | null {
  switch (signal.type as (JobEventSignal | JobRemovedSignal | NodeSignal)['type']) {
    case 'node.registered':
    case 'node.late':
    case 'node.lost':
    case 'node.alive':
    case 'node.deregistered':
    case 'node.drained':
    case 'node.interruption': {
      const { type, ...data } = signal as NodeSignal;
      return eventOf(type as EventType, nowMs, { node: data.node }, data);
    }
    case 'job.event': {
      const { job, queue, nodeOid, event } = signal as JobEventSignal;
      const node = nodeOid === null ? {} : { nodeOid };
      return eventOf('job.event', nowMs, { job, queue, node: nodeOid ?? '' }, { job, queue, ...node, event });
    }
    case 'job.removed': {
      const { job, queue } = signal as JobRemovedSignal;
      return eventOf('job.removed', nowMs, { job, queue }, { job, queue });
    }
    default:
      return null;
  }
}

/** Keys only: what a secret was or is must not reach those who may read events. */
export function configChanged(keys: readonly string[], configVersion: number, nowMs: number): PublicEvent {
  return eventOf('config.changed', nowMs, {}, { keys, configVersion });
}

function eventOf(
  type: EventType,
  timeMs: number,
  { queue = '', job = '', node = '' }: Partial<Pick<PublicEvent, 'queue' | 'job' | 'node'>>,
  data: object,
): PublicEvent {
  return { type, timeMs, queue, job, node, json: JSON.stringify({ time: formatTimestampMs(timeMs), ...data }) };
}
