/**
 * When following a log ends (contract section 7): with the node, or with the job. The job is named by the follower;
 * of a node's log without a name those that run on the node when following begins. A node on which none runs is followed
 * until it ends itself, and so is the server's own log.
 */
import type { ShardHost } from '../../actors/shard/host/shard-host.ts';
import { isTerminal, JOB_STATUSES } from '../../protocol/job.ts';
import type { JobQuery } from '../../protocol/lists/job-query.ts';
import type { WorkerNode } from '../../protocol/node.ts';
import { textKey } from '../../store/kv/keys.ts';
import { jobHeadOf, jobJsonOf } from '../../store/records/job-record.ts';
import { selectPage } from '../../workers/jobs/page.ts';
import type { LogName } from '../api/services.ts';
import { findNode, idsOfNode } from '../lists/find-node.ts';
import type { IsDone } from './log-hub.ts';

/** Lines that a job wrote last come after its last event: the two have ways of their own. */
const LAST_LINES_MS = 2_000;
/** Jobs that a follower watches; of more, so many that began last. */
const WATCHED_MAX = 64;
/** Units of search (see `workers/jobs/cost.ts`) for the jobs of one status: well below a millisecond. */
const SEARCH_COST_MAX = 500;

const RUNNING = JOB_STATUSES.filter((status) => !isTerminal(status));

/** Made when following begins. `job` is named by the follower. */
export function endOf(host: ShardHost, { node }: LogName, job: string | null): IsDone {
  let watched = job === null && node ? runningOn(host, node.nodeId) : [];
  let overSinceMs: number | null = null;
  const jobsAreOver = (): boolean => {
    if (job !== null) return isOver(host, job) === true;
    if (watched.length === 0 || !watched.every((id) => isOver(host, id) !== false)) return false;
    // Another one may have begun meanwhile.
    const others = node ? runningOn(host, node.nodeId) : [];
    if (others.length > 0) watched = others;
    return others.length === 0;
  };
  return async () => {
    if (node && !(await isRunning(host, node.nodeId))) return true;
    if (!jobsAreOver()) {
      overSinceMs = null;
      return false;
    }
    overSinceMs ??= host.clock.monotonicMs();
    return host.clock.monotonicMs() - overSinceMs >= LAST_LINES_MS;
  };
}

async function isRunning(host: ShardHost, nodeId: string): Promise<boolean> {
  const item = await findNode(host, nodeId);
  const state = item && (JSON.parse(item.json) as WorkerNode).state;
  return state === 'alive' || state === 'late';
}

/** Undefined where there is no such job. */
function isOver(host: ShardHost, id: string): boolean | undefined {
  host.reader.refresh();
  const record = host.reader.get('job', textKey(id));
  return record && isTerminal(jobHeadOf(jobJsonOf(record)).status);
}

function runningOn(host: ShardHost, nodeId: string): string[] {
  host.reader.refresh();
  const nodes = idsOfNode(host, nodeId);
  const found: string[] = [];
  for (const status of RUNNING) {
    const query: JobQuery = { by: 'createdAt', descending: true, filter: { nodes, statuses: [status] } };
    const bound = { limit: WATCHED_MAX - found.length, costMax: SEARCH_COST_MAX };
    found.push(...selectPage(host.reader, query, null, bound).ids);
    if (found.length >= WATCHED_MAX) break;
  }
  return found;
}
