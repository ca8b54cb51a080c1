/**
 * The nodes of one shard in order of their ids, for lists: running ones from memory, ended ones from the store. A page is
 * plain JSON texts, so that the gateway that merges the shards' pages copies and never encodes.
 */

import type { Interruption, NodeFacts, NodeState as PublicState } from '../../protocol/node.ts';
import { formatTimestampMs } from '../../protocol/timestamp.ts';
import { isDamaged } from '../../store/kv/checksum.ts';
import { afterKey, textKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { decodeNodeRecord, type NodeRecord } from '../../store/records/node-record.ts';
import type { Message } from '../runtime/address.ts';
import type { Done } from '../runtime/cell.ts';
import { publicStateOf } from './behaviour.ts';
import { factsJsonOf } from './packed-facts.ts';
import type { NodeState } from './state.ts';

export interface NodeFilter {
  /** `running` is alive and late. */
  readonly state: 'running' | 'all' | PublicState;
  readonly cloud?: string;
  readonly zone?: string;
  readonly instanceType?: string;
  readonly payType?: string;
  /** Of the last heartbeat, in milliseconds since 1970; both exclusive. */
  readonly heardAfterMs?: number;
  readonly heardBeforeMs?: number;
  /** With a notice of the cloud; only beside `state: 'running'`. */
  readonly isNoticed?: true;
  /** Lower case. */
  readonly q?: string;
}

export interface AskPage extends Message<NodePage> {
  readonly type: 'page';
  readonly filter: NodeFilter;
  /** Ids after this one. */
  readonly after: string;
  readonly limit: number;
}

export interface NodePage {
  readonly items: readonly NodeItem[];
  /** More may follow the last item. */
  readonly more: boolean;
  /** Where the next page begins, also where the filter left nothing of this one. */
  readonly last: string;
}

export interface NodeItem {
  readonly id: string;
  readonly json: string;
  /** It has been silent beyond its TTL, and the server doubts itself; told of one node only. */
  readonly isVerdictSuspended?: boolean;
}

export interface AskOne extends Message<NodeItem | null> {
  readonly type: 'one';
  readonly id: string;
}

export type DirectoryMessage = AskPage | AskOne;

/** What the directory needs of the shard. */
export interface DirectorySource {
  readonly reader: Reader;
  live(id: string): NodeState | undefined;
  liveNodes(): Iterable<readonly [string, NodeState]>;
  /** Changes whenever a node enters or leaves the running ones. */
  membership(): number;
  isMine(id: string): boolean;
  /** See ActorSystem.answerFlushed; of the node with this id. */
  answerFlushed(id: string, deadlineMs: number, answer: () => unknown, done: Done): void;
}

/** Records looked at for one page of ended nodes, so that a filter that fits nothing cannot hold the thread. */
const LOOKED_MAX = 2_000;

export class NodeDirectory {
  readonly #source: DirectorySource;
  #sorted: readonly string[] = [];
  #sortedAt = -1;

  constructor(source: DirectorySource) {
    this.#source = source;
  }

  /** A page is of one moment of all nodes, and waits for none. Of one node nobody sees what a crash could take back. */
  request(message: DirectoryMessage, deadlineMs: number, done: Done): void {
    if (message.type === 'page') done(null, this.answer(message));
    else this.#source.answerFlushed(message.id, deadlineMs, () => this.answer(message), done);
  }

  answer(message: DirectoryMessage): NodePage | NodeItem | null {
    if (message.type === 'one') return this.#one(message.id);
    const runningOnly =
      message.filter.state === 'running' || message.filter.state === 'alive' || message.filter.state === 'late';
    return runningOnly ? this.#runningPage(message) : this.#storedPage(message);
  }

  #one(id: string): NodeItem | null {
    const state = this.#source.live(id);
    if (state && state.status !== 'unknown')
      return {
        id,
        json: liveJson(state, publicStateOf(state) as PublicState),
        isVerdictSuspended: state.status === 'alive' && state.suspended,
      };
    this.#source.reader.refresh();
    return this.#stored(id, this.#source.reader.get('node', textKey(id)));
  }

  #runningPage({ filter, after, limit }: AskPage): NodePage {
    const ids = this.#sortedIds();
    const items: NodeItem[] = [];
    let at = firstAfter(ids, after);
    let looked = 0;
    for (; at < ids.length && items.length < limit && looked < LOOKED_MAX; at++, looked++) {
      const id = ids[at] as string;
      const state = this.#source.live(id);
      const shown = state && publicStateOf(state);
      if (!state || (shown !== 'alive' && shown !== 'late')) continue;
      if (filter.state !== 'running' && filter.state !== shown) continue;
      if (!isHeardWithin(filter, state.wallMs)) continue;
      if (filter.isNoticed && !state.interruption) continue;
      const factsJson = factsJsonOf(state);
      if (matches(filter, factsJson)) items.push({ id, json: liveJson(state, shown, factsJson) });
    }
    return { items, more: at < ids.length, last: ids[at - 1] ?? after };
  }

  #storedPage({ filter, after, limit }: AskPage): NodePage {
    const { reader } = this.#source;
    reader.refresh();
    const items: NodeItem[] = [];
    let last = after;
    let looked = 0;
    const range = after === '' ? {} : { start: afterKey(textKey(after)) };
    for (const { key, value } of reader.range('node', { ...range, limit: LOOKED_MAX })) {
      looked++;
      last = Buffer.from(key).toString('utf8');
      if (!this.#source.isMine(last)) continue;
      const item = this.#item(last, value, filter);
      if (item) items.push(item);
      if (items.length >= limit) break;
    }
    return { items, more: looked === LOOKED_MAX || items.length >= limit, last };
  }

  #item(id: string, record: Uint8Array, filter: NodeFilter): NodeItem | null {
    const live = this.#source.live(id);
    if (!live && isDamaged(record)) return null;
    const stored = live ? undefined : decodeNodeRecord(record);
    const state = live ? publicStateOf(live) : stored?.state;
    if (!state || (filter.state !== 'all' && filter.state !== state)) return null;
    if (!isHeardWithin(filter, live?.wallMs ?? stored?.lastBeatWallMs ?? 0)) return null;
    const item = live ? { id, json: liveJson(live, state) } : this.#stored(id, record);
    return item && matches(filter, item.json) ? item : null;
  }

  #stored(id: string, bytes: Uint8Array | undefined): NodeItem | null {
    if (!bytes || isDamaged(bytes)) return null;
    const record = decodeNodeRecord(bytes);
    return { id, json: jsonOf(record, record.lastBeatWallMs, record.state) };
  }

  #sortedIds(): readonly string[] {
    const membership = this.#source.membership();
    if (membership !== this.#sortedAt) {
      const ids: string[] = [];
      for (const [id, state] of this.#source.liveNodes()) if (state.status === 'alive') ids.push(id);
      this.#sorted = ids.sort(compareIds);
      this.#sortedAt = membership;
    }
    return this.#sorted;
  }
}

