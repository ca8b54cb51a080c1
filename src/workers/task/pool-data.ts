/** What main hands to the pool's threads, and how they hand bytes back. Apart, so that only this file knows how piscina wraps it. */
import type { MessagePort } from 'node:worker_threads';
import { move, transferableSymbol, valueSymbol, workerData } from 'piscina';
import type { AnswerTask, PoolData, StreamTask, TaskOutcome } from './task.ts';

/** What a thread is called with. */
export interface PoolInput {
  /** The word where code is to run until it is quick, and nobody waits for an answer. */
  readonly task: StreamTask | AnswerTask | 'warmUp';
  readonly port?: MessagePort;
}

export function poolData(): PoolData {
  return workerData as PoolData;
}

/** The outcome with its bytes handed over instead of copied, where it is nothing but bytes in memory of their own. */
export function handedOver(outcome: TaskOutcome): unknown {
  const { value } = outcome;
  if (!(value instanceof Uint8Array) || value.byteLength !== value.buffer.byteLength) return outcome;
  return move({ [transferableSymbol]: value.buffer, [valueSymbol]: outcome } as unknown as Parameters<typeof move>[0]);
}
