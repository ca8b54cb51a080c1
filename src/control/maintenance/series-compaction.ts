/**
 * Keeps the levels of the series: merges the blocks of windows that have ended, rolls days that have ended, repairs what late
 * samples made stale, removes what has outlived its level and is covered by the coarser ones, and then series without a bucket.
 * The pool computes, the writer commits; progress is in the same transaction as the work, so that a kill at any moment loses and
 * repeats nothing.
 *
 *   day ends ──20 min──► close (every aggregator writes what it holds of the day) ──► roll, slice by slice ──► rolled
 */

import type { AskOpen, Close, CloseReply, OpenPart } from '../../actors/aggregator/messages.ts';
import type { Write } from '../../actors/runtime/behaviour.ts';
import { CodedError } from '../../base/errors.ts';
import { LEVELS } from '../../protocol/rollup-retention.ts';
import type { Reader } from '../../store/kv/store.ts';
import type { PackedWrites } from '../../store/kv/write-batch.ts';
import { type RollupState, readRollupState, rollupStateWrite } from '../../store/series/rollup-state.ts';
import { companionsOf, expiryKey, hasSeries, seriesRows } from '../../store/series/series-index.ts';
import {
  DAY_MS,
  dayOf,
  levelRange,
  PARTITIONS,
  readBlockKey,
  readChunkKey,
  SLICES,
  windowMsOf,
} from '../../store/series/series-layout.ts';
import type { AnswerTask, TaskAnswers } from '../../workers/task/task.ts';

export interface SeriesCompactionHost {
  readonly reader: Reader;
  readonly nowMs: () => number;
  readonly answer: <T extends AnswerTask>(task: T) => Promise<TaskAnswers[T['type']]>;
  readonly close: (partition: number, message: Close) => Promise<CloseReply>;
  readonly open: (message: AskOpen) => Promise<readonly OpenPart[]>;
  /** Durable when it resolves; `packed` and `writes` are one transaction. */
  readonly commit: (writes: readonly Write[], packed?: PackedWrites) => Promise<void>;
}

const [FINE, MIDDLE, COARSE] = LEVELS;
/** A window is merged, and a day rolled, when nearly all of it has been flushed: a little more than the flush interval. */
const SETTLE_MS = 20 * 60_000;
/** 1m chunks go this much after their retention: nothing of such a day is still on its way in. */
const SPARE_MS = 3_600_000;
/** What one transaction writes and removes: a few milliseconds of it, which a heartbeat may have to wait for. */
const BYTES_MAX = 131_072;
const KEYS_MAX = 500;
const STALE_DAYS_MAX = 16;
/** Windows of 24h removed with one transaction: each is looked through, and takes about a millisecond. */
const COARSE_MAX = 32;
/** Series removed with one transaction; each costs a question to its aggregator. */
const ENDING_MAX = 200;

export class SeriesCompaction {
  readonly #host: SeriesCompactionHost;
  #stopped: () => boolean = () => false;
  #skip: (places: readonly string[]) => void = () => {};

  constructor(host: SeriesCompactionHost) {
    this.#host = host;
  }

