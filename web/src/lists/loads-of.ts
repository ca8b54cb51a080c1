/** What jobs run on each node, or are stranded there. Pure. */
export interface NodeLoad {
  /** Jobs that run there. */
  readonly jobs: number;
  /** Jobs that it left behind when it went. */
  readonly stranded: number;
  /** Seconds of run time that no checkpoint holds, over all of these jobs. */
  readonly unsavedSeconds: number;
}

export const NO_LOAD: NodeLoad = { jobs: 0, stranded: 0, unsavedSeconds: 0 };

export interface LoadingJob {
  readonly nodeOid: string;
  readonly phase: string;
  readonly workAtRisk: number | null;
}

export function loadsOf(rows: readonly LoadingJob[]): ReadonlyMap<string, NodeLoad> {
  const loads = new Map<string, NodeLoad>();
  for (const { nodeOid, phase, workAtRisk } of rows) {
    const { jobs, stranded, unsavedSeconds } = loads.get(nodeOid) ?? NO_LOAD;
    const isStranded = phase === 'stranded';
    loads.set(nodeOid, {
      jobs: jobs + (isStranded ? 0 : 1),
      stranded: stranded + (isStranded ? 1 : 0),
      unsavedSeconds: unsavedSeconds + (workAtRisk ?? 0),
    });
  }
  return loads;
}
