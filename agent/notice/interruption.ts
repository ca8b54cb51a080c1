/** What the agent does when its machine is about to be taken away: report, save and stop the jobs, leave; or come back. */
import { formatTimestampMs } from '../../src/protocol/timestamp.ts';
import type { AgentLog } from '../base/log.ts';
import type { Timers } from '../base/timers.ts';
import type { JobsPart } from '../jobs/jobs-part.ts';
import { reclaimPlan } from '../jobs/reclaim.ts';
import type { ClientRequest } from '../link/client.ts';
import { outcomeOf, type Reply } from '../link/outcome.ts';
import type { Notice } from './notices.ts';
import { noticeSources, noticeUrlsOf } from './sources.ts';
import { NoticeWatcher } from './watcher.ts';

export interface InterruptionParts {
  readonly nodeId: string;
  readonly imdsUrl: string | null;
  readonly jobs: Pick<JobsPart, 'settings' | 'saveAll' | 'refuse' | 'reclaim'>;
  readonly call: (request: Omit<ClientRequest, 'token'>) => Promise<Reply>;
  /** Ends the heartbeats and deregisters the node. */
  readonly leave: () => Promise<void>;
  /** Registers it again. */
  readonly rejoin: () => void;
  readonly timers: Timers;
  readonly log: AgentLog;
}

const REPORT_DEADLINE_MS = 10_000;

export class Interruption {
  readonly #parts: InterruptionParts;
  readonly #watcher: NoticeWatcher;
  /** Resolved when the node has left. */
  #leaving: Promise<void> = Promise.resolve();

  constructor(parts: InterruptionParts) {
    this.#parts = parts;
    this.#watcher = new NoticeWatcher({
      sources: noticeSources(noticeUrlsOf(parts.imdsUrl, process.env)),
      isOn: () => parts.jobs.settings.cloudMonitorMode,
      timers: parts.timers,
      onNotice: (notice, source) => {
        this.#leaving = this.#leave(notice, source);
      },
      onWithdrawn: () => void this.#comeBack(),
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
  }

  async #leave({ action, timeMs }: Notice, source: string): Promise<void> {
    const { log, nodeId, timers, jobs } = this.#parts;
    const time = formatTimestampMs(timeMs);
    const plan = reclaimPlan(timers.clock.monotonicMs(), timeMs - timers.clock.wallMs());
    log.warn(`${source} is about to ${action} this machine at ${time}: saving and stopping the jobs`);
    jobs.refuse(`the node ${nodeId} is being reclaimed: run the job on another one`);
    const reported = this.#report(action, time);
    await jobs.reclaim(plan);
    await reported;
    await this.#parts.leave();
  }

  async #report(action: string, time: string): Promise<void> {
    const outcome = outcomeOf(
      await this.#parts.call({
        method: 'POST',
        path: `/api/v1/node/${encodeURIComponent(this.#parts.nodeId)}/interruption`,
        body: JSON.stringify({ action, time }),
        type: 'application/json',
        deadlineMs: REPORT_DEADLINE_MS,
      }),
    );
    if (outcome.type === 'accepted') return;
    this.#parts.log.warn(`cannot report the notice: ${'reason' in outcome ? outcome.reason : outcome.type}`);
  }

  /** The machine stays after all. */
  async #comeBack(): Promise<void> {
    await this.#leaving;
    this.#parts.log.info('the notice was withdrawn: the node accepts jobs again');
    this.#parts.rejoin();
    this.#parts.jobs.refuse(null);
  }
}