  /**
   * One pass over everything that is due; it ends early once `stopped`. Never two at a time. `skip` is called with what cannot be
   * read and is passed over. Each part has its turn, whatever became of the one before it; throws what the first of them threw.
   */
  async run(stopped: () => boolean, skip: (what: string, error: unknown) => void = () => {}): Promise<void> {
    this.#stopped = stopped;
    this.#skip = (places) => {
      for (const place of places) skip(place, new CodedError('internal', `damaged: ${place}`));
    };
    await this.#begin();
    const failures: unknown[] = [];
    const parts = [this.mergeBlocks, this.rollDays, this.repair, this.remove, this.endSeries];
    for (const part of parts) await part.call(this).catch((error) => failures.push(error));
    if (failures.length > 0) throw failures[0];
  }

  async mergeBlocks(): Promise<void> {
    const beforeMs = this.#host.nowMs() - SETTLE_MS - windowMsOf(FINE);
    let afterKey: Uint8Array | null = null;
    do {
      const done: TaskAnswers['mergeBlocks'] = await this.#host.answer({
        type: 'mergeBlocks',
        beforeMs,
        afterKey,
        bytesMax: BYTES_MAX,
      });
      this.#skip(done.damaged);
      if (done.writes.byteLength > 0) await this.#host.commit([], done.writes);
      afterKey = done.nextKey;
    } while (afterKey && !this.#stopped());
  }

  /** Every day that has ended and is not rolled, the oldest first. */
  async rollDays(): Promise<void> {
    while (!this.#stopped()) {
      const { rolledBeforeMs } = this.#state();
      if (rolledBeforeMs + DAY_MS + SETTLE_MS > this.#host.nowMs()) return;
      await this.#closeBefore(rolledBeforeMs + DAY_MS);
      await this.#dailyRollup(rolledBeforeMs);
    }
  }

  /** Rolls again what late samples made stale. */
  async repair(): Promise<void> {
    const beforeMs = this.#state().rolledBeforeMs;
    const days = await this.#host.answer({ type: 'staleDays', beforeMs, limit: STALE_DAYS_MAX });
    for (const dayMs of days) {
      for (let fromSlice = 0; fromSlice < SLICES && !this.#stopped(); ) {
        const done = await this.#roll(dayMs, fromSlice, true);
        fromSlice = done.nextSlice;
        if (done.writes.byteLength === 0) continue;
        const state = this.#state();
        await this.#host.commit([rollupStateWrite({ ...state, generation: state.generation + 1 })], done.writes);
      }
    }
  }

  async remove(): Promise<void> {
    const nowMs = this.#host.nowMs();
    const fineBeforeMs = dayOf(nowMs - FINE.retentionMs - SPARE_MS);
    const beforeMs = {
      [FINE.name]: await this.#coveredBefore(fineBeforeMs),
      [MIDDLE.name]: nowMs - MIDDLE.retentionMs - windowMsOf(MIDDLE),
    } as Record<'1m' | '30m', number>;
    while (!this.#stopped()) {
      const keys = await this.#host.answer({ type: 'expiredChunks', beforeMs, limit: KEYS_MAX, bytesMax: BYTES_MAX });
      if (keys.length === 0) break;
      await this.#host.commit(keys.map((key): Write => ({ table: 'chunk', key, value: null })));
    }
    await this.#removeCoarse(nowMs);
  }

  /** Windows of 24h, with the series that have no bucket afterwards: those leave. */
  async #removeCoarse(nowMs: number): Promise<void> {
    const beforeMs = nowMs - COARSE.retentionMs - windowMsOf(COARSE);
    while (!this.#stopped()) {
      const done = await this.#host.answer({ type: 'removeCoarse', beforeMs, nowMs, limit: COARSE_MAX });
      this.#skip(done.damaged);
      if (done.chunks === 0) return;
      await this.#host.commit([], done.writes);
    }
  }

  /** Removes series that have been leaving for long enough; one that got a sample meanwhile comes back. */
  async endSeries(): Promise<void> {
    while (!this.#stopped()) {
      const nowMs = this.#host.nowMs();
      const rows = await this.#host.answer({ type: 'endSeries', nowMs, limit: ENDING_MAX });
      if (rows.length === 0) return;
      const held = new Set<string>();
      for (const { objectId, metric, isSuspended } of rows) {
        const parts = isSuspended ? [] : await this.#host.open({ type: 'open', objectId, metric });
        if (isSuspended || parts.length > 0)
          for (const companion of companionsOf(objectId, metric)) held.add(`${objectId} ${companion}`);
      }
      this.#host.reader.refresh();
      const writes: Write[] = [];
      for (const { objectId, metric } of rows) {
        writes.push({ table: 'leaving', key: expiryKey(objectId, metric), value: null });
        if (!held.has(`${objectId} ${metric}`) || hasSeries(this.#host.reader, objectId, metric)) continue;
        writes.push(...seriesRows(objectId, [metric]));
      }
      await this.#host.commit(writes);
    }
  }

  /** Up to where 1m may go: days that are rolled, with everything that was ever acknowledged of them. */
  async #coveredBefore(expiredBeforeMs: number): Promise<number> {
    const rolledBeforeMs = Math.min(expiredBeforeMs, this.#state().rolledBeforeMs);
    const [found] = await this.#host.answer({
      type: 'expiredChunks',
      beforeMs: { '1m': rolledBeforeMs, '30m': 0 },
      limit: 1,
      bytesMax: 1,
    });
    if (!found) return 0;
    await this.#askToClose(rolledBeforeMs);
    await this.mergeBlocks();
    await this.repair();
    const [stale] = await this.#host.answer({ type: 'staleDays', beforeMs: rolledBeforeMs, limit: 1 });
    return stale ?? rolledBeforeMs;
  }

  #state(): RollupState {
    this.#host.reader.refresh();
    return readRollupState(this.#host.reader);
  }

  /** A new store has nothing to roll but what is still taken, or was taken before the first pass. */
  async #begin(): Promise<void> {
    if (this.#state().rolledBeforeMs > 0) return;
    const { reader } = this.#host;
    let oldestMs = this.#host.nowMs() - FINE.retentionMs - DAY_MS;
    // What a journal brought back may be older still: it must be in blocks before the oldest of them is looked for.
    await this.#askToClose(oldestMs);
    reader.refresh();
    for (const { key } of reader.range('block', { limit: 1 }))
      oldestMs = Math.min(oldestMs, readBlockKey(key).windowMs);
    for (const { key } of reader.range('chunk', { ...levelRange(FINE), limit: 1 }))
      oldestMs = Math.min(oldestMs, readChunkKey(key).windowMs);
    const rolledBeforeMs = dayOf(oldestMs);
    await this.#host.commit([
      rollupStateWrite({ closedBeforeMs: rolledBeforeMs, rolledBeforeMs, nextSlice: 0, generation: 0 }),
    ]);
  }

  /** The mark first, so that an aggregator that starts again meanwhile has it too. */
  async #closeBefore(beforeMs: number): Promise<void> {
    const state = this.#state();
    if (state.closedBeforeMs < beforeMs)
      await this.#host.commit([rollupStateWrite({ ...state, closedBeforeMs: beforeMs })]);
    await this.#askToClose(beforeMs);
  }

  async #askToClose(beforeMs: number): Promise<void> {
    for (let partition = 0; partition < PARTITIONS; partition++) {
      for (let left = 1; left > 0 && !this.#stopped(); )
        left = (await this.#host.close(partition, { type: 'close', beforeMs })).left;
    }
  }

  async #dailyRollup(dayMs: number): Promise<void> {
    while (!this.#stopped()) {
      const state = this.#state();
      const { writes, nextSlice } = await this.#roll(dayMs, state.nextSlice, false);
      const generation = state.generation + (writes.byteLength > 0 ? 1 : 0);
      const next: RollupState =
        nextSlice < SLICES
          ? { ...state, nextSlice, generation }
          : { ...state, rolledBeforeMs: dayMs + DAY_MS, nextSlice: 0, generation };
      await this.#host.commit([rollupStateWrite(next)], writes);
      if (nextSlice >= SLICES) return;
    }
  }

  async #roll(dayMs: number, fromSlice: number, staleOnly: boolean): Promise<TaskAnswers['dailyRollup']> {
    const done = await this.#host.answer({ type: 'dailyRollup', dayMs, fromSlice, staleOnly, bytesMax: BYTES_MAX });
    this.#skip(done.damaged);
    return done;
  }
}
