/** Counts jobs by phase, status or queue, with the filters of the list, from the indexes; in slices. */
import type { JobCount, JobFilter } from '../../protocol/lists/job-query.ts';
import { JOB_STATUSES } from '../../protocol/names/job-status.ts';
import { endedPhaseOf, phaseOf } from '../../protocol/phase.ts';
import type { Reader } from '../../store/kv/store.ts';
import type { JobHead } from '../../store/records/job-record.ts';
import type { JobCountTask } from '../task/task.ts';
import { Cost } from './cost.ts';
import { GoneNodes } from './gone-nodes.ts';
import { type JobGroup, jobGroups, TURN_ROWS } from './job-groups.ts';
import { hasTimes, hasUpdates, JobMatcher } from './match.ts';
import { textIndexOf } from './text-index.ts';
import { walk } from './walk.ts';

/** Units of search before the thread may do something else: about 2 ms. */
const SLICE_COST = 3_000;

type Asked = Pick<JobCountTask, 'by' | 'filter'>;

export async function* jobCount(
  reader: Reader,
  asked: Asked,
  sliceCost = SLICE_COST,
  turnRows = TURN_ROWS,
): AsyncGenerator<Uint8Array> {
  const counts = new Map<string, number>();
  const { groups, each } = parted(asked);
  for (const filter of groups) await countGroups(reader, { ...asked, filter }, turnRows, counts);
  for (const filter of each) await countEach(reader, { ...asked, filter }, sliceCost, counts);
  let total = 0;
  for (const count of counts.values()) total += count;
  const count: JobCount = { total, counts: Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))) };
  yield Uint8Array.from(Buffer.from(JSON.stringify(count)));
}

interface Parts {
  /** Of which rows are counted. */
  readonly groups: readonly JobFilter[];
  /** Of which each job is looked at. */
  readonly each: readonly JobFilter[];
}

/** Rows of a queue and status are in the order of either time. Whose node is gone none of them tells, but only jobs that go on are stranded. */
function parted({ by, filter }: Asked): Parts {
  const { nodes, q } = filter;
  if (nodes !== undefined || q !== undefined || (hasTimes(filter) && hasUpdates(filter)))
    return { groups: [], each: [filter] };
  if (!isTimed(filter) || !tellsPhases({ by, filter })) return { groups: [filter], each: [] };
  const statuses = filter.statuses ?? JOB_STATUSES;
  const over = statuses.filter((status) => endedPhaseOf(status) !== undefined);
  const goingOn = statuses.filter((status) => endedPhaseOf(status) === undefined);
  const of = (some: readonly string[]): JobFilter[] => (some.length === 0 ? [] : [{ ...filter, statuses: some }]);
  return { groups: of(over), each: of(goingOn) };
}

function isTimed(filter: JobFilter): boolean {
  return hasTimes(filter) || hasUpdates(filter);
}

function tellsPhases({ by, filter }: Asked): boolean {
  return by === 'phase' || filter.phases !== undefined;
}

async function countGroups(
  reader: Reader,
  { by, filter }: Asked,
  turnRows: number,
  counts: Map<string, number>,
): Promise<void> {
  const byPhase = tellsPhases({ by, filter });
  const question = {
    filter,
    byQueue: by === 'queue',
    byStatus: by !== 'queue' || byPhase || filter.statuses !== undefined,
    withStranded: byPhase && !isTimed(filter),
  };
  const add = (name: string, count: number): void => {
    if (count > 0) counts.set(name, (counts.get(name) ?? 0) + count);
  };
  const nameOf = { phase: (_: JobGroup, phase: string) => phase, status: statusOf, queue: queueOf }[by];
  for (const group of await jobGroups(reader, question, turnRows)) {
    const phase = phaseOf(group.status, () => false);
    const isWanted = (one: typeof phase): boolean => filter.phases === undefined || filter.phases.includes(one);
    if (isWanted(phase)) add(nameOf(group, phase), group.count - group.stranded);
    if (isWanted('stranded')) add(nameOf(group, 'stranded'), group.stranded);
  }
}

function statusOf({ status }: Pick<JobGroup, 'status'>): string {
  return status;
}

function queueOf({ queue }: JobGroup): string {
  return queue;
}

function queueOfJob({ queueName }: JobHead): string {
  return queueName;
}

/** By each job's own place in the indexes. */
async function countEach(
  reader: Reader,
  { by, filter }: Asked,
  sliceCost: number,
  counts: Map<string, number>,
): Promise<void> {
  // Times of updates are one range in their own order, which says nothing of what is counted by.
  const isUpdated = hasUpdates(filter);
  const query = {
    by: isUpdated ? 'updatedAt' : by === 'queue' ? 'queueName' : 'status',
    descending: false,
    filter,
  } as const;
  let after: Uint8Array | null = null;
  let cost = new Cost();
  const texts = filter.q === undefined ? undefined : textIndexOf(reader);
  for (let more = true; more; ) {
    reader.refresh();
    cost = cost.next();
    const nodes = new GoneNodes(reader);
    const matcher = new JobMatcher(reader, filter, cost);
    const nameOf = { phase: (head: JobHead) => nodes.phaseOf(head), status: statusOf, queue: queueOfJob }[by];
    const nameAt = (id: string, position: Uint8Array): string | undefined => {
      // In this order a position begins with what is counted by; for phases that is the status.
      const group = isUpdated ? undefined : groupAt(position);
      // Most jobs have ended: their records, and their nodes, tell no more.
      const known = group !== undefined && by === 'phase' ? endedPhaseOf(group) : group;
      if (known !== undefined) return known;
      const head = matcher.head(id);
      return head && nameOf(head);
    };
    more = false;
    for (const { position, id } of walk({ reader, query, cost, texts }, after)) {
      after = position;
      const name = id === undefined ? undefined : nameAt(id, position);
      if (name !== undefined) counts.set(name, (counts.get(name) ?? 0) + 1);
      if (cost.spent < sliceCost) continue;
      more = true;
      break;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function groupAt(position: Uint8Array): string {
  return Buffer.from(position.subarray(0, position.indexOf(0))).toString('utf8');
}
