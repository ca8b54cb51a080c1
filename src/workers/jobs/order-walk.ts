/**
 * Jobs of queues and of statuses in the order of name, nodeOid or id, by the indexes of those filters in that order: the
 * page begins at once, wherever in the order the jobs of the filter are. What else is asked is looked up for each job.
 */
import { isTerminal } from '../../protocol/job.ts';
import type { JobFilter } from '../../protocol/lists/job-query.ts';
import { idAtEnd, type JobIndexKind, jobIndexPrefix, outcomeOf } from '../../store/records/job-index.ts';
import { JobMatcher } from './match.ts';
import { intersection, joined, RangeSource, type Source, unionOf } from './source.ts';
import type { Walking, WalkStep } from './walking.ts';

export type Order = 'name' | 'node' | 'id';

const KINDS_OF: Readonly<Record<Order, { readonly queue: JobIndexKind; readonly outcome: JobIndexKind }>> = {
  name: { queue: 'queueByName', outcome: 'outcomeByName' },
  node: { queue: 'queueByNode', outcome: 'outcomeByNode' },
  id: { queue: 'queueById', outcome: 'outcomeById' },
};

/** Whether one index has just the jobs of the filter: of queues, or of statuses that jobs end with. */
export function isOneOrderedFilter(filter: JobFilter): boolean {
  return (filter.queues === undefined) !== (filter.statuses === undefined) && leftOf(filter) === null;
}

/** The filter must have queues or statuses. */
export function* orderWalk(walking: Walking, order: Order, after: Uint8Array | null): Generator<WalkStep> {
  const { reader, query, cost } = walking;
  const left = leftOf(query.filter);
  const matcher = new JobMatcher(reader, left ?? {}, cost);
  const isById = order === 'id';
  // A row of this order is the id and a zero, which is no part of the position.
  const from = after && isById ? joined(after, ZERO) : after;
  for (const { ending, hit } of intersection(sourcesOf(walking, order), from)) {
    const position = isById ? ending.subarray(0, -1) : ending;
    if (!hit) yield { position, id: undefined };
    else if (isById) {
      const id = Buffer.from(position).toString('latin1');
      yield { position, id: !left || matcher.record(id) ? id : undefined };
    } else {
      const created = ending.subarray(ending.indexOf(0) + 1);
      yield { position, id: !left || matcher.ending(created) ? idAtEnd(created) : undefined };
    }
  }
}

const ZERO = Uint8Array.of(0);

function sourcesOf({ reader, query, cost }: Walking, order: Order): Source[] {
  const { descending, filter } = query;
  const { queue, outcome } = KINDS_OF[order];
  const union = (kind: JobIndexKind, values: readonly string[]): Source =>
    unionOf(
      values.map(
        (value) =>
          new RangeSource(reader, { table: 'jobIndex', prefix: jobIndexPrefix(kind, value), descending }, cost),
      ),
      descending,
    );
  // First, because a place where a walk stops is one of the first source, and must be of a queue that the caller sees.
  return [
    ...(filter.queues ? [union(queue, filter.queues)] : []),
    ...(filter.statuses ? [union(outcome, [...new Set(filter.statuses.map(outcomeOf))])] : []),
  ];
}

/** What the ranges of queues and outcomes do not tell; null where that is nothing. */
function leftOf({ queues: _, phases: __, statuses, ...rest }: JobFilter): JobFilter | null {
  const left = statuses?.every(isTerminal) === false ? { ...rest, statuses } : rest;
  return Object.values(left).some((part) => part !== undefined) ? left : null;
}
