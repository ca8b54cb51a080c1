/** The kinds of public events, as pages call them. Pure. */
import type { EventType } from '../../../src/protocol/event.ts';

export const EVENT_TYPE_NAMES: Readonly<Record<EventType, string>> = {
  'node.registered': 'Node registered',
  'node.late': 'Node late',
  'node.lost': 'Node lost',
  'node.alive': 'Node alive again',
  'node.deregistered': 'Node deregistered',
  'node.drained': 'Node drained',
  'node.interruption': 'Interruption notice',
  'job.event': 'Job event',
  'job.removed': 'Job removed',
  'config.changed': 'Settings changed',
};

/** What a test of a webhook sends is an event of no such kind. */
export const TEST_TYPE = 'webhook.test';

export function eventTypeName(type: string): string {
  if (type === TEST_TYPE) return 'Test';
  return EVENT_TYPE_NAMES[type as EventType] ?? type;
}
