/** Whether a job passes a filter, from its record or from what the indexes hold. */
import type { Job } from '../../protocol/job.ts';
import type { JobFilter } from '../../protocol/job-query.ts';
import { type EpochNs, mustParseTimestamp } from '../../protocol/timestamp.ts';
import { type JobIndexKind, jobIndexPrefix, keyText, searchTextOf } from '../../store/job-index.ts';
import { jobJsonOf } from '../../store/job-record.ts';
import { textKey } from '../../store/keys.ts';
import type { Reader } from '../../store/store.ts';
import { COST, type Cost } from './cost.ts';
import { joined } from './source.ts';

/** Everything of a job but its events, which come last and may be long. */
export type JobHead = Omit<Job, 'events'>;

const EVENTS = Buffer.from(',"events":[');
const decoder = new TextDecoder();

/** The text cannot stand inside a value: there a quotation mark has a backslash before it. */
export function jobHeadOf(json: Uint8Array): JobHead {
  const end = Buffer.from(json.buffer, json.byteOffset, json.byteLength).indexOf(EVENTS);
  return JSON.parse(`${decoder.decode(json.subarray(0, end))}}`) as JobHead;
}

export class JobMatcher {
  readonly #reader: Reader;
  readonly #filter: JobFilter;
  readonly #cost: Cost;

  constructor(reader: Reader, filter: JobFilter, cost: Cost) {
    this.#reader = reader;
    this.#filter = filter;
    this.#cost = cost;
  }

  /** By the record: every part of the filter. */
  record(id: string): boolean {
    const head = this.head(id);
    if (!head) return false;
    const { queue, status, nodes, q } = this.#filter;
    return (
      (queue === undefined || head.queueName === queue) &&
      (status === undefined || head.status === status) &&
      (nodes === undefined || nodes.includes(keyText(head.nodeOid))) &&
      this.created(mustParseTimestamp(head.createdAt)) &&
      (q === undefined || searchTextOf(head).includes(q))
    );
  }

  head(id: string): JobHead | undefined {
    this.#cost.spent += COST.record;
    const record = this.#reader.get('job', textKey(id));
    return record && jobHeadOf(jobJsonOf(record));
  }

  created(at: EpochNs): boolean {
    const { createdAfter, createdBefore } = this.#filter;
    return (createdAfter === undefined || at > createdAfter) && (createdBefore === undefined || at < createdBefore);
  }

  /** By the indexes in the order of createdAt: queue, status and node. */
  lists(ending: Uint8Array): boolean {
    const { queue, status, nodes } = this.#filter;
    return (
      (queue === undefined || this.#has('queue', queue, ending)) &&
      (status === undefined || this.#has('status', status, ending)) &&
      (nodes === undefined || nodes.some((node) => this.#has('node', node, ending)))
    );
  }

  /** By the text that stands beside the order of createdAt. */
  text(ending: Uint8Array): boolean {
    const { q } = this.#filter;
    if (q === undefined) return true;
    this.#cost.spent += COST.read;
    const text = this.#reader.get('jobByCreated', ending);
    return text !== undefined && decoder.decode(text).includes(q);
  }

  #has(kind: JobIndexKind, value: string, ending: Uint8Array): boolean {
    this.#cost.spent += COST.read;
    return this.#reader.get('jobIndex', joined(jobIndexPrefix(kind, value), ending)) !== undefined;
  }
}
