/** An event of the stream, as pages keep it, and what it makes stale. Pure. */
export interface FeedEvent {
  readonly position: string;
  readonly name: string;
  /** What the event's name says; see docs/reference/events.md. */
  readonly data: Readonly<Record<string, unknown>>;
}

const GONE_OR_BACK = /^node\.(lost|deregistered|alive|registered)$/;

/** The first parts of the keys of the answers that it makes stale. */
export function staleKeys({ name, data }: FeedEvent): readonly string[] {
  // Whether a job is stranded depends on its node; no event of the job tells.
  if (GONE_OR_BACK.test(name)) return ['nodes', 'jobs', 'reclaims'];
  if (name === 'node.interruption') return ['nodes', 'reclaims'];
  if (name.startsWith('node.')) return ['nodes'];
  if (name === 'job.event') return ['jobs', 'summary', 'series', ...(isFailure(data) ? ['failures'] : [])];
  if (name === 'job.removed') return ['jobs'];
  if (name === 'config.changed') return ['config', 'idp'];
  return ['nodes', 'jobs', 'reclaims', 'summary', 'series', 'failures', 'config'];
}

/** To find all failures of a range the server looks at many jobs: not for each event of any other job. */
function isFailure({ event }: FeedEvent['data']): boolean {
  return typeof event === 'object' && event !== null && 'eventType' in event && event.eventType === 'Job-Failed';
}
