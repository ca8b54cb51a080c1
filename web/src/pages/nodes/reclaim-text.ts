/** What is said of a reclaim and of the jobs that it interrupted. Pure. */
import type { Reclaim, ReclaimedJob, ReclaimOutcome } from '../../../../src/protocol/lists/reclaim.ts';
import { centsText, countText, spanText } from '../../parts/format.ts';

/** How long before the machine was due the notice came; undefined where that is not known, null where there was none. */
export function warningSeconds({ notice }: Pick<Reclaim, 'notice'>): number | null | undefined {
  if (notice === null) return null;
  if (notice.receivedAt === undefined) return undefined;
  return Math.max(0, (Date.parse(notice.time) - Date.parse(notice.receivedAt)) / 1_000);
}

export function warningText(reclaim: Pick<Reclaim, 'notice'>): string {
  const seconds = warningSeconds(reclaim);
  if (seconds === null) return 'None';
  return seconds === undefined ? 'Yes' : `${spanText(seconds)} before`;
}

/** The same without a heading. */
export function noticeText(reclaim: Pick<Reclaim, 'notice'>): string {
  const seconds = warningSeconds(reclaim);
  if (seconds === null) return 'without notice';
  return seconds === undefined ? 'after a notice' : `with ${spanText(seconds)} notice`;
}

type Told = Pick<Reclaim, 'notice' | 'state'>;

/** Why a node fell silent without a notice nobody knows: a reclaim, a crash or the network. */
export function headingText({ notice, state }: Told): string {
  if (isHere({ state })) return 'Reclaim';
  return notice === null ? 'Lost' : 'Reclaimed';
}

/** Of those without a job. `isMore`: whether others are listed. What is still there has interrupted nothing yet. */
export function idleText(reclaims: readonly Told[], isMore: boolean): string {
  const here = reclaims.filter(isHere).length;
  const gone = reclaims.length - here;
  const ofGone = `${countText(gone)} ${isMore ? 'more ' : ''}${gone === 1 ? 'reclaim' : 'reclaims'} interrupted no job`;
  const ofHere = `${countText(here)} ${here === 1 ? 'node under notice runs' : 'nodes under notice run'} no job`;
  return [...(gone > 0 ? [ofGone] : []), ...(here > 0 ? [ofHere] : [])].join(' · ');
}

export function isHere({ state }: Pick<Reclaim, 'state'>): boolean {
  return state === 'alive' || state === 'late';
}

/** Jobs whose lost work is not repeated yet. */
const WAITING: readonly ReclaimOutcome[] = ['stranded', 'stopped', 'restoring', 'restoreFailed', 'starting'];

/** The words before the sum: `This reclaim cost`. */
export function costWords({ notice, jobs }: Pick<Reclaim, 'notice' | 'jobs'>): string {
  const isAhead = jobs.some(({ outcome, repeatedSeconds }) => repeatedSeconds > 0 && WAITING.includes(outcome));
  return `This ${notice === null ? 'loss' : 'reclaim'} ${isAhead ? 'will cost' : 'cost'}`;
}

/** How long the machine is still there. */
export function timeLeftText(time: string, nowMs: number): string {
  const seconds = Math.ceil((Date.parse(time) - nowMs) / 1_000);
  return seconds > 0 ? `${spanText(seconds)} left` : 'due';
}

const WORDS: Readonly<Record<ReclaimOutcome, string>> = {
  restored: 'restored',
  restarted: 'started again from nothing',
  restoring: 'being restored',
  restoreFailed: 'restore failed',
  stranded: 'stranded',
  failed: 'failed',
  stopped: 'stopped',
  succeeded: 'succeeded',
  running: 'still runs there',
  starting: 'not running yet',
};

const BAD: readonly ReclaimOutcome[] = ['restoreFailed', 'stranded', 'failed'];

export function isBad({ outcome }: Pick<ReclaimedJob, 'outcome'>): boolean {
  return BAD.includes(outcome);
}

/**
 * What became of the job: `restored in 42 s on`, before the name of the node. `state`: of the node that is reclaimed; of a silent
 * one nobody knows what runs there.
 */
export function outcomeText({ outcome, downSeconds, nodeOid }: ReclaimedJob, state: Reclaim['state']): string {
  if (outcome === 'running' && state === 'late') return 'ran there when the node fell silent';
  const span = downSeconds === null ? '' : ` in ${spanText(downSeconds)}`;
  return `${WORDS[outcome]}${span}${nodeOid === null ? '' : ' on'}`;
}

/** Whether it runs on the node as before: nothing is lost yet, and the notice has interrupted nothing. */
export function runsOn({ outcome, nodeOid }: Pick<ReclaimedJob, 'outcome' | 'nodeOid'>): boolean {
  return outcome === 'running' && nodeOid === null;
}

/** How many of its jobs run on as before. Those that are not listed have the least to repeat: of a node that is here, they do. */
export function runningOn({ state, jobs, jobCount }: Pick<Reclaim, 'state' | 'jobs' | 'jobCount'>): number {
  if (!isHere({ state })) return 0;
  const running = jobs.filter(runsOn).length;
  return running === 0 ? 0 : running + jobCount - jobs.length;
}

/** What it cost is not known before the first of its jobs has stopped. */
export function isAllAhead(reclaim: Pick<Reclaim, 'state' | 'jobs' | 'jobCount'>): boolean {
  return reclaim.jobCount > 0 && runningOn(reclaim) === reclaim.jobCount;
}

/** `atRisk`: seconds of its run time that no checkpoint holds; undefined or null where that is not known. */
export function jobWorkText(job: ReclaimedJob, atRisk: number | null | undefined): string {
  if (!runsOn(job)) return spanText(job.repeatedSeconds);
  return typeof atRisk === 'number' ? `${spanText(atRisk)} unsaved` : '–';
}

export function jobCostText(job: ReclaimedJob): string {
  return runsOn(job) ? '–' : costText(job);
}

type Lost = Readonly<Record<'repeatedSeconds' | 'cost', number>>;

/** Where a price is not known, nothing is said to cost nothing. */
export function costText({ repeatedSeconds, cost }: Lost): string {
  if (cost === 0 && repeatedSeconds > 0) return '–';
  return centsText(cost);
}

/** Of what a list rounds; undefined where there is nothing to round. */
export function exactCostText({ cost }: Lost): string | undefined {
  return cost === 0 ? undefined : `$${cost.toFixed(4)}`;
}
