/** Which events a webhook sends, and what its deliveries tell of, in words. Pure. */
import { EVENT_TYPES, type EventType } from '../../../../../src/protocol/event.ts';
import type { Delivery, Webhook } from '../../../../../src/protocol/webhook.ts';
import { eventTypeName } from '../../../names/event-type-names.ts';
import { eventText } from '../../../parts/format.ts';

type Filters = Pick<Webhook, 'queue' | 'job' | 'node'>;
type Subject = keyof Filters;

const SUBJECTS = ['queue', 'job', 'node'] as const satisfies readonly Subject[];

/** What events of a type tell of (contract section 7). */
function hasSubject(type: EventType, subject: Subject): boolean {
  return subject === 'node' ? type === 'job.event' || type.startsWith('node.') : type.startsWith('job.');
}

/** A filter that no event of the type fits, because such events have no queue, job or node; undefined without one. */
export function filterAgainst(type: string, filters: Filters): Subject | undefined {
  const known = EVENT_TYPES.find((one) => one === type);
  return known && SUBJECTS.find((subject) => filters[subject] !== undefined && !hasSubject(known, subject));
}

/** `Job event: failed or stopped, Node lost, queue night` */
export function sentText(webhook: Webhook): string {
  const { types, eventTypes } = webhook;
  const sent = types.filter((type) => filterAgainst(type, webhook) === undefined);
  const isAll = eventTypes === undefined && EVENT_TYPES.every((type) => sent.includes(type));
  const events = isAll ? ['All events'] : sent.map((type) => typeText(type, webhook));
  const filters = SUBJECTS.flatMap((subject) => (webhook[subject] ? [`${subject} ${webhook[subject]}`] : []));
  return [...(events.length > 0 ? events : ['No events']), ...filters].join(', ');
}

/** `Not sent: Node lost (it has no queue)`; empty where every type may be sent. */
export function unsentText(webhook: Webhook): string {
  const groups = SUBJECTS.flatMap((subject) => {
    const types = webhook.types.filter((type) => filterAgainst(type, webhook) === subject);
    const why = `(${types.length === 1 ? 'it has' : 'they have'} no ${subject})`;
    return types.length === 0 ? [] : [`${namesText(types)} ${why}`];
  });
  return groups.length === 0 ? '' : `Not sent: ${groups.join('; ')}`;
}

/** Eight names say less than what they have in common. */
function namesText(types: readonly string[]): string {
  const isOfJobs = (type: string): boolean => type.startsWith('job.');
  const areAllOthers = !types.some(isOfJobs) && EVENT_TYPES.every((type) => isOfJobs(type) || types.includes(type));
  return areAllOthers ? 'events of nodes and settings' : types.map(eventTypeName).join(', ');
}

/** `Job event: failed or stopped` */
function typeText(type: string, { eventTypes }: Webhook): string {
  if (type !== 'job.event' || eventTypes === undefined) return eventTypeName(type);
  return `${eventTypeName(type)}: ${eventTypes.map(eventText).join(' or ').toLowerCase()}`;
}

/** `Job failed`: beside how the delivery went, `Failed` alone would read as that. */
export function happeningText({ type, eventType }: Pick<Delivery, 'type' | 'eventType'>): string {
  if (eventType === null) return eventTypeName(type);
  const text = eventText(eventType);
  return text.includes(' ') ? text : `Job ${text.toLowerCase()}`;
}
