/** What the agent does when its machine is about to be taken away: report, save and stop the jobs, leave; or come back. */
import type { Random } from '../../src/base/random.ts';
import { formatTimestampMs } from '../../src/protocol/timestamp.ts';
import type { AgentLog } from '../base/log.ts';
import { Once } from '../base/log-once.ts';
import { orNull, type PersistUntil, persist } from '../base/persist.ts';
import type { Timers } from '../base/timers.ts';
import type { JobsPart } from '../jobs/jobs-part.ts';
import { reclaimPlan } from '../jobs/reclaim.ts';
import type { ClientRequest } from '../link/client.ts';
import { type Outcome, outcomeOf, type Reply } from '../link/outcome.ts';
import type { Notice } from './notices.ts';
import type { NoticeSource } from './sources.ts';
import { NoticeWatcher } from './watcher.ts';

export interface InterruptionParts {
  readonly nodeId: string;
  readonly sources: readonly NoticeSource[];
  readonly jobs: Pick<JobsPart, 'settings' | 'saveAll' | 'refuse' | 'reclaim'>;
  readonly call: (request: Omit<ClientRequest, 'token'>) => Promise<Reply>;
  /** Ends the heartbeats: one that gets "unknown" would register the node again. Resolves when none is in flight. */
  readonly fallSilent: () => Promise<void>;
  readonly deregister: (deadlineMs: number) => Promise<Outcome>;
  /** Registers the node again. */
  readonly rejoin: () => void;
  readonly timers: Timers;
  readonly random: Random;
  readonly log: AgentLog;
}

/** Of one call. A server that is taken over or restarted may swallow one; the next reaches the server after it. */
const CALL_MS = { min: 2_000, max: 3_000 };
/** A heartbeat that is in flight then may still be taken. */
const SILENCE_MS = 1_000;

export class Interruption {
  readonly #parts: InterruptionParts;
  readonly #watcher: NoticeWatcher;
  /** Resolved when the node has left. */
  #leaving: Promise<void> = Promise.resolve();
  /** Resolved when no heartbeat of before is in flight. */
  #silence: Promise<void> = Promise.resolve();
  /** Of what is tried again while the notice holds. */
  #attempts = new AbortController();

  constructor(parts: InterruptionParts) {
    this.#parts = parts;
    this.#watcher = new NoticeWatcher({
      sources: parts.sources,
      isOn: () => parts.jobs.settings.cloudMonitorMode,
      timers: parts.timers,
      onNotice: (notice, source) => {
        this.#leaving = this.#leave(notice, source);
      },
      onWithdrawn: () => {
        this.#attempts.abort();
        void this.#comeBack();
      },
      onRebalance: (source) => {
        parts.log.warn(`${source} recommends leaving this machine: saving every job now`);
        parts.jobs.saveAll('a rebalance recommendation');
      },
    });
  }

  start(): void {
    this.#watcher.start();
  }

  stop(): void {
    this.#watcher.stop();
    this.#attempts.abort();
  }

  async #leave({ action, timeMs }: Notice, source: string): Promise<void> {
    const { log, nodeId, timers, random, jobs } = this.#parts;
    const time = formatTimestampMs(timeMs);
    const nowMs = timers.clock.monotonicMs();
    const leftMs = timeMs - timers.clock.wallMs();
    const plan = reclaimPlan(nowMs, leftMs);
    log.warn(`${source} is about to ${action} this machine at ${time}: saving and stopping the jobs`);
    jobs.refuse(`the node ${nodeId} is being reclaimed: run the job on another one`);
    this.#attempts = new AbortController();
    const { signal } = this.#attempts;
    const reported = this.#report(action, time, { endMs: plan.shipByMs, signal, timers, random });
    await jobs.reclaim(plan, signal);
    await reported;
    this.#silence = this.#parts.fallSilent();
    await orNull(this.#silence, SILENCE_MS, timers);
    await this.#deregister({ endMs: nowMs + leftMs, signal, timers, random });
  }

  async #report(action: string, time: string, until: PersistUntil): Promise<void> {
    await this.#insist('report the notice', until, async (deadlineMs) =>
      outcomeOf(
        await this.#parts.call({
          method: 'POST',
          path: `/api/v1/node/${encodeURIComponent(this.#parts.nodeId)}/interruption`,
          body: JSON.stringify({ action, time }),
          type: 'application/json',
          deadlineMs,
        }),
      ),
    );
  }

  async #deregister(until: PersistUntil): Promise<void> {
    const outcome = await this.#insist('deregister', until, (deadlineMs) => this.#parts.deregister(deadlineMs));
    if (outcome === 'accepted') this.#parts.log.info('deregistered');
  }

  /** Calls until the server has answered with a word that lasts. A server that is away is asked again. */
  async #insist(
    what: string,
    until: PersistUntil,
    call: (deadlineMs: number) => Promise<Outcome>,
  ): Promise<Outcome['type']> {
    const { log } = this.#parts;
    const said = new Once();
    let last: Outcome['type'] = 'later';
    const isDone = await persist(async (leftMs) => {
      const outcome = await call(Math.min(CALL_MS.max, Math.max(CALL_MS.min, leftMs)));
      last = outcome.type;
      if (last === 'accepted') return true;
      const reason = 'reason' in outcome ? outcome.reason : last;
      if (said.isNew(reason)) log.warn(`cannot ${what}: ${reason}`);
      return last === 'unregistered' || last === 'refused';
    }, until);
    if (!isDone && !until.signal.aborted) log.error(`could not ${what} before the notice’s time`);
    return last;
  }

  /** The machine stays after all. */
  async #comeBack(): Promise<void> {
    await this.#leaving;
    await this.#silence;
    this.#parts.log.info('the notice was withdrawn: the node accepts jobs again');
    this.#parts.rejoin();
    this.#parts.jobs.refuse(null);
  }
}
