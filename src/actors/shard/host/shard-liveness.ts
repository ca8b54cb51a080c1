/** By which times and which clock the nodes of a shard are judged, and what the other shards hear of their silence. */
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { type Config, settingsOf } from '../../../protocol/config/config.ts';
import { heldUntil, type LivenessTimes, massSilenceMs, retimed } from '../../node/liveness.ts';
import { LivenessClock } from '../../node/liveness-clock.ts';
import { SilenceHistogram } from '../../node/silence-histogram.ts';
import type { NodeEnv } from '../../node/state.ts';
import type { SharedStats } from '../wire/shared-stats.ts';

export interface ShardLivenessHost {
  readonly index: number;
  readonly clock: Clock;
  readonly stats: SharedStats;
  readonly log: Logger;
}

export class ShardLiveness {
  readonly livenessClock = new LivenessClock();
  readonly histogram = new SilenceHistogram();
  readonly #host: ShardLivenessHost;
  #times: LivenessTimes;
  #intervalMultiplier: () => number = () => 1;
  #refusalsSeen = 0;
  /** As it is published; 0 while no verdict is suspended. */
  #heldFrom = 0;

  constructor(host: ShardLivenessHost, config: Config) {
    this.#host = host;
    this.#times = timesOf(config);
  }

  get heartbeatMs(): number {
    return this.#times.heartbeatMs;
  }

  /** What node actors need of it; rebuilt after each change of the times. */
  get env(): Pick<NodeEnv, 'times' | 'intervalMultiplier' | 'livenessClock' | 'histogram' | 'massSilence'> {
    const { livenessClock, histogram } = this;
    return {
      times: this.#times,
      intervalMultiplier: () => this.#intervalMultiplier(),
      livenessClock,
      histogram,
      massSilence: (nowMs) => {
        const others = this.#host.stats.massSilenceWithout(this.#host.index);
        const silent = histogram.silentFor(massSilenceMs(this.#times, this.#intervalMultiplier()), nowMs);
        return { running: others.running + histogram.running, silent: others.silent + silent };
      },
    };
  }

  /** Who measures overload says by how much heartbeats' intervals are longer. */
  multiplyBy(intervalMultiplier: () => number): void {
    this.#intervalMultiplier = intervalMultiplier;
  }

  /** Whether the times are others now, so that every node must be told. */
  update(config: Config): boolean {
    const times = timesOf(config);
    if (times.heartbeatMs === this.#times.heartbeatMs && times.ttlMs === this.#times.ttlMs) return false;
    this.#times = retimed(this.#times, times, this.#intervalMultiplier(), this.#nowMs());
    return true;
  }

  /** A heartbeat was not taken because the server could not take it: no node is judged by this time. */
  refusedBeat(): void {
    this.#host.stats.addRefusal();
    this.excuse();
  }

  /** Takes notice of beats that any shard has refused since. */
  excuse(): void {
    const { refusals } = this.#host.stats;
    if (refusals === this.#refusalsSeen) return;
    this.#refusalsSeen = refusals;
    this.livenessClock.excuse(this.#host.clock.monotonicMs());
  }

  /** Tells the other shards how many nodes are silent here. */
  publish(): void {
    const silent = this.histogram.silentFor(massSilenceMs(this.#times, this.#intervalMultiplier()), this.#nowMs());
    const { suspended, running } = this.histogram;
    if (suspended > 0 !== this.#heldFrom > 0) this.#reportSuspension(suspended, running);
    this.#host.stats.publish(this.#host.index, { running, silent }, suspended, this.#heldFrom);
  }

  /** One line for a mass silence, and one when it is over: a hundred thousand lines would stall the beats that would end it. */
  #reportSuspension(suspended: number, running: number): void {
    const { clock, log } = this.#host;
    // The first was a little earlier: nobody is told of a node that is lost before its time.
    this.#heldFrom = suspended > 0 ? Math.max(1, Math.floor(clock.wallMs() / 1_000) - PUBLISHED_LATE_S) : 0;
    if (suspended > 0)
      log.warn(
        { suspended, running },
        `more than half of all nodes fell silent at once: none is marked lost before ${heldUntil(this.#heldFrom, this.#times.ttlMs)}`,
      );
    else log.info({ running }, 'silent nodes are marked lost again');
  }

  #nowMs(): number {
    return this.livenessClock.timeAt(this.#host.clock.monotonicMs());
  }
}

/** How long the beginning of a suspension may be known before it is published, seconds. */
const PUBLISHED_LATE_S = 2;

function timesOf(config: Config): LivenessTimes {
  const settings = settingsOf(config);
  return { heartbeatMs: settings.heartbeatMs, ttlMs: settings.nodeTtlMs };
}
