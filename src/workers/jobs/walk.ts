/**
 * Walks the jobs of a query in its order, from a position on, by the indexes that fit it. A position is the key of the
 * place in the order and nothing else, so that a walk goes on wherever it was left, whatever was written meanwhile.
 *
 *   createdAt, updatedAt   one range, or the intersection of the filters' ranges in that order
 *   status, queueName      the same for one value after the other, where there is a filter
 *   id, name, nodeOid      the ranges of queues and outcomes in that order; without such a filter the order's own range
 *                          with a look at each job
 *   all but createdAt      where the filters leave few, those, sorted
 *   all with a text        where few jobs have it, those, sorted
 */
import type { JobFilter, JobQuery } from '../../protocol/lists/job-query.ts';
import { type EpochNs, mustParseTimestamp } from '../../protocol/timestamp.ts';
import { afterKey, afterPrefix, compareKeys, keyOf, textKey } from '../../store/kv/keys.ts';
import type { Reader } from '../../store/kv/store.ts';
import { idAtEnd, type JobIndexKind, jobIndexPrefix, timeKey } from '../../store/records/job-index.ts';
import { COST, Cost } from './cost.ts';
import { inOrder } from './in-order.ts';
import { type Bounds, boundsBetween, hasTimes, hasUpdates, JobMatcher } from './match.ts';
import { endingsOnNamed } from './named-nodes.ts';
import { behind, ofPhases, ofUpdates } from './narrowed.ts';
import { isOneOrderedFilter, type Order, orderWalk } from './order-walk.ts';
import { intersection, joined, RangeSource, type Source, unionOf } from './source.ts';
import type { TextIndex } from './text-index.ts';
import type { Walking, WalkStep } from './walking.ts';

export function walk(walking: Walking, after: Uint8Array | null): Iterable<WalkStep> {
  const { filter, descending } = walking.query;
  const all = walkIndexes(walking, after);
  const steps = after === null ? all : behind(all, after, descending);
  const timed = hasUpdates(filter) ? ofUpdates(walking, steps) : steps;
  return filter.phases === undefined ? timed : ofPhases(walking, timed, filter.phases);
}

function walkIndexes(walking: Walking, after: Uint8Array | null): Iterable<WalkStep> {
  const found = withText(walking, after);
  if (found) return found;
  switch (walking.query.by) {
    case 'createdAt':
      return byCreated(walking, after);
    case 'updatedAt':
      return byUpdated(walking, after);
    case 'id':
      return byOrder(walking, 'id', FEW_BY_ID, after);
    case 'status':
      return byGroup(walking, 'status', after);
    case 'queueName':
      return byGroup(walking, 'queue', after);
    case 'nodeOid':
      if (walking.query.filter.nodes) return groupWalk(walking, 'node', after);
      return byOrder(walking, 'node', FEW_BY_RECORD, after);
    case 'name':
      return byOrder(walking, 'name', FEW_BY_RECORD, after);
  }
}

/** One range that has all that is wanted, and nothing else, is the quickest; then those few that are left; then whatever there is. */
function byOrder(walking: Walking, order: Order, few: number, after: Uint8Array | null): Iterable<WalkStep> {
  const { queues, statuses } = walking.query.filter;
  const isOrdered = queues !== undefined || statuses !== undefined;
  if (isOrdered && isOneOrderedFilter(walking.query.filter)) return orderWalk(walking, order, after);
  const left = fewOf(walking, isOrdered ? FEW_BY_RECORD : few, after);
  if (left) return left;
  if (isOrdered) return orderWalk(walking, order, after);
  return order === 'id' ? idWalk(walking, after) : kindWalk(walking, order, after);
}

/** Jobs that are sorted on the spot: 1,000 ids or 100 records in less than a millisecond. */
const FEW_BY_ID = 1_000;
const FEW_BY_RECORD = 100;
/** Jobs with a text: as many small ranges are read to find them, some 12 µs each. */
const FEW_WITH_TEXT = 200;
/** Units spent to find out whether they are few. */
const FEW_COST_MAX = 1_500;

