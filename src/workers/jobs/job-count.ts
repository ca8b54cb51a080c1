/** Counts jobs by phase, status or queue, with the filters of the list, from the indexes; in slices. */
import type { JobCount } from '../../protocol/lists/job-query.ts';
import { endedPhaseOf } from '../../protocol/phase.ts';
import type { Reader } from '../../store/kv/store.ts';
import type { JobCountTask } from '../task/task.ts';
import { Cost } from './cost.ts';
import { GoneNodes } from './gone-nodes.ts';
import { JobMatcher } from './match.ts';
import { textIndexOf } from './text-index.ts';
import { walk } from './walk.ts';

/** Units of search before the thread may do something else: about 2 ms. */
const SLICE_COST = 3_000;

export async function* jobCount(
  reader: Reader,
  { by, filter }: Pick<JobCountTask, 'by' | 'filter'>,
  sliceCost = SLICE_COST,
): AsyncGenerator<Uint8Array> {
  const counts = new Map<string, number>();
  const query = { by: by === 'queue' ? 'queueName' : 'status', descending: false, filter } as const;
  let total = 0;
  let after: Uint8Array | null = null;
  let cost = new Cost();
  const texts = filter.q === undefined ? undefined : textIndexOf(reader);
  for (let more = true; more; ) {
    reader.refresh();
    cost = cost.next();
    const nodes = new GoneNodes(reader);
    const matcher = new JobMatcher(reader, filter, cost);
    const nameOf = (id: string, position: Uint8Array): string | undefined => {
      // In this order a position begins with what is counted by; for phases that is the status.
      const group = groupAt(position);
      // Most jobs have ended: their records, and their nodes, tell no more.
      const phase = by === 'phase' ? endedPhaseOf(group) : group;
      if (phase !== undefined) return phase;
      const head = matcher.head(id);
      return head && nodes.phaseOf(head);
    };
    more = false;
    for (const { position, id } of walk({ reader, query, cost, texts }, after)) {
      after = position;
      const name = id === undefined ? undefined : nameOf(id, position);
      if (name !== undefined) {
        counts.set(name, (counts.get(name) ?? 0) + 1);
        total++;
      }
      if (cost.spent < sliceCost) continue;
      more = true;
      break;
    }
    await new Promise((resolve) => setImmediate(resolve));
  }
  const count: JobCount = { total, counts: Object.fromEntries([...counts].sort(([a], [b]) => (a < b ? -1 : 1))) };
  yield Uint8Array.from(Buffer.from(JSON.stringify(count)));
}

function groupAt(position: Uint8Array): string {
  return Buffer.from(position.subarray(0, position.indexOf(0))).toString('utf8');
}
