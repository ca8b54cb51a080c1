/** What happened before the page was opened: events of the last hour out of the server's log, oldest first. */

import type { FeedEvent } from './feed-event.ts';
import { ask, withQuery } from './request.ts';
import { SseParser } from './sse.ts';

/** Of everything, so far back; a busy fleet makes more in a minute, and the list holds no more. */
const EVENTS_BACK = 300;
/** What is about nodes and settings is rarer: looked for so far back. The server passes over the rest by itself. */
const RARE_BACK = 20_000;
const RARE_TYPES =
  'node.registered,node.late,node.lost,node.alive,node.deregistered,node.drained,node.interruption,config.changed';
const HOUR_MS = 3_600_000;
/** A filtered stream does not tell that it has come to the present: after this long without a word it has. */
const QUIET_MS = 1_000;
/** For a server that does not answer at all. */
const ANSWER_MS = 30_000;

/** Events up to `position`, in two lots. Empty if they are not available: the page works without them. */
export async function eventsBefore(
  position: number,
  nowMs: number,
  onEvents: (events: readonly FeedEvent[]) => void,
): Promise<void> {
  // Positions of a caller who is bound to queues are sealed: there is no counting back from them.
  if (!Number.isSafeInteger(position)) return;
  const take = (events: readonly FeedEvent[]): void =>
    onEvents(events.filter(({ name, data }) => name !== 'gap' && Date.parse(String(data['time'])) > nowMs - HOUR_MS));
  await Promise.all([
    readUntil(position, EVENTS_BACK, undefined).then(take),
    readUntil(position, RARE_BACK, RARE_TYPES).then(take),
  ]);
}

async function readUntil(position: number, back: number, types: string | undefined): Promise<FeedEvent[]> {
  const events: FeedEvent[] = [];
  const abort = new AbortController();
  let timer = window.setTimeout(() => abort.abort(), ANSWER_MS);
  try {
    const path = withQuery('/api/v1/event', { lastEventId: Math.max(0, position - back), types });
    const response = await ask(path, { signal: abort.signal });
    window.clearTimeout(timer);
    timer = window.setTimeout(() => abort.abort(), QUIET_MS);
    const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
    const parser = new SseParser();
    for (;;) {
      const chunk = await reader?.read();
      if (!chunk || chunk.done) return events;
      window.clearTimeout(timer);
      timer = window.setTimeout(() => abort.abort(), QUIET_MS);
      for (const { name, id, data } of parser.take(chunk.value)) {
        if (Number(id) > position) return events;
        if (name !== '') events.push({ position: id, name, data: JSON.parse(data) as FeedEvent['data'] });
        if (Number(id) === position) return events;
      }
    }
  } catch {
    return events;
  } finally {
    window.clearTimeout(timer);
    abort.abort();
  }
}
