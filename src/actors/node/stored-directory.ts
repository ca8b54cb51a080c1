/**
 * The nodes as a server knows them that does not lead: from its database, by the leader's verdicts. A node is late where the
 * event log says so, and its last heartbeat is the one that the leader wrote down last.
 */

import type { NodeState as PublicState } from '../../protocol/node.ts';
import { eventBounds, readEvents } from '../../store/commit/event-log.ts';
import { isDamaged } from '../../store/kv/checksum.ts';
import { afterKey, textKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { beatKeyOf, readBeats } from '../../store/records/heartbeat-log.ts';
import { decodeNodeRecord, type NodeRecord } from '../../store/records/node-record.ts';
import {
  type AskPage,
  type DirectoryMessage,
  isHeardWithin,
  jsonOf,
  matches,
  type NodeItem,
  type NodePage,
} from './directory.ts';
import type { RunningNode } from './node-tally.ts';

/** Records looked at for one page, so that a filter that fits nothing cannot hold the thread. */
const LOOKED_MAX = 2_000;
/** Records of one slice of a count: 1 to 2 ms. The reader may move to another snapshot between two. */
const COUNTED = 500;
/** Beats are read again after so long, and not before ten times the time that reading them took. */
const BEATS_KEPT_MS = 1_000;
/** Events looked at for one question; those before them are taken as over. */
const EVENTS_MAX = 20_000;
const ENDS_LATENESS: ReadonlySet<string> = new Set(['node.alive', 'node.lost', 'node.registered', 'node.deregistered']);

export class StoredDirectory {
  readonly #reader: Reader;
  readonly #monotonicMs: () => number;
  /** Milliseconds since 1970 by `beatKeyOf`. */
  #beats: ReadonlyMap<number, number> = new Map();
  #beatsUntilMs = Number.NEGATIVE_INFINITY;
  readonly #late = new Set<string>();
  #eventsThrough = 0;

  constructor(reader: Reader, monotonicMs: () => number) {
    this.#reader = reader;
    this.#monotonicMs = monotonicMs;
  }

  /** Every shard can be asked for one node; the first one lists all of them, the others none. */
  answer(shard: number, message: DirectoryMessage): NodePage | NodeItem | null {
    this.#reader.refresh();
    if (message.type === 'page' && shard > 0) return { items: [], more: false, last: message.after };
    this.#refresh();
    if (message.type === 'page') return this.#page(message);
    const stored = this.#reader.get('node', textKey(message.id));
    return stored && !isDamaged(stored) ? this.#item(message.id, decodeNodeRecord(stored)).item : null;
  }

  /** To be counted, by the first shard: null for one that does not run. */
  *running(shard: number): Generator<RunningNode | null> {
    let start: Uint8Array | null = null;
    for (let isMore = shard === 0; isMore; ) {
      this.#reader.refresh();
      this.#readEvents();
      const nodes: (RunningNode | null)[] = [];
      for (const { key, value } of this.#reader.range('node', { ...(start ? { start } : {}), limit: COUNTED })) {
        start = afterKey(key);
        nodes.push(
          isDamaged(value) ? null : this.#runningOf(Buffer.from(key).toString('utf8'), decodeNodeRecord(value)),
        );
      }
      isMore = nodes.length === COUNTED;
      yield* nodes;
    }
  }

  #runningOf(id: string, { state, factsJson }: NodeRecord): RunningNode | null {
    return state === 'alive' ? { state: this.#late.has(id) ? 'late' : state, factsJson } : null;
  }

  #page({ filter, after, limit }: AskPage): NodePage {
    const items: NodeItem[] = [];
    let last = after;
    let looked = 0;
    const range = after === '' ? {} : { start: afterKey(textKey(after)) };
    for (const { key, value } of this.#reader.range('node', { ...range, limit: LOOKED_MAX })) {
      looked++;
      last = Buffer.from(key).toString('utf8');
      if (isDamaged(value)) continue;
      const record = decodeNodeRecord(value);
      if (filter.isNoticed && !record.interruption) continue;
      const { item, state, beatMs } = this.#item(last, record);
      const isRunning = state === 'alive' || state === 'late';
      const fits = filter.state === 'all' || filter.state === state || (filter.state === 'running' && isRunning);
      if (fits && isHeardWithin(filter, beatMs) && matches(filter, item.json)) items.push(item);
      if (items.length >= limit) break;
    }
    return { items, more: looked === LOOKED_MAX || items.length >= limit, last };
  }

  #item(
    id: string,
    record: NodeRecord,
  ): { readonly item: NodeItem; readonly state: PublicState; readonly beatMs: number } {
    const state = record.state === 'alive' && this.#late.has(id) ? 'late' : record.state;
    const beatMs = Math.max(record.lastBeatWallMs, this.#beats.get(beatKeyOf(id)) ?? 0);
    return { item: { id, json: jsonOf(record, beatMs, state) }, state, beatMs };
  }

  #refresh(): void {
    this.#readEvents();
    const beganMs = this.#monotonicMs();
    if (beganMs < this.#beatsUntilMs) return;
    this.#beats = readBeats(this.#reader).lastWallMs;
    const endedMs = this.#monotonicMs();
    this.#beatsUntilMs = endedMs + Math.max(BEATS_KEPT_MS, 10 * (endedMs - beganMs));
  }

  #readEvents(): void {
    const { last } = eventBounds(this.#reader);
    if (last === this.#eventsThrough) return;
    const from = Math.max(this.#eventsThrough + 1, last - EVENTS_MAX + 1);
    if (from > this.#eventsThrough + 1) this.#late.clear();
    for (const { event } of readEvents(this.#reader, from, EVENTS_MAX)) {
      if (event?.type === 'node.late') this.#late.add(event.node);
      else if (event && ENDS_LATENESS.has(event.type)) this.#late.delete(event.node);
    }
    this.#eventsThrough = last;
  }
}
