/**
 * The node is being taken away: a last image of each running job, then their end, all before the notice's time less what
 * the logs and the node's own leaving need.
 */
import type { Random } from '../../src/base/random.ts';
import type { AgentLog } from '../base/log.ts';
import { orNull, persist } from '../base/persist.ts';
import type { Timers } from '../base/timers.ts';
import type { Job } from './job.ts';

export interface ReclaimPlan {
  /** Monotonic. What is not saved by then is given up. */
  readonly saveByMs: number;
  /** Monotonic. Whatever still runs by then is killed. */
  readonly stopByMs: number;
  /** Monotonic. The node leaves then, whatever a job's end still waits for. */
  readonly leaveByMs: number;
  /** Monotonic. What the server has not taken by then is not waited for: the rest of the time is for deregistering. */
  readonly shipByMs: number;
}

/** For shipping what the jobs wrote, and for leaving. */
const LEAVE_MS = 5_000;
/** A job that cannot be saved gets this long to put its own house in order. */
const GRACE_MS = 10_000;
/** What the jobs wrote gets this long, however short the notice is. */
const SHIP_MS_MIN = 1_000;

/** Pure. A short notice is shared out: four fifths for saving. */
export function reclaimPlan(nowMs: number, leftMs: number): ReclaimPlan {
  const left = Math.max(0, leftMs);
  const leaveMs = Math.min(LEAVE_MS, left / 5);
  const stopByMs = nowMs + left - leaveMs;
  const saveByMs = stopByMs - Math.min(1_000, left / 20);
  return { saveByMs, stopByMs, leaveByMs: stopByMs + leaveMs / 2, shipByMs: stopByMs + (3 * leaveMs) / 4 };
}

export async function reclaimJobs(
  jobs: readonly Job[],
  plan: ReclaimPlan,
  timers: Timers,
  log: AgentLog,
): Promise<void> {
  await Promise.all(jobs.map((job) => reclaimJob(job, plan, timers, log)));
}

export interface RestToShip {
  /** Sends what can be sent now; whether that is all. */
  readonly finish: () => Promise<boolean>;
  /** Asks a server that was away now. */
  readonly tryNow: () => void;
  /** Monotonic. */
  readonly byMs: number;
  readonly signal: AbortSignal;
  readonly timers: Timers;
  readonly random: Random;
}

/** After the node has left nothing is sent: a server that is away is waited for. Resolves with whether all was sent. */
export function shipRest({ finish, tryNow, byMs, signal, timers, random }: RestToShip): Promise<boolean> {
  const endMs = Math.max(byMs, timers.clock.monotonicMs() + SHIP_MS_MIN);
  const ship = async (leftMs: number): Promise<boolean> => {
    tryNow();
    const rest = finish().catch(() => false);
    return (await orNull(rest, Math.max(0, leftMs), timers)) === true;
  };
  return persist(ship, { endMs, signal, timers, random });
}

async function reclaimJob(job: Job, plan: ReclaimPlan, timers: Timers, log: AgentLog): Promise<void> {
  const { id, services } = job.context;
  const nowMs = (): number => timers.clock.monotonicMs();
  let isSaved = false;
  if (services.settings().ckptMode === 'iterative') {
    const late = at(plan.saveByMs, timers).then(() => null);
    // One that is in progress is older than the notice: its end is waited for, then the last one is taken.
    const saved = await Promise.race([job.saver.saveAgain('the node is being reclaimed'), late]);
    isSaved = saved?.ok === true;
    if (saved === null) await job.saver.abandon();
    if (!isSaved)
      log.warn(
        `job ${id}: not saved before its node is reclaimed: ${saved === null ? 'there was no time left' : saved.ok ? '' : saved.detail}`,
      );
  }
  // What a saved job does from here on is done again elsewhere.
  const graceMs = isSaved ? 0 : Math.max(0, Math.min(GRACE_MS, plan.stopByMs - nowMs()));
  // The end of a job may wait for a volume or a container that is slow to go; it is reported before that.
  await Promise.race([job.stop('reclaim', graceMs), at(plan.leaveByMs, timers)]);
}

function at(monotonicMs: number, timers: Timers): Promise<void> {
  return new Promise((resolve) => timers.after(Math.max(0, monotonicMs - timers.clock.monotonicMs()), () => resolve()));
}
