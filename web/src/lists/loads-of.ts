/** What jobs run on each node, or are stranded there. Pure. */
import type { WorkerNode } from '../../../src/protocol/node.ts';
import { isNeverSaved, riskTone } from './risk-tone.ts';

export interface NodeLoad {
  /** Jobs that run there. */
  readonly jobs: number;
  /** Jobs that it left behind when it went. */
  readonly stranded: number;
  /** Seconds of run time that no checkpoint holds, over all of these jobs. */
  readonly unsavedSeconds: number;
  /** Of them those of the job that has most, and of the one that has most of those that were never saved. */
  readonly mostSeconds: number;
  readonly neverSavedSeconds: number;
}

export const NO_LOAD: NodeLoad = { jobs: 0, stranded: 0, unsavedSeconds: 0, mostSeconds: 0, neverSavedSeconds: 0 };

export interface LoadingJob {
  readonly nodeOid: string;
  readonly phase: string;
  readonly unsavedSeconds: number | null;
  readonly lastCheckpointAt: string | null;
  readonly spotProtCount: number;
}

export interface NodeLoads {
  /** By the name that jobs give their node: its instance id, or its id. */
  readonly byNode: ReadonlyMap<string, NodeLoad>;
  /** Whether there are jobs that were not read. */
  readonly hasMore: boolean;
}

export function loadsOf(rows: readonly LoadingJob[]): ReadonlyMap<string, NodeLoad> {
  const loads = new Map<string, NodeLoad>();
  for (const job of rows) {
    const { nodeOid, phase } = job;
    const { jobs, stranded, unsavedSeconds, mostSeconds, neverSavedSeconds } = loads.get(nodeOid) ?? NO_LOAD;
    const isStranded = phase === 'stranded';
    const seconds = job.unsavedSeconds ?? 0;
    loads.set(nodeOid, {
      jobs: jobs + (isStranded ? 0 : 1),
      stranded: stranded + (isStranded ? 1 : 0),
      unsavedSeconds: unsavedSeconds + seconds,
      mostSeconds: Math.max(mostSeconds, seconds),
      neverSavedSeconds: isNeverSaved(job) ? Math.max(neverSavedSeconds, seconds) : neverSavedSeconds,
    });
  }
  return loads;
}

/** Of jobs that name their node by its id, and of those that name it by its instance. */
function sumOfLoads(a: NodeLoad, b: NodeLoad): NodeLoad {
  return {
    jobs: a.jobs + b.jobs,
    stranded: a.stranded + b.stranded,
    unsavedSeconds: a.unsavedSeconds + b.unsavedSeconds,
    mostSeconds: Math.max(a.mostSeconds, b.mostSeconds),
    neverSavedSeconds: Math.max(a.neverSavedSeconds, b.neverSavedSeconds),
  };
}

/** Of what a node would lose: as the worst of its jobs has it. `intervalSeconds`: as `riskTone` has it. */
export function loadTone(
  { mostSeconds, neverSavedSeconds }: NodeLoad,
  intervalSeconds: number | undefined,
): ReturnType<typeof riskTone> {
  const ofNever = riskTone({ unsavedSeconds: neverSavedSeconds, isNeverSaved: true }, intervalSeconds);
  return ofNever || riskTone({ unsavedSeconds: mostSeconds, isNeverSaved: false }, intervalSeconds);
}

/** Undefined where it is not known: while that is asked for, or where not all jobs were read. */
export function loadOf(
  loads: NodeLoads | undefined,
  { id, instance }: Pick<WorkerNode, 'id' | 'instance'>,
): NodeLoad | undefined {
  const byInstance = loads?.byNode.get(instance.instanceId);
  const byId = id === instance.instanceId ? undefined : loads?.byNode.get(id);
  const load = byInstance && byId ? sumOfLoads(byInstance, byId) : (byInstance ?? byId);
  return load ?? (loads?.hasMore === false ? NO_LOAD : undefined);
}
