/** Whether a job passes a filter, from its record or from what the indexes hold. */

import type { JobFilter } from '../../protocol/lists/job-query.ts';
import { type EpochNs, mustParseTimestamp } from '../../protocol/timestamp.ts';
import { isDamaged } from '../../store/kv/checksum.ts';
import { compareKeys, keyOf, textKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import {
  createdAndText,
  idAtEnd,
  type JobIndexKind,
  jobIndexPrefix,
  keyText,
  nodeInText,
  searchTextOf,
  TIME_SIZE,
} from '../../store/records/job-index.ts';
import { type JobHead, jobHeadOf, jobJsonOf } from '../../store/records/job-record.ts';
import { oidText } from '../../store/records/node-record.ts';
import { COST, type Cost } from './cost.ts';
import { type NamedNodes, nodesNamed } from './named-nodes.ts';
import { joined } from './source.ts';

const UPDATED = jobIndexPrefix('updated');
/** Endings of rows in the order of a time, at or above and below. */
export interface Bounds {
  readonly from?: Uint8Array;
  readonly to?: Uint8Array;
}

/** Both exclusive. */
export function boundsBetween(after: EpochNs | undefined, before: EpochNs | undefined): Bounds {
  return {
    ...(after === undefined ? {} : { from: keyOf({ ns: after + 1n }) }),
    ...(before === undefined ? {} : { to: keyOf({ ns: before }) }),
  };
}

export function hasTimes({ createdAfter, createdBefore }: JobFilter): boolean {
  return createdAfter !== undefined || createdBefore !== undefined;
}

export function hasUpdates({ updatedAfter, updatedBefore }: JobFilter): boolean {
  return updatedAfter !== undefined || updatedBefore !== undefined;
}

function isWithin(time: Uint8Array, { from, to }: Bounds): boolean {
  return (!from || compareKeys(time, from) >= 0) && (!to || compareKeys(time, to) < 0);
}

export class JobMatcher {
  readonly #reader: Reader;
  readonly #filter: JobFilter;
  readonly #cost: Cost;
  readonly #created: Bounds;
  readonly #updated: Bounds;
  /** As bytes: both texts are valid UTF-8, so one is in the other exactly where its bytes are. */
  readonly #q: Buffer | null;
  #nodesNamed: NamedNodes | undefined;

  constructor(reader: Reader, filter: JobFilter, cost: Cost) {
    this.#reader = reader;
    this.#filter = filter;
    this.#cost = cost;
    this.#created = boundsBetween(filter.createdAfter, filter.createdBefore);
    this.#updated = boundsBetween(filter.updatedAfter, filter.updatedBefore);
    this.#q = filter.q === undefined ? null : Buffer.from(filter.q);
  }

  /** By the record: every part of the filter but when the job was updated, which is asked by itself. */
  record(id: string): boolean {
    const head = this.head(id);
    if (!head) return false;
    const { queues, statuses, nodes, q } = this.#filter;
    return (
      (queues === undefined || queues.includes(head.queueName)) &&
      (statuses === undefined || statuses.includes(head.status)) &&
      (nodes === undefined || nodes.includes(keyText(head.nodeOid))) &&
      (!hasTimes(this.#filter) || this.created(keyOf({ ns: mustParseTimestamp(head.createdAt) }))) &&
      (q === undefined || searchTextOf(head).includes(q) || this.#isOnNamed(head.nodeOid.toLowerCase()))
    );
  }

  /** Whether the text is in the name of the node, which the job does not have. */
  #isOnNamed(nodeOid: string): boolean {
    return this.#named.has(oidText(nodeOid));
  }

  get #named(): ReadonlySet<string> {
    this.#nodesNamed ??= nodesNamed(this.#reader, this.#filter.q as string);
    return this.#nodesNamed.lowerCase;
  }

  head(id: string): JobHead | undefined {
    this.#cost.spent += COST.record;
    const record = this.#reader.view('job', textKey(id));
    return record && !isDamaged(record) ? jobHeadOf(jobJsonOf(record)) : undefined;
  }

  /** By createdAt as it begins the bytes, at the end of a row or beside one. */
  created(ending: Uint8Array): boolean {
    return isWithin(ending, this.#created);
  }

  /** By updatedAt as it begins the bytes, at the end of a row. */
  updatedAt(ending: Uint8Array): boolean {
    return isWithin(ending, this.#updated);
  }

  /** By updatedAt in the record. */
  updatedNow(id: string): boolean {
    const head = this.head(id);
    return head !== undefined && this.updatedAt(keyOf({ ns: mustParseTimestamp(head.updatedAt) }));
  }

  /** By how the job's rows in the order of createdAt end: every part of the filter. */
  ending(ending: Uint8Array): boolean {
    return this.created(ending) && this.lists(ending) && this.text(ending);
  }

  /** By the indexes in the order of createdAt: queue, status and node. */
  lists(ending: Uint8Array): boolean {
    const { queues, statuses, nodes } = this.#filter;
    return (
      (queues === undefined || queues.some((queue) => this.#has('queue', queue, ending))) &&
      (statuses === undefined || this.#isOf(statuses, ending)) &&
      (nodes === undefined || nodes.some((node) => this.#has('node', node, ending)))
    );
  }

  /** By the text that stands beside the order of createdAt. */
  text(ending: Uint8Array): boolean {
    if (!this.#q) return true;
    this.#cost.spent += COST.read;
    const text = this.#reader.view('jobByCreated', ending);
    return text !== undefined && this.isIn(text);
  }

  /** Whether the searched text is in this one, or in the name of its node; without one it is. */
  isIn(text: Uint8Array): boolean {
    if (!this.#q) return true;
    const bytes = Buffer.from(text.buffer, text.byteOffset, text.byteLength);
    return bytes.includes(this.#q) || (this.#named.size > 0 && this.#isOnNamed(nodeInText(bytes)));
  }

  /** By what stands beside the order of updatedAt: createdAt and the text. */
  updated(ending: Uint8Array): boolean {
    const value = this.#beside(ending);
    return value !== undefined && this.isBeside(value);
  }

  /** How the job's rows in the order of createdAt end, of how those in the order of updatedAt do. */
  createdEnding(ending: Uint8Array): Uint8Array | undefined {
    const value = this.#beside(ending);
    return value && joined(createdAndText(value).created, ending.subarray(TIME_SIZE));
  }

  #beside(ending: Uint8Array): Uint8Array | undefined {
    this.#cost.spent += COST.read;
    return this.#reader.view('jobIndex', joined(UPDATED, ending));
  }

  /** Whether a value of the order of updatedAt tells of a job that passes. */
  isBeside(value: Uint8Array): boolean {
    const { created, text } = createdAndText(value);
    return this.created(created) && this.isIn(text);
  }

  /** Of many statuses the record tells sooner than so many looks into their index. */
  #isOf(statuses: readonly string[], ending: Uint8Array): boolean {
    if (statuses.length * COST.read <= COST.record)
      return statuses.some((status) => this.#has('status', status, ending));
    const id = idAtEnd(ending);
    const head = id === undefined ? undefined : this.head(id);
    return head !== undefined && statuses.includes(head.status);
  }

  #has(kind: JobIndexKind, value: string, ending: Uint8Array): boolean {
    this.#cost.spent += COST.read;
    return this.#reader.view('jobIndex', joined(jobIndexPrefix(kind, value), ending)) !== undefined;
  }
}
