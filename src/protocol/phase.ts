/** The phases of jobs (contract section 7), made of a job's status and of whether its node is gone. */

/** What a person filters jobs by (contract section 7). */
export const PHASES = ['starting', 'running', 'restoring', 'stranded', 'succeeded', 'failed', 'stopped'] as const;
export type Phase = (typeof PHASES)[number];

const PHASE_OF_STATUS: ReadonlyMap<string, Phase> = new Map<string, Phase>([
  ['Unknown', 'starting'],
  ['Creating', 'starting'],
  ['Created', 'starting'],
  ['VolumeUnready', 'starting'],
  ['Running', 'running'],
  ['Checkpointing', 'running'],
  ['CheckpointSucceeded', 'running'],
  ['CheckpointFailed', 'running'],
  ['RestoreSucceeded', 'running'],
  ['Restoring', 'restoring'],
  ['RestoreFailed', 'restoring'],
  ['RestoreVolumeUnready', 'restoring'],
  ['Succeeded', 'succeeded'],
  ['Failed', 'failed'],
  ['Stopped', 'stopped'],
]);

/** Every status that a job of one of these phases may have. */
export function statusesOf(phases: readonly Phase[]): string[] {
  const isStranded = phases.includes('stranded');
  return [...PHASE_OF_STATUS]
    .filter(([, phase]) => phases.includes(phase) || (isStranded && !ENDED.has(phase)))
    .map(([status]) => status);
}

/** Whether the status alone shows that a job is in one of these phases; its node then need not be looked up. */
export function areOfStatus(phases: readonly Phase[]): boolean {
  const live = PHASES.filter((phase) => !ENDED.has(phase));
  const wanted = live.filter((phase) => phases.includes(phase));
  return wanted.length === 0 || wanted.length === live.length;
}

const ENDED: ReadonlySet<Phase> = new Set(['succeeded', 'failed', 'stopped']);

/** The phase of a job that has ended: its status alone tells it. Undefined while the job goes on. */
export function endedPhaseOf(status: string): Phase | undefined {
  const phase = PHASE_OF_STATUS.get(status);
  return phase !== undefined && ENDED.has(phase) ? phase : undefined;
}

/** `isNodeGone` is asked only about a job that has not ended. */
export function phaseOf(status: string, isNodeGone: () => boolean): Phase {
  const phase = PHASE_OF_STATUS.get(status) ?? 'starting';
  return !ENDED.has(phase) && isNodeGone() ? 'stranded' : phase;
}