/** Order of ids: by code unit, which for the characters of an id is also the order of the store's keys. */
export function compareIds(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function firstAfter(ids: readonly string[], after: string): number {
  let low = 0;
  let high = ids.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareIds(ids[middle] as string, after) <= 0) low = middle + 1;
    else high = middle;
  }
  return low;
}

function liveJson(node: NodeState, state: PublicState, factsJson = factsJsonOf(node)): string {
  const { drained, interruption, wallMs, endedAtMs } = node;
  return jsonOf({ factsJson, drained, interruption, endedAtMs }, wallMs, state);
}

export function jsonOf(
  {
    factsJson,
    drained,
    interruption,
    endedAtMs,
  }: Pick<NodeRecord, 'factsJson' | 'drained' | 'interruption' | 'endedAtMs'>,
  lastBeatWallMs: number,
  state: PublicState,
): string {
  const notice = interruption ? `,"interruption":${noticeJson(interruption)}` : '';
  const ended = endedAtMs === null ? '' : `,"endedAt":"${formatTimestampMs(endedAtMs)}"`;
  const marks = `${drained ? ',"drained":true' : ''}${notice}${ended}`;
  return `${factsJson.slice(0, -1)},"lastHeartbeat":"${formatTimestampMs(lastBeatWallMs)}","state":"${state}"${marks}}`;
}

/** As the cloud gave it. When it was received is for reclaims to tell. */
function noticeJson({ action, time }: Interruption): string {
  return JSON.stringify({ action, time });
}

export function isHeardWithin({ heardAfterMs, heardBeforeMs }: NodeFilter, lastBeatWallMs: number): boolean {
  return (
    (heardAfterMs === undefined || lastBeatWallMs > heardAfterMs) &&
    (heardBeforeMs === undefined || lastBeatWallMs < heardBeforeMs)
  );
}

/** Whether the node passes in all but time, from its JSON. Only what may pass is parsed: that costs ten times as much as a look at the text. */
export function matches({ cloud, zone, instanceType, payType, q }: NodeFilter, json: string): boolean {
  const wanted = { cloud, zone, instanceType, payType };
  for (const [name, value] of Object.entries(wanted))
    if (value !== undefined && !json.includes(`"${name}":${JSON.stringify(value)}`)) return false;
  if (q !== undefined && !json.toLowerCase().includes(JSON.stringify(q).slice(1, -1))) return false;
  if ([cloud, zone, instanceType, payType, q].every((part) => part === undefined)) return true;
  const facts = JSON.parse(json) as NodeFacts;
  return (
    (cloud === undefined || facts.cloud === cloud) &&
    (zone === undefined || facts.instance.zone === zone) &&
    (instanceType === undefined || facts.instance.instanceType === instanceType) &&
    (payType === undefined || facts.instance.payType === payType) &&
    (q === undefined || textsOf(facts).some((text) => text.toLowerCase().includes(q)))
  );
}

/** Values of a node that a search looks at; not the names of its fields. */
function textsOf({ id, hostName, cloud, arch, cpuModel, cpuVendor, ips, instance }: NodeFacts): string[] {
  const { zone, instanceId, instanceType, region, payType } = instance;
  return [id, hostName, cloud, arch, cpuModel, cpuVendor, ...ips, zone, instanceId, instanceType, region, payType];
}
