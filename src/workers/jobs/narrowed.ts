/** The places of a walk with fewer jobs: those behind a position, updated within the times of the filter, or of its phases. */
import type { Phase } from '../../protocol/phase.ts';
import { compareKeys } from '../../store/kv/keys.ts';
import { GoneNodes } from './gone-nodes.ts';
import { JobMatcher } from './match.ts';
import type { Walking, WalkStep } from './walking.ts';

/** A row whose key was damaged may say a place before the one that the walk goes on from: a page that ended there would begin again. */
export function* behind(steps: Iterable<WalkStep>, after: Uint8Array, descending: boolean): Generator<WalkStep> {
  for (const step of steps) {
    const order = compareKeys(step.position, after);
    if (descending ? order < 0 : order > 0) yield step;
  }
}

/** No index knows whether the node of a job is gone: that is looked up for each job that the other filters leave. */
export function* ofPhases(
  { reader, query, cost }: Walking,
  steps: Iterable<WalkStep>,
  phases: readonly Phase[],
): Generator<WalkStep> {
  const matcher = new JobMatcher(reader, query.filter, cost);
  const nodes = new GoneNodes(reader);
  for (const { position, id } of steps) {
    const head = id === undefined ? undefined : matcher.head(id);
    yield { position, id: head && phases.includes(nodes.phaseOf(head)) ? id : undefined };
  }
}

/** In the order of updatedAt the place tells when a job was updated, in any other its record. */
export function* ofUpdates({ reader, query, cost }: Walking, steps: Iterable<WalkStep>): Generator<WalkStep> {
  const matcher = new JobMatcher(reader, query.filter, cost);
  for (const { position, id } of steps) {
    const isIn = query.by === 'updatedAt' ? matcher.updatedAt(position) : id !== undefined && matcher.updatedNow(id);
    yield { position, id: isIn ? id : undefined };
  }
}
