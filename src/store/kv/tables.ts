/**
 * The tables of the store. Each is a named database of ordered byte keys; `docs/internals/architecture.md` tells what each holds.
 * A table's place in this list is its number in a write batch, so new ones go to the end.
 */
export const TABLES = [
  'meta', // schema number, instance facts
  'job', // job id -> job record (with the JSON that readers get)
  'jobByCreated', // createdAt, job id -> the text that a search looks at: the order of GET /api/v1/job
  'node', // node id -> node record
  'nodeByOid', // instance id or node id -> what the join from a job needs (prices)
  'beat', // last heartbeats, coalesced
  'definition', // metric definition id -> definition
  'series', // object id, definition id -> nothing: which series exist
  'chunk', // level, window start, slice -> buckets of a window of many series
  'stale', // day, slice, sequence number -> nothing: a block that the day's rollup does not have
  'journal', // sequence number -> deliveries between actors that are not yet acknowledged
  'configHistory', // configuration version -> who changed what
  'nodeLog', // node id, path -> where the stored part of a log begins
  'jobIndex', // kind, value, time, job id -> nothing: the other orders and filters of lists, and of retention
  'block', // window start, slice, sequence number -> buckets as they were flushed
  'applied', // slice -> the last delivery that is in its blocks
  'nodeEnded', // when a node was lost or deregistered, node id -> nothing: the order in which nodes are forgotten
  'event', // position -> record of a public event
  'audit', // sequence number -> who changed what, chained by hashes
  'revocation', // node id (empty: join tokens) -> node tokens issued up to then are not valid
  'leaving', // slice, object id, definition id -> since when a series has no bucket left: it goes, or comes back
  'serviceToken', // id -> name, role, queues and end of a service token, and the hash of it
  'jobEvent', // job id, number -> events of a long job, which are not in its record
  'webhook', // id -> webhook: target, filter, secret, the last event that it has looked at
  'webhookEvent', // webhook's own number, position -> an event that waits for delivery, or is set aside
  'queueNode', // instance or node id, queue -> nothing: a job of the queue ran on the node
  'replicaTail', // sequence number of the stream -> frame: what is published again where the stream has lost its end
] as const;

export type Table = (typeof TABLES)[number];

/** Tables whose transactions are counted, by the transaction itself. */
export const COUNTED_TABLES = [
  'job',
  'jobByCreated',
  'series',
  'leaving',
  'nodeEnded',
  'nodeByOid',
] as const satisfies readonly Table[];
export type CountedTable = (typeof COUNTED_TABLES)[number];

export function isCounted(table: Table): table is CountedTable {
  return (COUNTED_TABLES as readonly Table[]).includes(table);
}

/** Counted tables whose transactions also tell which keys they have written. */
export const FOLLOWED_TABLES = ['jobByCreated'] as const satisfies readonly CountedTable[];
export type FollowedTable = (typeof FOLLOWED_TABLES)[number];

export function isFollowed(table: Table): table is FollowedTable {
  return (FOLLOWED_TABLES as readonly Table[]).includes(table);
}

const NUMBER_OF: ReadonlyMap<string, number> = new Map(TABLES.map((name, i) => [name, i]));

export function tableNumber(table: Table): number {
  return NUMBER_OF.get(table) as number;
}
