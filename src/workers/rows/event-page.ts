/** A page of the event log as server-sent events, for a reader whose place is no longer (or not yet) in memory. */
import { eventBounds, readEvents } from '../../store/commit/event-log.ts';
import type { Reader } from '../../store/kv/store.ts';
import { nodeRanJobOf } from '../../store/records/queue-node.ts';
import type { EventPage, EventPageTask } from '../task/task.ts';
import { EventView } from './event-view.ts';

/** Events looked at for one page, so that a filter that fits few cannot hold the thread. */
const LOOKED_MAX = 1_000;
/** Characters of one page: what a reader that then stops reading leaves in memory. */
const SIZE_MAX = 64 * 1024;

export function eventPage(reader: Reader, { from, filter, nowMs }: EventPageTask): EventPage {
  const { first, last } = eventBounds(reader);
  const view = new EventView(filter, (nodeId) => nodeRanJobOf(reader, nodeId, filter.scope?.queues ?? []));
  // Ahead of the log: the reader knows positions of another database, or of one that was put back.
  if (from > last + 1)
    return {
      gap: { from: last + 1, to: from - 1 },
      frames: new Uint8Array(0),
      unreadable: 0,
      next: last + 1,
      more: false,
    };
  const gap = from < first ? { from, to: first - 1 } : null;
  let next = Math.max(from, first);
  let frames = '';
  let unreadable = 0;
  // Records that cannot be read, or are not there, and follow one another are one gap.
  let lost: { readonly from: number; to: number } | undefined;
  const lose = (from: number, to: number): void => {
    if (lost) lost.to = to;
    else if (from <= to) lost = { from, to };
  };
  const tellLost = (): void => {
    if (lost) frames += view.gap(nowMs, lost.from, lost.to, lost.to);
    lost = undefined;
  };
  let looked = 0;
  for (const { position, event } of readEvents(reader, next, LOOKED_MAX)) {
    looked++;
    if (position > next) lose(next, position - 1);
    next = position + 1;
    if (event === null) {
      unreadable++;
      lose(position, position);
      continue;
    }
    tellLost();
    frames += view.event(position, event);
    if (frames.length >= SIZE_MAX) break;
  }
  // Positions that were given behind the last record: who asks for them again would never get further.
  if (looked < LOOKED_MAX && frames.length < SIZE_MAX && next <= last) {
    lose(next, last);
    next = last + 1;
  }
  tellLost();
  return { gap, frames: Uint8Array.from(Buffer.from(frames)), unreadable, next, more: next <= last };
}
