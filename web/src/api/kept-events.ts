/** Which events the dashboard keeps for "what changed". Pure. */
import type { FeedEvent } from './feed-event.ts';

/** Of all kinds; the oldest go, but for nodes that came or went. */
const RECENT_MAX = 200;
/** Nodes that came or went, beyond these; the oldest go. */
const COMINGS_MAX = 2_000;
const COMINGS: ReadonlySet<string> = new Set(['node.registered', 'node.deregistered']);

const QUIET_JOB_EVENTS = new Set([
  'Job-Creating',
  'Job-Created',
  'Job-Running',
  'Job-Checkpointing',
  'Job-CheckpointSucceeded',
  'Job-Succeeded',
  'Volume-Created',
  'Volume-Attached',
]);

/** What one wants to know of, beyond every checkpoint that went well. */
export function isNotable({ name, data }: FeedEvent): boolean {
  const event = data['event'];
  if (name !== 'job.event') return name !== 'job.removed';
  return (
    typeof event === 'object' &&
    event !== null &&
    'eventType' in event &&
    !QUIET_JOB_EVENTS.has(String(event.eventType))
  );
}

/** Each once, newest first. */
export function newestOf(events: readonly FeedEvent[]): FeedEvent[] {
  const byPosition = new Map(events.map((event) => [event.position, event]));
  return kept([...byPosition.values()].sort((a, b) => Number(b.position) - Number(a.position)));
}

/** Both newest first. The list itself where nothing is new: who shows it has nothing to draw. */
export function withNewest(newest: readonly FeedEvent[], before: readonly FeedEvent[]): readonly FeedEvent[] {
  return newest.length === 0 ? before : kept([...newest, ...before]);
}

/** The nodes that came or went are counted, beside those that are late or lost: a fleet in trouble pushes none of them out. */
function kept(events: readonly FeedEvent[]): FeedEvent[] {
  let comings = 0;
  return events.filter(({ name }, i) => i < RECENT_MAX || (COMINGS.has(name) && comings++ < COMINGS_MAX));
}
