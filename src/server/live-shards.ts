/** The running shards as one: what main sends to all of them, or to the one on which an actor lives. */

import type { AgentCounts } from '../actors/node/agent-tally.ts';
import type { ShardSupervisor } from '../actors/shard/supervisor/shard-supervisor.ts';
import { shardOf } from '../actors/shard/wire/placement.ts';
import type { SharedState } from '../actors/shard/wire/shared-state.ts';
import { CodedError } from '../base/errors.ts';
import { type MetricSnapshot, snapshotOf } from '../base/metrics.ts';
import type { ShardFigures } from '../control/figures/fleet-figures.ts';
import { INTERRUPTIONS, ProcessFigures } from '../control/figures/process-figures.ts';
import type { ShardControl } from '../gateway/api/services.ts';
import type { TlsFiles } from '../gateway/http/tls-files.ts';

export class LiveShards {
  /** Takes what the shards have counted when they end. */
  readonly process: ProcessFigures;
  readonly #count: number;
  #supervisor: ShardSupervisor<ShardControl> | undefined;

  constructor(count: number, process = new ProcessFigures()) {
    this.#count = count;
    this.process = process;
  }

  /** Before this no shard is live. */
  run(supervisor: ShardSupervisor<ShardControl>): void {
    this.#supervisor = supervisor;
  }

  get restarts(): number {
    return this.#supervisor?.restarts ?? 0;
  }

  get unreadableEvents(): number {
    return this.#supervisor?.unreadableEvents ?? 0;
  }

  get count(): number {
    return this.#controls().length;
  }

  /** A shard that is restarting gets the state when it is up. */
  async publish(state: SharedState): Promise<void> {
    await Promise.all(this.#controls().map(([, control]) => control.update(state).catch(() => {})));
  }

  /** Shard → the number by which the acceptor knows the app that it opened. */
  async open(generation: number, tls: TlsFiles | null): Promise<ReadonlyMap<number, number>> {
    const opened = await Promise.all(
      this.#controls().map(async ([shard, control]) => [shard, await control.open(generation, tls)] as const),
    );
    return new Map(opened);
  }

  async retire(generation: number): Promise<void> {
    await Promise.all(this.#controls().map(([, control]) => control.retire(generation).catch(() => {})));
  }

  /** Throws `overloaded` before the shards run, and while the actor's shard restarts. */
  ask(kind: string, id: string, message: { readonly type: string }): Promise<unknown> {
    const shard = shardOf({ kind, id }, this.#count);
    return this.#supervisor?.control(shard).ask(kind, id, message) ?? Promise.reject(new CodedError('overloaded'));
  }

  /** With what those have counted that have ended. */
  async metrics(): Promise<MetricSnapshot[][]> {
    const live = await Promise.all(this.#controls().map(([, control]) => control.metrics()));
    const { name, help } = INTERRUPTIONS;
    return [...live, [snapshotOf(name, 'counter', help, {}, this.process.totals.interruptions)]];
  }

  /** As `metrics`. */
  async figures(): Promise<ShardFigures[]> {
    const live = await Promise.all(this.#controls().map(([, control]) => control.figures()));
    return [...live, { nodes: [], jobTotals: this.process.totals.jobTotals }];
  }

  agents(): Promise<AgentCounts[]> {
    return Promise.all(this.#controls().map(([, control]) => control.agents()));
  }

  /** Stops intake on all, then finishes what is in flight within `deadlineMs`, then ends them, and the writer unless it is kept. */
  async stop(deadlineMs: number, keepsWriter = false): Promise<void> {
    const steps: ((control: ShardControl) => Promise<void>)[] = [
      (control) => control.stopIntake(),
      (control) => control.drain(deadlineMs),
      async (control) => this.process.shardEnded(await control.stop()),
    ];
    await this.#supervisor?.stop(steps, keepsWriter);
  }

  async crash(shard: number): Promise<void> {
    await this.#supervisor?.control(shard).crash();
  }

  #controls(): (readonly [shard: number, control: ShardControl])[] {
    return this.#supervisor?.controls() ?? [];
  }
}