type Family = 'created' | 'updated';
type Group = 'status' | 'queue' | 'node';

function hasGroups({ queues, statuses, nodes }: JobFilter): boolean {
  return queues !== undefined || statuses !== undefined || nodes !== undefined;
}

function hasLists(filter: JobFilter): boolean {
  return hasGroups(filter) || hasTimes(filter) || hasUpdates(filter);
}

/** As in `byUpdated`, the other way round. */
function byCreated(walking: Walking, after: Uint8Array | null): Iterable<WalkStep> {
  const { filter } = walking.query;
  const few = hasUpdates(filter) ? fewOf(walking, FEW_BY_RECORD, after) : undefined;
  if (few) return few;
  return filter.q !== undefined && !hasGroups(filter)
    ? valueWalk(walking, 'created', after)
    : timeWalk(walking, 'created', after);
}

/** The times of the filter are of the other order: where they leave few jobs, those may stand anywhere in this one. */
function byUpdated(walking: Walking, after: Uint8Array | null): Iterable<WalkStep> {
  const { filter } = walking.query;
  const few = hasTimes(filter) ? fewOf(walking, FEW_BY_RECORD, after) : undefined;
  if (few) return few;
  return (filter.q !== undefined || hasTimes(filter)) && !hasGroups(filter)
    ? valueWalk(walking, 'updated', after)
    : timeWalk(walking, 'updated', after);
}

function byGroup(walking: Walking, kind: 'status' | 'queue', after: Uint8Array | null): Iterable<WalkStep> {
  if (!hasLists(walking.query.filter)) return kindWalk(walking, kind, after);
  return fewOf(walking, FEW_BY_RECORD, after) ?? groupWalk(walking, kind, after);
}

/** Values that are read at once. */
const VALUES = 64;

/** All jobs of a family in order with what stands beside them, where no other filter makes them fewer. */
function* valueWalk({ reader, query, cost }: Walking, family: Family, after: Uint8Array | null): Generator<WalkStep> {
  const { descending, filter } = query;
  const matcher = new JobMatcher(reader, filter, cost);
  const table = family === 'created' ? 'jobByCreated' : 'jobIndex';
  const prefix = family === 'created' ? NOTHING : jobIndexPrefix('updated');
  const bounds = boundsOf(filter, family);
  let start = bounds.from ? joined(prefix, bounds.from) : prefix;
  let end = bounds.to ? joined(prefix, bounds.to) : afterPrefix(prefix);
  const from = after && joined(prefix, after);
  if (from && descending && (!end || compareKeys(from, end) < 0)) end = from;
  if (from && !descending && compareKeys(from, start) >= 0) start = afterKey(from);
  for (;;) {
    const range = {
      ...(start.length > 0 ? { start } : {}),
      ...(end ? { end } : {}),
      reverse: descending,
      limit: VALUES,
    };
    const entries = [...reader.range(table, range)];
    cost.spent += COST.range;
    for (const { key, value } of entries) {
      cost.spent += COST.text;
      const position = key.subarray(prefix.length);
      const wanted = family === 'created' ? matcher.isIn(value) : matcher.isBeside(value);
      yield { position, id: wanted ? idAtEnd(position) : undefined };
    }
    const last = entries.at(-1);
    if (!last || entries.length < VALUES) return;
    // Only forwards, though a damaged key may be out of order.
    if (descending ? end && compareKeys(last.key, end) >= 0 : compareKeys(last.key, start) < 0) return;
    if (descending) end = last.key;
    else start = afterKey(last.key);
  }
}

/** Where the times of the filter bound an order: no job is updated before it is created. */
function boundsOf({ createdAfter, createdBefore, updatedAfter, updatedBefore }: JobFilter, family: Family): Bounds {
  return family === 'created'
    ? boundsBetween(createdAfter, firstOf(createdBefore, updatedBefore))
    : boundsBetween(lastOf(createdAfter, updatedAfter), updatedBefore);
}

