/** By which times and which clock the nodes of a shard are judged, and what the other shards hear of their silence. */
import type { Clock } from '../../../base/clock.ts';
import type { Logger } from '../../../base/log.ts';
import { type Config, settingsOf } from '../../../protocol/config.ts';
import type { NodeEnv } from '../../node/behaviour.ts';
import { crowdSilenceMs, type LivenessTimes, retimed } from '../../node/liveness.ts';
import { Patience } from '../../node/liveness-clock.ts';
import { BeatTally } from '../../node/silence-histogram.ts';
import type { SharedStats } from '../wire/shared-stats.ts';

export interface ShardLivenessHost {
  readonly index: number;
  readonly clock: Clock;
  readonly stats: SharedStats;
  readonly log: Logger;
}

export class ShardLiveness {
  readonly patience = new Patience();
  readonly tally = new BeatTally();
  readonly #host: ShardLivenessHost;
  #times: LivenessTimes;
  #stretch: () => number = () => 1;
  #refusalsSeen = 0;
  #tellsHeld = false;

  constructor(host: ShardLivenessHost, config: Config) {
    this.#host = host;
    this.#times = timesOf(config);
  }

  get heartbeatMs(): number {
    return this.#times.heartbeatMs;
  }

  /** What node actors need of it; made anew after each change of the times. */
  get env(): Pick<NodeEnv, 'times' | 'stretch' | 'patience' | 'tally' | 'crowd'> {
    const { patience, tally } = this;
    return {
      times: this.#times,
      stretch: () => this.#stretch(),
      patience,
      tally,
      crowd: (nowMs) => {
        const others = this.#host.stats.crowdWithout(this.#host.index);
        const silent = tally.silentFor(crowdSilenceMs(this.#times, this.#stretch()), nowMs);
        return { running: others.running + tally.running, silent: others.silent + silent };
      },
    };
  }

  /** Who measures overload says by how much heartbeats' intervals are longer. */
  stretchBy(stretch: () => number): void {
    this.#stretch = stretch;
  }

  /** Whether the times are others now, so that every node must be told. */
  update(config: Config): boolean {
    const times = timesOf(config);
    if (times.heartbeatMs === this.#times.heartbeatMs && times.ttlMs === this.#times.ttlMs) return false;
    this.#times = retimed(this.#times, times, this.#stretch(), this.#nowMs());
    return true;
  }

  /** A heartbeat was not taken for our own lack of strength: no node is judged by this time. */
  refusedBeat(): void {
    this.#host.stats.addRefusal();
    this.excuse();
  }

  /** Takes notice of beats that any shard has refused since. */
  excuse(): void {
    const { refusals } = this.#host.stats;
    if (refusals === this.#refusalsSeen) return;
    this.#refusalsSeen = refusals;
    this.patience.excuse(this.#host.clock.monotonicMs());
  }

  /** Tells the other shards how many nodes are silent here. */
  publish(): void {
    const silent = this.tally.silentFor(crowdSilenceMs(this.#times, this.#stretch()), this.#nowMs());
    const { held, running } = this.tally;
    this.#host.stats.publish(this.#host.index, { running, silent }, held);
    if (held > 0 !== this.#tellsHeld) this.#tellHeld(held, running);
  }

  /** One line for a crowd, and one when it is over: a hundred thousand lines would stall the beats that would end it. */
  #tellHeld(held: number, running: number): void {
    this.#tellsHeld = held > 0;
    if (held > 0)
      this.#host.log.warn(
        { held, running },
        'more than half of all nodes are silent for node.ttl: verdicts are held for one more node.ttl',
      );
    else this.#host.log.info({ running }, 'no verdict is held any more');
  }

  #nowMs(): number {
    return this.patience.timeAt(this.#host.clock.monotonicMs());
  }
}

function timesOf(config: Config): LivenessTimes {
  const settings = settingsOf(config);
  return { heartbeatMs: settings.heartbeatMs, ttlMs: settings.nodeTtlMs };
}
