/**
 * A batch of heartbeats that would hold the thread: 8 MiB may bring 600,000 samples. It is checked in slices, whole, before
 * anything of it is taken; then it is handed on in slices, in its order. A slice is bounded by weight (each beat and each of
 * its samples is one), and has a turn of the event loop that no other slice has. The next one waits until the shards that this
 * one went to have handled it, because a thread handles whatever has gathered at its port in one turn.
 */
import { z } from 'zod';
import type { BeatsTaken } from '../../actors/shard/host/call-of-many.ts';
import type { BeatOfNode } from '../../actors/shard/host/heartbeat-dispatcher.ts';
import { CodedError, type Failure, failureOf, failureOfPart, isOutcomeUnknown } from '../../base/errors.ts';
import { type BatchedBeat, batchedBeatSchema } from '../../protocol/heartbeat.ts';
import { FAULTS_MAX, faultsOf } from '../body/parse-body.ts';
import type { TurnQueue } from '../body/turn-queue.ts';
import { plainBatch, SLICE_WEIGHT, samplesOf, UNUSUAL_WEIGHT, usualSamples, weightOf } from './batch.ts';
import type { BatchDone, HeartbeatServices, LargeBatchIntake } from './services.ts';

const beatsSchema = z.array(batchedBeatSchema);

/** Batches that are in work in slices, of one thread. */
export class LargeBatches implements LargeBatchIntake {
  readonly #turns: TurnQueue;
  #inWork = 0;

  constructor(turns: TurnQueue) {
    this.#turns = turns;
  }

  /** Calls that are not answered yet. */
  get inWork(): number {
    return this.#inWork;
  }

  /** Resolves when all of it has been handed on, or refused: what comes after that comes behind it. Never rejects. */
  async take(sent: readonly unknown[], services: HeartbeatServices, done: BatchDone): Promise<void> {
    this.#inWork++;
    const end: BatchDone = (failure, reply) => {
      this.#inWork--;
      done(failure, reply);
    };
    const batch = new LargeBatch(this.#turns, services);
    try {
      const slices = await batch.check(sent);
      const parts = await batch.handOn(slices);
      Promise.all(parts).then((ended) => end(...batch.reply(ended)));
    } catch (error) {
      end(failureIn(error), null);
    }
  }
}

interface Part {
  readonly failure: Failure | null;
  readonly taken: BeatsTaken;
  readonly hasSamples: boolean;
}

class LargeBatch {
  readonly #turns: TurnQueue;
  readonly #services: HeartbeatServices;
  readonly #warnings: string[] = [];

  constructor(turns: TurnQueue, services: HeartbeatServices) {
    this.#turns = turns;
    this.#services = services;
  }

  /** The beats in slices; throws `invalid`. */
  async check(sent: readonly unknown[]): Promise<(readonly BatchedBeat[])[]> {
    const slices: (readonly BatchedBeat[])[] = [];
    const faults: Record<string, string> = {};
    for (let from = 0; from < sent.length && Object.keys(faults).length < FAULTS_MAX; ) {
      await this.#turns.next();
      const to = sliceEnd(sent, from, SLICE_WEIGHT);
      const slice = sent.slice(from, to);
      slices.push(plainBatch(slice) ?? (await this.#parsed(slice, from, faults)));
      from = to;
    }
    const named = Object.entries(faults).slice(0, FAULTS_MAX);
    if (named.length > 0) throw new CodedError('invalid', undefined, Object.fromEntries(named));
    return slices;
  }

  async #parsed(slice: readonly unknown[], first: number, faults: Record<string, string>): Promise<BatchedBeat[]> {
    const beats: BatchedBeat[] = [];
    for (let from = 0; from < slice.length; ) {
      await this.#turns.next();
      const to = sliceEnd(slice, from, UNUSUAL_WEIGHT);
      const result = beatsSchema.safeParse(slice.slice(from, to));
      if (result.success) beats.push(...result.data);
      else
        for (const [path, reason] of Object.entries(faultsOf(result.error)))
          faults[path.replace(/^\d+/, (index) => String(first + from + Number(index)))] = reason;
      from = to;
    }
    return beats;
  }

  /** A part for each slice, each in progress when this resolves; one that cannot be handed on ends the batch. */
  async handOn(slices: (readonly BatchedBeat[])[]): Promise<Promise<Part>[]> {
    const parts: Promise<Part>[] = [];
    for (;;) {
      // Let go of one after the other: the samples take as much memory again.
      const slice = slices.shift();
      if (!slice) return parts;
      await this.#turns.next();
      try {
        const beats = await this.#withSamples(slice);
        parts.push(this.#handOn(beats));
        await this.#services.host.beats.heard(beats);
      } catch (error) {
        const taken = { accepted: 0, unknown: [], nextBeatMs: 0 };
        parts.push(Promise.resolve({ failure: failureIn(error), taken, hasSamples: false }));
        return parts;
      }
    }
  }

  async #withSamples(slice: readonly BatchedBeat[]): Promise<BeatOfNode[]> {
    const nowMs = this.#services.host.clock.wallMs();
    const beats: BeatOfNode[] = [];
    let weight = 0;
    for (const beat of slice) {
      let samples = usualSamples(beat, this.#services, nowMs);
      if (!samples) {
        weight += weightOf(beat);
        if (weight > UNUSUAL_WEIGHT) {
          weight = weightOf(beat);
          await this.#turns.next();
        }
        samples = await samplesOf(beat.id, beat, this.#services, this.#warnings);
      }
      beats.push({ id: beat.id, samples });
    }
    return beats;
  }

  #handOn(beats: readonly BeatOfNode[]): Promise<Part> {
    const hasSamples = beats.some(({ samples }) => samples.length > 0);
    return new Promise((resolve) => {
      this.#services.host.beats.many(beats, (failure, taken) => resolve({ failure, taken, hasSamples }), true);
    });
  }

  /** What all parts together say, as if they had been one. */
  reply(parts: readonly Part[]): Parameters<BatchDone> {
    const failed = parts.find(({ failure }) => failure !== null)?.failure;
    if (failed) {
      const isPartlyStored = parts.some(({ failure, taken, hasSamples }) =>
        failure ? isOutcomeUnknown(failure) : hasSamples && taken.accepted > 0,
      );
      return [isPartlyStored ? failureOfPart(failed) : failed, null];
    }
    const counted = parts.filter(({ taken }) => taken.accepted > 0);
    const reply = {
      accepted: counted.reduce((sum, { taken }) => sum + taken.accepted, 0),
      unknown: [...new Set(parts.flatMap(({ taken }) => taken.unknown))],
      // A part without a known node has the answer of a call without one.
      nextBeatMs: Math.min(...(counted.length > 0 ? counted : parts).map(({ taken }) => taken.nextBeatMs)),
      configVersion: this.#services.host.shared.configVersion,
    };
    return [null, this.#warnings.length > 0 ? { ...reply, warnings: this.#warnings } : reply];
  }
}

/** Where a slice ends that begins there: at least one beat, and no more than so much weight where it is more than one. */
function sliceEnd(beats: readonly unknown[], from: number, weightMax: number): number {
  let weight = weightOf(beats[from]);
  let to = from + 1;
  while (to < beats.length) {
    weight += weightOf(beats[to]);
    if (weight > weightMax) break;
    to++;
  }
  return to;
}

function failureIn(error: unknown): Failure {
  return error instanceof CodedError ? failureOf(error) : { name: 'internal' };
}