function firstOf(a: EpochNs | undefined, b: EpochNs | undefined): EpochNs | undefined {
  return a === undefined || (b !== undefined && b < a) ? b : a;
}

function lastOf(a: EpochNs | undefined, b: EpochNs | undefined): EpochNs | undefined {
  return a === undefined || (b !== undefined && b > a) ? b : a;
}

function* timeWalk(walking: Walking, family: Family, after: Uint8Array | null): Generator<WalkStep> {
  const { reader, query, cost } = walking;
  const { filter } = query;
  const matcher = new JobMatcher(reader, filter, cost);
  const looks = filter.q !== undefined || (family === 'updated' && hasTimes(filter));
  for (const { ending, hit } of intersection(sourcesOf(walking, family), after)) {
    const wanted = hit && (!looks || (family === 'updated' ? matcher.updated(ending) : matcher.text(ending)));
    yield { position: ending, id: wanted ? idAtEnd(ending) : undefined };
  }
}

function sourcesOf({ reader, query, cost }: Walking, family: Family): Source[] {
  const { descending, filter } = query;
  const bounds = boundsOf(filter, family);
  const range = (kind: JobIndexKind, ...values: readonly string[]): Source =>
    new RangeSource(
      reader,
      { table: 'jobIndex', prefix: jobIndexPrefix(kind, ...values), descending, ...bounds },
      cost,
    );
  const [queue, status, node, both] =
    family === 'created'
      ? (['queue', 'status', 'node', 'queueStatus'] as const)
      : (['queueUpdated', 'statusUpdated', 'nodeUpdated', 'queueStatusUpdated'] as const);
  const sources: Source[] = [];
  const { queues } = filter;
  // First, because a place where a walk stops is one of the first source, and must be of a queue that the caller sees.
  if (queues) {
    const ofQueue = (name: string): Source[] =>
      filter.statuses ? filter.statuses.map((value) => range(both, name, value)) : [range(queue, name)];
    sources.push(unionOf(queues.flatMap(ofQueue), descending));
  }
  if (filter.nodes)
    sources.push(
      unionOf(
        filter.nodes.map((value) => range(node, value)),
        descending,
      ),
    );
  const { statuses } = filter;
  if (statuses && !queues)
    sources.push(
      unionOf(
        statuses.map((value) => range(status, value)),
        descending,
      ),
    );
  if (sources.length > 0) return sources;
  if (family === 'updated') return [range('updated')];
  return [new RangeSource(reader, { table: 'jobByCreated', prefix: NOTHING, descending, ...bounds }, cost)];
}

const NOTHING = new Uint8Array(0);

/** One value after the other, each in the order of createdAt. */
function* groupWalk(walking: Walking, kind: Group, after: Uint8Array | null): Generator<WalkStep> {
  const place = after && valueAndEnding(after);
  for (const value of groupValues(walking, kind, place?.value)) {
    const filter = { ...walking.query.filter, ...ofGroup(kind, value) };
    const inner = { ...walking, query: { ...walking.query, filter } };
    const head = keyOf({ text: value });
    for (const { position, id } of timeWalk(inner, 'created', place?.value === value ? place.ending : null))
      yield { position: joined(head, position), id };
    // So that a group without a match is a place to stop at, too.
    if (place?.value !== value)
      yield { position: joined(head, END_OF_GROUP[walking.query.descending ? 1 : 0]), id: undefined };
  }
}

function ofGroup(kind: Group, value: string): JobFilter {
  if (kind === 'queue') return { queues: [value] };
  return kind === 'node' ? { nodes: [value] } : { statuses: [value] };
}

/** Beyond every time, in either direction. */
const END_OF_GROUP = [Uint8Array.of(0xff), NOTHING] as const;

function* groupValues(walking: Walking, kind: Group, from: string | undefined): Generator<string> {
  const { reader, query, cost } = walking;
  const { descending, filter } = query;
  const { nodes, statuses, queues } = filter;
  const fixed = { node: nodes, status: statuses, queue: queues }[kind];
  if (fixed) {
    const order = (a: string, b: string): number => compareKeys(keyOf({ text: a }), keyOf({ text: b }));
    const sorted = [...fixed].sort((a, b) => (descending ? order(b, a) : order(a, b)));
    yield* sorted.filter(
      (value) => from === undefined || (descending ? order(value, from) <= 0 : order(value, from) >= 0),
    );
    return;
  }
  const all = jobIndexPrefix(kind);
  let start = from === undefined || descending ? all : jobIndexPrefix(kind, from);
  let end = from === undefined || !descending ? afterPrefix(all) : afterPrefix(jobIndexPrefix(kind, from));
  for (;;) {
    cost.spent += COST.range;
    const [entry] = [...reader.range('jobIndex', { start, ...(end ? { end } : {}), reverse: descending, limit: 1 })];
    // In a damaged index the next row may lie before the last one: from there this would go round and round.
    if (!entry || (descending ? end && compareKeys(entry.key, end) >= 0 : compareKeys(entry.key, start) < 0)) return;
    const { value } = valueAndEnding(entry.key.subarray(all.length));
    // The row's own bytes: those of a damaged one may be no text, which would be encoded as another value.
    const prefix = entry.key.subarray(0, entry.key.indexOf(0, all.length) + 1 || entry.key.length);
    if (compareKeys(prefix, jobIndexPrefix(kind, value)) === 0) yield value;
    if (descending) end = prefix;
    else start = afterPrefix(prefix) as Uint8Array;
  }
}

/** All rows of a kind: by value, then createdAt. */
function* kindWalk(walking: Walking, kind: Group | 'name', after: Uint8Array | null): Generator<WalkStep> {
  const { reader, query, cost } = walking;
  const matcher = new JobMatcher(reader, query.filter, cost);
  const source = new RangeSource(
    reader,
    { table: 'jobIndex', prefix: jobIndexPrefix(kind), descending: query.descending },
    cost,
  );
  for (const { ending: position } of intersection([source], after)) {
    const ending = position.subarray(position.indexOf(0) + 1);
    const wanted = matcher.ending(ending);
    yield { position, id: wanted ? idAtEnd(ending) : undefined };
  }
}

function* idWalk(walking: Walking, after: Uint8Array | null): Generator<WalkStep> {
  const { reader, query, cost } = walking;
  const matcher = new JobMatcher(reader, query.filter, cost);
  const isFiltered = Object.values(query.filter).some((part) => part !== undefined);
  const source = new RangeSource(reader, { table: 'job', prefix: NOTHING, descending: query.descending }, cost);
  for (const { ending: position } of intersection([source], after)) {
    const id = Buffer.from(position).toString('utf8');
    yield { position, id: !isFiltered || matcher.record(id) ? id : undefined };
  }
}

/** The jobs with the text, sorted, where the index of texts knows them and they are few. */
function withText(walking: Walking, after: Uint8Array | null): Iterable<WalkStep> | undefined {
  const { reader, query, cost, texts } = walking;
  const { q } = query.filter;
  if (!texts || q === undefined || cost.isFrequent) return undefined;
  const endings = endingsWith(q, reader, texts);
  cost.isFrequent = endings === undefined;
  // Few as they are, they have their bound already: a page that is cut would find and sort them all again.
  const own = { ...walking, cost: new Cost() };
  return endings && sorted(own, endings, after, (matcher, ending) => matcher.ending(ending));
}

/** Of the jobs with the text, and of those on nodes with it in their names; undefined where they are more than few. */
function endingsWith(q: string, reader: Reader, texts: TextIndex): Uint8Array[] | undefined {
  const inText = texts.find(reader, Buffer.from(q), FEW_WITH_TEXT);
  const onNamed = inText && endingsOnNamed(reader, q, FEW_WITH_TEXT - inText.length);
  if (!onNamed) return undefined;
  const all = new Map([...inText, ...onNamed].map((ending) => [Buffer.from(ending).toString('latin1'), ending]));
  return [...all.values()];
}

/** The jobs that the filter leaves, sorted, where they are at most `max`; undefined where they are more or may be. */
function fewOf(walking: Walking, max: number, after: Uint8Array | null): Iterable<WalkStep> | undefined {
  const { query, cost } = walking;
  const { effort } = cost;
  if (!hasLists(query.filter) || cost.manyAt >= effort) return undefined;
  const { q: _, ...lists } = query.filter;
  // A search that has found nothing so far is not cut again for what it takes to end it.
  const own = effort > 1 ? { ...walking, cost: new Cost() } : walking;
  const plain = { ...own, query: { ...query, filter: lists, descending: false } };
  const costMax = own.cost.spent + effort * FEW_COST_MAX;
  // The order in which the times of the filter are one range.
  const family = hasUpdates(lists) ? 'updated' : 'created';
  const matcher = new JobMatcher(own.reader, lists, own.cost);
  const endings: Uint8Array[] = [];
  for (const { position, id } of timeWalk(plain, family, null)) {
    const ending = id === undefined || family === 'created' ? position : matcher.createdEnding(position);
    if (id !== undefined && ending) endings.push(ending);
    if (endings.length <= effort * max && own.cost.spent <= costMax) continue;
    cost.manyAt = effort;
    return undefined;
  }
  return sorted(own, endings, after, (matcher, ending) => matcher.text(ending));
}

/** Of the jobs of these rows those behind `after`, sorted; `passes` tells of each what is not known of it yet. */
function sorted(
  { reader, query, cost }: Walking,
  endings: readonly Uint8Array[],
  after: Uint8Array | null,
  passes: (matcher: JobMatcher, ending: Uint8Array) => boolean,
): Iterable<WalkStep> {
  const matcher = new JobMatcher(reader, query.filter, cost);
  const steps: { position: Uint8Array; ending: Uint8Array }[] = [];
  for (const ending of endings) {
    const position = positionOf(matcher, query, ending);
    const isBehind = position && (!after || compareKeys(position, after) * (query.descending ? -1 : 1) > 0);
    if (isBehind) steps.push({ position, ending });
  }
  return stepsOf(
    inOrder(steps, (a, b) => compareKeys(a.position, b.position) * (query.descending ? -1 : 1)),
    (ending) => passes(matcher, ending),
  );
}

function* stepsOf(
  steps: Iterable<{ readonly position: Uint8Array; readonly ending: Uint8Array }>,
  passes: (ending: Uint8Array) => boolean,
): Generator<WalkStep> {
  for (const { position, ending } of steps) yield { position, id: passes(ending) ? idAtEnd(ending) : undefined };
}

function positionOf(matcher: JobMatcher, { by }: JobQuery, ending: Uint8Array): Uint8Array | undefined {
  if (by === 'createdAt') return ending;
  const id = idAtEnd(ending);
  if (id === undefined) return undefined;
  if (by === 'id') return textKey(id);
  const head = matcher.head(id);
  if (by === 'updatedAt') return head && timeKey(mustParseTimestamp(head.updatedAt), id);
  const value = by === 'name' ? (head?.name ?? '') : head?.[by as 'nodeOid' | 'status' | 'queueName'];
  // The row's own bytes without the kind, so that either way of walking means the same by a position.
  return value === undefined ? undefined : joined(jobIndexPrefix('name', value).subarray(1), ending);
}

function valueAndEnding(position: Uint8Array): { value: string; ending: Uint8Array } {
  const end = position.indexOf(0);
  return {
    value: Buffer.from(position.subarray(0, end)).toString('utf8'),
    ending: position.subarray(end + 1),
  };
}
